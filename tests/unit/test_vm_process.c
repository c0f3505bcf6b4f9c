/* Memory of a process: pages that are there, others, and those of a process whose page never came. */
#include "outlived.h"

#include "record/hotspot/vm_process.h"

#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PAGES = 200 };

static u64 size;
static u8 *mem;

static bool may_read_own_memory(void)
{
	u8 byte, from = 1;
	struct iovec here = { &byte, 1 }, there = { &from, 1 };

	return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == 1 && !access("/proc/self/pagemap", R_OK);
}

static u64 page_at(unsigned nr)
{
	return (u64)(uintptr_t)mem + nr * size;
}

static int page_pipe[2];

static void *wait_on_pipe(void *arg)
{
	char c;

	return read(page_pipe[0], &c, 1) ? arg : NULL;
}

/* Let a thread wait as one for a page of the process that does not come. */
static void wait_for_page(struct vm_process *p, u32 pid)
{
	assert_int_equal(pipe(page_pipe), 0);
	p->stuck[p->nr_stuck].pid = pid;
	assert_int_equal(pthread_create(&p->stuck[p->nr_stuck].thread, NULL, wait_on_pipe, NULL), 0);
	p->nr_stuck++;
}

static void pages(void **state)
{
	static u8 data[PAGES * 65536];
	struct vm_process p = { .round = 0 };
	u32 pid = (u32)getpid();

	(void)state;
	if (!may_read_own_memory())
		skip();
	size = (u64)sysconf(_SC_PAGESIZE);
	mem = mmap(NULL, PAGES * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(mem != MAP_FAILED && PAGES * size <= sizeof(data));
	madvise(mem, PAGES * size, MADV_NOHUGEPAGE);
	for (unsigned i = 0; i < PAGES; i++)
		if (i != 3 && i != 199)
			mem[i * size] = (u8)(i + 1);
	assert_true(vm_process__read(&p, pid, 1, page_at(1) + size - 1, data, 2));
	assert_int_equal(data[1], 3);
	assert_true(vm_process__read(&p, pid, 1, page_at(4), data, 195 * size)); /* in several reads */
	assert_int_equal(data[194 * size], 199);
	assert_int_equal(p.nr_slow, 0);
	data[0] = 7;
	assert_true(vm_process__read(&p, pid, 1, page_at(3), data, 1)); /* never written */
	assert_int_equal(data[0], 0);
	assert_int_equal(p.nr_slow, 1);
	assert_true(vm_process__read(&p, pid, 1, page_at(4), data, 196 * size));
	assert_int_equal(p.nr_slow, 2);
	madvise(mem + 3 * size, size, MADV_DONTNEED);
	wait_for_page(&p, pid);
	assert_false(vm_process__read(&p, pid, 2, page_at(3), data, 1));
	assert_true(vm_process__read(&p, pid, 2, page_at(2), data, size));
	close(page_pipe[1]); /* the page comes, late */
	for (u64 i = 0; p.nr_stuck && i < 10000; i++) {
		vm_process__read(&p, pid, 2, page_at(3), data, 1);
		usleep(1000);
	}
	assert_int_equal(p.nr_stuck, 0);
	madvise(mem + 3 * size, size, MADV_DONTNEED);
	assert_true(vm_process__read(&p, pid, 3, page_at(2), data, 2 * size));
	assert_int_equal(p.nr_slow, 1);
	munmap(mem, PAGES * size);
	assert_false(vm_process__read(&p, pid, 2, page_at(2), data, 1));
	assert_false(vm_process__read(&p, pid, 2, 0, data, 8));
	assert_false(vm_process__read(&p, pid, 2, UINT64_MAX - 4, data, 8));
	assert_false(vm_process__read(&p, pid, 2, page_at(2), data, 0));
	assert_false(vm_process__read(&p, UINT32_MAX, 2, page_at(2), data, 8)); /* no such process */
	vm_process__exit(&p);
}

/* The memory is that of a thread that runs. */
static void outlived(void **state)
{
	struct vm_process p = { .round = 0 };
	u64 word = 0x1234567812345678, got = 0;
	pid_t pid;

	(void)state;
	if (!may_read_own_memory())
		skip();
	pid = outlived__start();
	assert_true(vm_process__read(&p, (u32)pid, 1, (u64)(uintptr_t)&word, &got, sizeof(got)));
	assert_int_equal(got, word);
	outlived__end(pid);
	assert_false(vm_process__read(&p, (u32)pid, 2, (u64)(uintptr_t)&word, &got, sizeof(got)));
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_false(vm_process__read(&p, (u32)pid, 3, (u64)(uintptr_t)&word, &got, sizeof(got)));
	vm_process__exit(&p);
}

/* The page map is open in a round, once. */
static void descriptors(void **state)
{
	struct vm_process p = { .round = 0 };
	u32 pid = (u32)getpid();
	int free_fd = dup(0), fd;
	u64 word = 7, got = 0;

	(void)state;
	close(free_fd);
	vm_process__exit(&p); /* nothing was read: descriptor 0 stays open */
	assert_int_equal(p.fd, -1);
	fd = dup(0);
	assert_int_equal(fd, free_fd);
	close(fd);
	if (!may_read_own_memory())
		skip();
	for (u64 round = 1; round < 4; round++) {
		assert_true(vm_process__read(&p, pid, round, (u64)(uintptr_t)&word, &got, sizeof(got)));
		assert_int_equal(got, 7);
		assert_int_equal(p.fd, free_fd);
		assert_int_equal(p.round, round);
	}
	vm_process__exit(&p);
	assert_int_equal(p.fd, -1);
	fd = dup(0);
	assert_int_equal(fd, free_fd);
	close(fd);
	vm_process__exit(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(pages), cmocka_unit_test(outlived),
					    cmocka_unit_test(descriptors) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
