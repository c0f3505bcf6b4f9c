/* Whose samples are the target's, in whatever order the rings give the records. */
#include "event/evsel/event_request.h"
#include "unit.h"

#include "record/target/task_filter.h"

#include <linux/perf_event.h>
#include <string.h>

enum { PROBE_ID = 7, OTHER_ID = 8 };

static struct evlist events;
static struct sample_decoder decoder;
static struct lazy_record record;
static struct target target;
static struct task_filter *filter;

static int setup(void **state)
{
	struct perf_event_attr attr = {
		.type = 8,
		.size = sizeof(attr),
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_IDENTIFIER,
		.sample_id_all = 1,
	};
	struct evsel *e;

	(void)state;
	evlist__init(&events);
	e = evlist__add_request(&events, &attr, "probe");
	e->request->probe = xcalloc(1, sizeof(*e->request->probe));
	e->request->probe->is_everywhere = true;
	evlist__add_id(&events, e, PROBE_ID);
	attr.type = PERF_TYPE_SOFTWARE;
	evlist__add_id(&events, evlist__add_request(&events, &attr, "other"), OTHER_ID);
	sample_decoder__init(&decoder, &events);
	lazy_record__init(&record, &decoder);
	target = (struct target){ 0 };
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	task_filter__delete(filter);
	filter = NULL;
	array__exit(&target.tids);
	sample_decoder__exit(&decoder);
	evlist__exit(&events);
	return 0;
}

/* ---- records ---- */

struct words {
	struct perf_event_header h;
	u64 v[8];
};

static bool take(struct words *w, u32 type, u16 misc, size_t nr)
{
	w->h = (struct perf_event_header){ .type = type, .misc = misc, .size = (u16)(8 + 8 * nr) };
	lazy_record__set(&record, &w->h);
	return task_filter__take(filter, &record);
}

static u64 pair(u32 low, u32 high)
{
	return (u64)high << 32 | low;
}

/* True: it is not to be written, or not yet. */
static bool sample(u64 id, u32 tid, u64 time)
{
	struct words w = { .v = { id, 0x1000, pair(tid, tid), time } };

	return take(&w, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 4);
}

static void task(u32 type, u32 tid, u32 parent, u64 time)
{
	struct words w = { .v = { pair(tid, parent), pair(tid, parent), time, pair(parent, parent), time,
				  OTHER_ID } };

	assert_false(take(&w, type, 0, 6));
}

static void exec(u32 tid, u64 time)
{
	struct words w = { .v = { pair(tid, tid), 0x676f7270 /* "prog" */, pair(tid, tid), time, OTHER_ID } };

	assert_false(take(&w, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, 5));
}

/* Samples that a flush lets go. */
static size_t flush(bool at_end)
{
	struct strbuf out = STRBUF_INIT;
	size_t nr = 0;

	task_filter__flush(filter, at_end, &out);
	for (size_t pos = 0; pos < out.len; nr++) {
		const struct perf_event_header *h = (const void *)(out.buf + pos);

		assert_int_equal(h->type, PERF_RECORD_SAMPLE);
		pos += h->size;
	}
	strbuf__exit(&out);
	return nr;
}

/* ---- tests ---- */

static void test_given_threads(void **state)
{
	(void)state;
	array__add(&target.tids, 10);
	filter = task_filter__new(&target);
	assert_false(sample(PROBE_ID, 10, 5));
	assert_true(sample(PROBE_ID, 11, 5));
	assert_int_equal(flush(false), 0);
	assert_int_equal(flush(true), 0);
}

static void test_other_events_pass(void **state)
{
	(void)state;
	filter = task_filter__new(&target);
	assert_false(sample(OTHER_ID, 99, 5));
	assert_false(sample(12345, 99, 5)); /* whose id nobody has */
}

static void test_workload_counts_from_its_exec(void **state)
{
	(void)state;
	target.is_workload = true;
	array__add(&target.tids, 10);
	filter = task_filter__new(&target);
	assert_true(sample(PROBE_ID, 10, 5)); /* before */
	exec(10, 6);
	assert_false(sample(PROBE_ID, 10, 7));
	assert_int_equal(flush(true), 0);
}

/* The fork is in a ring that is read after the sample's, or in the next round. */
static void test_fork_comes_late(void **state)
{
	(void)state;
	array__add(&target.tids, 10);
	filter = task_filter__new(&target);
	assert_true(sample(PROBE_ID, 20, 100));
	task(PERF_RECORD_FORK, 20, 10, 90);
	assert_int_equal(flush(false), 0); /* this round's wait for the next one */
	assert_int_equal(flush(false), 1);
	assert_int_equal(flush(false), 0); /* once only */

	assert_true(sample(PROBE_ID, 21, 200));
	assert_int_equal(flush(false), 0);
	task(PERF_RECORD_FORK, 21, 20, 190);
	assert_int_equal(flush(false), 1);

	assert_true(sample(PROBE_ID, 22, 300));
	task(PERF_RECORD_FORK, 22, 20, 290);
	assert_int_equal(flush(true), 1); /* the last round */
}

