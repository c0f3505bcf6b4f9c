/* Comparisons of spans: sides whose truth is constructed, and their text. tests/diff/spans.c has chance. */
#include "unit.h"

#include "profile/causes/span_compare.h"
#include "ui/diff/span_diff_view.h"

#include <math.h>
#include <string.h>

enum { US = 1000, MS = 1000000, EACH = 100 /* spans in a block */ };

static struct span_compare c;

/* What spans of a recording do. */
struct plan {
	double factor; /* of the time on the CPU */
	u32 every;     /* one of so many waits for a lock; 0: none */
	u32 from, to;  /* ... in these blocks */
	u64 wait;      /* ... for so long */
	u32 nr;        /* spans in a block; 0: EACH */
};

/* Add a recording: spans of 1.000 to 1.099 ms on the CPU, times a factor. */
static void record(u32 side, const struct plan *p)
{
	double ran[DURATION_BLOCKS] = { 0 }, waited[DURATION_BLOCKS] = { 0 };
	struct span_side *s = &c.sides[side];

	durations__begin_recording(&s->durations);
	for (u32 b = 0; b < DURATION_BLOCKS; b++)
		for (u32 i = 0; i < (p->nr ? p->nr : EACH); i++) {
			u64 ns = (u64)(p->factor * (MS + (i * 37 + b) % EACH * US));
			bool waits = p->every && i % p->every == 0 && b >= p->from && b < p->to;

			ran[b] += (double)ns;
			waited[b] += waits ? (double)p->wait : 0;
			durations__add_one(&s->durations,
					   &(struct duration){ ns + (waits ? p->wait : 0), 1, b, 0 });
		}
	s->seconds += 10;
	span_side__add_reason(s, "on the CPU", ran);
	span_side__add_reason(s, "mutex db_lock", waited);
}

/* Compare nr recordings a side of two plans; each recording is slower than the one before by a part. */
static void compare(const struct plan *old, const struct plan *new, u32 nr, double drift)
{
	span_compare__init(&c);
	for (u32 side = 0; side < 2; side++)
		for (u32 i = 0; i < nr; i++) {
			struct plan p = side ? *new : *old;

			p.factor *= 1 + drift * i;
			record(side, &p);
		}
	span_compare__finish(&c);
}

static void expect_verdicts(enum verdict p50, enum verdict p99, enum verdict mean)
{
	static const u32 at[] = { 0, 2, SPAN_MEAN };
	const enum verdict expected[] = { p50, p99, mean };

	for (size_t i = 0; i < ARRAY_SIZE(at); i++)
		if (c.changes[at[i]].verdict != expected[i])
			fail_msg("%s: %d, expected %d: %g (%g to %g), p %g", span_change__name(at[i]),
				 c.changes[at[i]].verdict, expected[i], c.changes[at[i]].change,
				 c.changes[at[i]].change_low, c.changes[at[i]].change_high,
				 c.changes[at[i]].p);
}

static const struct reason_change *reason(const char *name)
{
	for (size_t i = 0; i < c.reasons.nr; i++)
		if (!strcmp(strpool__get(&c.names, c.reasons.v[i].name), name))
			return &c.reasons.v[i];
	fail_msg("no reason '%s'", name);
	return NULL;
}

static const struct plan plain = { .factor = 1 }, slower = { .factor = 1.3 }, slightly = { .factor = 1.03 },
			 locks = { .factor = 1, .every = 50, .from = 0, .to = 32, .wait = 30 * MS },
			 incident = { .factor = 1, .every = 2, .from = 7, .to = 8, .wait = 30 * MS },
			 few = { .factor = 1, .nr = 3 };

/* One recording a side does not tell how runs differ: 5% is assumed. */
static void test_one_recording(void **state)
{
	(void)state;
	compare(&plain, &plain, 1, 0);
	expect_verdicts(VERDICT_UNKNOWN, VERDICT_UNKNOWN, VERDICT_UNKNOWN);
	assert_true(c.changes[0].change == 1 && c.changes[0].change_low > 0.89 &&
		    c.changes[0].change_low < 0.91);
	span_compare__exit(&c);
	compare(&plain, &slower, 1, 0);
	expect_verdicts(VERDICT_SLOWER, VERDICT_SLOWER, VERDICT_SLOWER);
	assert_true(c.changes[0].change_low < 1.3 && 1.3 < c.changes[0].change_high);
	assert_int_equal(reason("on the CPU")->verdict, VERDICT_SLOWER);
	assert_int_equal(c.reasons.nr, 1); /* nobody waited */
	span_compare__exit(&c);
	compare(&slower, &plain, 1, 0);
	expect_verdicts(VERDICT_FASTER, VERDICT_FASTER, VERDICT_FASTER);
	span_compare__exit(&c);
}

static void test_several_recordings(void **state)
{
	(void)state;
	compare(&plain, &plain, 3, 0.001);
	expect_verdicts(VERDICT_SAME, VERDICT_SAME, VERDICT_SAME);
	assert_int_equal(reason("on the CPU")->verdict, VERDICT_SAME);
	span_compare__exit(&c);
	compare(&plain, &slightly, 3, 0.001);
	expect_verdicts(VERDICT_SAME, VERDICT_SAME, VERDICT_SAME); /* less than 5% */
	span_compare__exit(&c);
	compare(&plain, &slower, 3, 0.001);
	expect_verdicts(VERDICT_SLOWER, VERDICT_SLOWER, VERDICT_SLOWER);
	span_compare__exit(&c);
	/* runs that differ by 30% among themselves */
	compare(&plain, &slower, 3, 0.3);
	expect_verdicts(VERDICT_UNKNOWN, VERDICT_UNKNOWN, VERDICT_UNKNOWN);
	span_compare__exit(&c);
}

