/* Rings that are overwritten: whole records, the oldest first, each once. */
#include "unit.h"

#include "live/counter.h"
#include "live/flight_ring.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

/* ---- the order of a copy ---- */

static void add_record(struct strbuf *sb, u32 type, u16 size)
{
	const struct perf_event_header h = { .type = type, .size = size };

	strbuf__add(sb, &h, sizeof(h));
	strbuf__addchars(sb, 'x', size - sizeof(h));
}

static void records_are_turned_around(void **state)
{
	struct strbuf newest_first = STRBUF_INIT, out = STRBUF_INIT, expected = STRBUF_INIT;

	(void)state;
	strbuf__addstr(&out, "in front");
	strbuf__addstr(&expected, "in front");
	for (u16 i = 0; i < 5; i++)
		add_record(&newest_first, 100 - i, 8 + 8 * i);
	for (u16 i = 5; i-- > 0;)
		add_record(&expected, 100 - i, 8 + 8 * i);
	assert_int_equal(flight_ring__order(newest_first.buf, newest_first.len, &out), newest_first.len);
	assert_int_equal(out.len, expected.len);
	assert_memory_equal(out.buf, expected.buf, out.len);
	strbuf__exit(&newest_first);
	strbuf__exit(&out);
	strbuf__exit(&expected);
}

static void what_is_cut_is_left_out(void **state)
{
	struct strbuf in = STRBUF_INIT, out = STRBUF_INIT;

	(void)state;
	add_record(&in, 1, 64);
	add_record(&in, 2, 64);
	for (size_t size = 0; size < in.len; size++) {
		strbuf__reset(&out);
		assert_int_equal(flight_ring__order(in.buf, size, &out), size / 64 * 64);
		assert_int_equal(out.len, size / 64 * 64);
	}
	strbuf__exit(&in);
	strbuf__exit(&out);
}

/* Memory that was never written; sizes that no record has. */
static void nonsense_ends_it(void **state)
{
	static const u16 sizes[] = { 0, 1, 7, 9, 60 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct strbuf in = STRBUF_INIT, out = STRBUF_INIT;
		const struct perf_event_header h = { .type = 1, .size = sizes[i] };

		add_record(&in, 1, 16);
		strbuf__add(&in, &h, sizeof(h));
		strbuf__addchars(&in, '\0', 1000);
		assert_int_equal(flight_ring__order(in.buf, in.len, &out), 16);
		strbuf__exit(&in);
		strbuf__exit(&out);
	}
}

/* ---- the kernel's ---- */

enum { PAGES = 2 };

static int open_comm_counter(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.comm = 1,
		.sample_period = 1,
		.write_backward = 1,
	};

	return counter__open(&attr, 0, -1, -1);
}

static void rename_to(unsigned n)
{
	char name[16];

	snprintf(name, sizeof(name), "n%u", n);
	prctl(PR_SET_NAME, name);
}

/* The records are the names n(last - nr + 1) ... n(last). Returns nr. */
static unsigned expect_names_up_to(const struct strbuf *sb, unsigned last)
{
	unsigned nr = 0, first = 0, lost = 0;

	for (size_t at = 0; at < sb->len;) {
		struct perf_event_header h;

		memcpy(&h, sb->buf + at, sizeof(h));
		assert_true(h.size >= sizeof(h) && h.size <= sb->len - at);
		if (h.type == PERF_RECORD_COMM) {
			unsigned n = (unsigned)atoi(sb->buf + at + sizeof(h) + 8 + 1);

			if (!nr)
				first = n;
			assert_int_equal(n, first + nr);
			nr++;
		}
		lost += h.type == PERF_RECORD_LOST;
		at += h.size;
	}
	assert_int_equal(lost, 0);
	if (nr)
		assert_int_equal(first + nr - 1, last);
	return nr;
}

static void the_newest_are_kept(void **state)
{
	const size_t ring_size = PAGES * (size_t)sysconf(_SC_PAGESIZE);
	struct strbuf scratch = STRBUF_INIT, out = STRBUF_INIT;
	char before[16] = "";
	int fd = open_comm_counter();
	struct ring r;
	unsigned nr;

	(void)state;
	if (fd < 0) {
		print_message("perf_event_open: %s\n", strerror(-fd));
		skip();
	}
	prctl(PR_GET_NAME, before);
	assert_int_equal(ring__map_backward(&r, fd, -1, 3), -EINVAL);
	assert_int_equal(ring__map_backward(&r, fd, -1, PAGES), 0);
	assert_int_equal(flight_ring__take(&r, &scratch, &out), 0);
	assert_int_equal(out.len, 0);
	/* Fewer than there is room for, many times more, fewer again, none. */
	for (unsigned n = 1; n <= 10; n++)
		rename_to(n);
	assert_int_equal(flight_ring__take(&r, &scratch, &out), 0);
	assert_int_equal(expect_names_up_to(&out, 10), 10);
	for (unsigned round = 1; round <= 20; round++) {
		for (unsigned n = 1; n <= 5000 + 7 * round; n++)
			rename_to(n);
		strbuf__reset(&out);
		assert_int_equal(flight_ring__take(&r, &scratch, &out), 0);
		nr = expect_names_up_to(&out, 5000 + 7 * round);
		assert_true(out.len <= ring_size && out.len + 48 > ring_size); /* all whole ones */
		assert_true(nr > 100);
	}
	for (unsigned n = 1; n <= 10; n++)
		rename_to(n);
	strbuf__reset(&out);
	assert_int_equal(flight_ring__take(&r, &scratch, &out), 0);
	assert_int_equal(expect_names_up_to(&out, 10), 10);
	strbuf__reset(&out);
	assert_int_equal(flight_ring__take(&r, &scratch, &out), 0);
	assert_int_equal(out.len, 0);
	ring__unmap(&r);
	assert_int_equal(flight_ring__take(&r, &scratch, &out), 0);
	close(fd);
	prctl(PR_SET_NAME, before);
	strbuf__exit(&scratch);
	strbuf__exit(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_are_turned_around),
		cmocka_unit_test(what_is_cut_is_left_out),
		cmocka_unit_test(nonsense_ends_it),
		cmocka_unit_test(the_newest_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
