/*
 * Which spans are chosen by --slower and --faster, and what samples stand for then. The threads of each
 * recording do what the test says, so that the right times follow from that.
 */
#include "unit.h"

#include "profile/gather/profile.h"
#include "profile/keys/read_weights.h"
#include "waits_image.h"

#include <errno.h>
#include <stdlib.h>

enum { SPANS = NR_EVENTS, OTHER_SPANS, NR };
enum { A = 10, B, C, D, NOBODY = 77 };

static const char *const names[] = { "cpu-clock",  "offcpu-time", "ended-waits",
				     "ready-time", "span:handle", "span:o\033ther" };
static const char *const no_waits[] = { "cpu-clock", "span:handle" };

static struct waits_image w;
static struct session *session;
static struct sample_filter filter;
static struct sample_weights weights;
static struct locks locks;

static int open_spans(const struct weights_args *a, struct err *err)
{
	struct session_opts sopts = { .symbols.symfs = "/nowhere", .samples_follow = true };
	char path[64];
	int fd, ret;

	waits__end(&w);
	image__path(w.im.b.buf, w.im.b.len, &fd, path);
	assert_int_equal(session__open(&session, path, &sopts, err), 0);
	close(fd);
	ret = weights_args__choose_spans(a, session, &filter, err);
	return ret ? ret : weights__read(&weights, &locks, session, a, &filter, err);
}

static void open_all(const char *slower, const char *faster)
{
	struct err err = ERR_INIT;

	assert_int_equal(
		open_spans(&(struct weights_args){ .span = "handle", .slower = slower, .faster = faster },
			   &err),
		0);
	assert_string_equal(err.text.buf, "");
	err__exit(&err);
}

static void close_all(void)
{
	sample_weights__exit(&weights);
	sample_filter__exit(&filter);
	weights = (struct sample_weights){ 0 };
	filter = (struct sample_filter){ 0 };
	session__delete(session);
	image__exit(&w.im);
}

static void begin(void)
{
	waits__begin_events(&w, names, NR);
	waits__comm(&w, A, "first", false, 0);
	waits__comm(&w, B, "second", false, 0);
	waits__comm(&w, C, "third", false, 0);
	waits__comm(&w, D, "fourth", false, 0);
}

static u64 lone_ns(u32 tid, enum lone_kind kind)
{
	for (size_t i = 0; i < weights.lone.nr; i++)
		if (weights.lone.v[i].tid == tid && weights.lone.v[i].kind == kind)
			return weights.lone.v[i].ns;
	return 0;
}

/* The rows of a report have all of the time of the chosen spans, and nothing else. */
static void expect_sums(u64 ns)
{
	const struct profile_opts opts = { .weights = &weights };
	struct profile p;
	u64 sum = 0;

	assert_int_equal(filter.spans.ns, ns);
	assert_int_equal(weights.facts.ns, ns);
	assert_int_equal(profile__collect(&p, session, &opts, NULL), 0);
	for (size_t i = 0; i < p.rows.rows.nr; i++)
		sum += row_table__get(&p.rows, i)->period;
	assert_int_equal(sum, ns);
	profile__exit(&p);
}

/* ---- limits ---- */

static void begin_many(void)
{
	begin();
	for (u32 i = 1; i <= 100; i++)
		waits__span(&w, SPANS, A, 10000 * i, 10000 * i + 10 * i);
	waits__span(&w, OTHER_SPANS, A, 50, 60);
}

static void expect_chosen(const char *slower, const char *faster, u64 nr, const char *words)
{
	struct strbuf sb = STRBUF_INIT;

	begin_many();
	open_all(slower, faster);
	assert_int_equal(filter.spans.nr, nr);
	assert_int_equal(filter.spans.v.nr, nr);
	assert_int_equal(filter.spans.nr_all, 100);
	span_choice__describe(&filter.spans, true, &sb);
	assert_string_equal(sb.buf, words);
	strbuf__exit(&sb);
	close_all();
}

