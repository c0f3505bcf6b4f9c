/*
 * Are the verdicts of perf diff --span as certain as they say, and the intervals of report --fail-on?
 * Simulate servers whose requests depend on each other: they queue, and bad times hit many of them.
 * Compare recordings with the functions that perf uses, and count: how often equal programs are told
 * apart, how often 95% intervals have the truth, and how often a change is found.
 *	spans [TRIES [SEED]]
 * The exit status is 1 if a figure is out of its limits.
 */
#include "base/memory/mem.h"
#include "profile/causes/span_compare.h"
#include "tests/diff/random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SECONDS = 10, TRUTHS = 300 /* recordings of which the true quantiles are */ };

/* Limits, in per cent: the standard error of 200 tries is 1.5 points. */
enum {
	MOST_NAMED = 5,
	LEAST_COVERED = 90,
	LEAST_COVERED_SIDE = 87, /* bad times that are longer than the blocks */
};

struct request { /* ns */
	double end, ran, waited, blocked;
};

typedef ARRAY(struct request) requests;

static double exponential(void)
{
	return -log(uniform());
}

/* ---- servers: each makes the requests of a recording ---- */

/* Requests at times that do not depend on each other. */
static void serve_alone(requests *r, double rate)
{
	for (double t = 0; t < SECONDS; t += exponential() / rate)
		array__add(r, ((struct request){ .end = t * 1e9, .ran = 1e6 * exp(0.5 * gauss()) }));
}

static void many(requests *r)
{
	serve_alone(r, 2000);
}

static void few(requests *r)
{
	serve_alone(r, 60);
}

/* One server: requests wait for those before. */
static void serve_queue(requests *r, double load)
{
	double free_at = 0, service = 0.5e6;

	for (double t = 0; t < SECONDS * 1e9; t += exponential() * service / load) {
		double begin = MAX(t, free_at), ran = exponential() * service;

		free_at = begin + ran;
		array__add(r, ((struct request){ free_at, ran, begin - t, 0 }));
	}
}

static void queue(requests *r)
{
	serve_queue(r, 0.7);
}

static void long_queue(requests *r)
{
	serve_queue(r, 0.9);
}

/* A lock is held for 5 to 60 ms, once a second: what comes then waits for it. */
static void incidents(requests *r)
{
	double next = exponential(), until = 0;

	for (double t = 0; t < SECONDS; t += exponential() / 2000) {
		struct request q = { .ran = 1e6 * exp(0.3 * gauss()) };

		if (t > next) {
			until = next + between(0.005, 0.06);
			next = until + exponential();
		}
		q.blocked = t < until ? (until - t) * 1e9 : 0;
		q.end = t * 1e9 + q.ran + q.blocked;
		array__add(r, q);
	}
}

/* The machine is slower and faster, in phases of a fifth of a second. */
static void phases(requests *r)
{
	double slow = gauss();
	u32 nr = 0;

	for (double t = 0; t < SECONDS; t += exponential() / 2000, nr++) {
		slow = slow * exp(-1 / 400.0) + sqrt(1 - exp(-2 / 400.0)) * gauss();
		array__add(r, ((struct request){ t * 1e9, 1e6 * exp(0.3 * slow + 0.2 * gauss()), 0, 0 }));
	}
}

/* One request in 200 takes 30 ms. */
static void rare(requests *r)
{
	for (double t = 0; t < SECONDS; t += exponential() / 1000)
		array__add(r, ((struct request){ .end = t * 1e9,
						 .ran = 1e6 * exp(0.2 * gauss()),
						 .blocked = uniform() < 0.005 ? 30e6 * exp(0.1 * gauss())
									      : 0 }));
}

static const struct server {
	const char *name;
	void (*serve)(requests *r);
	u32 step; /* so many requests share one that is recorded */
} servers[] = {
	{ "independent", many, 1 },           { "600 in all", few, 1 },
	{ "1 of 8 recorded", many, 8 },       { "queue, load 0.7", queue, 1 },
	{ "queue, load 0.9", long_queue, 1 }, { "incidents", incidents, 1 },
	{ "phases of 0.2 s", phases, 1 },     { "1 of 200 slow", rare, 1 },
};

/* ---- recordings ---- */

/*
 * Add a recording of a server, all of whose requests take factor as long; busy: how long they are ready on
 * top, on average, while other programs run.
 */
static void record(struct span_side *side, const struct server *s, double factor, double busy)
{
	static const char *const names[] = { "on the CPU", "queued", "mutex lock", READY_WORDS };
	double sums[ARRAY_SIZE(names)][DURATION_BLOCKS] = { { 0 } };
	requests r = { .v = NULL };

	s->serve(&r);
	durations__begin_recording(&side->durations);
	for (size_t i = 0; i < r.nr; i++) {
		const struct request *q = &r.v[i];
		u32 block = (u32)MIN(q->end / (SECONDS * 1e9) * DURATION_BLOCKS, DURATION_BLOCKS - 1);
		double parts[] = { q->ran * factor, q->waited * factor, q->blocked * factor,
				   busy > 0 ? q->ran * factor * busy * exponential() : 0 },
		       sum = parts[0] + parts[1] + parts[2] + parts[3];

		if (s->step > 1 && below(s->step))
			continue;
		durations__add_one(&side->durations,
				   &(struct duration){ (u64)sum, s->step, block, (float)(parts[3] / sum) });
		for (u32 k = 0; k < ARRAY_SIZE(names); k++)
			sums[k][block] += parts[k] * s->step;
	}
	for (u32 i = 0; i < ARRAY_SIZE(names); i++)
		span_side__add_reason(side, names[i], sums[i]);
	array__exit(&r);
}

