/*
 * Intervals and p-values of what changed between recordings of spans: of sides whose blocks of time are
 * alike, so that formulas give them. Quantiles of distributions are those of tables.
 */
#include "unit.h"

#include "profile/causes/span_compare.h"
#include "waits_image.h"

#include <math.h>
#include <string.h>

#define Z975 1.959963985   /* quantile of the normal distribution */
#define T975_2 4.302652730 /* of Student's, with 2 degrees of freedom */
#define T975_3 3.182446305
#define T975_62 1.998971517

enum { EACH = 100 /* spans in a block */ };

static struct span_compare c;

static void begin(void)
{
	span_compare__init(&c);
}

static void end(void)
{
	span_compare__exit(&c);
}

/* Add a recording of equal spans, ready for a part of the time. */
static void add(u32 side, u64 ns, float ready)
{
	struct durations *d = &c.sides[side].durations;

	durations__begin_recording(d);
	for (u32 i = 0; i < EACH * DURATION_BLOCKS; i++)
		durations__add_one(d, &(struct duration){ ns, 1, i % DURATION_BLOCKS, ready });
}

static void expect_near(double x, double expected)
{
	if (!(fabs(x - expected) <= 1e-7 * fabs(expected)))
		fail_msg("%.10g is not %.10g", x, expected);
}

/* The change of the mean, and half of its interval, in logarithms. */
static void expect_mean(double change, double half)
{
	const struct span_change *m;

	span_compare__finish(&c);
	m = &c.changes[SPAN_MEAN];
	expect_near(m->change, change);
	expect_near(m->change_low, change * exp(-half));
	expect_near(m->change_high, change * exp(half));
	for (u32 i = 0; i < 2; i++)
		if (c.sides[i].durations.nr_recordings == 1) { /* blocks are equal: the mean is certain */
			expect_near(m->low[i], m->value[i]);
			expect_near(m->high[i], m->value[i]);
		}
	end();
}

static void one_recording_a_side(void **state)
{
	(void)state;
	begin();
	add(0, 1000, 0);
	add(1, 1300, 0);
	expect_mean(1.3, Z975 * 0.05);
	/* threads were ready for a part of the time, on either side: the larger one counts */
	for (u32 side = 0; side < 2; side++) {
		begin();
		add(side, 1000, 0.25f);
		add(!side, 1000, 0.125f);
		expect_mean(1, Z975 * hypot(0.05, 0.25));
	}
	for (u32 side = 0; side < 2; side++) {
		begin();
		add(0, 1000, 0);
		add(1, 500, 0);
		c.sides[side].lacks_times = true;
		expect_mean(0.5, Z975 * 0.2);
	}
}

/* 3, 4, 5 against 6, 8, in logarithms */
static void add_several(u32 nr_old, u32 nr_new)
{
	static const u64 old[] = { 3000, 4000, 5000 }, new[] = { 6000, 8000 };

	begin();
	for (u32 i = 0; i < nr_old; i++)
		add(0, old[i], 0.5f);
	for (u32 i = 0; i < nr_new; i++)
		add(1, new[i], 0.5f);
}

static double squares(const double *v, u32 nr)
{
	double mean = 0, sum = 0;

	for (u32 i = 0; i < nr; i++)
		mean += log(v[i]) / nr;
	for (u32 i = 0; i < nr; i++)
		sum += (log(v[i]) - mean) * (log(v[i]) - mean);
	return sum;
}

