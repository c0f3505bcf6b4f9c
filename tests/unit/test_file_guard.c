/* Mapped files that are truncated: what is missing is zeros, and other faults are as before. */
#include "base/system/file_guard.h"

#include "unit.h"

#include "base/memory/mem.h"
#include "base/system/file.h"
#include "binary/dwarf/dwarf_lines.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGES = 4, THREADS = 4, ROUNDS = 200 };

/* Map a file of PAGES pages of 'x', and truncate it to one. */
static u8 *map_truncated(void)
{
	const size_t page = mem__page_size();
	int fd = file__open_unnamed(NULL);
	u8 *content = xmalloc(PAGES * page), *map;

	assert_true(fd >= 0);
	memset(content, 'x', PAGES * page);
	assert_int_equal(file__write_all(fd, content, PAGES * page), 0);
	map = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(map, MAP_FAILED);
	assert_int_equal(ftruncate(fd, (off_t)page), 0);
	close(fd);
	free(content);
	return map;
}

static void test_zeros(void **state)
{
	const size_t page = mem__page_size();
	u8 *map = map_truncated();

	(void)state;
	file_guard__add(map, PAGES * page);
	assert_int_equal(map[page - 1], 'x');
	assert_int_equal(map[page], 0);
	assert_int_equal(map[PAGES * page - 1], 0);
	map[2 * page + 5] = 'y'; /* writing, too */
	assert_int_equal(map[2 * page + 5], 'y');
	file_guard__remove(map);
	munmap(map, PAGES * page);
}

static void *guard_and_read(void *arg)
{
	const size_t page = mem__page_size();

	(void)arg;
	for (u32 i = 0; i < ROUNDS; i++) {
		u8 *map = map_truncated();

		file_guard__add(map, PAGES * page);
		for (size_t k = 1; k < PAGES; k++)
			assert_int_equal(map[k * page + i], 0);
		assert_int_equal(map[i], 'x');
		file_guard__remove(map);
		munmap(map, PAGES * page);
	}
	return NULL;
}

static void test_threads(void **state)
{
	pthread_t threads[THREADS];

	(void)state;
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, guard_and_read, NULL), 0);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static sigjmp_buf fault;

static void note_fault(int signo)
{
	siglongjmp(fault, signo);
}

/* A map that is not guarded, or not any more: the handler of before gets the signal. */
static void test_other_faults(void **state)
{
	const size_t page = mem__page_size();
	const struct sigaction action = { .sa_handler = note_fault };
	u8 *map = map_truncated(), *other = map_truncated();
	volatile u32 nr = 0;

	(void)state;
	assert_int_equal(sigaction(SIGBUS, &action, NULL), 0);
	file_guard__add(map, PAGES * page);
	assert_int_equal(map[page], 0);
	if (!sigsetjmp(fault, 1))
		nr += other[page];
	else
		nr = 1;
	assert_int_equal(nr, 1);
	file_guard__remove(map);
	if (!sigsetjmp(fault, 1))
		nr += map[2 * page];
	else
		nr = 2;
	assert_int_equal(nr, 2);
	/* the next one takes the signal again */
	file_guard__add(other, PAGES * page);
	assert_int_equal(other[page], 0);
	file_guard__remove(other);
	munmap(map, PAGES * page);
	munmap(other, PAGES * page);
}

/* A binary is truncated while its lines are looked up, as cp does to the file that it replaces. */
static void test_lines(void **state)
{
	const struct dwarf_lines_opts opts = { 0 };
	struct strbuf self = STRBUF_INIT;
	struct dwarf_lines *lines;
	struct source_line line;
	struct err err = ERR_INIT;
	char path[] = "/tmp/perf-test-XXXXXX";
	int fd = mkstemp(path);
	u32 found = 0;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(file__read("/proc/self/exe", &self, 0), 0);
	assert_int_equal(file__write_all(fd, self.buf, self.len), 0);
	assert_int_equal(dwarf_lines__open(&lines, path, NULL, &opts, &err), 0);
	assert_int_equal(ftruncate(fd, (off_t)self.len / 8), 0);
	for (u64 addr = 0; addr < self.len; addr += 64)
		found += dwarf_lines__find(lines, addr, DWARF_WANTS_LINE | DWARF_WANTS_INLINED, &line);
	assert_true(found < self.len / 64);
	dwarf_lines__delete(lines);
	unlink(path);
	close(fd);
	strbuf__exit(&self);
	err__exit(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_zeros),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_other_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