static void test_limits(void **state)
{
	(void)state;
	expect_chosen("p99", NULL, 2, "time in spans handle of at least 990.0 ns (p99): 2 of 100");
	expect_chosen(NULL, "p50", 50, "time in spans handle of at most 500.0 ns (p50): 50 of 100");
	expect_chosen("200ns", "300ns", 11,
		      "time in spans handle of at least 200.0 ns and at most 300.0 ns: 11 of 100");
	expect_chosen("0ns", NULL, 100, "time in spans handle of at least 0.00 ns: 100");
	expect_chosen("p99.9", NULL, 1, "time in spans handle of at least 1.00 us (p99.9): 1 of 100");
}

static void expect_refused(const struct weights_args *a, int code, const char *text)
{
	struct err err = ERR_INIT;

	begin_many();
	assert_int_equal(open_spans(a, &err), code);
	assert_string_equal(err.text.buf, text);
	err__exit(&err);
	close_all();
}

static void test_refused(void **state)
{
	(void)state;
	expect_refused(&(struct weights_args){ .span = "handle", .slower = "2us" }, -ENOENT,
		       "the recording has no span handle of at least 2.00 us\n"
		       "its 100 spans took 10.0 ns to 1.00 us");
	expect_refused(&(struct weights_args){ .span = "handle", .slower = "20ns", .faster = "10ns" },
		       -ENOENT,
		       "the recording has no span handle of at least 20.0 ns and at most 10.0 ns\n"
		       "its 100 spans took 10.0 ns to 1.00 us");
	expect_refused(&(struct weights_args){ .slower = "p99" }, -EINVAL,
		       "the recording has several kinds of spans\n"
		       "choose one with --span=NAME: handle, o?ther");
	expect_refused(&(struct weights_args){ .span = "nothing", .has_span = true }, -ENOENT,
		       "the recording has no spans 'nothing'\nit has: handle, o?ther");
	expect_refused(&(struct weights_args){ .faster = "soon" }, -EINVAL,
		       "--faster: 'soon' is neither a quantile such as p99 nor a time such as 20ms");
	expect_refused(&(struct weights_args){ .faster = "p99", .blocked_by = true }, -EINVAL,
		       "--blocked-by and --faster exclude each other");
	expect_refused(&(struct weights_args){ .has_span = true, .critical_path = true }, -EINVAL,
		       "--critical-path and --span exclude each other");
}

/* Spans of no time are spans, unless --slower says otherwise. */
static void test_no_time(void **state)
{
	(void)state;
	begin();
	waits__span(&w, SPANS, A, 100, 100);
	waits__span(&w, SPANS, A, 200, 210);
	open_all(NULL, "5ns");
	assert_int_equal(filter.spans.nr, 1);
	assert_int_equal(filter.spans.ns, 0);
	close_all();
	begin();
	waits__span(&w, SPANS, A, 100, 100);
	waits__span(&w, SPANS, A, 200, 210);
	open_all("1ns", NULL);
	assert_int_equal(filter.spans.nr, 1);
	assert_int_equal(filter.spans.ns, 10);
	close_all();
}

/* After the begin, up to the end. */
static void test_find(void **state)
{
	const struct span_choice *c = &filter.spans;

	(void)state;
	begin();
	waits__span(&w, SPANS, A, 100, 200);
	waits__span(&w, SPANS, A, 200, 400);
	waits__span(&w, SPANS, A, 500, 550); /* too short */
	waits__span(&w, SPANS, B, 150, 350);
	waits__span(&w, SPANS, D, 100, 100000);
	open_all("100ns", NULL);
	assert_null(span_choice__find(c, A, START + 100));
	assert_int_equal(span_choice__find(c, A, START + 101)->begin, START + 100);
	assert_int_equal(span_choice__find(c, A, START + 200)->begin, START + 100);
	assert_int_equal(span_choice__find(c, A, START + 201)->begin, START + 200);
	assert_int_equal(span_choice__find(c, A, START + 400)->begin, START + 200);
	assert_null(span_choice__find(c, A, START + 401));
	assert_null(span_choice__find(c, A, START + 520));
	assert_null(span_choice__find(c, A - 1, START + 150));
	assert_null(span_choice__find(c, C, START + 300));
	assert_int_equal(span_choice__find(c, B, START + 300)->tid, B);
	assert_int_equal(span_choice__find(c, D, START + 99999)->tid, D);
	assert_null(span_choice__find(c, D + 1, START + 300));
	close_all();
}

/* ---- weights ---- */

