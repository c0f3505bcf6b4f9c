#include "profile/trees/stacks.h"

#include "base/memory/hash.h"
#include "profile/waits/wait_kinds.h"

void stacks__init(struct stacks *s, struct session *session, const struct stacks_opts *opts)
{
	const struct places_opts places = { .graph_key =
						    opts->by_function ? GRAPH_BY_FUNCTION : GRAPH_BY_ADDRESS,
					    .inlines = opts->inlines,
					    .lines = opts->lines,
					    .starts = opts->starts,
					    .full_paths = true,
					    .exact = !opts->by_function };

	*s = (struct stacks){ .max_stack = opts->max_stack };
	places__init(&s->places, session, &places);
	chains__init(&s->chains);
	array__add(&s->v, ((struct stack_node){ 0 }));
}

void stacks__exit(struct stacks *s)
{
	places__exit(&s->places);
	chains__exit(&s->chains);
	array__exit(&s->v);
	hash_table__exit(&s->table);
	array__exit(&s->path);
	array__exit(&s->known);
	hash_table__exit(&s->by_chain);
}

static u32 stacks__node(struct stacks *s, u32 parent, u32 place)
{
	u64 hash = hash__u64((u64)parent << 32 | place);
	u32 i;

	hash_table__for_each (&s->table, hash, i)
		if (s->v.v[i].parent == parent && s->v.v[i].place == place)
			return i;
	i = (u32)s->v.nr;
	hash_table__insert(&s->table, hash, i);
	array__add(&s->v, ((struct stack_node){ parent, place }));
	return i;
}

/* Return the stack of nr places, the innermost first. */
static u32 stacks__add_path(struct stacks *s, const u32 *places, u32 nr)
{
	u32 stack = STACK_NONE, depth = 0;

	while (nr-- > 0) {
		if (depth == s->path.nr || s->path.v[depth].place != places[nr]) {
			s->path.nr = depth;
			stack = stacks__node(s, stack, places[nr]);
			array__add(&s->path, ((struct stack_step){ places[nr], stack }));
		}
		stack = s->path.v[depth++].stack;
	}
	return stack;
}

u32 stacks__add(struct stacks *s, const struct row *row)
{
	const struct chain_opts opts = { .max_stack = s->max_stack };
	const u32 *places;
	u32 nr;

	if (row->key.nr_chain && chains__look_up(&s->chains, &s->places, row, &opts) &&
	    s->chains.scratch.nr) {
		places = s->chains.scratch.v;
		nr = (u32)s->chains.scratch.nr;
	} else {
		struct row_space space = places__space(&s->places, row, (u8)row->key.cpumode);

		places = places__frames(&s->places, &space, row->key.ip, false, &nr);
	}
	return stacks__add_path(s, places, nr);
}

u32 stacks__add_wait(struct stacks *s, const struct row *row)
{
	const struct chain_opts opts = { .max_stack = s->max_stack };
	struct row_space space = places__space(&s->places, row, (u8)row->key.cpumode);
	u32 leaf = places__leaf(&s->places, &space, row->key.ip);

	chains__look_up_wait(&s->chains, &s->places, row, &opts, &leaf);
	if (places__get(&s->places, leaf)->wait == WAIT_FOR_EVER)
		return STACK_NONE;
	return stacks__add_path(s, s->chains.scratch.v, (u32)s->chains.scratch.nr);
}

u32 stacks__add_stand_in(struct stacks *s, u8 kind)
{
	u32 place = places__stand_in(&s->places, kind);

	return stacks__add_path(s, &place, 1);
}

u32 stacks__idle(struct stacks *s, u32 stack)
{
	struct stack_node node = s->v.v[stack];

	return stacks__node(
		s, node.parent,
		places__waiting(&s->places, node.place, places__get(&s->places, node.place)->wait, true));
}

u32 stacks__add_once(struct stacks *s, const struct row_table *t, u32 i, const struct row *row)
{
	u64 hash = row_key__stack_hash(&row->key, row->chain);
	u32 k, stack;

	if (row->extra.nr) /* may have a part of the stack */
		return stacks__add(s, row);
	hash_table__for_each (&s->by_chain, hash, k)
		if (row_table__has_stack(t, s->known.v[k].row, &row->key, row->chain))
			return s->known.v[k].stack;
	stack = stacks__add(s, row);
	hash_table__insert(&s->by_chain, hash, (u32)s->known.nr);
	array__add(&s->known, ((struct stack_of_row){ i, stack }));
	return stack;
}