static void several_recordings_show_how_they_differ(void **state)
{
	const double old = squares((const double[]){ 3, 4, 5 }, 3),
		     two = squares((const double[]){ 3, 4 }, 2), new = squares((const double[]){ 6, 8 }, 2);

	(void)state;
	add_several(3, 2);
	expect_mean(7.0 / 4, T975_3 * sqrt((old + new) / 3 * (1.0 / 3 + 1.0 / 2)));
	add_several(3, 1);
	expect_mean(6.0 / 4, T975_2 * sqrt(old / 2 * (1.0 / 3 + 1)));
	/* three in all are enough */
	add_several(2, 1);
	expect_mean(6.0 / 3.5, 12.70620474 * sqrt(two / 1 * (1.0 / 2 + 1)));
	add_several(1, 2);
	expect_mean(7.0 / 3, 12.70620474 * sqrt(new / 1 * (1.0 / 2 + 1)));
	/* new ones are of one build: only the old ones show how builds differ */
	add_several(3, 2);
	c.new_is_one = true;
	expect_mean(7.0 / 4, T975_2 * sqrt(old / 2 * (1.0 / 3 + 1)));
	add_several(2, 2);
	c.new_is_one = true;
	expect_mean(7.0 / 3.5, 12.70620474 * sqrt(two * (1.0 / 2 + 1)));
	begin();
	add(0, 3000, 0.5f);
	add(1, 7000, 0.5f);
	add(1, 7000, 0.5f);
	c.new_is_one = true;
	expect_mean(7.0 / 3, Z975 * hypot(0.05, 0.5));
	add_several(1, 1);
	expect_mean(2, Z975 * hypot(0.05, 0.5));
}

/* A recording without spans has no logarithm: nothing is known of how recordings differ. */
static void a_recording_without_spans(void **state)
{
	(void)state;
	begin();
	add(0, 1000, 0);
	add(1, 2000, 0);
	durations__begin_recording(&c.sides[1].durations);
	span_compare__finish(&c);
	expect_near(c.changes[SPAN_MEAN].change, 2);
	expect_near(c.changes[SPAN_MEAN].change_low, 2 * exp(-Z975 * 0.2));
	assert_int_equal(c.changes[SPAN_MEAN].verdict, VERDICT_SLOWER);
	end();
}

/* What is ready near a quantile widens its interval. */
static void time_ready_near_a_quantile(void **state)
{
	static const struct {
		float from, to;
		double expected[NR_SPAN_QUANTILES];
	} ready[] = {
		{ 0.25f, 0.75f, { 1, 0, 0, 0 } },
		{ 0.85f, 0.95f, { 0, 1, 0, 0 } },
		{ 0.985f, 0.995f, { 0, 0, 1, 0 } },
		{ 0, 1, { 1, 1, 1, 1 } },
	};
	double plain[NR_SPAN_QUANTILES];

	(void)state;
	for (size_t k = 0; k <= ARRAY_SIZE(ready); k++) {
		begin();
		for (u32 side = 0; side < 2; side++) {
			struct durations *d = &c.sides[side].durations;
			const u32 nr = 10000;

			durations__begin_recording(d);
			for (u32 i = 0; i < nr; i++) {
				float part = (float)i / (float)nr;
				bool is_ready = k && part >= ready[k - 1].from && part < ready[k - 1].to;

				durations__add_one(d, &(struct duration){ 1000000 + i, 1, i % DURATION_BLOCKS,
									  is_ready && side ? 0.25f : 0 });
			}
		}
		span_compare__finish(&c);
		for (u32 i = 0; i < NR_SPAN_QUANTILES; i++) {
			double half = log(c.changes[i].change_high);

			if (!k)
				plain[i] = half * half - Z975 * 0.05 * Z975 * 0.05;
			else if (fabs(half -
				      sqrt(plain[i] + pow(Z975 * hypot(0.05, 0.25 * ready[k - 1].expected[i]),
							  2))) > 0.01)
				fail_msg("%zu: half of quantile %u is %g", k, i, half);
		}
		end();
	}
}

/* The p-value is the error rate whose interval begins to have "no change". */
static void p_values(void **state)
{
	static const double changes[] = { 1, 1.02, 1.1, 1.2 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		double expected = erfc(log(changes[i]) / 0.05 / sqrt(2)); /* both tails */

		for (int inverse = 0; inverse < 2; inverse++) {
			begin();
			add(inverse, 1000000, 0);
			add(!inverse, (u64)(1000000 * changes[i]), 0);
			span_compare__finish(&c);
			if (fabs(c.changes[SPAN_MEAN].p / expected - 1) > 1e-3)
				fail_msg("%g: %.10g", changes[i], c.changes[SPAN_MEAN].p);
			end();
		}
	}
}

