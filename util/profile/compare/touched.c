#include "profile/compare/touched.h"

#include <math.h>
#include <stdlib.h>

/* ---- the functions themselves ---- */

struct line_of_row {
	u32 row;
	u32 file; /* index of paths, then of the commit's files */
	u32 line;
};

struct side_lines {
	ARRAY(struct line_of_row) v;
	ARRAY(const char *) paths; /* each once */
	ARRAY(u32) files;          /* of paths */
};

static void side_lines__collect(struct side_lines *l, const struct comparison *c, u32 side)
{
	u32 *path_of_name = xcalloc(c->names.strings.nr + 1, sizeof(*path_of_name)); /* + 1 */

	for (size_t r = 0; r < c->recordings.nr; r++) {
		const struct function_costs *costs = &c->recordings.v[r].costs;

		for (size_t i = 0; i < costs->lines.nr && c->recordings.v[r].side == side; i++) {
			const struct function_line *line = &costs->lines.v[i];
			u32 *path = &path_of_name[line->file];

			if (!*path) {
				array__add(&l->paths, strpool__get(&c->names, line->file));
				*path = (u32)l->paths.nr;
			}
			array__add(&l->v, ((struct line_of_row){ line->function, *path - 1, line->line }));
		}
	}
	free(path_of_name);
}

static void compared__touch(struct compared *row, enum touch touch, const char *used)
{
	if (touch <= row->touch)
		return;
	row->touch = touch;
	row->used = used;
}

static int touch_side(struct comparison *c, struct source_change *change, u32 side, struct err *err)
{
	struct side_lines l = { 0 };
	int ret;

	side_lines__collect(&l, c, side);
	l.files.v = xcalloc(l.paths.nr + 1, sizeof(*l.files.v));
	source_change__find_files(change, side, l.paths.v, l.paths.nr, l.files.v);
	ret = change->names.nr ? source_change__read_files(change, side, l.files.v, l.paths.nr, err) : 0;
	for (size_t i = 0; i < l.v.nr && !ret; i++) {
		const struct line_of_row *line = &l.v.v[i];
		const char *used;
		enum touch touch =
			source_change__touch(change, side, l.files.v[line->file], line->line, &used);

		compared__touch(&c->rows.v[line->row], touch, used);
	}
	array__exit(&l.v);
	array__exit(&l.paths);
	array__exit(&l.files);
	return ret;
}

/* ---- their callers and callees ---- */

struct touched_pair { /* a row, and a touched one that calls it or is called by it */
	u32 row, touched;
	bool is_caller;
	double change; /* of the cost of the calls */
};

struct pairs {
	ARRAY(struct touched_pair) v;
	struct hash_table table;
	ARRAY(u32) stamps; /* by row: the last stack that counted it */
};

static void pairs__add(struct pairs *p, u32 row, u32 touched, bool is_caller, double change)
{
	u64 hash = hash__add((u64)row << 32 | touched, is_caller);
	u32 i;

	hash_table__for_each (&p->table, hash, i) {
		struct touched_pair *v = &p->v.v[i];

		if (v->row == row && v->touched == touched && v->is_caller == is_caller) {
			v->change += change;
			return;
		}
	}
	hash_table__insert(&p->table, hash, (u32)p->v.nr);
	array__add(&p->v, ((struct touched_pair){ row, touched, is_caller, change }));
}

/* Add the callers of a touched stack up to the next touched one. */
static void pairs__add_callers(struct pairs *p, const struct comparison *c, u32 stack, double change)
{
	const struct function_stack *v = c->stacks.v.v;
	u32 touched = v[stack].function;

	for (u32 at = v[stack].parent; at; at = v[at].parent) {
		u32 row = v[at].function;

		if (compared__is_touched(&c->rows.v[row]))
			return;
		if (p->stamps.v[row] == stack)
			continue;
		p->stamps.v[row] = stack;
		pairs__add(p, row, touched, false, change);
	}
}

/*
 * For each function that was not touched, find the touched one nearest to it in the stacks, whose calls
 * changed most in cost.
 */
static void find_neighbours(struct comparison *c)
{
	size_t nr = c->stacks.v.nr;
	const struct function_stack *v = c->stacks.v.v;
	double *changes = xcalloc(nr + 1, sizeof(*changes)); /* of costs, with callees */
	u32 *nearest = xcalloc(nr + 1, sizeof(*nearest));    /* touched caller's stack; 0: none */
	double *most = xcalloc(c->rows.nr * 2 + 1, sizeof(*most));
	struct pairs p = { 0 };

	for (size_t i = 0; i < c->rows.nr; i++)
		array__add(&p.stamps, 0);
	for (size_t i = nr; i-- > 1;) {
		changes[i] += v[i].cost[COMPARE_NEW] / c->self.common - v[i].cost[COMPARE_OLD];
		changes[v[i].parent] += changes[i];
	}
	for (u32 i = 1; i < nr; i++) {
		if (compared__is_touched(&c->rows.v[v[i].function])) {
			nearest[i] = i;
			pairs__add_callers(&p, c, i, changes[i]);
			continue;
		}
		nearest[i] = nearest[v[i].parent];
		if (nearest[i])
			pairs__add(&p, v[i].function, v[nearest[i]].function, true, changes[i]);
	}
	for (size_t i = 0; i < p.v.nr; i++) {
		const struct touched_pair *pair = &p.v.v[i];
		struct compared *row = &c->rows.v[pair->row];
		double *best = &most[pair->row * 2 + pair->is_caller];
		u32 *found = pair->is_caller ? &row->touched_caller : &row->touched_callee;

		if (*found != COMPARE_NO_ROW && fabs(pair->change) <= *best)
			continue;
		*best = fabs(pair->change);
		*found = pair->touched;
	}
	free(changes);
	free(nearest);
	free(most);
	array__exit(&p.v);
	array__exit(&p.stamps);
	hash_table__exit(&p.table);
}

int comparison__find_touched(struct comparison *c, struct source_change *change, struct err *err)
{
	int ret = 0;

	for (size_t i = 0; i < c->rows.nr; i++)
		c->rows.v[i].touch = TOUCH_UNKNOWN;
	for (u32 side = 0; side < 2 && !ret; side++)
		ret = touch_side(c, change, side, err);
	if (ret)
		return ret;
	c->change = change;
	find_neighbours(c);
	return 0;
}
