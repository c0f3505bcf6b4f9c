/*
 * Is what perf report --span --why says as certain as it says? Simulate programs whose spans are slow for
 * known reasons, or for none, compare slow and fast spans with the functions that perf uses, and count: how
 * often something is named where there is no fault, how often a planted fault is the first reason, and how
 * often the 95% intervals have the truth.
 *	calibrate [RECORDINGS [SEED]]
 * The exit status is 1 if a figure is out of its limits.
 */
#include "base/memory/array.h"
#include "profile/causes/span_verdicts.h"
#include "tests/diff/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum reason { ON_CPU, FAULTS, READY, LOCK, OTHER_LOCK, SLEEP, DISK, NR_REASONS, NO_FAULT };
enum { THREADS = 4, MANY = 1000000 };

#define COVERED 0.92 /* of the 95% intervals have the truth at least */

struct program {
	const char *name;
	double service, sigma; /* ms; of a lognormal distribution */
	double faults_part;    /* of the service: page faults */
	double queue;          /* utilization of a lock that all spans hold for a tenth of their service */
	double preempted;      /* preemptions a ms on the CPU */
	double slice;          /* ms that a preemption takes at most */
	double disk;           /* part of the spans that wait for the disk, for 0 to 1 ms */
	double busy;           /* part of the time in which the machine has other work, of 0.1 s on average */
	double puts;           /* part of the spans that do 20 times the work */
	enum reason fault;
	double rate;         /* part of the spans with the fault */
	double least, most;  /* ms that it takes */
	bool is_exponential; /* it takes most on average */
	double hits;         /* other threads that it hits, too, on average */
	bool is_bursty;      /* slow spans come in few bursts: the intervals are too narrow */
	u32 nr;              /* spans */
	double limit; /* part of the recordings of which something is named at most; or is right at least */
};

struct sim_span {
	double begin, ns, of[NR_REASONS];
};

struct recording {
	struct sim_span *v;
	u32 nr;
};

static double exponential(double mean)
{
	return -mean * log(uniform());
}

static double fault_ms(const struct program *p)
{
	return p->is_exponential ? exponential(p->most) : between(p->least, p->most);
}

/* A span's waits, besides faults. */
static void make_span(const struct program *p, struct sim_span *s, double *lock_free, double hit,
		      bool is_busy)
{
	double work = p->service * exp(p->sigma * gauss()), wait = 0;

	*s = (struct sim_span){ .begin = s->begin };
	if (uniform() < p->puts)
		work *= 20;
	s->of[FAULTS] = work * p->faults_part * exp(0.3 * gauss());
	s->of[ON_CPU] = work;
	if (is_busy && uniform() < 0.2)
		s->of[READY] += between(0, 2);
	for (double at = exponential(1); at < work * p->preempted; at += exponential(1))
		s->of[READY] += between(0, p->slice);
	if (p->queue > 0) { /* a single server queue: what is left of the work of those before */
		double hold = work / 10;

		*lock_free = MAX(0.0, *lock_free - exponential(hold / p->queue));
		wait = *lock_free;
		*lock_free += hold;
		s->of[OTHER_LOCK] = wait;
	}
	if (uniform() < p->disk)
		s->of[DISK] = between(0, 1);
	if (hit > 0)
		s->of[p->fault] += hit;
	else if (p->fault != NO_FAULT && uniform() < p->rate)
		s->of[p->fault] += fault_ms(p);
	for (int i = 0; i < NR_REASONS; i++) {
		s->of[i] *= 1e6;
		s->ns += s->of[i];
	}
}

/* Threads do one span after the other; a fault may hit others, too. */
static void record(const struct program *p, struct recording *r, u32 nr)
{
	double now[THREADS] = { 0 }, lock_free = 0, until = 0, busy_from = 0, busy_until = 0;

	r->v = xcalloc(nr, sizeof(*r->v));
	r->nr = nr;
	for (u32 i = 0; i < nr; i++) {
		u32 t = 0;
		double hit = 0;

		for (u32 k = 1; k < THREADS; k++)
			t = now[k] < now[t] ? k : t;
		if (now[t] < until && uniform() < p->hits / (THREADS - 1))
			hit = (until - now[t]) / 1e6;
		r->v[i].begin = now[t];
		while (p->busy > 0 && now[t] >= busy_until) {
			busy_from = busy_until + exponential(1e8 * (1 / p->busy - 1));
			busy_until = busy_from + exponential(1e8);
		}
		make_span(p, &r->v[i], &lock_free, hit, p->busy > 0 && now[t] >= busy_from);
		if (p->hits > 0 && !(hit > 0) && r->v[i].of[p->fault] > 1e6)
			until = now[t] + r->v[i].ns;
		now[t] += r->v[i].ns + exponential(p->service * 1e6);
	}
}

