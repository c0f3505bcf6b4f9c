#include "profile/trees/call_tree.h"

#include "base/text/number.h"

#include <math.h>
#include <string.h>

enum {
	AHEAD = 12,           /* paths to prefetch ahead: their places are scattered in memory */
	SHARED_MIN = 32,      /* paths in a branch that is worth sharing */
	KEPT_BYTES = 4 << 20, /* limit of memory for kept trees */
};

/* The paths of a node; they agree in their first depth places. */
struct task {
	struct call_node *node;
	size_t first, nr; /* in builder.paths */
	u32 depth;
	u64 hash; /* as call_branch.hash */
};

struct group {         /* paths of a node that continue with the same places */
	u32 at;        /* places of the first path, from the node's depth on */
	u32 nr_places; /* how many places all paths of the group share: inlined frames rarely branch */
	size_t nr;
	size_t fill;
	u64 period, nr_samples;
	u64 hash; /* as call_branch.hash */
};

struct builder {
	const struct call_tree_opts *opts;
	struct call_trees *trees;
	struct call_path *paths, *moved;             /* moved: scratch of the same size */
	struct call_path_flags *flags, *moved_flags; /* of each; NULL: none */
	u32 *group_of_moved;
	u32 *group_of; /* by place: index of its group + 1; 0 outside of builder__group */
	ARRAY(struct group) groups;
	ARRAY(struct task) tasks;
};

/* Return where place i of a path is in the numbers. */
static u32 builder__at(const struct builder *b, const struct call_path *p, u32 i)
{
	return p->at + (b->opts->has_depths ? i * 2 : i);
}

static u32 builder__number(const struct builder *b, u32 at)
{
	return numbers__get(b->opts->numbers, at);
}

static void builder__add_to_group(const struct builder *b, struct group *g, const struct call_path *p,
				  u32 depth)
{
	u32 max = MIN(g->nr_places, p->nr_places - depth), nr = 1, at = builder__at(b, p, depth);
	u32 stride = b->opts->has_depths ? 2 : 1;

	while (nr < max && builder__number(b, at + nr * stride) == builder__number(b, g->at + nr * stride))
		nr++;
	g->nr_places = nr;
	g->hash = (g->hash ^ (u64)(at - g->at) ^ p->period << 32) * 0x9e3779b97f4a7c15ull;
	g->nr++;
	g->period += p->period;
	g->nr_samples += p->nr;
}

/*
 * Count the paths that end in the node, and group the others by their next place: reorder the task's part of
 * builder.paths.
 */
static void builder__group(struct builder *b, struct task *t)
{
	struct call_path *p = b->paths + t->first;
	size_t at = 0, nr_going_on = 0;

	b->groups.nr = 0;
	for (size_t i = 0; i < t->nr; i++) {
		u32 place;

		if (i + AHEAD < t->nr)
			numbers__prefetch(b->opts->numbers, builder__at(b, &p[i + AHEAD], t->depth));
		if (p[i].nr_places == t->depth) {
			t->node->self += p[i].period;
			t->node->nr_self += p[i].nr;
			continue;
		}
		place = builder__number(b, builder__at(b, &p[i], t->depth));
		if (!b->group_of[place]) {
			array__add(&b->groups, ((struct group){ .at = builder__at(b, &p[i], t->depth),
								.nr_places = p[i].nr_places - t->depth }));
			b->group_of[place] = (u32)b->groups.nr;
		}
		builder__add_to_group(b, &b->groups.v[b->group_of[place] - 1], &p[i], t->depth);
		b->group_of_moved[nr_going_on] = b->group_of[place] - 1;
		if (b->flags)
			b->moved_flags[nr_going_on] = b->flags[t->first + i];
		b->moved[nr_going_on++] = p[i];
	}
	for (size_t i = 0; i < b->groups.nr; i++) {
		b->groups.v[i].fill = at;
		at += b->groups.v[i].nr;
	}
	for (size_t i = 0; i < nr_going_on; i++) {
		size_t to = b->groups.v[b->group_of_moved[i]].fill++;

		p[to] = b->moved[i];
		if (b->flags)
			b->flags[t->first + to] = b->moved_flags[i];
	}
	for (size_t i = 0; i < b->groups.nr; i++)
		b->group_of[builder__number(b, b->groups.v[i].at)] = 0;
	t->nr = nr_going_on;
}