/* One of 50 spans waits, all the time: p99 and the mean change, and the lock explains it. */
static void test_lock(void **state)
{
	double sum = 0;

	(void)state;
	compare(&plain, &locks, 1, 0);
	expect_verdicts(VERDICT_UNKNOWN, VERDICT_SLOWER, VERDICT_SLOWER);
	assert_int_equal(reason("mutex db_lock")->verdict, VERDICT_SLOWER);
	assert_true(reason("mutex db_lock")->change == 600000); /* 30 ms / 50 */
	assert_int_equal(reason("on the CPU")->verdict, VERDICT_UNKNOWN);
	assert_int_equal(c.reasons.v[0].name, reason("mutex db_lock")->name);
	for (size_t i = 0; i < c.reasons.nr; i++)
		sum += c.reasons.v[i].change;
	assert_true(fabs(sum - (c.changes[SPAN_MEAN].value[1] - c.changes[SPAN_MEAN].value[0])) < 1e-3);
	span_compare__exit(&c);
}

/* Half of the spans of one block of 32 waited: that may happen to either side. */
static void test_incident(void **state)
{
	(void)state;
	compare(&plain, &incident, 1, 0);
	assert_true(c.changes[2].change > 20);
	expect_verdicts(VERDICT_UNKNOWN, VERDICT_UNKNOWN, VERDICT_UNKNOWN);
	assert_int_equal(reason("mutex db_lock")->verdict, VERDICT_UNKNOWN);
	span_compare__exit(&c);
}

static void test_few(void **state)
{
	(void)state;
	compare(&plain, &few, 1, 0);
	assert_int_equal(c.changes[3].verdict, VERDICT_FEW); /* p99.9 of 96 spans */
	assert_int_equal(c.changes[2].verdict, VERDICT_FEW);
	assert_int_not_equal(c.changes[0].verdict, VERDICT_FEW);
	span_compare__exit(&c);
	span_compare__init(&c);
	record(0, &plain);
	durations__begin_recording(&c.sides[1].durations);
	span_compare__finish(&c);
	expect_verdicts(VERDICT_FEW, VERDICT_FEW, VERDICT_FEW);
	span_compare__exit(&c);
}

/* Several new recordings of one build do not show how builds differ. */
static void test_new_is_one(void **state)
{
	double plain_low;

	(void)state;
	compare(&plain, &plain, 4, 0.02);
	plain_low = c.changes[0].change_low;
	span_compare__exit(&c);
	span_compare__init(&c);
	c.new_is_one = true;
	for (u32 i = 0; i < 8; i++) {
		struct plan p = plain;

		p.factor *= 1 + 0.02 * (i % 4);
		record(i >= 4, &p);
	}
	span_compare__finish(&c);
	assert_true(c.changes[0].change_low < plain_low - 0.02);
	span_compare__exit(&c);
}

static void test_text(void **state)
{
	static const char *const paths[] = { "old.data", "new\033.data" };
	struct span_diff_opts opts = { .name = "handle", .paths = paths, .nr_old = 1, .nr_files = 2 };
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	compare(&plain, &locks, 1, 0);
	span_diff_view__add(&c, &opts, &sb);
	assert_string_equal(
		sb.buf,
		"# Spans 'handle': old.data -> new?.data\n"
		"# slower: p99 x28, mean +57.2%; for a span 600.0 us more: mutex db_lock\n"
		"# Number: 3200 (320 a second) -> 3200 (320 a second)\n"
		"# One recording a side: runs are taken to differ by 5% without a reason; several\n"
		"#   recordings tell (OLD... -- NEW...)\n"
		"#\n"
		"#     Old      New    Change           95% interval  Verdict     Duration\n"
		"  1.05 ms  1.05 ms     +0.2%        -9.2% .. +10.5%  cannot tell p50\n"
		"  1.09 ms  1.09 ms     +0.2%        -9.2% .. +10.5%  cannot tell p90\n"
		"  1.10 ms  31.0 ms       x28             x26 .. x31  slower      p99\n"
		"  1.10 ms  31.1 ms       x28                    any  cannot tell p99.9\n"
		"  1.10 ms  31.1 ms       x28                                     max\n"
		"  1.05 ms  1.65 ms    +57.2%       +42.5% .. +73.4%  slower      mean\n"
		"#\n"
		"#     Old      New    Change           95% interval  Verdict     Mean time for a span\n"
		"        0 600.0 us +600.0 us +541.2 us .. +658.8 us  more        mutex db_lock\n"
		"  1.05 ms  1.05 ms         0 -102.8 us .. +102.8 us  cannot tell on the CPU\n");
	strbuf__reset(&sb);
	c.sides[1].lacks_times = true;
	span_diff_view__add(&c, &opts, &sb);
	assert_non_null(strstr(sb.buf, "new recordings do not know"));
	assert_non_null(strstr(sb.buf, "differ by 20% without"));
	strbuf__reset(&sb);
	opts.quiet = true;
	c.sides[1].lacks_times = false;
	span_diff_view__add(&c, &opts, &sb);
	assert_null(strstr(sb.buf, "old.data"));
	strbuf__exit(&sb);
	span_compare__exit(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_recording), cmocka_unit_test(test_several_recordings),
		cmocka_unit_test(test_lock),          cmocka_unit_test(test_incident),
		cmocka_unit_test(test_few),           cmocka_unit_test(test_new_is_one),
		cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
