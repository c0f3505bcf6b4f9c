/*
 * Are the verdicts of perf diff as certain as they say if a clock takes the samples? Simulate programs
 * that work in rounds of 0.1 to 20 ms, each function at its place in the round, and sample them by a
 * clock: at equal distances, or at distances that vary as perf record varies them. Half of the rounds take
 * nearly a simple multiple of the distance. Rounds vary, the machine's speed drifts, something else runs
 * now and then, and taking a sample takes time. Other programs are locked: each round begins when a clock
 * says so, at a simple multiple of the distance, so that fixed distances meet the same places in every round.
 *	clocked [PAIRS [SEED]]
 * The exit status is 1 if a figure is out of its limits.
 */
#include "base/memory/mem.h"
#include "profile/compare/comparison.h"
#include "tests/diff/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 12, VISITS_MAX = 1 << 16 };

#define PERIOD 250e-6 /* s */

/* ---- programs ---- */

struct program {
	u32 nr_rows;
	double cost[ROWS_MAX]; /* s of a round */
	double round;          /* s: their sum */
	double jitter;         /* of a round, relative */
	double machine, drift; /* of the speed of a run; within a run: relative */
	double delays;         /* of something else, a second */
	double handler;        /* s: what a sample takes, in which the program does not run */
	double seconds;        /* of a run */
	double off; /* s: by how much a round of a locked program begins early or late; 0: not locked */
};

static struct program make_program(void)
{
	struct program p = { .nr_rows = 5 + (u32)between(0, ROWS_MAX - 4.001),
			     .jitter = exp(between(log(0.0001), log(0.03))),
			     .machine = exp(between(log(0.0002), log(0.01))),
			     .drift = exp(between(log(0.00001), log(0.0003))),
			     .delays = between(0, 30),
			     .handler = between(1e-6, 8e-6),
			     .seconds = between(0.5, 2) };
	double steepness = between(0.3, 1.5), sum = 0;

	p.round = exp(between(log(0.0001), log(0.02)));
	if (uniform() < 0.5) { /* nearly in step */
		double times = MAX(1.0, floor(2 * p.round / PERIOD)) / 2;

		p.round = PERIOD * times * (1 + 0.001 * gauss());
	}
	for (u32 i = 0; i < p.nr_rows; i++)
		sum += p.cost[i] = pow(i + 1, -steepness);
	for (u32 i = 0; i < p.nr_rows; i++)
		p.cost[i] *= p.round / sum;
	for (u32 i = p.nr_rows - 1; i > 0; i--) { /* in any order */
		u32 k = (u32)(uniform() * (i + 1));
		double swap = p.cost[k];

		p.cost[k] = p.cost[i];
		p.cost[i] = swap;
	}
	return p;
}

#define BUSY 0.9 /* part of a round in which a locked program works; then it waits for the next one */

/* A clock begins the rounds of 2.5 to 10 distances; most functions are shorter than a distance. */
static struct program make_locked_program(void)
{
	struct program p = make_program();
	double round = PERIOD * (1 + floor(between(5, 20))) / 2;

	for (u32 i = 0; i < p.nr_rows; i++)
		p.cost[i] *= BUSY * round / p.round;
	p.round = round;
	p.off = exp(between(log(0.2e-6), log(5e-6)));
	return p;
}

/* ---- a clock ---- */

struct sampler {
	bool varies;
	double next, distance, until; /* s: the next sample; until when the distance is this */
	u64 place;                    /* of the rate, in a row of rates as those of perf record */
};

static void sampler__begin(struct sampler *c, bool varies, double phase)
{
	*c = (struct sampler){ .varies = varies,
			       .next = varies ? between(0, PERIOD) : phase,
			       .distance = PERIOD,
			       .place = (u64)(uniform() * 0x1p63) };
}

static void sampler__advance(struct sampler *c)
{
	if (c->varies && c->next >= c->until) {
		c->place += 0x9e3779b97f4a7c15ull;
		c->distance = PERIOD / (1 + 0.5 * ((double)(s64)c->place / 0x1p63));
		c->until = c->next + between(0.075, 0.125);
	}
	c->next += c->distance;
}

/* ---- recordings ---- */

struct run { /* of a program, while it is sampled */
	struct compared_recording r;
	u32 *starts[ROWS_MAX], nr_starts[ROWS_MAX], nr_samples[ROWS_MAX];
	u32 nr, last; /* samples; the row of the last one */
	double end;   /* s: about how long it takes */
};