static void test_stranger_is_forgotten(void **state)
{
	(void)state;
	filter = task_filter__new(&target);
	assert_true(sample(PROBE_ID, 30, 100));
	assert_int_equal(flush(false), 0);
	assert_int_equal(flush(false), 0);
	task(PERF_RECORD_FORK, 30, 10, 90);
	assert_int_equal(flush(false), 0); /* too late */
}

/* An exit may pass before samples that are older; and a number is used again by somebody else. */
static void test_exits_and_reused_numbers(void **state)
{
	(void)state;
	array__add(&target.tids, 10);
	filter = task_filter__new(&target);
	task(PERF_RECORD_EXIT, 10, 1, 50);
	assert_false(sample(PROBE_ID, 10, 40));
	assert_true(sample(PROBE_ID, 10, 60));
	task(PERF_RECORD_FORK, 10, 11, 70);
	task(PERF_RECORD_EXIT, 10, 11, 80);
	assert_false(sample(PROBE_ID, 10, 75));
	assert_true(sample(PROBE_ID, 10, 65));
	assert_true(sample(PROBE_ID, 10, 90));
	assert_int_equal(flush(true), 0);
}

static bool is_known(u32 tid)
{
	return task_filter__has(filter, &(struct sample_id){ .tid = tid });
}

/* What ended is forgotten some rounds later, if there is much of it. */
static void test_ended_tasks_are_dropped(void **state)
{
	enum { TASKS = 2000, ROUNDS = 20, RUNS = 1000, FIRST = 10000 };

	(void)state;
	array__add(&target.tids, 10);
	filter = task_filter__new(&target);
	task(PERF_RECORD_FORK, RUNS, 10, 1);
	for (u32 round = 0; round < ROUNDS; round++) {
		for (u32 i = 0; i < TASKS; i++) {
			u32 tid = FIRST + round * TASKS + i;

			task(PERF_RECORD_FORK, tid, 10, tid);
			task(PERF_RECORD_EXIT, tid, 10, tid);
		}
		assert_int_equal(flush(false), 0);
		/* ended in this round, and in the two before */
		for (u32 tid = FIRST + (round < 2 ? 0 : round - 2) * TASKS; tid < FIRST + (round + 1) * TASKS;
		     tid++)
			assert_true(is_known(tid));
	}
	assert_true(is_known(10));
	assert_true(is_known(RUNS));
	for (u32 tid = FIRST; tid < FIRST + (ROUNDS / 2) * TASKS; tid++)
		assert_false(is_known(tid));
	assert_false(sample(PROBE_ID, RUNS, 20));
	assert_false(sample(PROBE_ID, FIRST + ROUNDS * TASKS - 1, FIRST + ROUNDS * TASKS - 1));
	assert_true(sample(PROBE_ID, FIRST, FIRST));
	assert_int_equal(flush(true), 0);
}

/* A few tasks are not worth the work. */
static void test_few_ended_tasks_stay(void **state)
{
	(void)state;
	filter = task_filter__new(&target);
	for (u32 round = 0; round < 10; round++) {
		task(PERF_RECORD_FORK, 100 + round, 10, 100 + round);
		task(PERF_RECORD_EXIT, 100 + round, 10, 100 + round);
		assert_int_equal(flush(false), 0);
	}
	for (u32 tid = 100; tid < 110; tid++)
		assert_true(is_known(tid));
}

static void test_short_records(void **state)
{
	struct words w = { .v = { PROBE_ID } };

	(void)state;
	filter = task_filter__new(&target);
	for (size_t nr = 0; nr < 4; nr++)
		take(&w, PERF_RECORD_SAMPLE, 0, nr);
	for (size_t nr = 0; nr < 6; nr++) {
		take(&w, PERF_RECORD_FORK, 0, nr);
		take(&w, PERF_RECORD_EXIT, 0, nr);
		take(&w, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, nr);
	}
	flush(true);
}

int main(void)
{
#define test(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
		test(test_given_threads),
		test(test_other_events_pass),
		test(test_workload_counts_from_its_exec),
		test(test_fork_comes_late),
		test(test_stranger_is_forgotten),
		test(test_exits_and_reused_numbers),
		test(test_ended_tasks_are_dropped),
		test(test_few_ended_tasks_stay),
		test(test_short_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
