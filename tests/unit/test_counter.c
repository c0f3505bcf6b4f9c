/* Opening counters: what is learned from refusals, and what a person is told. */
#include "unit.h"

#include "live/counter.h"
#include "live/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct perf_event_attr clock_attr(void)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(struct perf_event_attr), .config = PERF_COUNT_SW_CPU_CLOCK,
		.exclude_kernel = 1, .exclude_hv = 1, .exclude_guest = 1, .sample_period = 1000000,
		.sample_type = PERF_SAMPLE_IP, .sample_id_all = 1, .mmap = 1, .mmap2 = 1, .comm = 1, .comm_exec = 1,
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

/* clockid 999 is no clock: only that feature is dropped, and it is remembered. */
static void drops_only_what_is_refused(void **state)
{
	struct counter_missing missing = { 0 };
	struct perf_event_attr attr = clock_attr();
	u32 learned;
	int fd;

	(void)state;
	if (!may_open())
		skip();
	attr.use_clockid = 1;
	attr.clockid = 999;
	attr.ksymbol = 1;
	fd = counter__open_adapting(&missing, &attr, 0, -1, -1);
	assert_true(fd >= 0);
	close(fd);
	assert_false(attr.use_clockid);
	assert_true(attr.mmap2 && attr.comm_exec && attr.sample_id_all && attr.exclude_guest);
	learned = missing.bits;
	assert_int_not_equal(learned, 0);
	attr.use_clockid = 1;
	attr.clockid = 999;
	fd = counter__open_adapting(&missing, &attr, 0, -1, -1);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(missing.bits, learned);
	attr.use_clockid = 1;
	counter_missing__apply(&missing, &attr);
	assert_false(attr.use_clockid);
	assert_true(attr.mmap2);
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

static void explains_every_error(void **state)
{
	char name[] = "the-event";
	const struct {
		int error;
		u32 type;
		const char *says;
	} rows[] = {
		{ -EACCES, PERF_TYPE_SOFTWARE, "perf_event_paranoid" },
		{ -EPERM, PERF_TYPE_SOFTWARE, "perf_event_paranoid" },
		{ -EMFILE, PERF_TYPE_SOFTWARE, "RLIMIT_NOFILE is " },
		{ -ENFILE, PERF_TYPE_SOFTWARE, "fs.file-max" },
		{ -ENOSPC, PERF_TYPE_BREAKPOINT, "breakpoint" },
		{ -ENOSPC, PERF_TYPE_HARDWARE, "counter" },
		{ -EBUSY, PERF_TYPE_HARDWARE, "in use" },
		{ -ENOENT, PERF_TYPE_HARDWARE, "not supported" },
		{ -EOPNOTSUPP, PERF_TYPE_RAW, "not supported" },
		{ -ESRCH, PERF_TYPE_SOFTWARE, "no such process" },
		{ -EINVAL, PERF_TYPE_SOFTWARE, "refuses" },
		{ -EINVAL, PERF_TYPE_BREAKPOINT, "divide the address" },
		{ -ENOSYS, PERF_TYPE_SOFTWARE, "perf_event_open" },
		{ -EOVERFLOW, PERF_TYPE_SOFTWARE, "perf_event_max_stack" },
		{ -EIO, PERF_TYPE_SOFTWARE, strerror(EIO) },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct evsel e = { .attr.type = rows[i].type, .name = name };
		struct err err = ERR_INIT;

		assert_int_equal(counter__explain(&e, rows[i].error, false, &err), rows[i].error);
		assert_int_equal(err.code, rows[i].error);
		if (!strstr(err.text.buf, rows[i].says))
			fail_msg("\"%s\" is not in: %s", rows[i].says, err.text.buf);
		assert_true(rows[i].error == -ESRCH || strstr(err.text.buf, name));
		assert_int_equal(counter__explain(&e, -rows[i].error, true, NULL), rows[i].error);
		err__exit(&err);
	}
}

static void explains_the_sample_rate(void **state)
{
	char name[] = "cpu-clock";
	struct evsel e = { .attr = { .freq = 1, .sample_freq = UINT32_MAX }, .name = name };
	struct err err = ERR_INIT;

	(void)state;
	if (!limits__max_sample_rate())
		skip();
	counter__explain(&e, -EINVAL, false, &err);
	assert_non_null(strstr(err.text.buf, "4294967295 Hz"));
	assert_non_null(strstr(err.text.buf, "perf_event_max_sample_rate"));
	err__exit(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(opens_and_closes_on_exec),	cmocka_unit_test(drops_only_what_is_refused),
		cmocka_unit_test(learns_nothing_from_a_bad_event), cmocka_unit_test(knows_missing_hardware),
		cmocka_unit_test(explains_every_error),		cmocka_unit_test(explains_the_sample_rate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