static int compare_by_place(const void *x, const void *y, void *arg)
{
	const struct call_node *a = *(const struct call_node *const *)x,
			       *b = *(const struct call_node *const *)y;
	const struct builder *builder = arg;

	return builder->opts->compare_places
		       ? builder->opts->compare_places(builder->opts->ctx, a->places[0], b->places[0])
		       : 0;
}

static int compare_by_total(const void *x, const void *y, void *arg)
{
	const struct call_node *a = *(const struct call_node *const *)x,
			       *b = *(const struct call_node *const *)y;

	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return compare_by_place(x, y, arg);
}

static u64 builder__min_period(const struct builder *b, const struct call_node *parent)
{
	if (!b->opts->is_relative)
		return b->opts->min_period;
	return number__u64(ceil((double)(parent->total - parent->self) * b->opts->min_share));
}

/* Return the places of a new node. */
static const u32 *builder__places(struct builder *b, const struct group *g)
{
	u32 *places = arena__alloc(&b->trees->arena, g->nr_places * sizeof(*places));

	numbers__copy(b->opts->numbers, g->at, b->opts->has_depths ? 2 : 1, places, g->nr_places);
	return places;
}

/* Return how deep each place of a new node is repeated in its paths, at most. */
static const u32 *builder__depths(struct builder *b, const struct group *g, size_t first, u32 depth)
{
	u32 *depths = arena__zalloc(&b->trees->arena, g->nr_places * sizeof(*depths));

	for (size_t i = first; i < first + g->nr; i++) {
		const struct call_path *p = &b->paths[i];

		for (u32 k = 0; k < g->nr_places; k++)
			depths[k] = MAX(depths[k], builder__number(b, builder__at(b, p, depth + k) + 1));
	}
	return depths;
}

/* Return the sums of the flags of each place of a new node. */
static const struct branch_sums *builder__sums(struct builder *b, const struct group *g, size_t first,
					       u32 depth)
{
	struct branch_sums *sums = arena__zalloc(&b->trees->arena, g->nr_places * sizeof(*sums));

	for (size_t i = first; i < first + g->nr; i++)
		for (const struct chain_flags *f = b->flags[i].list; f; f = f->next)
			for (u32 k = 0; k < g->nr_places; k++)
				branch_sums__add(&sums[k], f->flags[b->flags[i].from + depth + k], f->nr);
	return sums;
}

/* Add a child, and a task to build its children, for each group that is large enough. */
static void builder__add_children(struct builder *b, const struct task *t)
{
	u64 min = builder__min_period(b, t->node);
	size_t first = t->first;

	t->node->children = arena__alloc(&b->trees->arena, b->groups.nr * sizeof(*t->node->children));
	for (size_t i = 0; i < b->groups.nr; first += b->groups.v[i++].nr) {
		const struct group *g = &b->groups.v[i];
		struct call_node *child;

		if (g->period < min)
			continue;
		child = arena__zalloc(&b->trees->arena, sizeof(*child));
		child->parent = t->node;
		child->places = builder__places(b, g);
		child->nr_places = g->nr_places;
		if (b->opts->has_depths)
			child->depths = builder__depths(b, g, first, t->depth);
		if (b->flags)
			child->sums = builder__sums(b, g, first, t->depth);
		child->total = g->period;
		child->nr_total = g->nr_samples;
		t->node->children[t->node->nr_children++] = child;
		array__add(&b->tasks,
			   ((struct task){ child, first, g->nr, t->depth + g->nr_places, g->hash }));
	}
	if (t->node->nr_children > 1)
		qsort_r(t->node->children, t->node->nr_children, sizeof(*t->node->children),
			b->opts->by_place ? compare_by_place : compare_by_total, b);
}

/*
 * Reuse the children of an equal branch built before. If there is none, remember this one and return false.
 */
static bool builder__find_branch(struct builder *b, const struct task *t)
{
	struct call_trees *trees = b->trees;
	struct call_branch branch = { .at = builder__at(b, &b->paths[t->first], t->depth),
				      .hash = t->hash,
				      .nr = t->nr,
				      .node = t->node };
	u64 hash = hash__u64(t->hash ^ branch.at);
	u32 i;

	if (b->opts->by_place || b->flags || t->nr < SHARED_MIN)
		return false;
	hash_table__for_each (&trees->table, hash, i) {
		const struct call_branch *old = &trees->branches.v[i];

		if (old->at != branch.at || old->hash != branch.hash || old->nr != branch.nr ||
		    old->node->total != t->node->total || old->node->nr_total != t->node->nr_total)
			continue;
		t->node->children = old->node->children;
		t->node->nr_children = old->node->nr_children;
		t->node->self = old->node->self;
		t->node->nr_self = old->node->nr_self;
		return true;
	}
	hash_table__insert(&trees->table, hash, (u32)trees->branches.nr);
	array__add(&trees->branches, branch);
	return false;
}

