/*
 * What the recorder makes of the begins and ends of spans, as the kernel samples them. The records are made
 * here, by the layout in man 2 perf_event_open.
 */
#include "unit.h"

#include "event/evsel/event_request.h"
#include "format/records/span_detail.h"
#include "record/stacks/span_hits.h"
#include "record/watch/span_pairs.h"

#include <string.h>

enum { BEGIN_ID = 1, END_ID, TAIL_ID, FROM_ID, TO_ID };
enum { FUNCTION, PAIR };
enum { MS = 1000000 };
#define IP 0x401000ull
#define SP 0x7ffc1000ull

static struct evlist list;
static struct sample_decoder decoder;
static struct lazy_record lazy;
static struct counters counters;
static struct span_pairs *pairs;
static struct strbuf out;

static void add_counter(u32 event, u32 piece, u64 id)
{
	array__add(&counters.v, ((struct counter){ .fd = -1, .evsel = event, .piece = piece, .id = id }));
	evlist__add_id(&list, list.evsels.v[event], id);
}

static void begin(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.sample_type = span_sample__fields(),
					.sample_id_all = 1 };
	struct span_pairs_opts opts = { .l = &list, .counters = &counters };

	evlist__init(&list);
	for (u32 i = FUNCTION; i <= PAIR; i++) {
		struct evsel *e = evlist__add_request(&list, &attr, i == FUNCTION ? "span:f" : "span:a..b");
		struct span_spec *spec = e->request->span = xcalloc(1, sizeof(*spec));

		spec->end = i == PAIR ? xstrdup("b") : NULL;
		array__add(&spec->points, ((struct span_point){ 0 }));
		array__add(&spec->points, ((struct span_point){ .is_end = true }));
		array__add(&spec->points, ((struct span_point){ .is_end = true, .is_shared = true }));
	}
	add_counter(FUNCTION, 0, BEGIN_ID);
	add_counter(FUNCTION, 1, END_ID);
	add_counter(FUNCTION, 2, TAIL_ID);
	add_counter(PAIR, 0, FROM_ID);
	add_counter(PAIR, 1, TO_ID);
	sample_decoder__init(&decoder, &list);
	lazy_record__init(&lazy, &decoder);
	pairs = span_pairs__new(&opts);
	strbuf__init(&out);
}

static void end(void)
{
	span_pairs__delete(pairs);
	sample_decoder__exit(&decoder);
	array__exit(&counters.v);
	memset(&counters, 0, sizeof(counters));
	evlist__exit(&list);
	strbuf__exit(&out);
}

static void hit(u64 id, u32 tid, u64 time, u64 sp)
{
	struct {
		struct perf_event_header h;
		u64 id, ip;
		u32 pid, tid;
		u64 time;
		u32 cpu, reserved;
		u64 period, abi, sp;
	} r = { .h = { .type = PERF_RECORD_SAMPLE, .size = sizeof(r) },
		.id = id,
		.ip = IP,
		.pid = 100,
		.tid = tid,
		.time = time,
		.period = 1,
		.abi = 2,
		.sp = sp };

	lazy_record__set(&lazy, &r.h);
	assert_true(span_pairs__take(pairs, &lazy));
}

/* A record of another type, with the trailer of sample_id_all: TID, TIME, CPU, IDENTIFIER. */
static void other(u32 type, u32 tid, u64 time)
{
	struct {
		struct perf_event_header h;
		u64 body[3]; /* EXIT: pid, ppid, tid, ptid, time; LOST: id, lost */
		u32 pid, tid;
		u64 time;
		u32 cpu, reserved;
		u64 id;
	} r = {
		.h = { .type = type, .size = sizeof(r) }, .pid = 100, .tid = tid, .time = time, .id = BEGIN_ID
	};

	lazy_record__set(&lazy, &r.h);
	assert_false(span_pairs__take(pairs, &lazy));
}

struct got {
	u32 nr;
	struct span_time spans[4096];
	u32 tid[4096], step[4096];
	u64 period, weight;
	struct span_losses losses;
};

/* Read what was written of an event. */
static void read_back(u32 event, struct got *g)
{
	memset(g, 0, sizeof(*g));
	for (size_t pos = 0; pos < out.len;) {
		const struct record r = { .header = (const void *)(out.buf + pos) };
		struct sample s;
		struct span_detail d;
		struct span_time t;

		pos += r.header->size;
		assert_int_equal(sample__decode(&decoder, &r, &s), 0);
		if (s.evsel->idx != event)
			continue;
		assert_true(span_detail__decode(&d, s.raw, s.raw_size, s.time, false));
		g->losses.unfinished += d.losses.unfinished;
		g->losses.left += d.losses.left;
		g->losses.lost += d.losses.lost;
		g->losses.strays += d.losses.strays;
		g->period += s.period;
		g->weight += s.weight;
		while (span_detail__next(&d, &t)) {
			assert_true(g->nr < ARRAY_SIZE(g->spans));
			assert_true(t.end <= s.time);
			assert_int_equal(s.ip, IP);
			g->tid[g->nr] = s.tid;
			g->step[g->nr] = d.step;
			g->spans[g->nr++] = t;
		}
	}
}

