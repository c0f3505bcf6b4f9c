/* The way of records from the rings to the file: what is left out, changed, counted and kept in order. */
#include "unit.h"

#include "format/records/build.h"
#include "record/flow/intake.h"

#include <errno.h>
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

/* ---- rounds ---- */

static const char *file_types(void)
{
	static char text[200];
	struct strbuf file = STRBUF_INIT;
	const struct perf_event_header *h;

	text[0] = '\0';
	assert_int_equal(file__read(path, &file, 0), 0);
	for (size_t at = 0; at < file.len; at += h->size) {
		h = (const void *)(file.buf + at);
		assert_in_range(h->size, sizeof(*h), file.len - at);
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%u:%u ", h->type, h->size);
	}
	strbuf__exit(&file);
	return text;
}

/* Type 68 (FINISHED_ROUND), 8 bytes, ends each round that wrote something. */
static void rounds_with_records_are_marked(void **state)
{
	(void)state;
	intake__begin_round(&in);
	assert_int_equal(intake__end_round(&in), 0);
	assert_string_equal(file_types(), "");
	add_sample(ID, OTHER_PID, 1);
	intake__begin_round(&in);
	assert_int_equal(intake__take(&in, records.buf, records.len), 0);
	assert_int_equal(intake__end_round(&in), 0);
	assert_string_equal(file_types(), "9:40 68:8 ");
	intake__begin_round(&in);
	assert_int_equal(intake__end_round(&in), 0);
	/* a part of a longer round has no mark of its own */
	in.is_long_round = true;
	intake__begin_round(&in);
	assert_int_equal(intake__take(&in, records.buf, records.len), 0);
	assert_int_equal(intake__end_round(&in), 0);
	assert_string_equal(file_types(), "9:40 68:8 9:40 ");
	assert_int_equal(intake__mark_round(&in), 0);
	assert_string_equal(file_types(), "9:40 68:8 9:40 68:8 ");
	assert_int_equal(intake__finish(&in), 0);
}

/* The file is full at its size, not before; 0 is no limit. */
static void file_is_full_at_its_size(void **state)
{
	(void)state;
	add_sample(ID, OTHER_PID, 1);
	assert_int_equal(intake__take(&in, records.buf, records.len), 0);
	assert_false(intake__is_full(&in));
	in.max_size = SAMPLE_SIZE + 1;
	assert_false(intake__is_full(&in));
	in.max_size = SAMPLE_SIZE;
	assert_true(intake__is_full(&in));
}

static void add_fork(u32 pid)
{
	build__fork(&records, 0, pid, OWN_PID, pid, OWN_PID, 32);
}

/* Each looks at records of its types and lets them go on. */
static void onlookers_let_all_pass(void **state)
{
	struct tasks tasks = { .pids = { 0 } };
	struct strbuf expected = STRBUF_INIT;
	const struct mmap_record m = { .pid = 1, .filename = "/lib/a.so" };
	struct build_id_list *ids = build_id_list__new(NULL);
	struct {
		struct perf_event_header h;
		u64 id, lost, trailer[4];
	} lost = { { .type = PERF_RECORD_LOST, .size = sizeof(lost) }, ID, 12, { 0 } };

	(void)state;
	in.tasks = &tasks;
	intake__begin_file(&in, in.writer, ids);
	add_fork((u32)getpid());
	build__mmap2(&records, PERF_RECORD_MISC_USER, &m, 32);
	strbuf__add(&records, &lost, sizeof(lost));
	build__comm(&records, 0, 1, 1, "x", 32);
	add_sample(ID, OTHER_PID, 3);
	strbuf__add(&expected, records.buf, records.len);
	expect_file(&expected);
	assert_int_equal(tasks.pids.nr, 1);
	assert_int_equal(tasks.pids.v[0], getpid());
	assert_int_equal(in.tally.nr_gaps, 1);
	assert_int_equal(in.tally.events.v[0].lost, 12);
	tasks__exit(&tasks);
	build_id_list__delete(ids);
	strbuf__exit(&expected);
}

/* Records of types that no station knows go on, of the kernel and of the recorder. */
static void unknown_types_pass(void **state)
{
	struct strbuf expected = STRBUF_INIT;

	(void)state;
	for (u32 type = 20; type < 90; type++) {
		const struct perf_event_header h = { .type = type, .size = 16 };

		strbuf__add(&records, &h, sizeof(h));
		strbuf__add(&records, "12345678", 8);
	}
	strbuf__add(&expected, records.buf, records.len);
	expect_file(&expected);
	strbuf__exit(&expected);
}

static void synthesized_records_are_written(void **state)
{
	struct strbuf file = STRBUF_INIT;

	(void)state;
	in.own_pid = OWN_PID;
	intake__begin_file(&in, in.writer, NULL);
	build__comm(&records, 0, OWN_PID, OWN_PID, "x", 32);
	assert_int_equal(intake__take_synthesized(&in, records.buf, records.len), 0);
	assert_int_equal(intake__take_synthesized(&in, NULL, 0), 0);
	assert_int_equal(in.tally.records, 0);
	assert_int_equal(writer__finish(in.writer, NULL), 0);
	assert_int_equal(file__read(path, &file, 0), 0);
	assert_int_equal(file.len, records.len);
	assert_memory_equal(file.buf, records.buf, file.len);
	strbuf__exit(&file);
}

