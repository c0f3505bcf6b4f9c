#include "profile/causes/span_why.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_PART 0.01 /* of the extra time: smaller differences have no row */
#define NEARLY_ALL 0.8  /* of the extra time of a cause: the function that has so much of it is named */
#define MOST 0.5
#define USUAL 0.02 /* of the duration of a fast span */

enum { MOST_ROWS = 50 };

const struct span_limits why_limits = { .slower = { .is_quantile = true, .share = 0.99 },
					.faster = { .is_quantile = true, .share = 0.5 } };

struct finding {
	struct span_why *w;
	double weights[NR_SPAN_GROUPS]; /* of all spans of a group */
	u32 *index_of;                  /* by node: index of its candidate */
	ARRAY(u32) nodes;               /* by candidate */
	struct span_candidate *candidates;
	double *(*amounts)[NR_SPAN_GROUPS]; /* by candidate */
	double *numbers;                    /* all amounts */
};

static double sum(const double *v, u32 nr)
{
	double all = 0;

	for (u32 i = 0; i < nr; i++)
		all += v[i];
	return all;
}

/* Return how much more of a node a slow span has than a fast one. */
static double finding__more(const struct finding *f, const struct cause_node *n)
{
	double more = 0;

	if (f->weights[SPANS_SLOW] > 0)
		more += n->sums[SPANS_SLOW] / f->weights[SPANS_SLOW];
	if (f->weights[SPANS_FAST] > 0)
		more -= n->sums[SPANS_FAST] / f->weights[SPANS_FAST];
	return more;
}

/* ---- candidates ---- */

struct node_order {
	double more;
	u32 node;
};