/* ---- verdicts ---- */

static void add_few(u32 side, u32 nr, u32 step)
{
	struct durations *d = &c.sides[side].durations;

	durations__begin_recording(d);
	for (u32 i = 0; i < nr; i++)
		durations__add_one(d, &(struct duration){ 1000 + i, step, i % DURATION_BLOCKS, 0 });
}

/* From how many spans on there are verdicts: of the median, p90, p99 and the mean. */
static void expect_few(u32 old, u32 new, u32 step, const char *few)
{
	static const u32 at[] = { 0, 1, 2, SPAN_MEAN };
	char got[5] = "";

	begin();
	add_few(0, old, step);
	add_few(1, new, step);
	span_compare__finish(&c);
	for (size_t i = 0; i < ARRAY_SIZE(at); i++)
		got[i] = c.changes[at[i]].verdict == VERDICT_FEW ? 'f' : '-';
	assert_string_equal(got, few);
	assert_int_equal(span_side__max(&c.sides[0]), old ? 999 + old : 0);
	end();
}

static void few_spans_have_no_verdict(void **state)
{
	(void)state;
	expect_few(20, 20, 1, "--f-");
	expect_few(19, 20, 1, "ffff");
	expect_few(20, 19, 1, "ffff");
	expect_few(19, 19, 8, "ffff");
	expect_few(100, 100, 1, "----");
	expect_few(100, 99, 1, "--f-");
	expect_few(99, 100, 8, "--f-");
	expect_few(0, 100, 1, "ffff");
}

/* ---- reasons ---- */

/* Let the spans of a recording have so much of a reason, on average. varies: in blocks more or less */
static void add_reason(u32 side, const char *name, double ns, bool varies)
{
	double in_blocks[DURATION_BLOCKS];

	for (u32 b = 0; b < DURATION_BLOCKS; b++)
		in_blocks[b] = EACH * ns * (varies ? b % 2 ? 0.5 : 1.5 : 1);
	span_side__add_reason(&c.sides[side], name, in_blocks);
}

static const struct reason_change *reason(const char *name)
{
	for (size_t i = 0; i < c.reasons.nr; i++)
		if (!strcmp(strpool__get(&c.names, c.reasons.v[i].name), name))
			return &c.reasons.v[i];
	fail_msg("no reason '%s'", name);
	return NULL;
}

static void expect_reason(const char *name, double old, double new, double half, enum verdict verdict)
{
	const struct reason_change *r = reason(name);

	expect_near(r->value[0], old);
	expect_near(r->value[1], new);
	expect_near(r->change, new - old);
	if (fabs(r->change_high - (new - old + half)) > 1e-6 ||
	    fabs(r->change_low - (new - old - half)) > 1e-6)
		fail_msg("%s: %.10g to %.10g, not by %.10g", name, r->change_low, r->change_high, half);
	if (r->verdict != verdict)
		fail_msg("%s: verdict %d, p %g", name, r->verdict, r->p);
}