/* The true quantiles, and the mean. */
static void find_truth(const struct server *s, double *truth)
{
	struct span_compare c;

	span_compare__init(&c);
	for (u32 i = 0; i < TRUTHS; i++)
		record(&c.sides[0], s, 1, 0);
	durations__finish(&c.sides[0].durations);
	for (u32 i = 0; i < NR_SPAN_QUANTILES; i++)
		truth[i] = (double)durations__quantile(&c.sides[0].durations, span_quantiles[i]);
	truth[SPAN_MEAN] = c.sides[0].durations.ns / c.sides[0].durations.nr;
	span_compare__exit(&c);
}

/* ---- figures ---- */

struct figures {
	u32 tries, named, reasons_named; /* comparisons that name a duration, a reason */
	u32 tested[NR_SPAN_CHANGES], covered[NR_SPAN_CHANGES];   /* intervals of a change; with the truth */
	u32 sides[NR_SPAN_CHANGES], true_sides[NR_SPAN_CHANGES]; /* of a side */
	u32 found[NR_SPAN_CHANGES];                              /* named slower */
};

static bool is_change(enum verdict v)
{
	return v == VERDICT_SLOWER || v == VERDICT_FASTER;
}

static void count(struct figures *f, const struct span_compare *c, const double *truth, double effect)
{
	bool named = false, reasons_named = false;

	for (u32 i = 0; i < NR_SPAN_CHANGES; i++) {
		const struct span_change *s = &c->changes[i];

		named |= is_change(s->verdict);
		f->found[i] += s->verdict == VERDICT_SLOWER;
		f->sides[i]++;
		f->true_sides[i] += s->low[0] <= truth[i] && truth[i] <= s->high[0];
		if (s->verdict == VERDICT_FEW)
			continue;
		f->tested[i]++;
		f->covered[i] += s->change_low <= effect && effect <= s->change_high;
	}
	for (size_t i = 0; i < c->reasons.nr; i++)
		reasons_named |= is_change(c->reasons.v[i].verdict);
	f->tries++;
	f->named += named;
	f->reasons_named += reasons_named;
}

struct cell {          /* kind of comparisons */
	u32 nr;        /* recordings a side */
	double noise;  /* relative standard deviation of recordings */
	double effect; /* new / old */
	double busy;   /* most time that requests are ready, relative to that on the CPU: by recording */
};

static struct figures compare(const struct server *s, const double *truth, const struct cell *cell, u32 tries)
{
	struct figures f = { .tries = 0 };

	for (u32 i = 0; i < tries; i++) {
		struct span_compare c;

		span_compare__init(&c);
		for (u32 k = 0; k < 2 * cell->nr; k++)
			record(&c.sides[k >= cell->nr], s,
			       exp(cell->noise * gauss()) * (k >= cell->nr ? cell->effect : 1),
			       cell->busy * uniform());
		span_compare__finish(&c);
		count(&f, &c, truth, cell->effect);
		span_compare__exit(&c);
	}
	return f;
}

static double percent(u32 part, u32 of)
{
	return of ? 100.0 * part / of : 100;
}

/* Print shares of intervals that have the truth. Return whether all are large enough. */
static bool print_shares(const char *what, const u32 *part, const u32 *of, double least)
{
	bool is_good = true;

	printf("; %s", what);
	for (u32 i = 0; i < NR_SPAN_CHANGES; i++) {
		printf(of[i] ? " %.1f" : " -", percent(part[i], of[i]));
		is_good &= percent(part[i], of[i]) >= least;
	}
	return is_good;
}

/* Print a line. Return whether it is within its limits. */
static bool print_figures(const struct server *s, const struct cell *cell, const struct figures *f)
{
	bool is_good = true;

	printf("%s, %u a side, noise %g%%%s, new / old %g: ", s->name, cell->nr, cell->noise * 100,
	       cell->busy > 0 ? ", other programs" : "", cell->effect);
	printf("told apart %.1f%%, reasons %.1f%%", percent(f->named, f->tries),
	       percent(f->reasons_named, f->tries));
	if (cell->effect == 1)
		is_good = percent(f->named, f->tries) <= MOST_NAMED &&
			  percent(f->reasons_named, f->tries) <= MOST_NAMED;
	if (cell->busy <= 0) /* else each side has its own truth */
		is_good &= print_shares("intervals with the truth, of p50 p90 p99 p99.9 mean:", f->covered,
					f->tested, LEAST_COVERED);
	if (cell->noise == 0)
		is_good &= print_shares("of one side:", f->true_sides, f->sides, LEAST_COVERED_SIDE);
	if (cell->effect != 1)
		print_shares("found:", f->found, f->sides, 0);
	printf(is_good ? " ok\n" : " OUT OF LIMITS\n");
	fflush(stdout);
	return is_good;
}

int main(int argc, char **argv)
{
	static const struct cell cells[] = {
		{ 1, 0, 1, 0 },    { 1, 0.03, 1, 0 },   { 1, 0.03, 1.2, 0 }, { 1, 0.03, 1, 1 },
		{ 3, 0.03, 1, 0 }, { 3, 0.03, 1.1, 0 }, { 3, 0.03, 1, 1 },   { 5, 0.05, 1, 0 },
	};
	u32 tries = argc > 1 ? (u32)atoi(argv[1]) : 200;
	bool is_good = true;

	state = argc > 2 ? (u64)atoi(argv[2]) : 1;
	for (size_t i = 0; i < ARRAY_SIZE(servers); i++) {
		double truth[NR_SPAN_CHANGES];

		find_truth(&servers[i], truth);
		for (size_t k = 0; k < ARRAY_SIZE(cells); k++) {
			struct figures f = compare(&servers[i], truth, &cells[k], tries);

			is_good &= print_figures(&servers[i], &cells[k], &f);
		}
	}
	return !is_good;
}