static void test_waits_count_by_overlap(void **state)
{
	u32 before, in, after, ready, preempted, runs[5];

	(void)state;
	begin();
	runs[0] = waits__run(&w, A, 850);
	before = waits__wait(&w, A, 900, 1100, 1150, 0, WOKEN_BY_HARDIRQ); /* 100 in it, then 50 ready */
	runs[1] = waits__run(&w, A, 1160);
	ready = waits__ready(&w, A, 1165, 0, 0);
	in = waits__wait(&w, A, 1200, 1300, 1300, 0, WOKEN_BY_HARDIRQ);
	runs[2] = waits__run(&w, A, 1500);
	runs[3] = waits__run(&w, A, 1850);
	after = waits__wait(&w, A, 1900, 2100, 2150, 0, WOKEN_BY_HARDIRQ);
	preempted = waits__ready(&w, A, 2200, 1600, 1620);
	runs[4] = waits__run(&w, A, 2300);
	waits__wait(&w, B, 1000, 2000, 2000, 0, WOKEN_BY_HARDIRQ); /* another thread */
	waits__span(&w, SPANS, A, 1000, 2000);
	waits__span(&w, SPANS, A, 2250, 2260);
	open_all("1us", NULL);
	assert_int_equal(weights.ns[before], 100);
	assert_int_equal(weights.ns[ready], 50);
	assert_int_equal(weights.ns[in], 100);
	assert_int_equal(weights.ns[after], 100);
	assert_int_equal(weights.ns[preempted], 20);
	assert_int_equal(weights.ns[runs[0]], 0);
	assert_int_equal(weights.ns[runs[1]], 210); /* a third of 1000 - 370 */
	assert_int_equal(weights.ns[runs[2]], 210);
	assert_int_equal(weights.ns[runs[3]], 210);
	assert_int_equal(weights.ns[runs[4]], 0);
	expect_sums(1000);
	close_all();
}

static void test_a_span_inside_of_a_wait(void **state)
{
	u32 wait;

	(void)state;
	begin();
	wait = waits__wait(&w, B, 3000, 4000, 4000, 0, WOKEN_BY_HARDIRQ);
	waits__span(&w, SPANS, B, 3200, 3700);
	open_all("p0", NULL);
	assert_int_equal(weights.ns[wait], 500);
	assert_int_equal(weights.lone.nr, 0);
	expect_sums(500);
	close_all();
}

/* Neither a span without a sample is lost, nor one of a thread that nothing else is recorded of. */
static void test_no_samples(void **state)
{
	(void)state;
	begin();
	waits__run(&w, C, 50);
	waits__span(&w, SPANS, C, 100, 400);
	waits__span(&w, SPANS, NOBODY, 100, 700);
	open_all("p0", NULL);
	assert_int_equal(lone_ns(C, LONE_RAN), 300);
	assert_int_equal(lone_ns(NOBODY, LONE_NOT_RECORDED), 600);
	expect_sums(900);
	close_all();
}

/* Where neither the CPU is sampled nor is known who ended waits, the event of the spans has the rest. */
static void test_no_event_of_the_cpu(void **state)
{
	static const char *const few[] = { "page-faults", "offcpu-time", "span:handle" };
	u32 wait;

	(void)state;
	waits__begin_events(&w, few, ARRAY_SIZE(few));
	w.attrs[0].config = PERF_COUNT_SW_PAGE_FAULTS;
	image__put_u64(&w.im, 104 + offsetof(struct perf_event_attr, config), PERF_COUNT_SW_PAGE_FAULTS);
	waits__comm(&w, A, "first", false, 0);
	wait = waits__wait(&w, A, 150, 180, 180, 0, WOKEN_BY_HARDIRQ);
	waits__span(&w, 2, A, 100, 200);
	open_all("p0", NULL);
	assert_int_equal(weights.of, WEIGHTS_SPANS);
	assert_int_equal(weights.ns[wait], 30);
	assert_int_equal(lone_ns(A, LONE_RAN), 70);
	expect_sums(100);
	close_all();
}