static void expect_losses(const struct got *g, u32 unfinished, u32 left, u32 lost, u32 strays)
{
	assert_int_equal(g->losses.unfinished, unfinished);
	assert_int_equal(g->losses.left, left);
	assert_int_equal(g->losses.lost, lost);
	assert_int_equal(g->losses.strays, strays);
}

static struct got got;

/* The ring of the end is read before that of the begin, and the next round has later records. */
static void test_order_of_rings(void **state)
{
	(void)state;
	begin();
	hit(END_ID, 1, 30 * MS, SP);
	hit(BEGIN_ID, 1, 10 * MS, SP);
	hit(BEGIN_ID, 2, 40 * MS, SP);
	span_pairs__flush(pairs, 0, false, &out);
	assert_int_equal(out.len, 0); /* another ring may have older ones */
	hit(END_ID, 2, 41 * MS, SP);
	span_pairs__flush(pairs, 0, false, &out);
	read_back(FUNCTION, &got);
	assert_int_equal(got.nr, 1);
	assert_int_equal(got.spans[0].begin, 10 * MS);
	assert_int_equal(got.spans[0].end, 30 * MS);
	span_pairs__flush(pairs, 0, true, &out);
	read_back(FUNCTION, &got);
	assert_int_equal(got.nr, 2);
	assert_int_equal(got.tid[1], 2);
	assert_int_equal(got.period, 21 * MS);
	assert_int_equal(got.weight, 2);
	expect_losses(&got, 0, 0, 0, 0);
	end();
}

/* Of 100,000 nested calls the outermost one counts. */
static void test_recursion(void **state)
{
	enum { DEPTH = 100000 };

	(void)state;
	begin();
	for (u64 i = 0; i < DEPTH; i++)
		hit(BEGIN_ID, 1, MS + i, SP + 64 * (DEPTH - i));
	for (u64 i = DEPTH; i-- > 0;)
		hit(END_ID, 1, 2 * MS + DEPTH - i, SP + 64 * (DEPTH - i));
	span_pairs__flush(pairs, 0, true, &out);
	read_back(FUNCTION, &got);
	assert_int_equal(got.nr, 1);
	assert_int_equal(got.spans[0].begin, MS);
	assert_int_equal(got.spans[0].end, 2 * MS + DEPTH);
	expect_losses(&got, 0, 0, 0, 0);
	end();
}

/* A longjmp or an exception leaves a call: the next one, or the return of a caller, is further out. */
static void test_left(void **state)
{
	(void)state;
	begin();
	hit(BEGIN_ID, 1, 1 * MS, SP);      /* left */
	hit(BEGIN_ID, 1, 2 * MS, SP);      /* the same caller calls again */
	hit(BEGIN_ID, 1, 3 * MS, SP - 64); /* inside; left */
	hit(END_ID, 1, 4 * MS, SP);
	hit(BEGIN_ID, 1, 5 * MS, SP - 640); /* left */
	hit(END_ID, 1, 6 * MS, SP);         /* of a call before the recording */
	hit(BEGIN_ID, 1, 7 * MS, SP - 64);
	hit(END_ID, 1, 8 * MS, SP - 64 + 8); /* behind the return instruction */
	span_pairs__flush(pairs, 0, true, &out);
	read_back(FUNCTION, &got);
	assert_int_equal(got.nr, 2);
	assert_int_equal(got.spans[0].begin, 2 * MS);
	assert_int_equal(got.spans[0].end, 4 * MS);
	assert_int_equal(got.spans[1].begin, 7 * MS);
	expect_losses(&got, 0, 2, 0, 1);
	end();
}

/* The function jumps to its own beginning: a call that goes on. */
static void test_restarts(void **state)
{
	(void)state;
	begin();
	span_pairs__delete(pairs);
	list.evsels.v[FUNCTION]->request->span->restarts = true;
	pairs = span_pairs__new(&(struct span_pairs_opts){ .l = &list, .counters = &counters });
	hit(BEGIN_ID, 1, 1 * MS, SP);
	hit(BEGIN_ID, 1, 2 * MS, SP);
	hit(END_ID, 1, 4 * MS, SP);
	span_pairs__flush(pairs, 0, true, &out);
	read_back(FUNCTION, &got);
	assert_int_equal(got.nr, 1);
	assert_int_equal(got.spans[0].begin, 1 * MS);
	expect_losses(&got, 0, 0, 0, 0);
	end();
}

/* The entry of a function that others call, too, is an end only at the stack pointer of the begin. */
static void test_shared_end(void **state)
{
	(void)state;
	begin();
	hit(TAIL_ID, 1, 1 * MS, SP);
	hit(BEGIN_ID, 1, 2 * MS, SP);
	hit(TAIL_ID, 1, 3 * MS, SP - 64);
	hit(TAIL_ID, 1, 4 * MS, SP);
	hit(TAIL_ID, 1, 5 * MS, SP + 64);
	span_pairs__flush(pairs, 0, true, &out);
	read_back(FUNCTION, &got);
	assert_int_equal(got.nr, 1);
	assert_int_equal(got.spans[0].end, 4 * MS);
	expect_losses(&got, 0, 0, 0, 0);
	end();
}

