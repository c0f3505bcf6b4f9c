/* The order in which entries are shown. */
#include "profile/hists/hists_private.h"
#include "profile/hists/tree_order.h"

#include <string.h>

/* Compare in the order shown. */
static bool entry__before(void *ctx, const void *x, const void *y)
{
	struct view *v = ctx;
	const struct hists *h = &v->hists.v[((const struct hist_entry *)x)->hists];
	int ret = 0;

	for (size_t i = 0; i < h->nr_shown_sorts && !ret; i++)
		ret = h->shown_sorts[i]->compare(h->shown_sorts[i], v, x, y);
	return ret < 0;
}

/*
 * Compare by the keys alone, which differ between any two entries: the order of rows that are equal in the
 * columns shown.
 */
static int compare_keys(const void *x, const void *y, void *ctx)
{
	const struct hist_entry *a = *(struct hist_entry *const *)x, *b = *(struct hist_entry *const *)y;
	struct view *v = ctx;
	const struct hists *h = &v->hists.v[a->hists];
	int ret = 0;

	for (size_t i = 0; i < h->nr_sorts && !ret; i++) {
		const struct column *c = h->sorts[i];

		if (column__is_key(c))
			ret = (c->collapse ? c->collapse : c->compare)(c, v, a, b);
	}
	return ret;
}

/* Compare by values that do not depend on the order in which workers produced the rows. */
static int compare_first(const void *x, const void *y, void *ctx)
{
	const struct hist_entry *a = *(struct hist_entry *const *)x, *b = *(struct hist_entry *const *)y;
	const struct place *p, *q;
	struct view *v = ctx;

	if (a->first_time != b->first_time)
		return a->first_time < b->first_time ? -1 : 1;
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

/*
 * The two orders after compare_first are inconsistent for distant addresses, and where callers cost the same
 * as their callees. Their result then depends on the initial order, which compare_first makes the same in
 * each run.
 */
void hists__sort(struct hists *h, struct view *v)
{
	if (h->entries.nr < 2)
		return;
	qsort_r(h->entries.v, h->entries.nr, sizeof(*h->entries.v), compare_first, v);
	qsort_r(h->entries.v, h->entries.nr, sizeof(*h->entries.v), compare_keys, v);
	tree_order((void **)h->entries.v, h->entries.nr, entry__before, v);
}
