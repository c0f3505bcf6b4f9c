/* Decay of a live view: old counts weigh less, and are then removed. */
#include "profile/hists/hists.h"

enum { /* fewer are not worth looking for those that are not used any more */
       CHAINS_MIN = 1 << 16,
       KINDS_MIN = 1 << 10,
};

/* The folds that stay, without gaps. Return how many numbers their chains take at most. */
static size_t view__weigh(struct view *v, u64 since)
{
	size_t nr = 0, numbers = 0;

	for (size_t i = 0; i < v->folds.nr; i++) {
		struct fold f = v->folds.v[i];

		f.period = f.period / 8 * 7 + f.period % 8 * 7 / 8;
		f.nr = f.nr / 8 * 7 + (f.nr % 8 * 7 + 7) / 8; /* 1 until the fold goes */
		if (!f.period || f.first_time < since)
			continue;
		numbers += (size_t)chains__length(&v->chains, f.chain) * chains__stride(&v->chains) * 2;
		v->folds.v[nr++] = f;
	}
	v->folds.nr = nr;
	return numbers;
}

static void view__drop_chains(struct view *v)
{
	struct chains chains;

	chains__init(&chains);
	for (size_t i = 0; i < v->folds.nr; i++)
		v->folds.v[i].chain = chains__copy(&chains, &v->places, &v->chains, v->folds.v[i].chain);
	chains__exit(&v->chains);
	v->chains = chains;
}

/*
 * Mark what the folds use, and move it together: numbers[i] becomes the new number of i. Return how many
 * stay.
 */
static u32 renumber(u32 *numbers, u32 nr)
{
	u32 used = 0;

	for (u32 i = 0; i < nr; i++)
		if (numbers[i])
			numbers[i] = used++;
	return used;
}

static void view__drop_kinds(struct view *v)
{
	u32 *kinds = xcalloc(v->kinds.nr, sizeof(*kinds)), *firsts = xcalloc(v->firsts.nr, sizeof(*firsts));

	for (size_t i = 0; i < v->folds.nr; i++)
		kinds[v->folds.v[i].kind] = firsts[v->folds.v[i].first] = 1;
	for (size_t i = 0, k = 0; i < v->kinds.nr; i++)
		if (kinds[i])
			v->kinds.v[k++] = v->kinds.v[i];
	for (size_t i = 0, k = 0; i < v->firsts.nr; i++)
		if (firsts[i])
			v->firsts.v[k++] = v->firsts.v[i];
	v->kinds.nr = renumber(kinds, (u32)v->kinds.nr);
	v->firsts.nr = renumber(firsts, (u32)v->firsts.nr);
	for (size_t i = 0; i < v->folds.nr; i++) {
		v->folds.v[i].kind = kinds[v->folds.v[i].kind];
		v->folds.v[i].first = firsts[v->folds.v[i].first];
	}
	free(kinds);
	free(firsts);
}

void view__decay(struct view *v, u64 since)
{
	size_t used = view__weigh(v, since);

	if (v->chains.v.nr > CHAINS_MIN && v->chains.v.nr / 2 > used)
		view__drop_chains(v);
	if (v->kinds.nr > KINDS_MIN)
		view__drop_kinds(v);
}