static void run__sample(struct run *x, u32 row, double time, double weight)
{
	struct function_cost *f = &x->r.costs.rows.v[row];
	u32 block = (u32)(time / x->end * EVIDENCE_BLOCKS);

	f->self.blocks[MIN(block, (u32)EVIDENCE_BLOCKS - 1)] += weight;
	f->self.squares += weight * weight;
	x->r.costs.weight += weight;
	if (x->last != row && x->nr_starts[row] < VISITS_MAX)
		x->starts[row][x->nr_starts[row]++] = x->nr;
	x->nr_samples[row]++;
	x->last = row;
	x->nr++;
}

/* Let the program run with this clock: what it works, and when that ends. */
static void run__work(struct run *x, const struct program *p, const double *cost, struct sampler *c)
{
	double time = 0, machine = exp(p->machine * gauss()), rounds = p->seconds / p->round, drift = 0;

	for (double r = 0; r < rounds; r++) {
		double speed = p->off > 0 ? 1 : machine * exp(drift + p->jitter * gauss());
		double delay = uniform() < p->delays * p->round ? between(20e-6, 300e-6) : 0;
		u32 delayed = (u32)(uniform() * p->nr_rows);

		if (p->off > 0) {
			delay = 0;
			time = r * p->round + p->off * gauss();
			while (c->next < time) /* while the program waited */
				sampler__advance(c);
		}
		drift = 0.999 * drift + p->drift * gauss();
		for (u32 i = 0; i < p->nr_rows; i++) {
			time += cost[i] * speed;
			for (; c->next < time; sampler__advance(c)) {
				run__sample(x, i, c->next, c->distance * 1e9);
				time += p->handler;
			}
			if (delay > 0 && i == delayed) { /* it takes time, and no samples of this program */
				time += delay;
				while (c->next < time)
					sampler__advance(c);
			}
		}
	}
}

static void add_run(struct comparison *c, const struct program *p, const double *cost, u32 side, bool varies,
		    double phase)
{
	struct run x = {
		.r = { .path = xstrdup("simulated"), .is_run = true, .nr_runs = 1, .is_varied = varies },
		.last = UINT32_MAX
	};
	struct sampler clock;
	char name[32];

	strpool__init(&x.r.names);
	for (u32 i = 0; i < p->nr_rows; i++) {
		snprintf(name, sizeof(name), "f%u\tprog", i);
		array__add(&x.r.costs.rows,
			   ((struct function_cost){ .function = strpool__intern(&x.r.names, name) }));
		x.starts[i] = xmalloc(VISITS_MAX * sizeof(u32));
		x.end += cost[i] * p->seconds / p->round;
	}
	sampler__begin(&clock, varies, phase + between(0, 20e-6));
	run__work(&x, p, cost, &clock);
	for (u32 i = 0; i < p->nr_rows; i++) {
		struct function_cost *f = &x.r.costs.rows.v[i];

		f->total = f->self;
		if (!varies)
			step_counts__count(&f->steps, x.starts[i], x.nr_starts[i], x.nr_samples[i]);
		free(x.starts[i]);
	}
	x.r.costs.nr_samples = x.nr;
	x.r.exposure = x.end;
	comparison__add(c, &x.r, side);
}

/* ---- figures ---- */

struct score {
	double pairs, accused, found, power, rows, covered, in_step;
};

static void judge(struct score *s, const struct comparison *c, u32 changed, double ratio)
{
	bool accused = false;

	s->pairs++;
	for (size_t i = 0; i < c->rows.nr; i++) {
		const struct compared *row = &c->rows.v[i];
		bool is_it = (u32)atoi(row->name + 1) == changed && ratio != 1;
		double truth = is_it ? ratio : 1;

		accused |= !is_it && verdict__is_change(row->verdict);
		s->found += is_it && verdict__is_change(row->verdict);
		if (row->verdict == VERDICT_FEW)
			continue;
		s->power += is_it ? evidence_row__power(&c->self, &row->self, ratio) : 0;
		s->rows++;
		s->in_step += row->in_step;
		s->covered += row->self.low <= truth && truth <= row->self.high;
	}
	s->accused += accused;
}

static struct score simulate(u32 pairs, u32 nr_runs, bool varies, bool is_locked, double ratio)
{
	const struct comparison_opts opts = { .least_row = 0.0, .least_total = 0.0 };
	struct score s = { 0 };

