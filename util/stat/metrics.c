#include "stat/metrics.h"

#include "event/evsel/event_request.h"

#include <string.h>

#define HW(event) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##event
#define CACHE(cache, result) \
	PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_RESULT_##result << 16

/* Ratios: the event beside which it is shown, and the one by which that is divided. */
static const struct ratio {
	u32 type;
	u64 config;
	u32 by_type;
	u64 by_config;
	double factor;
	const char *format, *unit;
} ratios[] = {
	{ HW(INSTRUCTIONS), HW(CPU_CYCLES), 1, "%7.2f ", "insn per cycle" },
	{ HW(STALLED_CYCLES_FRONTEND), HW(CPU_CYCLES), 100, "%7.2f%%", "frontend cycles idle" },
	{ HW(STALLED_CYCLES_BACKEND), HW(CPU_CYCLES), 100, "%7.2f%%", "backend cycles idle" },
	{ HW(BRANCH_MISSES), HW(BRANCH_INSTRUCTIONS), 100, "%7.2f%%", "of all branches" },
	{ HW(CACHE_MISSES), HW(CACHE_REFERENCES), 100, "%7.2f%%", "of all cache refs" },
	{ CACHE(L1D, MISS), CACHE(L1D, ACCESS), 100, "%7.2f%%", "of all L1-dcache accesses" },
	{ CACHE(L1I, MISS), CACHE(L1I, ACCESS), 100, "%7.2f%%", "of all L1-icache accesses" },
	{ CACHE(DTLB, MISS), CACHE(DTLB, ACCESS), 100, "%7.2f%%", "of all dTLB cache accesses" },
	{ CACHE(ITLB, MISS), CACHE(ITLB, ACCESS), 100, "%7.2f%%", "of all iTLB cache accesses" },
	{ CACHE(LL, MISS), CACHE(LL, ACCESS), 100, "%7.2f%%", "of all LL-cache accesses" },
};

/* Do both events count at the same privilege levels, for the same tasks? */
static bool is_comparable(const struct evsel *a, const struct evsel *b)
{
	const char *x = a->request->cgroup, *y = b->request->cgroup;

	return a->attr.exclude_user == b->attr.exclude_user &&
	       a->attr.exclude_kernel == b->attr.exclude_kernel && a->attr.exclude_hv == b->attr.exclude_hv &&
	       a->attr.exclude_idle == b->attr.exclude_idle && a->attr.exclude_host == b->attr.exclude_host &&
	       !x == !y && (!x || !strcmp(x, y));
}

/* Return the mean count of an event of the same row, or 0. */
static double find_count(const struct stat_table *t, const struct evsel *e, size_t row, u32 type, u64 config)
{
	const struct evlist *l = t->counting->l;

	for (size_t i = 0; i < l->evsels.nr; i++) {
		const struct evsel *other = l->evsels.v[i];

		if (other->attr.type == type && other->attr.config == config && is_comparable(e, other) &&
		    other->request->tool == TOOL_NONE && stat_table__state(t, i, row) == STAT_COUNTED)
			return stat_table__value(t, i, row)->value.mean;
	}
	return 0;
}

/*
 * The four parts of the slots of a pipeline, which the kernel has as events of newer Intel cores: a part is
 * shown of the sum of all four. (Intel, Optimization Reference Manual, "Top-Down Analysis Method")
 */
static const struct topdown_part {
	const char *event, *unit;
} topdown_parts[] = {
	{ "topdown-retiring", "retiring" },
	{ "topdown-bad-spec", "bad speculation" },
	{ "topdown-fe-bound", "frontend bound" },
	{ "topdown-be-bound", "backend bound" },
};

/* Return which part an event counts, or -1. Its name may have a PMU before it and modifiers behind it. */
static int find_topdown(const struct evsel *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(topdown_parts); i++)
		if (strstr(e->name, topdown_parts[i].event))
			return (int)i;
	return -1;
}