static int compare_durations(const void *x, const void *y)
{
	const struct sim_span *a = x, *b = y;

	return a->ns < b->ns ? -1 : a->ns > b->ns;
}

static int compare_begins(const void *x, const void *y)
{
	const struct sim_span *a = x, *b = y;

	return a->begin < b->begin ? -1 : a->begin > b->begin;
}

struct groups {
	struct span_case c;
	double *all;                /* of all arrays below */
	double *ns[NR_SPAN_GROUPS]; /* by group and span */
	double *of[NR_REASONS][NR_SPAN_GROUPS];
	u32 *clusters;
};

static void number_clusters(struct recording *r, struct groups *g, u32 slow)
{
	u64 *begins = xcalloc(r->nr, sizeof(*begins)), *ends = xcalloc(r->nr, sizeof(*ends));

	g->clusters = xcalloc(r->nr, sizeof(*g->clusters));
	qsort(r->v + slow, r->nr - slow, sizeof(*r->v), compare_begins);
	for (u32 i = slow; i < r->nr; i++) {
		begins[i] = (u64)r->v[i].begin;
		ends[i] = (u64)(r->v[i].begin + r->v[i].ns);
	}
	span_clusters__number(g->clusters, begins + slow, ends + slow, r->nr - slow);
	g->c.groups[SPANS_SLOW].clusters = g->clusters;
	free(begins);
	free(ends);
}

/* Divide the spans as --slower and --faster do. */
static void divide(struct recording *r, struct groups *g, double slower, double faster)
{
	double ns_slow;
	u32 slow = (u32)ceil(slower * r->nr) - 1, fast = (u32)ceil(faster * r->nr);
	const u32 begin[NR_SPAN_GROUPS] = { 0, slow, fast };
	struct span_amounts a = { .nr = r->nr };
	double *at, *ones;

	*g = (struct groups){ .all = xcalloc((size_t)r->nr * (NR_REASONS + 2), sizeof(double)) };
	ones = g->all;
	at = g->all + r->nr;
	qsort(r->v, r->nr, sizeof(*r->v), compare_durations);
	ns_slow = r->v[slow].ns;
	a.v = xcalloc(r->nr, sizeof(*a.v));
	for (u32 i = 0; i < r->nr; i++) {
		a.v[i] = (struct span_amount){ r->v[i].ns, 1 };
		ones[i] = 1;
	}
	g->c.groups[SPANS_FAST] = (struct span_group){ .nr = fast, .share = faster };
	g->c.groups[SPANS_SLOW] = (struct span_group){ .nr = r->nr - slow, .share = 1 - slower };
	g->c.groups[SPANS_BETWEEN] = (struct span_group){ .nr = slow - fast };
	number_clusters(r, g, slow);
	a.together = span_group__together(&g->c.groups[SPANS_SLOW]);
	span_tail__look(&g->c.tail, &a, ns_slow);
	free(a.v);
	qsort(r->v, fast, sizeof(*r->v), compare_begins);
	for (int k = 0; k < NR_SPAN_GROUPS; k++) {
		u32 nr = g->c.groups[k].nr;

		g->c.groups[k].ns = g->ns[k] = at;
		g->c.groups[k].weights = ones;
		at += nr;
		for (u32 i = 0; i < nr; i++)
			g->ns[k][i] = r->v[begin[k] + i].ns;
		for (int j = 0; j < NR_REASONS; j++, at += nr) {
			g->of[j][k] = at;
			for (u32 i = 0; i < nr; i++)
				at[i] = r->v[begin[k] + i].of[j];
		}
	}
}

static void groups__exit(struct groups *g)
{
	free(g->all);
	free(g->clusters);
}

static double mean(const double *x, u32 nr)
{
	double sum = 0;

	for (u32 i = 0; i < nr; i++)
		sum += x[i];
	return nr ? sum / nr : 0;
}

