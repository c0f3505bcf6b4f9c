/* The order in which entries are shown. */
#include "profile/hists/columns_private.h"
#include "profile/hists/hists_private.h"
#include "profile/trees/tree_order.h"

#include <string.h>

/* An entry, and what most comparisons need of it: entries and what they refer to are all over memory. */
struct sorted {
	struct hist_entry *e;
	u64 first_time;
	u64 words[]; /* by sort key */
};

/* How the words of two entries order them by a sort key. */
enum words_say {
	WORDS_SAY_NOTHING,
	WORDS_SAY_EQUAL,     /* equal words: neither comes first */
	WORDS_SAY_ALL,       /* the smaller word comes first */
	WORDS_ARE_ADDRESSES, /* compare_addresses() of them */
};

struct step { /* of a comparison: the next sort key, if those before are equal */
	const struct column *column;
	int (*compare)(const struct column *c, struct view *v, const struct hist_entry *a,
		       const struct hist_entry *b);
	size_t word; /* index in sorted.words */
	enum words_say say;
};
typedef ARRAY(struct step) steps;

struct order {
	struct view *v;
	steps shown, keys;
};

static bool column__is_stat(const struct column *c, const struct hists *h)
{
	return c->compare == stat_compare && h->nr_members == 1;
}

static enum words_say column__words_say(const struct column *c, const struct hists *h)
{
	if (c->compare == smaller_first || c->compare == larger_first || column__is_stat(c, h))
		return WORDS_SAY_ALL;
	if (c->compare == addresses_compare)
		return WORDS_ARE_ADDRESSES;
	/* column.data: the order may depend on more than the place */
	return c->value || (c->end && !c->data) ? WORDS_SAY_EQUAL : WORDS_SAY_NOTHING;
}

static u64 column__word(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	struct branch_end end;

	if (c->compare == smaller_first)
		return c->value(c, v, e) ^ 1ull << 63; /* values are signed */
	if (c->value)
		return c->compare == larger_first ? ~c->value(c, v, e) : c->value(c, v, e);
	if (!c->end)
		return ~*column__stat(c, &e->stats[0]); /* of keys whose words say nothing: anything */
	end = c->end(v, e);
	return (u64)end.place << 32 | end.identity;
}

static inline int compare_by(const steps *by, struct view *v, const struct sorted *a, const struct sorted *b)
{
	const struct step *end = by->v + by->nr;
	int ret = 0;

	for (const struct step *s = by->v; s < end && !ret; s++) {
		u64 x = a->words[s->word], y = b->words[s->word];

		if (s->say == WORDS_SAY_ALL)
			ret = x < y ? -1 : x > y;
		else if (s->say == WORDS_ARE_ADDRESSES)
			ret = compare_addresses(x, y);
		else if (s->say == WORDS_SAY_NOTHING || x != y)
			ret = s->compare(s->column, v, a->e, b->e);
	}
	return ret;
}

/* Compare in the order shown. */
static bool sorted__before(void *ctx, const void *a, const void *b)
{
	const struct order *o = ctx;

	return compare_by(&o->shown, o->v, a, b) < 0;
}

/*
 * Compare by the keys alone, which differ between any two entries: the order of rows that are equal in the
 * columns shown.
 */
static int compare_keys(const void *x, const void *y, void *ctx)
{
	const struct order *o = ctx;

	return compare_by(&o->keys, o->v, *(struct sorted *const *)x, *(struct sorted *const *)y);
}

/* Compare by values that do not depend on the order in which workers produced the rows. */
static int compare_first(const void *x, const void *y, void *ctx)
{
	const struct sorted *s = *(struct sorted *const *)x, *t = *(struct sorted *const *)y;
	const struct hist_entry *a = s->e, *b = t->e;
	const struct order *o = ctx;
	const struct place *p, *q;
	struct view *v = o->v;

	if (s->first_time != t->first_time)
		return s->first_time < t->first_time ? -1 : 1;
	if (a->first_offset != b->first_offset)
		return a->first_offset < b->first_offset ? -1 : 1;
	p = places__get(&v->places, a->place);
	q = places__get(&v->places, b->place);
	if (p->dso != q->dso)
		return p->dso < q->dso ? -1 : 1;
	if (p->ip != q->ip)
		return p->ip < q->ip ? -1 : 1;
	if (p->sym && q->sym && p->sym->start != q->sym->start)
		return p->sym->start < q->sym->start ? -1 : 1;
	if (p->inlined != q->inlined)
		return strcmp(places__text(&v->places, p->inlined), places__text(&v->places, q->inlined));
	if (p->line != q->line)
		return strcmp(places__text(&v->places, p->line), places__text(&v->places, q->line));
	return (p->sym != NULL) - (q->sym != NULL);
}

static void order__init(struct order *o, const struct hists *h, struct view *v)
{
	size_t shown = 0;

	*o = (struct order){ .v = v };
	for (size_t i = 0; i < h->nr_sorts; i++) {
		const struct column *c = h->sorts[i];
		struct step s = {
			.column = c, .compare = c->compare, .word = i, .say = column__words_say(c, h)
		};

		if (shown < h->nr_shown_sorts && h->shown_sorts[shown] == c) {
			array__add(&o->shown, s);
			shown++;
		}
		if (!column__is_key(c))
			continue;
		s.compare = c->collapse ? c->collapse : c->compare;
		array__add(&o->keys, s);
	}
}

/* Return the entries with their words, in the order of h->entries. */
static struct sorted **hists__words(const struct hists *h, const struct view *v)
{
	size_t size = sizeof(struct sorted) + h->nr_sorts * sizeof(u64);
	struct sorted **sorted = xreallocarray(NULL, h->entries.nr, sizeof(struct sorted *));
	char *entries = xreallocarray(NULL, h->entries.nr, size);

	for (size_t i = 0; i < h->entries.nr; i++) {
		sorted[i] = (struct sorted *)(void *)(entries + i * size);
		sorted[i]->e = h->entries.v[i];
		sorted[i]->first_time = sorted[i]->e->first_time;
		for (size_t k = 0; k < h->nr_sorts; k++)
			sorted[i]->words[k] = column__word(h->sorts[k], v, sorted[i]->e);
	}
	return sorted;
}

/*
 * The two orders after compare_first are inconsistent for distant addresses, and where callers cost the same
 * as their callees. Their result then depends on the initial order, which compare_first makes the same in
 * each run.
 */
void hists__sort(struct hists *h, struct view *v)
{
	struct sorted **sorted, *entries;
	size_t nr = h->entries.nr;
	struct order o;

	if (nr < 2)
		return;
	order__init(&o, h, v);
	sorted = hists__words(h, v);
	entries = sorted[0];
	qsort_r(sorted, nr, sizeof(*sorted), compare_first, &o);
	qsort_r(sorted, nr, sizeof(*sorted), compare_keys, &o);
	tree_order((void **)sorted, nr, sorted__before, &o);
	for (size_t i = 0; i < nr; i++)
		h->entries.v[i] = sorted[i]->e;
	free(entries);
	free(sorted);
	array__exit(&o.shown);
	array__exit(&o.keys);
}