/* Set what part of all slots an event counts. Return false if it is none, or not all four are counted. */
static bool find_part_of_slots(const struct stat_table *t, const struct evsel *e, size_t row,
			       struct metric *found)
{
	const struct evlist *l = t->counting->l;
	double counts[ARRAY_SIZE(topdown_parts)] = { 0 }, sum = 0;
	unsigned seen = 0;
	int own = find_topdown(e);

	for (size_t i = 0; i < l->evsels.nr && own >= 0; i++) {
		const struct evsel *other = l->evsels.v[i];
		int part = find_topdown(other);

		if (part < 0 || other->attr.type != e->attr.type || !is_comparable(e, other) ||
		    stat_table__state(t, i, row) != STAT_COUNTED)
			continue;
		counts[part] = stat_table__value(t, i, row)->value.mean;
		seen |= 1u << part;
	}
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
		sum += counts[i];
	if (own < 0 || seen != (1u << ARRAY_SIZE(counts)) - 1 || sum <= 0)
		return false;
	*found = (struct metric){ 100 * counts[own] / sum, "%7.1f%%", topdown_parts[own].unit, true };
	return true;
}

/* Return the time that the tasks ran, in ns, or 0. */
static double find_clock(const struct stat_table *t, const struct evsel *e, size_t row)
{
	double ns = find_count(t, e, row, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);

	return ns > 0 ? ns : find_count(t, e, row, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
}

static struct metric rate(double per_second)
{
	static const char *const units[] = { "/sec", "K/sec", "M/sec", "G/sec" };
	size_t i = 0;

	while (per_second >= 1000 && i + 1 < ARRAY_SIZE(units)) {
		per_second /= 1000;
		i++;
	}
	return (struct metric){ per_second, "%8.3f", units[i], false };
}

/* Cycles for each instruction in which the processor waited, in the part of it that waited longer. */
static double stalled_cycles(const struct stat_table *t, const struct evsel *e, size_t row)
{
	double front = find_count(t, e, row, HW(STALLED_CYCLES_FRONTEND));
	double back = find_count(t, e, row, HW(STALLED_CYCLES_BACKEND));

	return MAX(front, back);
}

unsigned metrics__find(const struct stat_table *t, size_t evsel, size_t row, struct metric found[METRICS_MAX])
{
	const struct evsel *e = t->counting->l->evsels.v[evsel];
	double value = stat_table__value(t, evsel, row)->value.mean, ns, stalled;
	bool is_cycles = e->attr.type == PERF_TYPE_HARDWARE && e->attr.config == PERF_COUNT_HW_CPU_CYCLES;
	bool is_instructions =
		e->attr.type == PERF_TYPE_HARDWARE && e->attr.config == PERF_COUNT_HW_INSTRUCTIONS;
	unsigned nr = 0;

	if (e->request->tool != TOOL_NONE || stat_table__state(t, evsel, row) != STAT_COUNTED)
		return 0;
	if (evsel__is_clock(e)) {
		if (t->elapsed.mean > 0)
			found[nr++] =
				(struct metric){ value / t->elapsed.mean, "%8.3f", "CPUs utilized", false };
		return nr;
	}
	for (size_t i = 0; i < ARRAY_SIZE(ratios) && !nr; i++) {
		const struct ratio *r = &ratios[i];
		double by = r->type == e->attr.type && r->config == e->attr.config
				    ? find_count(t, e, row, r->by_type, r->by_config)
				    : 0;

		if (by > 0)
			found[nr++] = (struct metric){ r->factor * value / by, r->format, r->unit, true };
	}
	nr += !nr && find_part_of_slots(t, e, row, &found[0]);
	stalled = is_instructions && value > 0 ? stalled_cycles(t, e, row) : 0;
	if (nr && stalled > 0)
		found[nr++] = (struct metric){ stalled / value, "%7.2f ", "stalled cycles per insn", true };
	ns = nr ? 0 : find_clock(t, e, row);
	if (ns > 0 && is_cycles)
		found[nr++] = (struct metric){ value / ns, "%8.3f", "GHz", true };
	else if (ns > 0)
		found[nr++] = rate(value / ns * 1e9);
	return nr;
}