/* Find the true differences: those of very many spans. */
static void find_truth(const struct program *p, double *truth)
{
	struct recording r;
	struct groups g;

	record(p, &r, MANY);
	divide(&r, &g, 0.99, 0.5);
	for (int j = 0; j < NR_REASONS; j++)
		truth[j] = mean(g.of[j][SPANS_SLOW], g.c.groups[SPANS_SLOW].nr) -
			   mean(g.of[j][SPANS_FAST], g.c.groups[SPANS_FAST].nr);
	groups__exit(&g);
	free(r.v);
}

struct counts {
	u32 verdicts[SPANS_EXPLAINED + 1], right, intervals, low, high;
	double expected, width;
};

static void judge(const struct program *p, const double *truth, struct counts *n)
{
	struct span_candidate c[NR_REASONS] = { 0 };
	struct recording r;
	struct groups g;
	enum span_verdict v;
	int first = 0;

	record(p, &r, p->nr);
	divide(&r, &g, 0.99, 0.5);
	for (int j = 0; j < NR_REASONS; j++)
		for (int k = 0; k < NR_SPAN_GROUPS; k++)
			c[j].amounts[k] = g.of[j][k];
	v = span_case__judge(&g.c, c, NR_REASONS);
	n->verdicts[v]++;
	n->expected += g.c.tail.mean / g.c.tail.expected;
	for (int j = 0; j < NR_REASONS; j++) {
		if (c[j].contrast.more > c[first].contrast.more)
			first = j;
		if (truth[j] < 0.1 * truth[p->fault == NO_FAULT ? ON_CPU : p->fault] ||
		    (p->fault != NO_FAULT && j != (int)p->fault))
			continue;
		n->intervals++;
		n->low += truth[j] < c[j].contrast.low;
		n->high += truth[j] > c[j].contrast.high;
		n->width += (c[j].contrast.high - c[j].contrast.low) / truth[j];
	}
	n->right += v == SPANS_EXPLAINED && first == (int)p->fault;
	groups__exit(&g);
	free(r.v);
}

/* ---- the programs ---- */

#define OF_1_MS .service = 1
#define NONE(n, spread, spans, most_named, ...)                                                           \
	{                                                                                                 \
		OF_1_MS, .name = n, .sigma = spread, .fault = NO_FAULT, .nr = spans, .limit = most_named, \
			 ##__VA_ARGS__                                                                    \
	}
#define FAULT(n, f, spread, from, to, each, spans, least_right, ...)                              \
	{                                                                                         \
		OF_1_MS, .name = n, .sigma = spread, .queue = 0.2, .preempted = 0.02, .slice = 1, \
			 .fault = f, .least = from, .most = to, .rate = 1.0 / each, .nr = spans,  \
			 .limit = least_right, ##__VA_ARGS__                                      \
	}

/*
 * Some limits are wider: a lock that is nearly always taken has few long queues, each of which is as one
 * span; who is often preempted for 3 or 4 ms is slow for that reason; few faults, or small ones, cannot be
 * told from how spans vary.
 */
