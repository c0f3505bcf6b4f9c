/* Code in the memory of a process. */
#include "unit.h"

#include "base/memory/mem.h"
#include "record/stacks/live_code.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void memory_is_read_once_a_round(void **state)
{
	const size_t size = mem__page_size();
	u8 *page = mmap(NULL, 3 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), got[8];
	u64 at = (u64)(uintptr_t)page + size - 8;
	struct live_code c = { .round = 0 };
	const u32 pid = (u32)getpid();

	(void)state;
	assert_ptr_not_equal(page, MAP_FAILED);
	munmap(page + 2 * size, size);
	/* in one page: two may have the same place, and then the newer one replaces the other */
	memcpy(page + size - 8, "12345678", 8);
	live_code__begin_round(&c);
	if (!live_code__read(&c, pid, at, got, sizeof(got)))
		skip(); /* this machine does not let a process read its own memory so */
	assert_memory_equal(got, "12345678", 8);
	memcpy(page + size - 8, "abcdefgh", 8);
	assert_true(live_code__read(&c, pid, at, got, sizeof(got)));
	assert_memory_equal(got, "12345678", 8);
	live_code__begin_round(&c);
	assert_true(live_code__read(&c, pid, at, got, sizeof(got)));
	assert_memory_equal(got, "abcdefgh", 8);
	memcpy(page + size, "ijkl", 4);
	assert_true(live_code__read(&c, pid, at + 4, got, sizeof(got))); /* in two */
	assert_memory_equal(got, "efghijkl", 8);

	/* beyond what is mapped, and no such process */
	at = (u64)(uintptr_t)page + 2 * size;
	assert_true(live_code__read(&c, pid, at - 8, got, sizeof(got)));
	assert_false(live_code__read(&c, pid, at - 4, got, sizeof(got)));
	assert_false(live_code__read(&c, UINT32_MAX >> 1, at - 8, got, sizeof(got)));
	live_code__exit(&c);
	munmap(page, 2 * size);
}

static void reading_is_limited_in_a_round(void **state)
{
	const u64 pages = 1024, size = pages * LIVE_CODE_PAGE;
	u8 *data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), got;
	struct live_code c = { .round = 0 };
	unsigned nr = 0;

	(void)state;
	assert_ptr_not_equal(data, MAP_FAILED);
	live_code__begin_round(&c);
	for (u64 i = 0; i < pages; i++)
		nr += live_code__read(&c, (u32)getpid(), (u64)(uintptr_t)data + i * LIVE_CODE_PAGE, &got, 1);
	assert_true(nr < pages);
	live_code__exit(&c);
	munmap(data, size);
}

static unsigned nr_in_memory(u8 *data, unsigned nr)
{
	unsigned char is_there[8];
	unsigned sum = 0;

	assert_int_equal(mincore(data, nr * mem__page_size(), is_there), 0);
	for (unsigned i = 0; i < nr; i++)
		sum += is_there[i] & 1;
	return sum;
}

static void touched_pages_are_in_memory(void **state)
{
	u8 *data =
		mmap(NULL, 8 * mem__page_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const u64 at = (u64)(uintptr_t)data;
	struct live_code c = { .round = 0 };
	u8 got;

	(void)state;
	assert_ptr_not_equal(data, MAP_FAILED);
	assert_int_equal(nr_in_memory(data, 8), 0);
	live_code__begin_round(&c);
	live_code__touch(&c, (u32)getpid(), at + 8, at + 1);
	assert_int_equal(nr_in_memory(data, 8), 0);
	live_code__touch(&c, (u32)getpid(), at + mem__page_size() + 8, at + 3 * mem__page_size() + 8);
	if (!nr_in_memory(data, 8))
		skip(); /* this machine does not let a process read its own memory so */
	assert_int_equal(nr_in_memory(data, 8), 3);
	assert_int_equal(c.nr_touched, 3);
	live_code__touch(&c, UINT32_MAX >> 1, at, at + 8);
	assert_int_equal(nr_in_memory(data, 8), 3);

	/* not more than what is left of the round; reading is not limited by it */
	for (unsigned i = 0; i < 1024; i++)
		live_code__touch(&c, UINT32_MAX >> 1, 0, UINT64_MAX);
	live_code__touch(&c, (u32)getpid(), at, at + 8);
	assert_int_equal(nr_in_memory(data, 8), 3);
	assert_true(live_code__read(&c, (u32)getpid(), at + mem__page_size(), &got, 1));
	live_code__begin_round(&c);
	live_code__touch(&c, (u32)getpid(), at, at + 8);
	assert_int_equal(nr_in_memory(data, 8), 4);
	live_code__exit(&c);
	munmap(data, 8 * mem__page_size());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_read_once_a_round),
		cmocka_unit_test(reading_is_limited_in_a_round),
		cmocka_unit_test(touched_pages_are_in_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
