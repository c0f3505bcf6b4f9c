/* The way of records from the rings to the file: what is left out, changed, counted and kept in order. */
#include "unit.h"

#include "format/records/build.h"
#include "record/flow/intake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ID = 7, OWN_PID = 40, OTHER_PID = 41, SAMPLE_SIZE = 40 };

static char path[] = "/tmp/perf-intake-XXXXXX";
static struct evlist events;
static struct intake in;
static struct strbuf records;

static int setup(void **state)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
						       PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
					.sample_id_all = 1 };
	const struct writer_opts opts = { .records_only = true };
	struct writer *w;
	int fd;

	(void)state;
	strcpy(path + strlen(path) - 6, "XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	evlist__init(&events);
	evlist__add_id(&events, evlist__add_request(&events, &attr, "first"), ID);
	evlist__add_id(&events, evlist__add_request(&events, &attr, "second"), ID + 1);
	strbuf__init(&records);
	assert_int_equal(writer__open(&w, path, &opts, NULL), 0);
	assert_int_equal(writer__begin(w, &events, NULL), 0);
	intake__init(&in, &events);
	intake__begin_file(&in, w, NULL);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	writer__delete(in.writer);
	intake__exit(&in);
	evlist__exit(&events);
	strbuf__exit(&records);
	unlink(path);
	return 0;
}

static void add_sample(u64 id, u32 pid, u64 time)
{
	struct {
		struct perf_event_header h;
		u64 id, ip;
		u32 pid, tid;
		u64 time;
	} s = { { .type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_USER, .size = sizeof(s) },
		id,
		0x1000,
		pid,
		pid,
		time };

	strbuf__add(&records, &s, sizeof(s));
}

/* All records go through; the file is compared with these bytes. */
static void expect_file(const struct strbuf *expected)
{
	struct strbuf file = STRBUF_INIT;

	assert_int_equal(intake__take(&in, records.buf, records.len), 0);
	assert_int_equal(writer__finish(in.writer, NULL), 0);
	assert_int_equal(file__read(path, &file, 0), 0);
	assert_int_equal(file.len, expected->len);
	assert_memory_equal(file.buf, expected->buf, file.len);
	strbuf__exit(&file);
}

static void all_go_on_and_are_counted(void **state)
{
	struct strbuf copy = STRBUF_INIT;

	(void)state;
	add_sample(ID, OWN_PID, 30);
	build__comm(&records, 0, 1, 1, "x", 8);
	add_sample(ID + 1, OTHER_PID, 20);
	add_sample(ID + 1, OWN_PID, 40);
	strbuf__add(&copy, records.buf, records.len);
	expect_file(&copy);
	assert_int_equal(in.tally.records, 4);
	assert_int_equal(in.tally.samples, 3);
	assert_int_equal(in.tally.events.v[1].samples, 2);
	assert_int_equal(in.tally.first_time, 20);
	assert_int_equal(in.tally.last_time, 40);
	assert_false(in.tally.saw_kernel);
	strbuf__exit(&copy);
}

/* In front of others, between them and behind. */
static void own_samples_are_left_out(void **state)
{
	struct strbuf expected = STRBUF_INIT;

	(void)state;
	in.own_pid = OWN_PID;
	intake__begin_file(&in, in.writer, NULL);
	add_sample(ID, OWN_PID, 1);
	add_sample(ID, OTHER_PID, 2);
	add_sample(ID + 1, OTHER_PID, 3);
	add_sample(ID + 1, OWN_PID, 4);
	add_sample(ID, OTHER_PID, 5);
	add_sample(ID, OWN_PID, 6);
	strbuf__add(&expected, records.buf + SAMPLE_SIZE, 2 * SAMPLE_SIZE);
	strbuf__add(&expected, records.buf + 4 * SAMPLE_SIZE, SAMPLE_SIZE);
	expect_file(&expected);
	assert_int_equal(in.tally.records, 6);
	assert_int_equal(in.tally.samples, 3);
	strbuf__exit(&expected);
}

static void another_recorders_bit_is_cleared(void **state)
{
	const struct mmap_record m = { .pid = 1, .filename = "/lib/a.so" };
	struct strbuf expected = STRBUF_INIT;

	(void)state;
	build__mmap2(&records, PERF_RECORD_MISC_USER, &m, 8);
	strbuf__add(&expected, records.buf, records.len);
	((struct perf_event_header *)(void *)records.buf)->misc |= MISC_MMAP_BUILD_ID;
	expect_file(&expected);
	strbuf__exit(&expected);
}

static void side_band_is_copied_while_wanted(void **state)
{
	struct strbuf copy = STRBUF_INIT, expected = STRBUF_INIT;

	(void)state;
	build__comm(&expected, 0, 1, 1, "x", 8);
	add_sample(ID, OTHER_PID, 1);
	strbuf__add(&records, expected.buf, expected.len);
	intake__copy_side_band(&in, &copy);
	assert_int_equal(intake__take(&in, records.buf, records.len), 0);
	intake__copy_side_band(&in, NULL);
	assert_int_equal(intake__take(&in, records.buf, records.len), 0);
	assert_int_equal(copy.len, expected.len);
	assert_memory_equal(copy.buf, expected.buf, copy.len);
	strbuf__exit(&copy);
	strbuf__exit(&expected);
}

static void cut_records_end_the_look(void **state)
{
	struct strbuf expected = STRBUF_INIT;

	(void)state;
	add_sample(ID, OTHER_PID, 1);
	strbuf__add(&expected, records.buf, records.len);
	add_sample(ID, OTHER_PID, 2);
	strbuf__setlen(&records, records.len - 8);
	expect_file(&expected);
	assert_int_equal(in.tally.samples, 1);
	((struct perf_event_header *)(void *)records.buf)->size = 4;
	assert_int_equal(intake__take(&in, records.buf, records.len), 0);
	assert_int_equal(in.tally.samples, 1);
	strbuf__exit(&expected);
}

int main(void)
{
#define test(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
		test(all_go_on_and_are_counted),        test(own_samples_are_left_out),
		test(another_recorders_bit_is_cleared), test(side_band_is_copied_while_wanted),
		test(cut_records_end_the_look),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
