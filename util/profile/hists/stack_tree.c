#include "profile/hists/stack_tree.h"

#include "profile/hists/hists_private.h"

/* Append the places of a chain up to one position, the last one first. Return where they begin. */
static u32 stack_tree__reverse(struct stack_tree *t, const struct view *v, u32 begin, u32 nr)
{
	u32 stride = chains__stride(&v->chains), at = (u32)t->numbers.nr;

	for (u32 i = nr; i--;)
		for (u32 k = 0; k < stride; k++) {
			u32 number = numbers__get(&v->chains.v, begin + i * stride + k);

			numbers__add(&t->numbers, &number, 1);
		}
	return at;
}

static void stack_tree__add(struct stack_tree *t, const struct view *v, const struct path_ref *ref,
			    bool is_reversed)
{
	const struct fold *f = &v->folds.v[ref->fold];
	u32 begin, nr = chains__graph(&v->chains, f->chain, &begin);
	struct call_path path = { .period = f->period, .nr = f->nr };

	if (is_reversed) {
		path.at = stack_tree__reverse(t, v, begin, ref->from + 1);
		path.nr_places = ref->from + 1;
	} else {
		path.at = begin + ref->from * chains__stride(&v->chains);
		path.nr_places = nr - ref->from;
	}
	array__add(&t->trees.paths, path);
}

void stack_tree__make(struct stack_tree *t, struct view *v, const struct hists *h, const struct hist_entry *e,
		      enum stack_tree_kind kind, u64 min_period)
{
	bool is_reversed = v->opts.chain.caller_first == (kind != STACK_CALLEES);
	path_refs paths = { 0 };

	*t = (struct stack_tree){ 0 };
	view__find_paths(v, h, e, kind == STACK_CALLERS_OF_SELF, &paths);
	for (size_t i = 0; i < paths.nr; i++)
		stack_tree__add(t, v, &paths.v[i], is_reversed);
	array__exit(&paths);
	t->root = view__make_tree(v, is_reversed ? &t->numbers : &v->chains.v, min_period, false, &t->trees);
}

void stack_tree__exit(struct stack_tree *t)
{
	call_trees__exit(&t->trees);
	numbers__exit(&t->numbers);
	*t = (struct stack_tree){ 0 };
}