/* A write that fails ends the round. */
static void failures_to_write_are_returned(void **state)
{
	const struct writer_opts opts = { .pipe = true };
	struct evlist none;
	struct writer *w;

	(void)state;
	evlist__init(&none);
	assert_int_equal(writer__open(&w, "/dev/full", &opts, NULL), 0);
	assert_int_equal(writer__begin(w, &none, NULL), 0);
	assert_int_equal(writer__sync(w), -ENOSPC);
	writer__delete(in.writer);
	in.own_pid = OWN_PID;
	intake__begin_file(&in, w, NULL);
	add_sample(ID, OTHER_PID, 1);
	add_sample(ID, OWN_PID, 2);
	add_sample(ID, OTHER_PID, 3);
	intake__begin_round(&in);
	assert_int_equal(intake__take(&in, records.buf, records.len), -ENOSPC);
	assert_int_equal(in.tally.records, 2); /* the failure was noticed at the sample that is left out */
	assert_int_equal(intake__mark_round(&in), -ENOSPC);
	assert_int_equal(intake__take_synthesized(&in, records.buf, records.len), -ENOSPC);
	evlist__exit(&none);
}

/* ---- records that are held back ---- */

static struct evlist wait_events;

/* Waits: their sample comes when the thread runs again, is counted then, and passes the onlookers. */
static void waits_are_written_and_counted_when_they_end(void **state)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
						       PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
						       PERF_SAMPLE_PERIOD | PERF_SAMPLE_WEIGHT,
					.sample_id_all = 1 };
	struct {
		struct perf_event_header h;
		u64 id, ip;
		u32 pid, tid;
		u64 time, period, weight;
	} s = { { .type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_USER, .size = sizeof(s) },
		ID,
		0x1000,
		5,
		6,
		100,
		1,
		0 };
	struct {
		struct perf_event_header h;
		u32 pid, tid;
		u64 time, id;
	} runs = { { .type = PERF_RECORD_SWITCH, .size = sizeof(runs) }, 5, 6, 1100, ID };
	struct writer *w = in.writer;
	struct strbuf file = STRBUF_INIT;

	(void)state;
	intake__exit(&in);
	evlist__init(&wait_events);
	evlist__add_id(&wait_events, evlist__add_request(&wait_events, &attr, "offcpu-time"), ID);
	intake__init(&in, &wait_events);
	in.off_cpu = off_cpu__new(
		&(struct off_cpu_opts){ .waits = wait_events.evsels.v[0], .d = &in.decoder, .threshold = 1 });
	intake__begin_file(&in, w, NULL);
	strbuf__add(&records, &s, sizeof(s));
	strbuf__add(&records, &runs, sizeof(runs));
	intake__begin_round(&in);
	assert_int_equal(intake__take(&in, records.buf, records.len), 0);
	assert_int_equal(in.tally.records, 2);
	assert_int_equal(in.tally.samples, 0);
	assert_int_equal(intake__end_round(&in), 0); /* other rings may have older records */
	assert_string_equal(file_types(), "");
	intake__begin_round(&in);
	assert_int_equal(intake__end_round(&in), 0);
	assert_string_equal(file_types(), "9:56 68:8 ");
	assert_int_equal(in.tally.samples, 1);
	assert_int_equal(in.tally.first_time, 1100);
	assert_int_equal(file__read(path, &file, 0), 0);
	s.time = 1100;
	s.period = 1000;
	s.weight = 1;
	assert_memory_equal(file.buf, &s, sizeof(s));
	strbuf__exit(&file);
	/* a thread that still waits at the end */
	s.time = 2000;
	strbuf__reset(&records);
	strbuf__add(&records, &s, sizeof(s));
	assert_int_equal(intake__take(&in, records.buf, records.len), 0);
	assert_int_equal(intake__finish(&in), 0);
	assert_int_equal(in.tally.samples, 2);
	assert_int_equal(writer__finish(w, NULL), 0);
	assert_string_equal(file_types(), "9:56 68:8 9:56 ");
	intake__exit(&in);
	evlist__exit(&wait_events);
	intake__init(&in, &events);
	in.writer = w;
}

int main(void)
{
#define test(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
		test(all_go_on_and_are_counted),
		test(own_samples_are_left_out),
		test(another_recorders_bit_is_cleared),
		test(side_band_is_copied_while_wanted),
		test(cut_records_end_the_look),
		test(rounds_with_records_are_marked),
		test(file_is_full_at_its_size),
		test(onlookers_let_all_pass),
		test(unknown_types_pass),
		test(synthesized_records_are_written),
		test(failures_to_write_are_returned),
		test(waits_are_written_and_counted_when_they_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
