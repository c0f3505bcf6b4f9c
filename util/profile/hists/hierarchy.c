/*
 * --hierarchy: entries as a tree, with a level for each sort key, or for keys in braces. The entries of the
 * flat table are the leaves; those above them are made here, with the sums of what is below.
 */
#include "base/memory/hash.h"
#include "profile/hists/hists_private.h"

#include <stdlib.h>
#include <string.h>

enum { NODE_NONE = UINT32_MAX };

struct node {
	struct hist_entry *e;
	u32 parent, first_child, next; /* next: of the same parent; NODE_NONE: none */
};

struct hierarchy {
	struct view *v;
	struct hists *h;
	ARRAY(struct node) nodes; /* the root first */
	struct hash_table table;  /* by parent and identity */
	u64 *words[2];            /* scratch: identities of the two nodes compared */
};

bool hists__level(const struct hists *h, const struct view *v, u32 depth, size_t *begin, size_t *end)
{
	const struct layout *l = v->opts.layout;
	u32 level = 0;

	*begin = *end = l->fields.nr;
	for (size_t i = 0; i < l->fields.nr; i++) {
		const struct layout_field *f = &l->fields.v[i];

		if (f->elided || !h->has_field[i] || !column__is_key(f->column))
			continue;
		if (*begin < l->fields.nr && !layout__is_joined(l, f->column))
			return true;
		if (!layout__is_joined(l, f->column) || !level)
			level++;
		if (level == depth + 1 && *begin == l->fields.nr)
			*begin = i;
		if (level == depth + 1)
			*end = i + 1;
	}
	return *begin < l->fields.nr;
}

u32 hists__nr_levels(const struct hists *h, const struct view *v)
{
	size_t begin, end;
	u32 nr = 0;

	while (hists__level(h, v, nr, &begin, &end))
		nr++;
	return nr;
}

static unsigned node__identity(const struct hierarchy *t, u32 parent, const struct hist_entry *e, u64 *words)
{
	const struct layout *l = t->v->opts.layout;
	size_t begin, end;
	unsigned nr = 0;

	words[nr++] = parent;
	hists__level(t->h, t->v, e->depth, &begin, &end);
	for (size_t i = begin; i < end; i++) {
		const struct column *c = l->fields.v[i].column;

		if (column__is_key(c) && t->h->has_field[i] && !l->fields.v[i].elided)
			nr += c->identity(c, t->v, e, words + nr);
	}
	return nr;
}

static u32 hierarchy__add(struct hierarchy *t, u32 parent, struct hist_entry *e)
{
	u32 i = (u32)t->nodes.nr;

	array__add(&t->nodes, ((struct node){ e, parent, NODE_NONE, NODE_NONE }));
	if (parent != NODE_NONE) {
		t->nodes.v[i].next = t->nodes.v[parent].first_child;
		t->nodes.v[parent].first_child = i;
	}
	return i;
}

/* Return the node of leaf's keys at a depth, below parent. */
static u32 hierarchy__node(struct hierarchy *t, u32 parent, const struct hist_entry *leaf, u32 depth)
{
	struct hist_entry key = *leaf, *e;
	unsigned nr;
	u64 hash;
	u32 i;

	key.depth = depth;
	nr = node__identity(t, parent, &key, t->words[0]);
	hash = hash__words(t->words[0], nr, depth);
	hash_table__for_each (&t->table, hash, i)
		if (t->nodes.v[i].e->depth == depth &&
		    node__identity(t, t->nodes.v[i].parent, t->nodes.v[i].e, t->words[1]) == nr &&
		    !memcmp(t->words[0], t->words[1], nr * sizeof(u64)))
			return i;
	key.first_path = TREE_NONE;
	key.stats = arena__zalloc(&t->v->counted, t->h->nr_members * sizeof(*key.stats));
	key.parts = hists__new_parts(t->h, t->v);
	e = arena__memdup(&t->v->counted, &key, sizeof(key));
	i = hierarchy__add(t, parent, e);
	hash_table__insert(&t->table, hash, i);
	return i;
}

