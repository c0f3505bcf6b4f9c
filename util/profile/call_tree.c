#include "profile/call_tree.h"

#include <math.h>
#include <string.h>

enum { AHEAD = 12 }; /* paths: their places are all over the memory */

/* The paths of a node that has its first place only: they agree in depth places. */
struct task {
	struct call_node *node;
	size_t first, nr; /* in builder.paths */
	u32 depth;
};

struct group { /* paths of a node that go on with the same place */
	u32 place;
	size_t nr;
	size_t fill;
	u64 period, nr_samples;
};

struct builder {
	const struct call_tree_opts *opts;
	struct arena *arena;
	struct call_path *paths, *moved; /* moved: room for as many */
	u32 *group_of_moved;
	u32 *group_of; /* by place: number of its group + 1; 0 outside of group_paths */
	ARRAY(struct group) groups;
	ARRAY(struct task) tasks;
};

/* How many places all paths of the task go on with. Each path is looked at once: most of what is inlined has no branches. */
static u32 task__common(const struct builder *b, const struct task *t)
{
	const struct call_path *p = b->paths + t->first;
	const u32 *places = p[0].places + t->depth;
	u32 nr = p[0].nr_places - t->depth;

	for (size_t i = 1; i < t->nr && nr; i++) {
		const u32 *other = p[i].places + t->depth;
		u32 k = 0, max = MIN(nr, p[i].nr_places - t->depth);

		if (i + AHEAD < t->nr)
			__builtin_prefetch(p[i + AHEAD].places + t->depth);
		while (k < max && other[k] == places[k])
			k++;
		nr = k;
	}
	return nr;
}

/* Counts what ends in the node, and groups the other paths by what comes next. They are left in the task, group by group. */
static void builder__group(struct builder *b, struct task *t)
{
	struct call_path *p = b->paths + t->first;
	size_t at = 0, nr_going_on = 0;

	b->groups.nr = 0;
	for (size_t i = 0; i < t->nr; i++) {
		struct group *g;
		u32 place;

		if (i + AHEAD < t->nr)
			__builtin_prefetch(p[i + AHEAD].places + t->depth);
		if (p[i].nr_places == t->depth) {
			t->node->self += p[i].period;
			t->node->nr_self += p[i].nr;
			continue;
		}
		place = p[i].places[t->depth];
		if (!b->group_of[place]) {
			g = array__push(&b->groups);
			*g = (struct group){ .place = place };
			b->group_of[place] = (u32)b->groups.nr;
		}
		g = &b->groups.v[b->group_of[place] - 1];
		g->nr++;
		g->period += p[i].period;
		g->nr_samples += p[i].nr;
		b->group_of_moved[nr_going_on] = b->group_of[place] - 1;
		b->moved[nr_going_on++] = p[i];
	}
	for (size_t i = 0; i < b->groups.nr; i++) {
		b->groups.v[i].fill = at;
		at += b->groups.v[i].nr;
	}
	for (size_t i = 0; i < nr_going_on; i++)
		p[b->groups.v[b->group_of_moved[i]].fill++] = b->moved[i];
	for (size_t i = 0; i < b->groups.nr; i++)
		b->group_of[b->groups.v[i].place] = 0;
	t->nr = nr_going_on;
}

static int compare_by_place(const void *x, const void *y, void *arg)
{
	const struct call_node *a = *(const struct call_node *const *)x, *b = *(const struct call_node *const *)y;
	const struct builder *builder = arg;

	return builder->opts->compare_places ?
		       builder->opts->compare_places(builder->opts->ctx, a->places[0], b->places[0]) : 0;
}

static int compare_by_total(const void *x, const void *y, void *arg)
{
	const struct call_node *a = *(const struct call_node *const *)x, *b = *(const struct call_node *const *)y;

	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return compare_by_place(x, y, arg);
}

static u64 builder__min_period(const struct builder *b, const struct call_node *parent)
{
	if (!b->opts->is_relative)
		return b->opts->min_period;
	return (u64)ceil((double)(parent->total - parent->self) * b->opts->min_share);
}

/* A child for each group that is large enough, and a task to make its own children. */
static void builder__add_children(struct builder *b, const struct task *t)
{
	u64 min = builder__min_period(b, t->node);
	size_t first = t->first;

	t->node->children = arena__alloc(b->arena, b->groups.nr * sizeof(*t->node->children));
	for (size_t i = 0; i < b->groups.nr; first += b->groups.v[i++].nr) {
		const struct group *g = &b->groups.v[i];
		struct call_node *child;

		if (g->period < min)
			continue;
		child = arena__zalloc(b->arena, sizeof(*child));
		child->parent = t->node;
		child->places = b->paths[first].places + t->depth;
		child->nr_places = 1;
		child->total = g->period;
		child->nr_total = g->nr_samples;
		t->node->children[t->node->nr_children++] = child;
		array__add(&b->tasks, ((struct task){ child, first, g->nr, t->depth + 1 }));
	}
	if (t->node->nr_children > 1)
		qsort_r(t->node->children, t->node->nr_children, sizeof(*t->node->children),
			b->opts->by_place ? compare_by_place : compare_by_total, b);
}

const struct call_node *call_tree__build(const struct call_path *paths, size_t nr, const struct call_tree_opts *opts,
					 struct arena *arena)
{
	struct builder b = { .opts = opts, .arena = arena };
	struct call_node *root = arena__zalloc(arena, sizeof(*root));

	b.paths = xreallocarray(NULL, nr * 2 + 1, sizeof(*b.paths));
	b.moved = b.paths + nr;
	b.group_of_moved = xreallocarray(NULL, nr + 1, sizeof(*b.group_of_moved));
	b.group_of = xcalloc(opts->nr_places + 1, sizeof(*b.group_of));
	for (size_t i = 0; i < nr; i++) {
		b.paths[i] = paths[i];
		root->total += paths[i].period;
		root->nr_total += paths[i].nr;
	}
	array__add(&b.tasks, ((struct task){ root, 0, nr, 0 }));
	while (b.tasks.nr) { /* no recursion: a chain may be as long as a record has room for */
		struct task t = b.tasks.v[--b.tasks.nr];

		if (t.node != root) {
			u32 nr_common = task__common(&b, &t);

			t.node->nr_places += nr_common;
			t.depth += nr_common;
		}
		builder__group(&b, &t);
		builder__add_children(&b, &t);
	}
	free(b.paths);
	free(b.group_of_moved);
	free(b.group_of);
	array__exit(&b.groups);
	array__exit(&b.tasks);
	return root;
}

/* ---- lists of chain ends ---- */

struct walk {
	const struct call_node *node;
	u32 next; /* child */
};

/* Children before their parent, as the order of equal ones is in stock perf. */
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

/* Merge sort: equal ones keep their order. */
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