	for (u32 i = 0; i < pairs; i++) {
		struct program p = is_locked ? make_locked_program() : make_program();
		u32 changed = (u32)(uniform() * p.nr_rows);
		double cost[2][ROWS_MAX], phases[2] = { between(0, PERIOD), between(0, PERIOD) };
		struct comparison c;

		memcpy(cost[0], p.cost, sizeof(p.cost));
		memcpy(cost[1], p.cost, sizeof(p.cost));
		/* another build: nothing else changes, but the round takes another time */
		cost[1][changed] *= ratio;
		comparison__init(&c, &opts);
		c.event = xstrdup("cpu-clock");
		c.is_time = true;
		for (u32 r = 0; r < 2 * nr_runs; r++)
			add_run(&c, &p, cost[r / nr_runs], r / nr_runs, varies, phases[r / nr_runs]);
		comparison__finish(&c);
		judge(&s, &c, changed, ratio);
		comparison__exit(&c);
	}
	return s;
}

#define ERRORS 3 /* standard errors by which a figure may be beyond a limit */

static int nr_bad;

/* chance: the standard error of the value, from the number of pairs */
static void check(const char *what, double value, double from, double to, double chance)
{
	bool is_good = value >= from - ERRORS * chance && value <= to + ERRORS * chance;

	printf("%-76s %6.2f%%  (%g to %g, error %.1f) %s\n", what, 100 * value, 100 * from, 100 * to,
	       100 * chance, is_good ? "ok" : "OUT OF LIMITS");
	nr_bad += !is_good;
}

static void score__add(struct score *to, const struct score *s)
{
	to->pairs += s->pairs;
	to->accused += s->accused;
	to->rows += s->rows;
	to->covered += s->covered;
	to->in_step += s->in_step;
}

static double error_of(double part, double nr)
{
	return sqrt(part * (1 - part) / nr);
}

/* That intervals have the truth too often costs power only; the power has limits of its own. */
static void check_verdicts(const struct score *s)
{
	char what[100];

	snprintf(what, sizeof(what), "    %.0f%% of functions in step; something else accused",
		 100 * s->in_step / s->rows);
	check(what, s->accused / s->pairs, 0, 0.05, error_of(0.05, s->pairs));
	check("    95% intervals with the truth", s->covered / s->rows, 0.93, 1, error_of(0.93, s->pairs));
}

/* Changes of all sizes; of varied clocks, they must be found as often as the power says. */
static void check_clock(u32 pairs, u32 nr_runs, bool varies)
{
	static const double ratios[] = { 1, 1.02, 1.05, 1.1, 1.3 };
	struct score all = { 0 };
	char what[100];

	for (size_t k = 0; k < ARRAY_SIZE(ratios); k++) {
		struct score s = simulate(MAX(pairs / nr_runs, 1u), nr_runs, varies, false, ratios[k]);
		double power = s.power / s.pairs;

		score__add(&all, &s);
		if (ratios[k] == 1)
			continue;
		snprintf(what, sizeof(what),
			 "%s clock, %u recordings a side, %.0f%% slower: found %.1f%%, less power",
			 varies ? "varied" : "fixed", nr_runs, 100 * (ratios[k] - 1),
			 100 * s.found / s.pairs);
		check(what, s.found / s.pairs - power, varies ? -0.05 : -1, 0.05,
		      error_of(MAX(power, 0.05), s.pairs));
	}
	check_verdicts(&all);
}

/* Builds of equal programs, which begin at different places of the round. */
static void check_locked(u32 pairs, u32 nr_runs, bool varies)
{
	struct score s = simulate(MAX(pairs / nr_runs, 1u), nr_runs, varies, true, 1);

	printf("%s clock, %u recordings a side, locked and equal programs:\n", varies ? "varied" : "fixed",
	       nr_runs);
	check_verdicts(&s);
}

int main(int argc, char **argv)
{
	static const u32 runs[] = { 1, 3, 5, 10 };
	u32 pairs = argc > 1 ? (u32)atoi(argv[1]) : 1000;

	state = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	for (u32 varies = 0; varies < 2; varies++)
		for (size_t i = 0; i < ARRAY_SIZE(runs); i++) {
			check_clock(pairs, runs[i], varies);
			check_locked(2 * pairs, runs[i], varies);
		}
	return nr_bad > 0;
}