static void reasons_have_intervals(void **state)
{
	/* the variance of the mean of 32 blocks of 100 spans, which are above and below it by half of 400 */
	const double variance = 32.0 / 31 * 200 * 200 / 32;

	(void)state;
	begin();
	for (u32 side = 0; side < 2; side++) {
		add(side, 10000, 0);
		add_reason(side, "on the CPU", 7000, false);
		add_reason(side, READY_WORDS, side ? 300 : 200, false);
		add_reason(side, "mutex", side ? 500 : 100, false);
		add_reason(side, "socket", 400, true);
		add_reason(side, "little", side ? 11 : 10, false);
		add_reason(side, "unused", 0, false);
	}
	add_reason(0, "gone", 250, false);
	span_compare__finish(&c);
	assert_int_equal(c.reasons.nr, 6);
	expect_reason("mutex", 100, 500, Z975 * 0.05 * 500, VERDICT_SLOWER);
	expect_reason("gone", 250, 0, Z975 * 0.05 * 250, VERDICT_FASTER);
	expect_reason(READY_WORDS, 200, 300, Z975 * 300, VERDICT_UNKNOWN); /* others ran */
	expect_reason("on the CPU", 7000, 7000, Z975 * 0.05 * 7000, VERDICT_UNKNOWN);
	expect_reason("socket", 400, 400, hypot(T975_62 * sqrt(2 * variance), Z975 * 0.05 * 400),
		      VERDICT_UNKNOWN);
	expect_reason("little", 10, 11, Z975 * 0.05 * 11, VERDICT_UNKNOWN);
	/* the largest change first; of equal ones the first name */
	for (size_t i = 0; i < c.reasons.nr; i++) {
		static const char *const order[] = { "mutex",  "gone",       READY_WORDS,
						     "little", "on the CPU", "socket" };

		assert_string_equal(strpool__get(&c.names, c.reasons.v[i].name), order[i]);
	}
	end();
}

/* Several recordings a side show how reasons differ. */
static void add_runs(const double *ns, u32 nr, u32 side)
{
	for (u32 i = 0; i < nr; i++) {
		add(side, 10000, 0);
		add_reason(side, "mutex", ns[i], false);
		add_reason(side, "socket", 1000, false);
	}
}

static void reasons_of_several_recordings(void **state)
{
	(void)state;
	begin();
	add_runs((const double[]){ 1000, 1003, 1004 }, 3, 0);
	add_runs((const double[]){ 1004, 1006 }, 2, 1);
	span_compare__finish(&c);
	assert_int_equal(c.reasons.nr, 2);
	assert_int_equal(reason("socket")->verdict, VERDICT_SAME);
	/* squares: 8.67 and 2; the blocks of a side vary less than its recordings */
	assert_true(reason("mutex")->change_high >=
		    2.6 + T975_3 * sqrt((26.0 / 3 + 2) / 3 * (1.0 / 3 + 1.0 / 2)));
	assert_int_equal(reason("mutex")->verdict, VERDICT_SAME);
	end();
	/* a change by 5% of the larger one is of interest, or by a part of the mean */
	for (u32 i = 0; i < 2; i++) {
		begin();
		c.least_change = i ? 0.0001 : 0.01;
		add_runs((const double[]){ 1000, 1000, 1000 }, 3, 0);
		add_runs((const double[]){ 1002, 1002 }, 2, 1);
		span_compare__finish(&c);
		assert_int_equal(reason("mutex")->verdict, i ? VERDICT_SLOWER : VERDICT_SAME);
		end();
	}
}

static void sides_without_times_have_no_reasons(void **state)
{
	(void)state;
	for (u32 side = 0; side < 2; side++) {
		begin();
		add(0, 1000, 0);
		add(1, 1000, 0);
		add_reason(0, "mutex", 100, false);
		c.sides[side].lacks_times = true;
		span_compare__finish(&c);
		assert_int_equal(c.reasons.nr, 0);
		end();
	}
}

/* ---- recordings ---- */

enum { SPANS = NR_EVENTS, NR };