/* A recorded span stands for others, and so do its waits. */
static void test_steps(void **state)
{
	static const struct span_time spans[] = { { 10, 20 }, { 30, 50 }, { 55, 85 } };
	const struct span_detail d = { .step = 5 };
	u32 run, wait;

	(void)state;
	begin();
	run = waits__run(&w, D, 15);
	wait = waits__wait(&w, D, 60, 80, 80, 0, WOKEN_BY_HARDIRQ);
	waits__spans(&w, SPANS, D, 90, &d, spans, ARRAY_SIZE(spans));
	waits__span(&w, SPANS, D, 100, 1100);
	open_all(NULL, "p90"); /* of 16 */
	assert_int_equal(filter.spans.nr, 15);
	assert_int_equal(filter.spans.nr_all, 16);
	assert_int_equal(weights.ns[wait], 100);
	assert_int_equal(weights.ns[run], 50 + 100 + 50);
	expect_sums(5 * 60);
	close_all();
}

enum { RANDOM_END = 4000, RANDOM_WAITS = 20, RANDOM_SPANS = 30 };

static u64 overlap(u64 from, u64 to, u64 begin, u64 end)
{
	u64 sum = 0;

	for (u64 t = MAX(from, begin); t < MIN(to, end); t++)
		sum++;
	return sum;
}

/* Any waits and spans: each wait stands for what of it is in spans. */
static void test_random(void **state)
{
	(void)state;
	srand(48);
	for (u32 round = 0; round < 300; round++) {
		u32 waits[RANDOM_WAITS], nr_waits = 0, nr_spans = 0;
		u64 times[RANDOM_WAITS][2], spans[RANDOM_SPANS][2], at = 0, sum = 0;

		begin();
		while (nr_waits < RANDOM_WAITS && at < RANDOM_END) {
			u64 from = at + (u64)rand() % 200, to = from + (u64)rand() % 300;

			if (rand() % 2)
				waits__run(&w, A, at + 1);
			times[nr_waits][0] = from;
			times[nr_waits][1] = to;
			waits[nr_waits++] = waits__wait(&w, A, from, to, to, 0, WOKEN_BY_HARDIRQ);
			at = to + 2;
		}
		for (at = 0; nr_spans < RANDOM_SPANS && at < RANDOM_END; nr_spans++) {
			u64 from = at + (u64)rand() % 100, to = from + (u64)(rand() % 2 ? 80 : 200);

			spans[nr_spans][0] = from;
			spans[nr_spans][1] = to;
			waits__span(&w, SPANS, A, from, to);
			sum += to - from == 200 ? 200 : 0;
			at = to;
		}
		waits__span(&w, SPANS, A, RANDOM_END * 10, RANDOM_END * 10 + 200);
		open_all("100ns", NULL);
		for (u32 i = 0; i < nr_waits; i++) {
			u64 ns = 0;

			for (u32 k = 0; k < nr_spans; k++)
				if (spans[k][1] - spans[k][0] == 200)
					ns += overlap(times[i][0], times[i][1], spans[k][0], spans[k][1]);
			assert_int_equal(weights.ns[waits[i]], ns);
		}
		expect_sums(sum + 200);
		close_all();
	}
}

/* ---- samples ---- */

static u64 count_samples(const struct profile_opts *opts)
{
	struct profile p;
	u64 nr;

	assert_int_equal(profile__collect(&p, session, opts, NULL), 0);
	nr = p.nr_samples;
	profile__exit(&p);
	return nr;
}

/* Without waits the samples in spans count; spans are no samples of time. */
static void test_filter(void **state)
{
	(void)state;
	waits__begin_events(&w, no_waits, ARRAY_SIZE(no_waits));
	waits__run(&w, A, 50);
	waits__run(&w, A, 150);
	waits__run(&w, A, 160);
	waits__run(&w, B, 170);
	waits__span(&w, 1, A, 100, 200);
	waits__run(&w, A, 250);
	waits__span(&w, 1, A, 240, 260);
	open_all("50ns", NULL);
	assert_int_equal(weights.of, WEIGHTS_NONE);
	assert_int_equal(count_samples(&(struct profile_opts){ .spans = &filter.spans }), 2);
	assert_int_equal(count_samples(&(struct profile_opts){ 0 }), 5);
	assert_int_equal(count_samples(&(struct profile_opts){ .with_spans = true }), 7);
	close_all();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_no_time),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_waits_count_by_overlap),
		cmocka_unit_test(test_a_span_inside_of_a_wait),
		cmocka_unit_test(test_no_samples),
		cmocka_unit_test(test_no_event_of_the_cpu),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_filter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
