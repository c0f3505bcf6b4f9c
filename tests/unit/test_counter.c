/* Opening counters: what is learned from refusals, and what is remembered. */
#include "unit.h"

#include "live/counter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct perf_event_attr clock_attr(void)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(struct perf_event_attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.exclude_guest = 1,
		.sample_period = 1000000,
		.sample_type = PERF_SAMPLE_IP,
		.sample_id_all = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
	};
}

static bool may_open(void)
{
	struct perf_event_attr attr = clock_attr();
	int fd = counter__open(&attr, 0, -1, -1);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void opens_and_closes_on_exec(void **state)
{
	struct counter_missing missing = { 0 };
	struct perf_event_attr attr = clock_attr();
	int fd;

	(void)state;
	if (!may_open())
		skip();
	fd = counter__open_adapting(&missing, &attr, 0, -1, -1);
	assert_true(fd >= 0);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(missing.bits, 0);
	assert_true(attr.mmap2 && attr.comm_exec && attr.sample_id_all && attr.exclude_guest);
	close(fd);
}

/*
 * Values of inherited events in samples: refused before 6.12, and by newer kernels where samples have no
 * thread.
 */
static void drops_inheritance_of_what_is_read(void **state)
{
	struct counter_missing missing = { 0 };
	struct perf_event_attr attr = clock_attr();
	int fd;

	(void)state;
	if (!may_open())
		skip();
	attr.inherit = 1;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_READ;
	fd = counter__open_adapting(&missing, &attr, 0, 0, -1);
	assert_true(fd >= 0);
	close(fd);
	assert_false(attr.inherit);
	assert_true(attr.sample_type & PERF_SAMPLE_READ);
	attr = clock_attr();
	attr.inherit = 1;
	counter_missing__apply(&missing, &attr);
	assert_true(attr.inherit);
}

static void learns_nothing_from_a_bad_event(void **state)
{
	struct counter_missing missing = { 0 };
	struct perf_event_attr attr = clock_attr();

	(void)state;
	if (!may_open())
		skip();
	attr.sample_type = 1ull << 60;
	assert_int_equal(counter__open_adapting(&missing, &attr, 0, -1, -1), -EINVAL);
	assert_int_equal(missing.bits, 0);
	assert_true(attr.mmap2 && attr.exclude_guest);
	attr = clock_attr();
	attr.type = 0x7fffffff;
	assert_true(counter__open_adapting(&missing, &attr, 0, -1, -1) < 0);
	assert_int_equal(missing.bits, 0);
	attr = clock_attr();
	assert_int_equal(counter__open_adapting(&missing, &attr, INT32_MAX, -1, -1), -ESRCH);
	assert_int_equal(attr.size, sizeof(attr));
}

static void knows_missing_hardware(void **state)
{
	static const int yes[] = { ENOENT, ENODEV, EOPNOTSUPP, ENXIO, EINVAL, -ENOENT },
			 no[] = { 0, EACCES, EPERM, EMFILE, ESRCH, ENOMEM, -EACCES };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(yes); i++)
		assert_true(counter__is_missing_hardware(yes[i]));
	for (size_t i = 0; i < ARRAY_SIZE(no); i++)
		assert_false(counter__is_missing_hardware(no[i]));
}

static void knows_what_is_all_kernel(void **state)
{
	static const struct {
		struct perf_event_attr attr;
		const char *name;
		bool all;
	} rows[] = {
		{ { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK }, "cpu-clock", false },
		{ { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS }, "faults", false },
		{ { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CONTEXT_SWITCHES }, "cs", true },
		{ { .type = PERF_TYPE_HARDWARE, .config = 3 }, "cache-misses", false },
		{ { .type = PERF_TYPE_TRACEPOINT }, "sched:sched_switch", true },
		{ { .type = PERF_TYPE_TRACEPOINT }, "raw_syscalls:sys_enter", true },
		{ { .type = PERF_TYPE_TRACEPOINT }, "syscalls:sys_enter_read", false },
		{ { .type = PERF_TYPE_BREAKPOINT, .bp_addr = 0x1000 }, "mem:0x1000", false },
		{ { .type = PERF_TYPE_BREAKPOINT, .bp_addr = 0xffffffff81000000 },
		  "mem:0xffffffff81000000",
		  true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (counter__is_all_kernel(&rows[i].attr, rows[i].name) != rows[i].all)
			fail_msg("wrong about %s", rows[i].name);
}

static void tries_breakpoints_that_are_taken(void **state)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_BREAKPOINT,
					.size = PERF_ATTR_SIZE_VER1,
					.bp_addr = 0x1000,
					.bp_type = HW_BREAKPOINT_W,
					.bp_len = 1,
					.disabled = 1,
					.exclude_kernel = 1 };
	int fds[BREAKPOINTS_MAX], nr = 0;

	(void)state;
	while (nr < BREAKPOINTS_MAX && (fds[nr] = counter__open(&attr, 0, -1, -1)) >= 0)
		nr++;
	assert_in_range(counter__breakpoints_to_try(), 1, BREAKPOINTS_MAX);
	while (nr)
		close(fds[--nr]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tries_breakpoints_that_are_taken),
		cmocka_unit_test(opens_and_closes_on_exec),
		cmocka_unit_test(learns_nothing_from_a_bad_event),
		cmocka_unit_test(knows_missing_hardware),
		cmocka_unit_test(knows_what_is_all_kernel),
		cmocka_unit_test(drops_inheritance_of_what_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