static void recordings_are_added(void **state)
{
	static const char *const names[] = { "cpu-clock", "offcpu-time", "ended-waits", "ready-time",
					     "span:handle" };
	const struct span_detail d = { .step = 2, .cost = 70, .losses = { 1, 2, 3, 4 } };
	struct session_opts sopts = { .symbols.symfs = "/nowhere", .samples_follow = true };
	struct waits_image w;
	struct session *session;
	struct span_times times;
	struct span_set set;
	const struct evsel *event;
	const double *in_blocks;
	char path[64];
	int fd;

	(void)state;
	waits__begin_events(&w, names, NR);
	waits__comm(&w, 10, "first", false, 0);
	waits__spans(&w, SPANS, 10, 1100, &d, (const struct span_time[]){ { 100, 1100 } }, 1);
	waits__wait(&w, 10, 1200, 1500, 1600, 11, WOKEN_BY_THREAD);
	waits__span(&w, SPANS, 10, 1150, 1650);
	waits__wait(&w, 10, 2000000000, 2000000100, 2000000100, 0, 0);
	waits__span(&w, SPANS, 10, 1999999950, 2000000200);
	waits__end(&w);
	image__path(w.im.b.buf, w.im.b.len, &fd, path);
	assert_int_equal(session__open(&session, path, &sopts, NULL), 0);
	close(fd);
	assert_int_equal(span_set__choose_event(&session->reader->evlist, NULL, &event, NULL), 0);
	assert_int_equal(span_set__read(&set, session, event, NULL), 0);
	assert_int_equal(span_times__read(&times, session, NULL), 0);
	for (size_t i = SPAN_FIRST_WAIT; i < times.reasons.nr; i++)
		if (times.reasons.v[i].tid)
			times.reasons.v[i].lock = strpool__intern(&times.locks.texts, "mutex 0x1234");
	begin();
	span_side__add(&c.sides[0], &set, &times);
	assert_false(c.sides[0].lacks_times);
	span_side__add(&c.sides[1], &set, NULL);
	assert_true(c.sides[1].lacks_times);
	set.cost = 60;
	span_side__add(&c.sides[1], &set, NULL);
	expect_near(c.sides[0].seconds, (2000000200 - 1100) / 1e9);
	expect_near(c.sides[1].seconds, 2 * c.sides[0].seconds);
	for (u64 side = 0; side < 2; side++) {
		const struct span_side *s = &c.sides[side];

		assert_int_equal(s->losses.unfinished, 1 + side);
		assert_int_equal(s->losses.left, 2 + 2 * side);
		assert_int_equal(s->losses.lost, 3 + 3 * side);
		assert_int_equal(s->losses.strays, 4 + 4 * side);
		assert_int_equal(s->cost, 70);
		assert_int_equal(s->durations.nr_recordings, 1 + side);
		assert_int_equal(s->durations.v.nr, 3 + 3 * side);
	}
	/* the time of each reason, by block, with steps; neither addresses nor who ended waits matter */
	assert_int_equal(c.names.strings.nr - 1, 4);
	for (size_t i = 0; i < c.sides[0].reasons.nr; i++) {
		const struct side_reason *r = &c.sides[0].reasons.v[i];
		const char *name = strpool__get(&c.names, r->name);

		in_blocks = r->ns.v;
		assert_int_equal(r->ns.nr, DURATION_BLOCKS);
		if (!strcmp(name, "on the CPU"))
			assert_true(in_blocks[0] == 2 * 1000 + 100 && in_blocks[31] == 150);
		else if (!strcmp(name, READY_WORDS))
			assert_true(in_blocks[0] == 100 && in_blocks[31] == 0);
		else if (!strcmp(name, "mutex"))
			assert_true(in_blocks[0] == 300 && in_blocks[31] == 0);
		else
			assert_true(!strcmp(name, "wait") && in_blocks[0] == 0 && in_blocks[31] == 100);
	}
	/* ready for 100 of 500 ns */
	assert_true(fabs((double)c.sides[0].durations.v.v[1].ready - 0.2) < 1e-6);
	assert_true((double)c.sides[0].durations.v.v[0].ready == 0);
	end();
	span_times__exit(&times);
	span_set__exit(&set);
	session__delete(session);
	image__exit(&w.im);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_recording_a_side),
		cmocka_unit_test(several_recordings_show_how_they_differ),
		cmocka_unit_test(a_recording_without_spans),
		cmocka_unit_test(time_ready_near_a_quantile),
		cmocka_unit_test(p_values),
		cmocka_unit_test(few_spans_have_no_verdict),
		cmocka_unit_test(reasons_have_intervals),
		cmocka_unit_test(reasons_of_several_recordings),
		cmocka_unit_test(sides_without_times_have_no_reasons),
		cmocka_unit_test(recordings_are_added),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