static const struct program programs[] = {
	NONE("lognormal 0.1", 0.1, 4000, 0.05),
	NONE("lognormal 0.5", 0.5, 4000, 0.05),
	NONE("lognormal 0.5, 100,000", 0.5, 100000, 0.05),
	NONE("lognormal 1", 1, 4000, 0.05),
	NONE("lognormal 1, 100,000", 1, 100000, 0.05),
	NONE("lock used by 0.3", 0.2, 4000, 0.05, .queue = 0.3),
	NONE("lock used by 0.8", 0.2, 4000, 0.05, .queue = 0.8, .is_bursty = true),
	NONE("lock used by 0.95", 0.2, 4000, 0.2, .queue = 0.95, .is_bursty = true),
	NONE("preempted for 1 ms", 0.2, 4000, 0.05, .preempted = 0.01, .slice = 1),
	NONE("preempted often, for 3 ms", 0.2, 4000, 0.15, .preempted = 0.1, .slice = 3),
	NONE("preempted for 4 ms", 0.2, 4000, 0.15, .preempted = 0.03, .slice = 4),
	NONE("busy machine", 0.1, 4000, 0.05, .busy = 0.1, .is_bursty = true),
	NONE("disk", 0.2, 4000, 0.05, .disk = 0.2),
	NONE("all of these", 0.4, 4000, 0.05, .disk = 0.1, .queue = 0.4, .preempted = 0.05, .slice = 1),
	NONE("same, 100,000", 0.4, 100000, 0.05, .disk = 0.1, .queue = 0.4, .preempted = 0.05, .slice = 1),
	FAULT("lock", LOCK, 0.2, 25, 35, 200, 4000, 0.95),
	FAULT("lock, 40,000 spans", LOCK, 0.2, 25, 35, 200, 40000, 0.95),
	FAULT("lock, 1 in 20", LOCK, 0.2, 25, 35, 20, 4000, 0.95),
	FAULT("lock, 1 in 500", LOCK, 0.2, 25, 35, 500, 4000, 0.7),
	FAULT("lock, 3 threads at once", LOCK, 0.2, 25, 35, 500, 4000, 0.75, .hits = 2, .is_bursty = true),
	FAULT("lock, exponential", LOCK, 0.2, 0, 30, 200, 4000, 0.95, .is_exponential = true),
	FAULT("lock, 4 ms", LOCK, 0.2, 3, 5, 200, 4000, 0.95),
	FAULT("page faults", FAULTS, 0.2, 10, 30, 200, 4000, 0.95, .faults_part = 0.05),
	FAULT("page faults, 10 ms", FAULTS, 0.2, 5, 15, 200, 4000, 0.8, .faults_part = 0.05),
	FAULT("ready", READY, 0.2, 5, 30, 200, 4000, 0.95),
	FAULT("sleep", SLEEP, 0.2, 20, 20.1, 200, 4000, 0.95),
	FAULT("loop", ON_CPU, 0.2, 10, 12, 200, 4000, 0.95),
	FAULT("sleep, services vary", SLEEP, 0.7, 10, 12, 200, 4000, 0.7),
	FAULT("loop, services vary", ON_CPU, 0.7, 10, 12, 200, 4000, 0),
	FAULT("lock, busy machine", LOCK, 0.1, 25, 35, 200, 4000, 0.95, .busy = 0.1),
	FAULT("sleep, busy machine", SLEEP, 0.1, 20, 20.1, 300, 4000, 0.95, .busy = 0.1),
	FAULT("sleep, 1,000 spans", SLEEP, 0.2, 20, 20.1, 200, 1000, 0.25),
};

/* Print a line. Return whether the figures are within their limits. */
static bool run(const struct program *p, u32 recordings)
{
	struct counts n = { .right = 0 };
	double truth[NR_REASONS], covered, part;
	u32 named;
	bool is_right;

	find_truth(p, truth);
	for (u32 i = 0; i < recordings; i++)
		judge(p, truth, &n);
	covered = 1 - (double)(n.low + n.high) / n.intervals;
	named = n.verdicts[SPANS_EXPLAINED];
	part = (double)(p->fault == NO_FAULT ? named : n.right) / recordings;
	/* two and a half standard errors more: they are chance */
	is_right = p->fault == NO_FAULT
			   ? part <= p->limit + 2.5 * sqrt(p->limit * (1 - p->limit) / recordings)
			   : part >= p->limit - 2.5 * sqrt(p->limit * (1 - p->limit) / recordings);
	is_right &= p->is_bursty || covered >= COVERED - 2.5 * sqrt(COVERED * (1 - COVERED) / n.intervals);
	printf("%-26s %4u %5u %8u %7u %5u %5u   %5.1f%% %5.1f%% %5.1f%% %6.2f %6.2f%s\n", p->name,
	       n.verdicts[SPANS_FEW], n.verdicts[SPANS_ALIKE], n.verdicts[SPANS_ORDINARY],
	       n.verdicts[SPANS_UNEXPLAINED], named, n.right, 100 * covered, 100.0 * n.low / n.intervals,
	       100.0 * n.high / n.intervals, n.width / n.intervals, n.expected / recordings,
	       is_right ? "" : "  <- wrong");
	fflush(stdout);
	return is_right;
}

int main(int argc, char **argv)
{
	u32 nr = argc > 1 ? (u32)atoi(argv[1]) : 100;
	bool is_right = true;

	state = argc > 2 ? (u64)atoll(argv[2]) : 1;
	printf("%u recordings of each program; of those of 40,000 spans and more, a fifth\n"
	       "intervals: how many have the truth, are above it, are below it; their width for 1\n"
	       "times: mean of the slow spans by what it would be if the others' distribution went on\n\n"
	       "%-26s %4s %5s %8s %7s %5s %5s   %6s %6s %6s %6s %6s\n",
	       nr, "program", "few", "alike", "ordinary", "unclear", "named", "right", "have", "above",
	       "below", "width", "times");
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++)
		is_right &= run(&programs[i], programs[i].nr >= 40000 ? MAX(nr / 5, 1u) : nr);
	return !is_right;
}