static void test_ends_of_threads_and_rings(void **state)
{
	(void)state;
	begin();
	hit(BEGIN_ID, 1, 1 * MS, SP);
	hit(BEGIN_ID, 2, 1 * MS, SP);
	other(PERF_RECORD_EXIT, 1, 2 * MS);
	hit(END_ID, 2, 3 * MS, SP);
	hit(BEGIN_ID, 2, 4 * MS, SP);
	other(PERF_RECORD_LOST, 7, 5 * MS); /* the end of the span may be lost, and the begin of another */
	hit(END_ID, 2, 6 * MS, SP);
	hit(BEGIN_ID, 2, 7 * MS, SP);
	span_pairs__flush(pairs, 0, true, &out);
	read_back(FUNCTION, &got);
	assert_int_equal(got.nr, 1);
	assert_int_equal(got.tid[0], 2);
	expect_losses(&got, 2, 0, 1, 1);
	end();
}

/* An end that comes after its round, and is older than the begin, is of another call. */
static void test_late(void **state)
{
	(void)state;
	begin();
	hit(BEGIN_ID, 1, 5 * MS, SP);
	hit(FROM_ID, 1, 5 * MS, SP);
	span_pairs__flush(pairs, 10 * MS, false, &out);
	span_pairs__flush(pairs, 10 * MS, false, &out);
	hit(END_ID, 1, 3 * MS, SP);
	hit(TO_ID, 1, 3 * MS, SP);
	span_pairs__flush(pairs, 0, true, &out);
	read_back(FUNCTION, &got);
	assert_int_equal(got.nr, 0);
	expect_losses(&got, 0, 1, 0, 1);
	read_back(PAIR, &got);
	assert_int_equal(got.nr, 0);
	expect_losses(&got, 0, 1, 0, 1);
	end();
}

/* Begins and ends of two places belong together by the thread, wherever its stack is. */
static void test_pairs(void **state)
{
	(void)state;
	begin();
	hit(FROM_ID, 1, 1 * MS, SP);
	hit(BEGIN_ID, 1, 1 * MS + 1, SP);
	hit(FROM_ID, 2, 2 * MS, SP - 640);
	hit(TO_ID, 1, 3 * MS, SP + 640);
	hit(TO_ID, 2, 4 * MS, SP);
	hit(TO_ID, 2, 5 * MS, SP);
	span_pairs__flush(pairs, 0, true, &out);
	read_back(PAIR, &got);
	assert_int_equal(got.nr, 2);
	assert_int_equal(got.spans[0].end - got.spans[0].begin, 2 * MS);
	assert_int_equal(got.spans[1].end - got.spans[1].begin, 2 * MS);
	expect_losses(&got, 0, 0, 0, 1);
	read_back(FUNCTION, &got);
	expect_losses(&got, 1, 0, 0, 0);
	end();
}

/* 200,000 short spans a second: a part of them stands for all; long ones are all there. */
static void test_many(void **state)
{
	enum { NR = 20000 };
	u64 period = 0, nr = 0;
	u32 nr_long = 0;

	(void)state;
	begin();
	for (u64 i = 0; i < NR; i++) {
		u64 time = MS + i * 50000; /* a span every 50 us for a second: 20,000; with ten threads */

		for (u32 tid = 1; tid <= 10; tid++) {
			hit(BEGIN_ID, tid, time, SP);
			hit(END_ID, tid, time + 1000 * tid, SP);
		}
		if (i % 1000 == 0) {
			hit(BEGIN_ID, 11, time, SP);
			hit(END_ID, 11, time + 2 * MS, SP);
		}
	}
	span_pairs__flush(pairs, 0, true, &out);
	for (size_t pos = 0; pos < out.len;) {
		const struct record r = { .header = (const void *)(out.buf + pos) };
		struct sample s;

		pos += r.header->size;
		assert_int_equal(sample__decode(&decoder, &r, &s), 0);
		period += s.period;
		nr += s.weight;
		nr_long += s.weight == 1 && s.period == 2 * MS;
	}
	assert_int_equal(nr_long, NR / 1000);
	assert_in_range(nr, NR * 10 * 95 / 100, NR * 10 * 105 / 100);
	assert_in_range(period / nr, 5500 * 95 / 100, 5800 * 105 / 100);
	assert_true(out.len < 2 * NR * 16);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_of_rings), cmocka_unit_test(test_recursion),
		cmocka_unit_test(test_left),           cmocka_unit_test(test_restarts),
		cmocka_unit_test(test_shared_end),     cmocka_unit_test(test_ends_of_threads_and_rings),
		cmocka_unit_test(test_late),           cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
