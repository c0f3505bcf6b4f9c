#include "profile/causes/span_groups.h"

#include "base/memory/hash.h"
#include "base/text/strbuf.h"

#include <errno.h>
#include <stdlib.h>

/* Spans of each group that are looked at, about. */
static const double most[NR_SPAN_GROUPS] = {
	[SPANS_FAST] = 10000, [SPANS_SLOW] = 4000, [SPANS_BETWEEN] = 10000
};

static int span_groups__of(const struct span_groups *g, u64 ns)
{
	return ns >= g->slow_ns ? SPANS_SLOW : ns <= g->fast_ns ? SPANS_FAST : SPANS_BETWEEN;
}

/* ---- limits ---- */

static int refuse_limits(const struct span_groups *g, struct err *err)
{
	struct strbuf text = STRBUF_INIT;

	strbuf__addstr(&text, "slow spans begin at ");
	strbuf__add_duration(&text, (double)g->slow_ns);
	strbuf__addstr(&text, ", and fast ones go up to ");
	strbuf__add_duration(&text, (double)g->fast_ns);
	err__set(err, -EINVAL, "--why: %s: they overlap", text.buf);
	err__advise(err, "choose others with --slower and --faster, such as --slower p99 --faster p50");
	strbuf__exit(&text);
	return -EINVAL;
}

static void note_facts(struct span_groups *g, const struct span_set *set, u32 *nr)
{
	for (size_t i = 0; i < set->by_duration.nr; i++) {
		const struct span *s = &set->v.v[set->by_duration.v[i]];
		int group = span_groups__of(g, span__ns(s));
		struct group_facts *f = &g->facts[group];

		f->shortest = f->nr ? f->shortest : span__ns(s);
		f->longest = span__ns(s);
		f->nr += s->step;
		nr[group]++;
	}
}

static void look_at_tail(struct span_groups *g, const struct span_set *set)
{
	struct span_amounts a = { .nr = (u32)set->v.nr,
				  .together = span_group__together(&g->verdict.groups[SPANS_SLOW]) };

	a.v = xmalloc_large(a.nr * sizeof(*a.v));
	for (u32 i = 0; i < a.nr; i++) {
		const struct span *s = &set->v.v[set->by_duration.v[i]];

		a.v[i] = (struct span_amount){ (double)span__ns(s), s->step };
	}
	span_tail__look(&g->verdict.tail, &a, (double)g->slow_ns);
	free(a.v);
}

/* ---- the spans to look at ---- */

/* Choose spans, each with the same probability in its group: that of their numbers. */
static void choose(struct span_groups *g, const struct span_set *set, const u32 *nr)
{
	u32 slots[NR_SPAN_GROUPS] = { 0 };

	for (size_t i = 0; i < set->v.nr; i++) {
		int group = span_groups__of(g, span__ns(&set->v.v[i]));
		double dice = (double)(hash__u64(i + 1) >> 11) / (double)(1ull << 53);

		if (dice * nr[group] >= most[group])
			continue;
		array__add(&g->v, ((struct grouped_span){ (u32)i, slots[group]++, group }));
	}
}

struct slot_time {
	u64 begin, end;
	u32 index; /* in span_groups.v */
};

static int compare_times(const void *x, const void *y)
{
	const struct slot_time *a = x, *b = y;

	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

/* Put the slots of the slow spans in the order of time, and number their clusters. */
static void order_slow(struct span_groups *g, const struct span_set *set)
{
	struct slot_time *v = xmalloc_large(g->v.nr * sizeof(*v));
	u64 *begins = xmalloc_large(g->v.nr * sizeof(*begins)),
	    *ends = xmalloc_large(g->v.nr * sizeof(*ends));
	u32 nr = 0;

	for (size_t i = 0; i < g->v.nr; i++) {
		const struct span *s = &set->v.v[g->v.v[i].span];

		if (g->v.v[i].group == SPANS_SLOW)
			v[nr++] = (struct slot_time){ s->begin, s->end, (u32)i };
	}
	qsort(v, nr, sizeof(*v), compare_times);
	for (u32 i = 0; i < nr; i++) {
		g->v.v[v[i].index].slot = i;
		begins[i] = v[i].begin;
		ends[i] = v[i].end;
	}
	g->clusters = xcalloc(nr, sizeof(*g->clusters));
	span_clusters__number(g->clusters, begins, ends, nr);
	g->verdict.groups[SPANS_SLOW].clusters = g->clusters;
	free(begins);
	free(ends);
	free(v);
}

/* Note durations and weights of the chosen spans of a group, of nr. Return the numbers after them. */
static double *fill_group(struct span_groups *g, const struct span_set *set, int group, u32 nr,
			  double *numbers)
{
	struct span_group *to = &g->verdict.groups[group];
	double *weights = numbers + g->v.nr;
	u64 all = 0;

	for (size_t i = 0; i < g->v.nr; i++) {
		const struct grouped_span *s = &g->v.v[i];

		if (s->group != group)
			continue;
		numbers[s->slot] = (double)span__ns(&set->v.v[s->span]);
		weights[s->slot] = set->v.v[s->span].step;
		to->nr++;
	}
	for (u32 i = 0; i < to->nr; i++)
		weights[i] *= (double)nr / to->nr;
	for (int k = 0; k < NR_SPAN_GROUPS; k++)
		all += g->facts[k].nr;
	to->ns = numbers;
	to->weights = weights;
	to->share = (double)g->facts[group].nr / (double)all;
	return numbers + 2 * g->v.nr;
}

static bool limits__overlap(const struct span_limits *l, const struct span_groups *g)
{
	if (l->slower.is_quantile && l->faster.is_quantile)
		return l->slower.share <= l->faster.share;
	return g->slow_ns <= g->fast_ns;
}

int span_groups__divide(struct span_groups *g, const struct span_set *set, const struct span_limits *limits,
			struct err *err)
{
	u32 nr[NR_SPAN_GROUPS] = { 0 };
	double *numbers;

	*g = (struct span_groups){ .slow_ns = span_limit__ns(&limits->slower, set),
				   .fast_ns = span_limit__ns(&limits->faster, set) };
	g->verdict.is_told = !limits->slower.is_quantile;
	if (limits__overlap(limits, g))
		return refuse_limits(g, err);
	note_facts(g, set, nr);
	choose(g, set, nr);
	order_slow(g, set);
	numbers = g->numbers = xcalloc(2 * NR_SPAN_GROUPS * g->v.nr, sizeof(*numbers));
	for (int i = 0; i < NR_SPAN_GROUPS; i++)
		numbers = fill_group(g, set, i, nr[i], numbers);
	look_at_tail(g, set);
	if (!limits->slower.is_quantile)
		g->verdict.groups[SPANS_SLOW].share = 0;
	if (!limits->faster.is_quantile)
		g->verdict.groups[SPANS_FAST].share = 0;
	return 0;
}

void span_groups__exit(struct span_groups *g)
{
	array__exit(&g->v);
	free(g->numbers);
	free(g->clusters);
}
