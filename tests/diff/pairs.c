/*
 * Are the verdicts about two programs that run in turns as certain as they say? Simulate the times of runs
 * on machines with many kinds of noise, and draw them from recorded ones; weigh the evidence with the functions
 * that perf stat uses, and count: how often equal programs are told apart, how often the 95% intervals have
 * the truth, and how often a change of 3% is found.
 *	pairs [TRIES [SEED]] [FILE...]
 * FILE has the times of a program's runs, in their order. The exit status is 1 if a figure is out of its limits.
 */
#include "base/memory/mem.h"
#include "stat/pair_evidence.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RUNS_MAX = 2 * PAIR_MAX_ROUNDS, RECORDED_MAX = 1000, NR_SIZES = 4 };

static u64 state;

static double uniform(void) /* of (0, 1) */
{
	u64 x = state += 0x9e3779b97f4a7c15ull;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return ((double)((x ^ x >> 31) >> 11) + 0.5) / 9007199254740992.0;
}

static double between(double from, double to)
{
	return from + (to - from) * uniform();
}

static double log_between(double from, double to)
{
	return exp(between(log(from), log(to)));
}

static double gauss(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

/* ---- kinds of noise: factors of the runs, in their order ---- */

static void calm(double *f, u32 nr)
{
	double sd = log_between(0.003, 0.03);

	for (u32 i = 0; i < nr; i++)
		f[i] = exp(sd * gauss());
}

static void lognormal(double *f, u32 nr)
{
	double sd = log_between(0.01, 0.5);

	for (u32 i = 0; i < nr; i++)
		f[i] = exp(sd * gauss());
}

static void bursts(double *f, u32 nr)
{
	double begins = log_between(0.01, 0.2), ends = log_between(0.1, 1), slower = 0;

	calm(f, nr);
	for (u32 i = 0; i < nr; i++) {
		if (slower > 0 && uniform() < ends)
			slower = 0;
		if (!(slower > 0) && uniform() < begins)
			slower = between(0.1, 0.5);
		f[i] *= 1 + slower;
	}
}

static void drift(double *f, u32 nr)
{
	double all = between(-0.5, 0.5);

	calm(f, nr);
	for (u32 i = 0; i < nr; i++)
		f[i] *= 1 + all * i / nr;
}

static void walk(double *f, u32 nr)
{
	double step = log_between(0.003, 0.1), at = 0;

	calm(f, nr);
	for (u32 i = 0; i < nr; i++)
		f[i] *= exp(at += step * gauss());
}

static void two_levels(double *f, u32 nr)
{
	double high = 1 + log_between(0.02, 1), part = between(0.1, 0.9);

	calm(f, nr);
	for (u32 i = 0; i < nr; i++)
		f[i] *= uniform() < part ? high : 1;
}

static void long_levels(double *f, u32 nr)
{
	double high = 1 + log_between(0.02, 1), ends = log_between(0.02, 0.5);
	bool is_high = uniform() < 0.5;

	calm(f, nr);
	for (u32 i = 0; i < nr; i++) {
		is_high ^= uniform() < ends;
		f[i] *= is_high ? high : 1;
	}
}

static void rhythm(double *f, u32 nr, u32 period)
{
	double high = 1 + log_between(0.02, 1);
	u32 phase = (u32)(uniform() * period), part = 1 + (u32)(uniform() * (period - 1));

	calm(f, nr);
	for (u32 i = 0; i < nr; i++)
		f[i] *= (i + phase) % period < part ? high : 1;
}

static void rhythm2(double *f, u32 nr)
{
	rhythm(f, nr, 2);
}

static void rhythm3(double *f, u32 nr)
{
	rhythm(f, nr, 3);
}

static void rhythm4(double *f, u32 nr)
{
	rhythm(f, nr, 4);
}

static void rhythm7(double *f, u32 nr)
{
	rhythm(f, nr, 7);
}

/* Pareto's distribution; with fewer than 2 as exponent the variance is infinite. */
static void heavy_tails(double *f, u32 nr)
{
	double exponent = between(1.2, 3), size = log_between(0.01, 0.3);

	for (u32 i = 0; i < nr; i++)
		f[i] = 1 + size * (pow(uniform(), -1 / exponent) - 1);
}

static void all_kinds(double *f, u32 nr)
{
	double more[RUNS_MAX];

	bursts(f, nr);
	for (u32 k = 0; k < 3; k++) {
		(k == 0 ? walk : k == 1 ? long_levels : heavy_tails)(more, nr);
		for (u32 i = 0; i < nr; i++)
			f[i] *= more[i];
	}
}

/* A count that is nearly constant, such as page faults: two values, of which one may be rare. */
static void two_values(double *f, u32 nr)
{
	double part = between(0, 0.5);

	for (u32 i = 0; i < nr; i++)
		f[i] = 50 + (uniform() < part);
}

/* A time that the kernel counts in ticks of 4 ms: often 0. */
static void ticks(double *f, u32 nr)
{
	double mean = between(0.1, 3);

	for (u32 i = 0; i < nr; i++)
		f[i] = floor(mean + uniform());
}

/* A quiet machine: 1.5%, and one run of 25 is slower by 5 to 20%. */
static void quiet(double *f, u32 nr)
{
	for (u32 i = 0; i < nr; i++)
		f[i] = exp(0.015 * gauss()) * (uniform() < 0.04 ? between(1.05, 1.2) : 1);
}

static const struct kind {
	const char *name;
	void (*make)(double *f, u32 nr);
} kinds[] = {
	{ "lognormal", lognormal },
	{ "bursts", bursts },
	{ "drift", drift },
	{ "random walk", walk },
	{ "two levels", two_levels },
	{ "long levels", long_levels },
	{ "rhythm of 2", rhythm2 },
	{ "rhythm of 3", rhythm3 },
	{ "rhythm of 4", rhythm4 },
	{ "rhythm of 7", rhythm7 },
	{ "heavy tails", heavy_tails },
	{ "all of these", all_kinds },
	{ "two values", two_values },
	{ "ticks", ticks },
	{ "quiet", quiet },
};

/* Times of real runs. */
struct recorded {
	const char *name;
	double times[RECORDED_MAX];
	u32 nr;
};

/* What the noise of a comparison is. */
struct noise {
	const struct kind *kind;
	const struct recorded *recorded; /* instead of kind: consecutive runs of these */
};

static void noise__make(const struct noise *n, double *f, u32 nr)
{
	u32 from;

	if (n->kind) {
		n->kind->make(f, nr);
		return;
	}
	from = (u32)(uniform() * (n->recorded->nr - nr + 1));
	memcpy(f, n->recorded->times + from, nr * sizeof(*f));
}

/* ---- comparisons ---- */

struct tally {
	u32 tries, named, wrong, same, holds, rounds;
};

/* Compare two programs whose times have the ratio; rounds: 0: until it is decided. */
static void compare(struct tally *t, const struct noise *noise, double ratio, u32 rounds)
{
	double f[RUNS_MAX], old[PAIR_MAX_ROUNDS], new[PAIR_MAX_ROUNDS];
	struct pair_values values = { old, new };
	struct pair_plan plan = { .max_rounds = rounds ? 0 : PAIR_MAX_ROUNDS, .least_change = 0.01 };
	u32 most = rounds ? rounds : PAIR_MAX_ROUNDS, n = rounds ? rounds : pair_plan__next_look(&plan, 0);
	u64 seed = (u64)(uniform() * 1e15);
	struct pair_evidence e;

	noise__make(noise, f, 2 * most);
	for (u32 i = 0; i < most; i++) {
		bool old_first = pair__old_first(seed, i);

		old[i] = f[2 * i + !old_first];
		new[i] = f[2 * i + old_first] * ratio;
	}
	for (;;) {
		pair_evidence__weigh(&e, &values, 1, n, &plan);
		if (rounds || pair_evidence__is_decided(&e) || n == most)
			break;
		n = pair_plan__next_look(&plan, n);
	}
	t->tries++;
	t->rounds += n;
	t->named += verdict__is_change(e.verdict);
	t->wrong += e.verdict == (ratio < 1 ? VERDICT_SLOWER : VERDICT_FASTER);
	t->same += e.verdict == VERDICT_SAME;
	t->holds += e.low <= ratio * (1 + 1e-9) && e.high >= ratio * (1 - 1e-9);
}

static bool is_bad;

static const char *limits(bool is_good)
{
	is_bad |= !is_good;
	return is_good ? "ok" : "OUT OF LIMITS";
}

static const u32 sizes[NR_SIZES] = { 3, 10, 30, 0 }; /* rounds; 0: until decided */

/* Equal programs are told apart in 5% at most. Programs with a change: the intervals have it. */
static void check_noise(const char *name, const struct noise *noise, u32 tries)
{
	static const double ratios[] = { 0.7, 0.95, 1.03, 1.5 };
	double named = 0, holds = 1;

	printf("%-16s", name);
	for (u32 i = 0; i < NR_SIZES; i++) {
		struct tally equal = { 0 }, other = { 0 };

		for (u32 k = 0; k < tries; k++)
			compare(&equal, noise, 1, sizes[i]);
		for (u32 k = 0; k < tries; k++)
			compare(&other, noise, ratios[k % 4], sizes[i]);
		named = MAX(named, (double)equal.named / tries);
		holds = MIN(holds, MIN((double)equal.holds, (double)other.holds) / tries);
		printf("  %4.1f%% %5.1f%% %5.1f%%", 100.0 * equal.named / tries, 100.0 * equal.holds / tries,
		       100.0 * other.holds / tries);
		if (!sizes[i])
			printf("  %3.0f %3.0f rounds", (double)equal.rounds / tries,
			       (double)other.rounds / tries);
	}
	printf("  %s\n", limits(named <= 0.05 && holds >= 0.93));
}

static void check_power(u32 tries)
{
	struct noise noise = { .kind = &kinds[sizeof(kinds) / sizeof(*kinds) - 1] };

	for (u32 i = 2; i < NR_SIZES; i++) {
		struct tally t = { 0 };

		for (u32 k = 0; k < tries; k++)
			compare(&t, &noise, 1.03, sizes[i]);
		printf("3%% slower, quiet, %s: found in %.1f%%, after %.1f rounds  %s\n",
		       sizes[i] ? "30 rounds" : "until decided", 100.0 * t.named / tries,
		       (double)t.rounds / tries, limits(t.named >= 0.9 * tries));
	}
}

int main(int argc, char **argv)
{
	u32 tries = argc > 1 ? (u32)atoi(argv[1]) : 2000;

	state = argc > 2 ? (u64)atoll(argv[2]) : 1;
	printf("Of equal programs told apart; intervals with the truth, of equal and of other ones:\n"
	       "%16s  3 rounds             10                   30                   until decided\n",
	       "");
	for (u32 i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		struct noise noise = { .kind = &kinds[i] };

		check_noise(kinds[i].name, &noise, tries);
	}
	check_power(tries);
	return is_bad;
}