static struct call_node *root__new(struct call_trees *t)
{
	struct call_node *root = arena__zalloc(&t->arena, sizeof(*root));

	for (size_t i = 0; i < t->paths.nr; i++) {
		root->total += t->paths.v[i].period;
		root->nr_total += t->paths.v[i].nr;
	}
	return root;
}

static void call_trees__forget(struct call_trees *t)
{
	arena__exit(&t->arena);
	hash_table__exit(&t->table);
	t->branches.nr = 0;
}

void call_trees__exit(struct call_trees *t)
{
	call_trees__forget(t);
	array__exit(&t->paths);
	array__exit(&t->flags);
	array__exit(&t->branches);
	array__exit(&t->group_of);
}

const struct call_node *call_trees__make(struct call_trees *trees, const struct call_tree_opts *opts)
{
	size_t nr = trees->paths.nr;
	struct builder b = { .opts = opts, .trees = trees, .paths = trees->paths.v };
	struct call_node *root;

	if (trees->arena.total > KEPT_BYTES || trees->min_period != opts->min_period)
		call_trees__forget(trees);
	trees->min_period = opts->min_period;
	root = root__new(trees);
	b.moved = xreallocarray(NULL, nr + 1, sizeof(*b.moved));
	if (trees->flags.nr) {
		b.flags = trees->flags.v;
		b.moved_flags = xreallocarray(NULL, nr, sizeof(*b.moved_flags));
	}
	b.group_of_moved = xreallocarray(NULL, nr + 1, sizeof(*b.group_of_moved));
	while (trees->group_of.nr <= opts->nr_places)
		array__add(&trees->group_of, 0);
	b.group_of = trees->group_of.v;
	array__add(&b.tasks, ((struct task){ .node = root, .nr = nr }));
	while (b.tasks.nr) { /* explicit stack: a chain may fill a whole record */
		struct task t = b.tasks.v[--b.tasks.nr];

		if (t.node != root && builder__find_branch(&b, &t))
			continue;
		builder__group(&b, &t);
		builder__add_children(&b, &t);
	}
	free(b.moved);
	free(b.moved_flags);
	free(b.group_of_moved);
	array__exit(&b.groups);
	array__exit(&b.tasks);
	return root;
}

/* ---- lists of chain ends ---- */

struct walk {
	const struct call_node *node;
	u32 next; /* child */
};

/* Collect children before their parent: stock perf's order of equal chains. */
static void call_list__gather(struct call_list *list, const struct call_node *root, u64 min_period)
{
	ARRAY(struct walk) stack = { 0 };

	array__add(&stack, ((struct walk){ root, 0 }));
	while (stack.nr) {
		struct walk *w = &stack.v[stack.nr - 1];
		const struct call_node *n = w->node;

		if (w->next < n->nr_children) {
			const struct call_node *child = n->children[w->next++];

			array__add(&stack, ((struct walk){ child, 0 }));
			continue;
		}
		stack.nr--;
		if (n->self && n->self >= min_period)
			array__add(&list->v, n);
	}
	array__exit(&stack);
}

/* Merge sort, because it is stable. */
static void sort_ends(const struct call_node **v, const struct call_node **tmp, size_t nr)
{
	size_t half = nr / 2, a = 0, b = half, k = 0;

	if (nr < 2)
		return;
	sort_ends(v, tmp, half);
	sort_ends(v + half, tmp, nr - half);
	while (a < half && b < nr)
		tmp[k++] = v[b]->self > v[a]->self ? v[b++] : v[a++];
	while (a < half)
		tmp[k++] = v[a++];
	while (b < nr)
		tmp[k++] = v[b++];
	memcpy(v, tmp, nr * sizeof(*v));
}

void call_list__make(struct call_list *list, const struct call_node *root, u64 min_period)
{
	const struct call_node **tmp;

	*list = (struct call_list){ .v.v = NULL };
	call_list__gather(list, root, min_period);
	tmp = xreallocarray(NULL, list->v.nr + 1, sizeof(*tmp));
	sort_ends(list->v.v, tmp, list->v.nr);
	free(tmp);
}

void call_list__exit(struct call_list *list)
{
	array__exit(&list->v);
}