static void hist_entry__add(struct hist_entry *sum, const struct hist_entry *e, u32 nr_members, u32 nr_parts)
{
	u64 *to = (u64 *)(void *)sum->stats;
	const u64 *from = (const u64 *)(const void *)e->stats;

	for (size_t i = 0; i < nr_members * sizeof(*e->stats) / sizeof(u64); i++)
		to[i] += from[i];
	for (size_t i = 0; i < (size_t)nr_members * nr_parts; i++)
		sum->parts[i] += e->parts[i];
}

static void hierarchy__add_leaf(struct hierarchy *t, struct hist_entry *leaf, u32 nr_levels)
{
	u32 parent = 0;

	for (u32 depth = 0; depth + 1 < nr_levels; depth++) {
		parent = hierarchy__node(t, parent, leaf, depth);
		hist_entry__add(t->nodes.v[parent].e, leaf, t->h->nr_members, t->v->opts.layout->nr_parts);
	}
	leaf->depth = nr_levels - 1;
	hierarchy__add(t, parent, leaf);
}

/* Compare nodes of one parent: by the values, then by the keys of their level. */
static int compare_nodes(const void *x, const void *y, void *ctx)
{
	const u32 *i = x, *k = y;
	struct hierarchy *t = ctx;
	const struct layout *l = t->v->opts.layout;
	const struct hist_entry *a = t->nodes.v[*i].e, *b = t->nodes.v[*k].e;
	size_t begin, end;
	int ret = 0;

	for (size_t s = 0; s < t->h->nr_shown_sorts && !ret; s++)
		if (!column__is_key(t->h->shown_sorts[s]))
			ret = t->h->shown_sorts[s]->compare(t->h->shown_sorts[s], t->v, a, b);
	hists__level(t->h, t->v, a->depth, &begin, &end);
	for (size_t f = begin; f < end && !ret; f++)
		if (column__is_key(l->fields.v[f].column) && t->h->has_field[f] && !l->fields.v[f].elided)
			ret = l->fields.v[f].column->compare(l->fields.v[f].column, t->v, a, b);
	return ret ? ret : *i < *k ? -1 : *i > *k;
}

/* List what is below a node in h->entries, in order. */
static void hierarchy__list(struct hierarchy *t, u32 parent)
{
	ARRAY(u32) children = { 0 };

	for (u32 i = t->nodes.v[parent].first_child; i != NODE_NONE; i = t->nodes.v[i].next)
		array__add(&children, i);
	if (children.nr > 1)
		qsort_r(children.v, children.nr, sizeof(*children.v), compare_nodes, t);
	for (size_t i = 0; i < children.nr; i++) {
		struct hist_entry *e = t->nodes.v[children.v[i]].e;

		array__add(&t->h->entries, e);
		if (!i && t->nodes.v[parent].e)
			t->nodes.v[parent].e->below = e;
		hierarchy__list(t, children.v[i]);
	}
	array__exit(&children);
}

void hists__make_hierarchy(struct hists *h, struct view *v)
{
	size_t nr_words = 1 + v->opts.layout->fields.nr * COLUMN_WORDS_MAX;
	struct hierarchy t = { .v = v,
			       .h = h,
			       .words = { arena__alloc(&v->counted, nr_words * sizeof(u64)),
					  arena__alloc(&v->counted, nr_words * sizeof(u64)) } };
	u32 nr_levels = hists__nr_levels(h, v);

	if (!nr_levels)
		return;
	hierarchy__add(&t, NODE_NONE, NULL);
	for (size_t i = 0; i < h->entries.nr; i++)
		if (!h->entries.v[i]->filtered)
			hierarchy__add_leaf(&t, h->entries.v[i], nr_levels);
	h->entries.nr = 0;
	hierarchy__list(&t, 0);
	array__exit(&t.nodes);
	hash_table__exit(&t.table);
}
