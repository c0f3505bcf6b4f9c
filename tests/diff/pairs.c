/*
 * Are the verdicts about two programs that run in turns as certain as they say? Simulate the times of runs
 * on machines with many kinds of noise, and draw them from recorded ones; weigh the evidence with the
 * functions that perf stat uses, and count: how often equal programs are told apart, how often the 95%
 * intervals have the truth, and how often a change of 3% is found.
 *	pairs [TRIES [SEED [FILE]]]
 * FILE has values of consecutive runs, a column for each program and counter. The exit status is 1 if a
 * figure is out of its limits.
 */
#include "base/memory/mem.h"
#include "stat/pair_evidence.h"
#include "tests/diff/random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RUNS_MAX = 2 * PAIR_MAX_ROUNDS, RECORDED_MAX = 1000, RECORDED_COLUMNS = 40, COUNTERS_MAX = 8 };

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

/* A quiet machine: 1.2%, and one run of 33 is slower by 3 to 10%. Together that is 1.7%. */
static void quiet(double *f, u32 nr)
{
	for (u32 i = 0; i < nr; i++)
		f[i] = exp(0.012 * gauss()) * (uniform() < 0.03 ? between(1.03, 1.1) : 1);
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

/* Recorded values of consecutive runs of a program. */
struct recorded {
	char name[40];
	double values[RECORDED_MAX];
	u32 nr;
};

/* What the noise of a comparison is. */
struct noise {
	const struct kind *kind;
	const struct recorded *recorded; /* instead of kind: consecutive values of these */
	double part;                     /* of the recorded deviations from the mean; 0: all */
};

static void noise__make(const struct noise *n, double *f, u32 nr)
{
	const struct recorded *r = n->recorded;
	double mean = 0;
	u32 from;

	if (n->kind) {
		n->kind->make(f, nr);
		return;
	}
	from = (u32)(uniform() * (r->nr - nr + 1));
	for (u32 i = 0; i < r->nr; i++)
		mean += r->values[i] / r->nr;
	for (u32 i = 0; i < nr; i++)
		f[i] = n->part > 0 ? mean + n->part * (r->values[from + i] - mean) : r->values[from + i];
}

/* ---- comparisons ---- */

struct design {
	u32 rounds;
	bool until_decided; /* rounds at most */
	u32 nr_counters;    /* 0: one */
	double ratio;       /* new / old of the first counter */
};

/* Rounds with their values; the other counters vary as the first one does, and each by itself. */
struct rounds {
	double old[COUNTERS_MAX][PAIR_MAX_ROUNDS], new[COUNTERS_MAX][PAIR_MAX_ROUNDS];
	struct pair_values values[COUNTERS_MAX];
};

static void rounds__make(struct rounds *r, const struct noise *noise, const struct design *d, u32 nr)
{
	u64 seed = (u64)(uniform() * 1e15);
	double f[RUNS_MAX];

	noise__make(noise, f, 2 * nr);
	for (u32 c = 0; c < MAX(d->nr_counters, 1u); c++) {
		r->values[c] = (struct pair_values){ r->old[c], r->new[c] };
		for (u32 i = 0; i < nr; i++) {
			bool old_first = pair__old_first(seed, i);

			r->old[c][i] = f[2 * i + !old_first] * (c ? exp(0.05 * gauss()) : 1);
			r->new[c][i] = f[2 * i + old_first] * (c ? exp(0.05 * gauss()) : d->ratio);
		}
	}
}

struct tally {
	u32 tries, named, same, holds, rounds;
};

/* Compare two programs tries times. */
static struct tally compare(const struct noise *noise, const struct design *d, u32 tries)
{
	struct pair_plan plan = { .max_rounds = d->until_decided ? d->rounds : 0, .least_change = 0.01 };
	struct pair_evidence e[COUNTERS_MAX];
	struct tally t = { .tries = tries };
	u32 nr_counters = MAX(d->nr_counters, 1u);
	struct rounds r;

	for (u32 k = 0; k < tries; k++) {
		u32 n = d->until_decided ? 0 : d->rounds;
		bool is_named = false;

		rounds__make(&r, noise, d, d->rounds);
		do {
			n = d->until_decided ? pair_plan__next_look(&plan, n) : n;
			pair_evidence__weigh(e, r.values, nr_counters, n, &plan);
		} while (n < d->rounds && !pair_evidence__is_decided(e));
		for (u32 c = 0; c < nr_counters; c++)
			is_named |= verdict__is_change(e[c].verdict);
		t.named += is_named;
		t.rounds += n;
		t.same += e->verdict == VERDICT_SAME;
		t.holds += e->low <= d->ratio * (1 + 1e-9) && e->high >= d->ratio * (1 - 1e-9);
	}
	return t;
}

static bool is_bad;

static const char *limits(bool is_good)
{
	is_bad |= !is_good;
	return is_good ? "ok" : "OUT OF LIMITS";
}

static double percent(u32 part, u32 all)
{
	return 100.0 * part / MAX(all, 1u);
}

/* Equal programs are told apart in 5% at most. The intervals have the truth, of these and of changes. */
static void check_noise(const char *name, const struct noise *noise, u32 tries)
{
	static const double ratios[] = { 0.7, 0.95, 1.03, 1.5 };
	struct design designs[] = { { 3 }, { 10 }, { 30 }, { PAIR_MAX_ROUNDS, .until_decided = true } };
	double named = 0, holds = 100;

	printf("%-20s", name);
	for (u32 i = 0; i < ARRAY_SIZE(designs); i++) {
		struct design d = designs[i];
		struct tally equal, other = { 0 };

		d.ratio = 1;
		equal = compare(noise, &d, tries);
		for (u32 k = 0; k < ARRAY_SIZE(ratios); k++) {
			struct tally t;

			d.ratio = ratios[k];
			t = compare(noise, &d, tries / ARRAY_SIZE(ratios));
			other.tries += t.tries;
			other.holds += t.holds;
			other.rounds += t.rounds;
		}
		named = MAX(named, percent(equal.named, equal.tries));
		holds = MIN(holds, percent(equal.holds, equal.tries));
		holds = MIN(holds, percent(other.holds, other.tries));
		printf("  %4.1f %5.1f %5.1f", percent(equal.named, equal.tries),
		       percent(equal.holds, equal.tries), percent(other.holds, other.tries));
		if (d.until_decided)
			printf("  %3u %3u", equal.rounds / equal.tries, other.rounds / MAX(other.tries, 1u));
	}
	printf("  %s\n", limits(named <= 5 && holds >= 93));
}

/* A change of 3% is found by 30 rounds in 90%. */
static void check_power(const char *name, const struct noise *noise, u32 tries)
{
	struct design fixed = { 30, .ratio = 1.03 }, until = { 30, .until_decided = true, .ratio = 1.03 };
	struct tally a = compare(noise, &fixed, tries), b = compare(noise, &until, tries);

	printf("3%% slower, %s: 30 rounds find %.1f%%; until decided, 30 at most: %.1f%% after %.1f  %s\n",
	       name, percent(a.named, tries), percent(b.named, tries), (double)b.rounds / tries,
	       limits(percent(MIN(a.named, b.named), tries) >= 90));
}

/* With many counters, 95% of comparisons name none. */
static void check_counters(u32 tries)
{
	struct design designs[] = { { 3 }, { 10 }, { 30 }, { PAIR_MAX_ROUNDS, .until_decided = true } };
	struct noise noise = { .kind = &kinds[0] };
	double most = 0;

	printf("%u counters:         ", COUNTERS_MAX);
	for (u32 i = 0; i < ARRAY_SIZE(designs); i++) {
		double named;

		designs[i].ratio = 1;
		designs[i].nr_counters = COUNTERS_MAX;
		named = percent(compare(&noise, &designs[i], tries).named, tries);
		most = MAX(most, named);
		printf("  %4.1f%13s", named, "");
	}
	printf("  %s\n", limits(most <= 5));
}

/* After as many more rounds as needed most comparisons are decided. */
static void check_needs(const struct noise *noise, double ratio, u32 tries)
{
	struct pair_plan plan = { .least_change = 0.01 };
	u32 nr = 0, decided = 0, rounds = 0;
	struct design d = { .ratio = ratio };
	struct pair_evidence e;
	struct rounds r;

	for (u32 k = 0; k < tries; k++) {
		rounds__make(&r, noise, &d, PAIR_MAX_ROUNDS);
		pair_evidence__weigh(&e, r.values, 1, 10, &plan);
		if (e.verdict != VERDICT_UNKNOWN || e.needs > PAIR_MAX_ROUNDS - 10)
			continue;
		nr++;
		rounds += (u32)e.needs;
		pair_evidence__weigh(&e, r.values, 1, 10 + (u32)e.needs, &plan);
		decided += pair_evidence__is_decided(&e);
	}
	printf("%.0f%% slower, quiet: of %u that 10 rounds cannot tell, decided after %.1f more that these "
	       "need: "
	       "%.1f%%  %s\n",
	       100 * (ratio - 1), nr, (double)rounds / MAX(nr, 1u), percent(decided, nr),
	       limits(percent(decided, nr) >= 60));
}

/* ---- recorded values ---- */

/* Read columns of values under a line with their names; lines that begin with # are comments. */
static u32 read_recorded(struct recorded *all, const char *path)
{
	FILE *f = fopen(path, "r");
	char line[4096], *at, *word;
	u32 nr = 0;

	while (f && fgets(line, sizeof(line), f)) {
		u32 i = 0;

		for (at = line;
		     *line != '#' && (word = strsep(&at, " \n")) != NULL && i < RECORDED_COLUMNS;) {
			struct recorded *r = &all[i++];

			if (!*word)
				continue;
			if (!*r->name)
				snprintf(r->name, sizeof(r->name), "%s", word);
			else if (r->nr < RECORDED_MAX)
				r->values[r->nr++] = atof(word);
			nr = MAX(nr, i);
		}
	}
	if (f)
		fclose(f);
	return nr;
}

static double relative_deviation(const struct recorded *r)
{
	double sum = 0, squares = 0;

	for (u32 i = 0; i < r->nr; i++) {
		sum += r->values[i];
		squares += r->values[i] * r->values[i];
	}
	return sqrt(squares * r->nr / (sum * sum) - 1);
}

int main(int argc, char **argv)
{
	u32 tries = argc > 1 ? (u32)atoi(argv[1]) : 2000, nr;
	struct noise noise = { .kind = &kinds[ARRAY_SIZE(kinds) - 1] };
	struct recorded *all = xcalloc(RECORDED_COLUMNS, sizeof(*all));

	state = argc > 2 ? (u64)atoll(argv[2]) : 1;
	nr = argc > 3 ? read_recorded(all, argv[3]) : 0;
	printf("%%: equal programs told apart; intervals with the truth, of equal ones and of others\n"
	       "%20s  3 rounds           10                 30                 until decided, rounds\n",
	       "");
	for (u32 i = 0; i < ARRAY_SIZE(kinds); i++)
		check_noise(kinds[i].name, &(struct noise){ .kind = &kinds[i] }, tries);
	for (u32 i = 0; i < nr; i++)
		check_noise(all[i].name, &(struct noise){ .recorded = &all[i] }, tries);
	check_counters(tries);
	check_power("quiet", &noise, tries);
	for (u32 i = 0; i < nr; i++)
		if (strstr(all[i].name, "elapsed")) {
			struct noise less = { .recorded = &all[i],
					      .part = 0.015 / relative_deviation(&all[i]) };

			check_power(all[i].name, &less, tries);
		}
	for (u32 i = 0; i < 3; i++)
		check_needs(&noise, 1 + 0.01 * i, tries);
	free(all);
	return is_bad;
}
