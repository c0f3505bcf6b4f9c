/* The ring buffer: real records of the running kernel, and the wrap. */
#include "unit.h"

#include "live/counter.h"
#include "live/ring.h"
#include "live/ring_order.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

/* A dummy event of this process that reports names and maps; -1 where that is not allowed. */
static int open_dummy(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.comm = 1,
		.mmap = 1,
		.mmap_data = 1,
		.sample_period = 1,
	};
	int fd = counter__open(&attr, 0, -1, -1);

	if (fd < 0)
		print_message("perf_event_open: %s\n", strerror(-fd));
	return fd;
}

/* Joins the parts in buf and steps over the records; how many there were of type. */
static int count_records(const struct ring_part *part, int nr, u32 type, char *buf, size_t room, size_t *size)
{
	int found = 0;

	*size = 0;
	for (int i = 0; i < nr; i++) {
		assert_true(*size + part[i].size <= room);
		memcpy(buf + *size, part[i].data, part[i].size);
		*size += part[i].size;
	}
	for (size_t at = 0; at < *size;) {
		struct perf_event_header h;

		assert_true(*size - at >= sizeof(h));
		memcpy(&h, buf + at, sizeof(h));
		assert_true(h.size >= sizeof(h) && h.size <= *size - at);
		found += h.type == type;
		at += h.size;
	}
	return found;
}

static void reads_what_the_kernel_writes(void **state)
{
	int fd = open_dummy(), nr;
	struct ring_part part[2];
	struct ring ring;
	char buf[8192];
	size_t size;

	(void)state;
	if (fd < 0)
		skip();
	assert_int_equal(ring__map(&ring, fd, -1, 2), 0);
	assert_int_equal(ring.size, 2 * (u64)sysconf(_SC_PAGESIZE));
	ring__begin(&ring, part);
	ring__end(&ring);
	assert_int_equal(ring__begin(&ring, part), 0);
	prctl(PR_SET_NAME, "ringtest");
	prctl(PR_SET_NAME, "ringtest2");
	nr = ring__begin(&ring, part);
	assert_int_equal(nr, 1);
	assert_int_equal(count_records(part, nr, PERF_RECORD_COMM, buf, sizeof(buf), &size), 2);
	assert_non_null(memmem(buf, size, "ringtest2", 10));
	ring__end(&ring);
	assert_int_equal(ring__begin(&ring, part), 0);
	ring__unmap(&ring);
	assert_null(ring.base);
	ring__unmap(&ring);
	close(fd);
}

static void wraps_in_two_parts(void **state)
{
	int fd = open_dummy(), comms = 0, twice = 0;
	struct ring ring;

	(void)state;
	if (fd < 0)
		skip();
	assert_int_equal(ring__map(&ring, fd, -1, 1), 0);
	for (int i = 0; i < 1000; i++) {
		struct ring_part part[2];
		char buf[65536];
		size_t size;
		int nr;

		prctl(PR_SET_NAME, i & 1 ? "odd" : "even, longer");
		if (i % 7)
			continue;
		nr = ring__begin(&ring, part);
		comms += count_records(part, nr, PERF_RECORD_COMM, buf, sizeof(buf), &size);
		twice += nr == 2;
		ring__end(&ring);
	}
	assert_true(comms >= 990);
	assert_true(twice > 0);
	ring__unmap(&ring);
	close(fd);
}

/* Samples of the clock, too: each whole, none lost from a ring that is emptied often. */
static void reads_samples(void **state)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.sample_period = 100000,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID,
	};
	int fd = counter__open(&attr, 0, -1, -1), samples = 0;
	static char buf[1 << 20];
	struct ring ring;

	(void)state;
	if (fd < 0)
		skip();
	assert_int_equal(ring__map(&ring, fd, -1, 16), 0);
	for (int i = 0; i < 2000 && samples < 10; i++) {
		struct ring_part part[2];
		size_t size;

		for (volatile int spin = 0; spin < 100000; spin++)
			;
		samples += count_records(part, ring__begin(&ring, part), PERF_RECORD_SAMPLE, buf, sizeof(buf),
					 &size);
		ring__end(&ring);
	}
	assert_true(samples >= 10);
	ring__unmap(&ring);
	close(fd);
}

/* Kernels before 6.14 map each page when it is first read: under emulation that takes as long as a sample. */
static void reading_a_ring_faults_no_pages_in(void **state)
{
	enum { PAGES = 64 };
	struct rusage before, after;
	struct ring ring;
	int fd = open_dummy();

	(void)state;
	if (fd < 0)
		skip();
	assert_int_equal(ring__map(&ring, fd, -1, PAGES), 0);
	getrusage(RUSAGE_THREAD, &before);
	for (u64 at = 0; at < ring.size; at += ring.size / PAGES)
		(void)((const volatile u8 *)ring__data(&ring))[at];
	getrusage(RUSAGE_THREAD, &after);
	assert_true(after.ru_minflt - before.ru_minflt < PAGES / 4);
	ring__unmap(&ring);
	close(fd);
}

static void refuses_what_cannot_be_mapped(void **state)
{
	struct ring_part part[2];
	struct ring ring;

	(void)state;
	assert_int_equal(ring__map(&ring, -1, -1, 1), -EBADF);
	assert_null(ring.base);
	assert_int_equal(ring__map(&ring, -1, -1, 3), -EINVAL);
	assert_int_equal(ring__map(&ring, -1, -1, 0), -EINVAL);
	assert_int_equal(ring__begin(&ring, part), 0);
	ring__end(&ring);
	ring__unmap(&ring);
}

static void the_fullest_ring_comes_first(void **state)
{
	struct ring rings[] = {
		{ .size = 4096, .tail = 100, .head = 200 },
		{ .size = 4096, .tail = 100, .head = 100 }, /* empty */
		{ .size = 4096, .tail = 0, .head = 4000 },
		{ .size = 8192, .tail = 0, .head = 200 },
		{ 0 }, /* not mapped */
	};
	struct ring_order o = { 0 };

	(void)state;
	ring_order__make(&o, rings, ARRAY_SIZE(rings));
	assert_int_equal(o.rings.nr, 3);
	assert_ptr_equal(o.rings.v[0], &rings[2]);
	assert_ptr_equal(o.rings.v[1], &rings[0]);
	assert_ptr_equal(o.rings.v[2], &rings[3]);
	ring_order__make(&o, rings, 0);
	assert_int_equal(o.rings.nr, 0);
	ring_order__exit(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_fullest_ring_comes_first),
		cmocka_unit_test(reads_what_the_kernel_writes),
		cmocka_unit_test(wraps_in_two_parts),
		cmocka_unit_test(reads_samples),
		cmocka_unit_test(reading_a_ring_faults_no_pages_in),
		cmocka_unit_test(refuses_what_cannot_be_mapped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
