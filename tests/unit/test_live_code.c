/* Code in the memory of a process. */
#include "unit.h"

#include "record/stacks/live_code.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void memory_is_read_once_a_round(void **state)
{
	u8 *page = mmap(NULL, 3 * LIVE_CODE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
	   got[8];
	u64 at = (u64)(uintptr_t)page + LIVE_CODE_PAGE - 4;
	struct live_code c = { .round = 0 };
	const u32 pid = (u32)getpid();

	(void)state;
	assert_ptr_not_equal(page, MAP_FAILED);
	munmap(page + 2 * LIVE_CODE_PAGE, LIVE_CODE_PAGE);
	memcpy(page + LIVE_CODE_PAGE - 4, "12345678", 8);
	live_code__begin_round(&c);
	if (!live_code__read(&c, pid, at, got, sizeof(got)))
		skip(); /* this machine does not let a process read its own memory so */
	assert_memory_equal(got, "12345678", 8);
	memcpy(page + LIVE_CODE_PAGE - 4, "abcdefgh", 8);
	assert_true(live_code__read(&c, pid, at, got, sizeof(got)));
	assert_memory_equal(got, "12345678", 8);
	live_code__begin_round(&c);
	assert_true(live_code__read(&c, pid, at, got, sizeof(got)));
	assert_memory_equal(got, "abcdefgh", 8);

	/* beyond what is mapped, and no such process */
	at = (u64)(uintptr_t)page + 2 * LIVE_CODE_PAGE;
	assert_true(live_code__read(&c, pid, at - 8, got, sizeof(got)));
	assert_false(live_code__read(&c, pid, at - 4, got, sizeof(got)));
	assert_false(live_code__read(&c, UINT32_MAX >> 1, at - 8, got, sizeof(got)));
	live_code__exit(&c);
	munmap(page, 2 * LIVE_CODE_PAGE);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_read_once_a_round),
		cmocka_unit_test(reading_is_limited_in_a_round),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