static int compare_nodes(const void *x, const void *y)
{
	const struct node_order *a = x, *b = y;

	if (a->more > b->more || a->more < b->more)
		return a->more > b->more ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

/* Choose the causes of which slow spans have more: the largest ones. */
static void finding__choose(struct finding *f)
{
	const struct causes *c = &f->w->causes;
	ARRAY(struct node_order) order = { .v = NULL };
	double extra = 0;

	for (u32 i = 0; i < c->nodes.nr; i++)
		if (c->nodes.v[i].place == PLACE_ALL) {
			double more = finding__more(f, &c->nodes.v[i]);

			extra += more;
			array__add(&order, ((struct node_order){ more, i }));
		}
	if (order.nr)
		qsort(order.v, order.nr, sizeof(*order.v), compare_nodes);
	for (size_t i = 0; i < MIN(order.nr, (size_t)MOST_ROWS); i++)
		if (order.v[i].more > 0 && order.v[i].more >= LEAST_PART * extra)
			array__add(&f->nodes, order.v[i].node);
	array__exit(&order);
}

static void finding__collect_amounts(struct finding *f)
{
	const struct span_why *w = f->w;
	const struct span_group *groups = w->groups.verdict.groups;
	size_t nr = f->nodes.nr, of_each = w->groups.v.nr;
	double *at;

	f->index_of = xmalloc_large(w->causes.nodes.nr * sizeof(*f->index_of));
	memset(f->index_of, 0xff, w->causes.nodes.nr * sizeof(*f->index_of));
	f->candidates = xcalloc(nr, sizeof(*f->candidates));
	f->amounts = xcalloc(nr, sizeof(*f->amounts));
	at = f->numbers = xcalloc(nr * of_each, sizeof(*f->numbers));
	for (u32 i = 0; i < nr; i++) {
		u32 type = w->causes.v.v[w->causes.nodes.v[f->nodes.v[i]].cause].type;
		bool is_sampled = type == CAUSE_FAULTS || !w->causes.has_waits;

		f->index_of[f->nodes.v[i]] = i;
		f->candidates[i].unit = is_sampled ? w->causes.unit : 0;
		for (int g = 0; g < NR_SPAN_GROUPS; g++) {
			f->candidates[i].amounts[g] = f->amounts[i][g] = at;
			at += groups[g].nr;
		}
	}
	causes__amounts(&w->causes, &w->groups, f->index_of, (double *const(*)[NR_SPAN_GROUPS])f->amounts);
}

/* ---- functions ---- */

struct function_choice {    /* of the functions that have a part of the extra time of a cause */
	double least, most; /* ns more */
	double usual;       /* ns that a fast span has at most */
	/* only those with more functions around them, and with fewer; of the one chosen last */
	double deeper, outer;
	double found;   /* result: ns more of the function that was chosen last */
	bool outermost; /* else the innermost */
	bool (*is_wanted)(struct causes *c, u32 place);
};

static double node__depth(const struct cause_node *n)
{
	return n->ns > 0 ? n->depth / n->ns : 0;
}

/* Return the index of the node that is chosen; PLACE_ALL: none. */
static u32 finding__function(const struct finding *f, u32 cause, const struct function_choice *want)
{
	struct causes *c = &f->w->causes;
	u32 best = PLACE_ALL;

	for (u32 i = 0; i < c->nodes.nr; i++) {
		const struct cause_node *n = &c->nodes.v[i];
		double more = n->cause == cause ? finding__more(f, n) : 0, depth = node__depth(n);

		if (n->cause != cause || n->place >= PLACE_NOT_SAMPLED || more < want->least ||
		    n->sums[SPANS_FAST] > want->usual * f->weights[SPANS_FAST] || more >= want->most ||
		    depth <= want->deeper || depth >= want->outer || !want->is_wanted(c, n->place))
			continue;
		if (best == PLACE_ALL || (depth < node__depth(&c->nodes.v[best])) == want->outermost)
			best = i;
	}
	return best;
}

static bool is_of_user(struct causes *c, u32 place)
{
	return causes__owner(c, place) == OWNER_USER;
}

static bool is_of_system(struct causes *c, u32 place)
{
	return causes__owner(c, place) == OWNER_SYSTEM && places__get(&c->places, place)->sym;
}

static bool is_system_call(struct causes *c, u32 place)
{
	return causes__owner(c, place) == OWNER_KERNEL && causes__system_call(c, place);
}

/* Return how much more slow spans have of a pseudo place of a cause. */
static double finding__more_of(const struct finding *f, u32 cause, u32 place)
{
	const struct causes *c = &f->w->causes;

	for (u32 i = 0; i < c->nodes.nr; i++)
		if (c->nodes.v[i].cause == cause && c->nodes.v[i].place == place)
			return finding__more(f, &c->nodes.v[i]);
	return 0;
}

/*
 * Return how much of the functions that are chosen a fast span has at least: that is what all spans do.
 * Others that are as rare in fast spans say best what slow ones do.
 */
static double finding__usual(const struct finding *f, u32 cause, const struct function_choice *want)
{
	struct causes *c = &f->w->causes;
	double least = INFINITY;

	for (u32 i = 0; i < c->nodes.nr; i++) {
		const struct cause_node *n = &c->nodes.v[i];

		if (n->cause == cause && n->place < PLACE_NOT_SAMPLED && finding__more(f, n) >= want->least &&
		    want->is_wanted(c, n->place))
			least = MIN(least, n->sums[SPANS_FAST] / f->weights[SPANS_FAST]);
	}
	return 2 * least + USUAL * f->w->groups.verdict.durations.mean[SPANS_FAST];
}

/* Choose a function of a row's cause. Return its place, or PLACE_ALL. Those chosen next are deeper. */
static u32 finding__choose_function(const struct finding *f, u32 cause, struct function_choice *want)
{
	u32 node = finding__function(f, cause, want);

	if (node == PLACE_ALL)
		return PLACE_ALL;
	want->deeper = node__depth(&f->w->causes.nodes.v[node]);
	want->found = finding__more(f, &f->w->causes.nodes.v[node]);
	return f->w->causes.nodes.v[node].place;
}

/* Find what the function of a row calls that has nearly all of its extra time, too. */
static u32 finding__inner(const struct finding *f, u32 cause, struct function_choice want)
{
	u32 inner;

	want.usual = INFINITY;
	inner = finding__choose_function(f, cause, &want);
	if (inner != PLACE_ALL || f->w->causes.v.v[cause].type == CAUSE_WAIT)
		return inner;
	want.is_wanted = is_of_system;
	want.outermost = true;
	inner = finding__choose_function(f, cause, &want);
	if (inner != PLACE_ALL)
		return inner;
	want.is_wanted = is_system_call;
	return finding__choose_function(f, cause, &want);
}

/* Find the functions around the function of a row, the innermost first. */
static void finding__find_callers(const struct finding *f, struct why_row *r,
				  const struct function_choice *want)
{
	struct function_choice around = *want;

	around.usual = INFINITY;
	around.deeper = -1;
	around.outer = want->deeper;
	for (u32 i = 0; i < WHY_CALLERS; i++) {
		r->callers[i] = r->function < PLACE_NOT_SAMPLED
					? finding__choose_function(f, r->cause, &around)
					: PLACE_ALL;
		around.outer = around.deeper;
		around.deeper = -1;
	}
}

/* Find the functions in which nearly all of a row's extra time is. */
static void finding__name_functions(const struct finding *f, struct why_row *r)
{
	double more = r->own;
	struct function_choice want = { .least = NEARLY_ALL * more,
					.most = INFINITY,
					.usual = INFINITY,
					.deeper = -1,
					.outer = INFINITY,
					.is_wanted = is_of_user };

	r->function = r->inner = r->mostly = PLACE_ALL;
	for (u32 i = 0; i < WHY_CALLERS; i++)
		r->callers[i] = PLACE_ALL;
	if (finding__more_of(f, r->cause, PLACE_NOT_SAMPLED) >= MOST * more) {
		r->function = PLACE_NOT_SAMPLED;
		return;
	}
	want.usual = finding__usual(f, r->cause, &want);
	r->function = finding__choose_function(f, r->cause, &want);
	r->inner = finding__inner(f, r->cause, want);
	finding__find_callers(f, r, &want);
	want.least = MOST * more;
	want.most = NEARLY_ALL * more;
	want.usual = INFINITY;
	if (r->inner == PLACE_ALL)
		r->mostly = finding__choose_function(f, r->cause, &want);
	r->mostly_part = want.found / more;
}

/* ---- holders ---- */

/* Find what the holder of a row's lock did most of the time. */
static void finding__find_meanwhile(const struct finding *f, struct why_row *r)
{
	const struct causes *c = &f->w->causes;
	double all = 0;

	for (size_t i = 0; i < c->meanwhile.nr; i++) {
		const struct meanwhile *m = &c->meanwhile.v[i];

		if (m->cause != r->cause)
			continue;
		all += m->ns;
		if (!r->meanwhile || m->ns > r->meanwhile->ns)
			r->meanwhile = m;
	}
	if (r->meanwhile)
		r->meanwhile_part = r->meanwhile->ns / all;
	if (r->meanwhile_part < MOST)
		r->meanwhile = NULL;
}

/* Find the thread that ended most of the waits of a row. */
static void finding__find_ender(const struct finding *f, struct why_row *r)
{
	const struct causes *c = &f->w->causes;
	double all = 0, most = 0;

	for (size_t i = 0; i < c->enders.nr; i++) {
		const struct ender *e = &c->enders.v[i];

		if (e->cause != r->cause)
			continue;
		all += e->ns;
		if (e->ns <= most)
			continue;
		most = e->ns;
		r->ender = e->thread;
	}
	if (most < MOST * all)
		r->ender = 0;
}

/* ---- all ---- */

static void finding__add_rows(struct finding *f)
{
	for (size_t i = 0; i < f->nodes.nr; i++) {
		struct why_row r = { .cause = f->w->causes.nodes.v[f->nodes.v[i]].cause,
				     .x = f->candidates[i] };

		r.own = finding__more_of(f, r.cause, PLACE_OWN);
		if (f->w->causes.v.v[r.cause].type > CAUSE_FAULTS)
			r.own = r.x.contrast.more;
		finding__name_functions(f, &r);
		finding__find_ender(f, &r);
		finding__find_meanwhile(f, &r);
		array__add(&f->w->rows, r);
	}
}

int span_why__find(struct span_why *w, struct session *s, const struct span_times *times,
		   const struct span_set *set, const struct span_limits *limits, unsigned nr_threads,
		   struct err *err)
{
	struct finding f = { .w = w };
	int ret;

	*w = (struct span_why){ .set = set, .limits = *limits };
	ret = span_groups__divide(&w->groups, set, limits, err);
	if (!ret)
		ret = causes__read(&w->causes, s, times, set, &w->groups, nr_threads, err);
	if (ret)
		return ret;
	for (int i = 0; i < NR_SPAN_GROUPS; i++)
		f.weights[i] = sum(w->groups.verdict.groups[i].weights, w->groups.verdict.groups[i].nr);
	finding__choose(&f);
	finding__collect_amounts(&f);
	w->verdict = span_case__judge(&w->groups.verdict, f.candidates, (u32)f.nodes.nr);
	finding__add_rows(&f);
	array__exit(&f.nodes);
	free(f.index_of);
	free(f.candidates);
	free(f.amounts);
	free(f.numbers);
	return 0;
}

void span_why__exit(struct span_why *w)
{
	span_groups__exit(&w->groups);
	causes__exit(&w->causes);
	array__exit(&w->rows);
}
