/* perf diff of sides that were sampled differently: what samples cost may explain a change of the total. */
#include "unit.h"

#include "profile/compare/compare_text.h"

#include <math.h>

static const struct sampling plain = { .has_freq = true, .rate = 1000, .nr_events = 1, .part = 0.05 };

static struct sampling_gap gap_of(const struct sampling *old, const struct sampling *new)
{
	struct sampling_gap gap = { .why = STRBUF_INIT };

	sampling_gap__add(&gap, old, new);
	return gap;
}

/* part_old, part_new: that samples may explain. */
static void check(struct sampling old, struct sampling new, const char *why, double part_old, double part_new)
{
	struct sampling_gap gap = gap_of(&old, &new);

	assert_string_equal(gap.why.buf, why);
	assert_true(fabs(gap.part[0] - part_old) < 1e-9);
	assert_true(fabs(gap.part[1] - part_new) < 1e-9);
	strbuf__exit(&gap.why);
}

static void what_differs_is_named_and_bounded(void **state)
{
	struct sampling fast = plain, period = plain, chains = plain, both = plain, waits = plain,
			spans = plain;
	struct sampling unwound, large, small = plain;

	(void)state;
	fast.rate = 4000;
	fast.part = 0.2;
	period.has_freq = false;
	period.part = 0.04;
	chains.fields = PERF_SAMPLE_CALLCHAIN;
	unwound = chains;
	unwound.unwinds = true;
	both.nr_events = 2;
	both.part = 0.1;
	waits.nr_waits = 1;
	spans.nr_each = 2;
	small.stack_size = 1024;
	large = small;
	large.stack_size = 8192;
	check(plain, plain, "", 0, 0);
	check(plain, fast, "-F 1000 and -F 4000", 0, 0.15);
	check(fast, plain, "-F 4000 and -F 1000", 0.15, 0);
	check(plain, period, "-F 1000 and -c 1000", 0.01, 0);
	check(plain, chains, "call graphs (-g) or registers", 0.05, 0.05);
	check(chains, unwound, "call graphs (-g) or registers", 0.05, 0.05);
	chains.is_cut = true;
	check(chains, unwound, "", 0, 0);
	check(small, large, "size of stack copies", 0.05, 0.05);
	check(plain, both, "number of events", 0, 0.05);
	check(plain, waits, "--off-cpu", 0, 1);
	check(waits, plain, "--off-cpu", 1, 0);
	check(spans, plain, "--span, or other events that count each time", 1, 0);
	chains.rate = 4000;
	chains.part = 2; /* more than all of the time */
	check(plain, chains, "-F 1000 and -F 4000, call graphs (-g) or registers", 0.05, 1);
}

static void pairs_of_recordings_add_up(void **state)
{
	struct sampling fast = plain, faster = plain;
	struct sampling_gap gap = { .why = STRBUF_INIT };

	(void)state;
	fast.rate = 2000;
	fast.part = 0.1;
	faster.rate = 4000;
	faster.part = 0.2;
	sampling_gap__add(&gap, &plain, &faster);
	sampling_gap__add(&gap, &plain, &fast);
	sampling_gap__add(&gap, &plain, &plain);
	sampling_gap__add(&gap, &plain, &faster);
	assert_string_equal(gap.why.buf, "-F 1000 and -F 4000, -F 1000 and -F 2000");
	assert_true(fabs(gap.part[1] - 0.15) < 1e-9);
	strbuf__exit(&gap.why);
}

static void judge(double low, double high, const char *why, double part_old, double part_new,
		  enum verdict want, bool hidden)
{
	struct comparison c = {
		.opts.least_total = 0.01,
		.event = (char[]){ "cycles" },
		.self = { .total = { 1, (low + high) / 2 }, .total_low = low, .total_high = high },
		.sampling = { .why = STRBUF_INIT, .part = { part_old, part_new } }
	};
	struct strbuf line = STRBUF_INIT;

	strbuf__addstr(&c.sampling.why, why);
	assert_int_equal(comparison__judge_total(&c), want);
	assert_int_equal(comparison__hides_total(&c), hidden);
	compare_text__add_total(&line, &c, &(struct cell_style){ 0 });
	assert_int_equal(strstr(line.buf, ": cannot tell, as the sides were sampled differently (-F)") !=
				 NULL,
			 hidden);
	strbuf__reset(&line);
	for (u32 i = 0; compare_text__add_warning(&line, &c, i); i++)
		;
	assert_int_equal(strstr(line.buf, "the sides were sampled differently (-F), which costs time") !=
				 NULL,
			 *why != '\0');
	strbuf__exit(&line);
	strbuf__exit(&c.sampling.why);
}

static void totals_change_by_more_than_samples_explain(void **state)
{
	(void)state;
	judge(1.05, 1.10, "", 0, 0, VERDICT_SLOWER, false);
	judge(0.90, 0.95, "", 0, 0, VERDICT_FASTER, false);
	judge(0.995, 1.005, "", 0, 0, VERDICT_SAME, false);
	judge(0.98, 1.02, "", 0, 0, VERDICT_UNKNOWN, false);
	judge(NAN, NAN, "", 0, 0, VERDICT_UNKNOWN, false);
	judge(1.05, 1.10, "-F", 0, 0.15, VERDICT_UNKNOWN, true);
	judge(1.20, 1.30, "-F", 0, 0.15, VERDICT_SLOWER, false);
	judge(1.05, 1.10, "-F", 0.15, 0, VERDICT_SLOWER, false);
	judge(0.90, 0.95, "-F", 0.15, 0, VERDICT_UNKNOWN, true);
	judge(0.70, 0.80, "-F", 0.15, 0, VERDICT_FASTER, false);
	judge(0.90, 0.95, "-F", 0, 0.15, VERDICT_FASTER, false);
	judge(0.995, 1.005, "-F", 0, 0.15, VERDICT_UNKNOWN, false);
	judge(9, 10, "-F", 0, 1, VERDICT_UNKNOWN, true);
	judge(NAN, NAN, "-F", 0, 0.15, VERDICT_UNKNOWN, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_differs_is_named_and_bounded),
		cmocka_unit_test(pairs_of_recordings_add_up),
		cmocka_unit_test(totals_change_by_more_than_samples_explain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
