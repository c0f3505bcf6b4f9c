#include "pgo/source_tree.h"

#include "pgo/block_counts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	INLINED_MAX = 256, /* nesting; debug information may be hostile */
	WANTS = DWARF_WANTS_LINE | DWARF_WANTS_INLINED | DWARF_WANTS_DECL,
};

/* ---- discriminators ---- */

/*
 * LLVM puts three numbers into a discriminator, the lowest bits first. An even one: 5 bits, or 12 if bit 6 is
 * set; an odd one is 0 in one bit. (include/llvm/IR/DebugInfoMetadata.h: DILocation)
 */
static u32 take_number(u32 *discriminator)
{
	u32 d = *discriminator, low = d >> 1 & 0x1f;
	bool is_long = d & 0x40;

	if (d & 1) {
		*discriminator = d >> 1;
		return 0;
	}
	*discriminator = is_long ? d >> 14 : d >> 7;
	return is_long ? (d >> 2 & 0xfe0) | low : low;
}

static struct source_spot source_tree__spot(const struct source_tree *t, u32 line, u32 decl_line,
					    u32 discriminator)
{
	discriminator = t->opts.llvm_discriminators ? take_number(&discriminator) : discriminator & 0xffff;
	return (struct source_spot){ (line - decl_line) & 0xffff, discriminator };
}

/* Return how many copies of a line's code there are, each of which ran a part of its count. */
static u32 source_tree__nr_copies(const struct source_tree *t, u32 discriminator)
{
	u32 nr;

	if (!t->opts.llvm_discriminators)
		return 1;
	take_number(&discriminator);
	nr = take_number(&discriminator);
	return nr ? nr : 1;
}

/* ---- names ---- */

static const struct symbol *source_tree__symbol(const struct source_tree *t, u64 addr)
{
	return symbolizer__find(&t->use->session->symbolizer, t->use->dso, addr);
}

static bool is_mangled(const char *name)
{
	return name[0] == '_' && name[1] == 'Z';
}

/* Names that are equal are one pointer. */
static const char *source_tree__name(struct source_tree *t, const char *name)
{
	size_t len = strlen(name), end = t->opts.gcc_names ? strcspn(name, ".") : 0;

	return strpool__get(&t->names, strpool__internn(&t->names, name, end ? end : len));
}

/* Return the linker name of the function at an address, which debug information calls so. */
static const char *source_tree__linker_name(struct source_tree *t, u64 addr, const char *name)
{
	const struct symbol *sym;

	if (t->opts.gcc_names && !is_mangled(name)) {
		sym = source_tree__symbol(t, addr);
		if (sym && is_mangled(symtab__name(&t->use->dso->symtab, sym)))
			name = symtab__name(&t->use->dso->symtab, sym);
	}
	return source_tree__name(t, name);
}

/* ---- bodies and points ---- */

static bool spots_are_equal(struct source_spot a, struct source_spot b)
{
	return a.line == b.line && a.discriminator == b.discriminator;
}

static u64 spot__hash(u64 hash, struct source_spot s)
{
	return hash__add(hash, (u64)s.line << 32 | s.discriminator);
}

/* name: of source_tree__name. */
static u32 source_tree__body(struct source_tree *t, u32 parent, struct source_spot call, const char *name)
{
	u64 hash = spot__hash(hash__add(parent, (uintptr_t)name), call);
	u32 i;

	hash_table__for_each (&t->by_body, hash, i)
		if (t->v.v[i].parent == parent && t->v.v[i].name == name &&
		    spots_are_equal(t->v.v[i].call, call))
			return i;
	i = (u32)t->v.nr;
	hash_table__insert(&t->by_body, hash, i);
	array__add(&t->v, ((struct source_body){ .name = name, .parent = parent, .call = call }));
	return i;
}

static u32 source_tree__find_point(struct source_tree *t, u32 body, struct source_spot spot)
{
	u64 hash = spot__hash(body, spot);
	u32 i;

	hash_table__for_each (&t->by_point, hash, i)
		if (t->points.v[i].body == body && spots_are_equal(t->points.v[i].spot, spot))
			return i;
	i = (u32)t->points.nr;
	hash_table__insert(&t->by_point, hash, i);
	array__add(&t->points, ((struct source_point){ .body = body, .spot = spot }));
	return i;
}

/*
 * Return the function that contains a dso address, and set *at; SOURCE_NONE: it is unknown.
 */
static u32 source_tree__function(struct source_tree *t, u64 addr, struct source_line *at)
{
	struct dwarf_lines *lines = symbolizer__lines(&t->use->session->symbolizer, t->use->dso);

	if (!lines || !dwarf_lines__find(lines, addr, WANTS, at) || !at->function || !at->function->decl_line)
		return SOURCE_NONE;
	return source_tree__body(t, SOURCE_NONE, (struct source_spot){ 0 },
				 source_tree__linker_name(t, addr, at->function->name));
}

/* Return the point of an address, or SOURCE_NONE. */
static u32 source_tree__point_at(struct source_tree *t, u64 addr, u32 *nr_copies)
{
	const struct inlined *chain[INLINED_MAX];
	struct source_line at;
	u32 body = source_tree__function(t, addr, &at), decl_line, nr = 0;

	if (body == SOURCE_NONE || !at.file)
		return SOURCE_NONE;
	for (const struct inlined *i = at.inlined; i; i = i->caller) {
		if (nr == INLINED_MAX || !i->decl_line)
			return SOURCE_NONE;
		chain[nr++] = i;
	}
	decl_line = at.function->decl_line;
	while (nr-- > 0) {
		struct source_spot call =
			source_tree__spot(t, chain[nr]->call_line, decl_line, chain[nr]->call_discriminator);

		body = source_tree__body(t, body, call, source_tree__name(t, chain[nr]->name));
		decl_line = chain[nr]->decl_line;
	}
	*nr_copies = source_tree__nr_copies(t, at.discriminator);
	return source_tree__find_point(t, body, source_tree__spot(t, at.line, decl_line, at.discriminator));
}

/* ---- counts ---- */

/* Let the points of code that ran nr times have at least this count. */
static void source_tree__add_range(struct source_tree *t, u64 start, u64 end, u64 nr, u64_array *borders)
{
	borders->nr = 0;
	array__add(borders, start);
	symbolizer__line_borders(&t->use->session->symbolizer, t->use->dso, start, end, WANTS, borders);
	qsort(borders->v, borders->nr, sizeof(*borders->v), u64__compare);
	for (size_t i = 0; i < borders->nr; i++) {
		u32 nr_copies, point;

		if (i && borders->v[i] == borders->v[i - 1])
			continue;
		point = source_tree__point_at(t, borders->v[i], &nr_copies);
		if (point != SOURCE_NONE)
			t->points.v[point].nr = MAX(t->points.v[point].nr, nr * nr_copies);
	}
}

struct range_end { /* at addr, nr executions begin or end, or functions that ran */
	u64 addr;
	s64 nr;
	int nr_functions;
};
typedef ARRAY(struct range_end) range_ends;

static int range_end__compare(const void *x, const void *y)
{
	const struct range_end *a = x, *b = y;

	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

static void add_ends(range_ends *ends, u64 start, u64 end, u64 nr, int nr_functions)
{
	if (end < start) /* the last address there is, which has no code */
		return;
	array__add(ends, ((struct range_end){ start, (s64)nr, nr_functions }));
	array__add(ends, ((struct range_end){ end, -(s64)nr, -nr_functions }));
}

/*
 * Cut blocks into ranges that ran equally often. The other code of their functions ran 0 times, which
 * compilers distinguish from code of which nothing is known.
 */
static void source_tree__add_blocks(struct source_tree *t, const struct code_counts *c)
{
	const struct symbol *last = NULL;
	range_ends ends = { 0 };
	u64_array borders = { 0 };
	int nr_functions = 0;
	s64 nr = 0;

	for (size_t i = 0; i < c->v.nr; i++) {
		const struct symbol *sym = source_tree__symbol(t, c->v.v[i].from);

		add_ends(&ends, c->v.v[i].from, c->v.v[i].to + 1, c->v.v[i].nr, 1);
		if (sym && sym != last)
			add_ends(&ends, sym->start, sym->start + sym->size, 0, 1);
		last = sym;
	}
	if (ends.nr)
		qsort(ends.v, ends.nr, sizeof(*ends.v), range_end__compare);
	for (size_t i = 0; i + 1 < ends.nr; i++) {
		nr += ends.v[i].nr;
		nr_functions += ends.v[i].nr_functions;
		if (nr_functions && ends.v[i + 1].addr > ends.v[i].addr)
			source_tree__add_range(t, ends.v[i].addr, ends.v[i + 1].addr, (u64)nr, &borders);
	}
	array__exit(&ends);
	array__exit(&borders);
}

/* ---- calls and entries ---- */

static void source_tree__add_target(struct source_tree *t, u64 from, const char *name, u64 nr)
{
	u32 nr_copies, point = source_tree__point_at(t, from, &nr_copies);

	if (point != SOURCE_NONE)
		array__add(&t->targets, ((struct source_target){ point, source_tree__name(t, name), nr }));
}

/* Add a branch if it is a call, or another way into a function. */
static void source_tree__add_branch(struct source_tree *t, const struct code_count *b)
{
	const struct symbol *to = b->to == CODE_ELSEWHERE ? NULL : source_tree__symbol(t, b->to);
	struct source_line at;
	u32 function, caller = SOURCE_NONE;

	if (!to || to->start != b->to)
		return;
	function = source_tree__function(t, b->to, &at);
	if (function == SOURCE_NONE)
		return;
	if (b->from != CODE_ELSEWHERE)
		caller = source_tree__function(t, b->from, &at);
	/* else it is a loop, or a jump to the part with code that seldom runs */
	if (caller == function && !block_counts__is_call(t->use, b->from))
		return;
	t->v.v[function].head += b->nr;
	if (b->from != CODE_ELSEWHERE && !(t->opts.only_pointers && block_counts__is_direct(t->use, b->from)))
		source_tree__add_target(t, b->from, t->v.v[function].name, b->nr);
}

/*
 * Return how often a call of a chain ran: its part of the callee's entries, as of the callee's samples. A
 * costly function has many samples of few calls.
 */
static u64 source_tree__nr_calls(struct source_tree *t, const struct code_count *c, const u64 *samples)
{
	const struct code_callee *callee = &t->use->callees.v[c->to];
	struct source_line at;
	u32 function = callee->dso == t->use->dso && !t->use->args->as_sampled
			       ? source_tree__function(t, callee->sym->start, &at)
			       : SOURCE_NONE;
	u64 head = function == SOURCE_NONE ? 0 : t->v.v[function].head;

	return head ? (u64)((double)head * (double)c->nr / (double)samples[c->to]) + 1 : c->nr;
}

static void source_tree__add_chain_calls(struct source_tree *t)
{
	const struct code_use *u = t->use;
	u64 *samples = xcalloc(u->callees.nr + 1, sizeof(*samples)); /* of each callee */

	for (size_t i = 0; i < u->calls.v.nr; i++)
		samples[u->calls.v.v[i].to] += u->calls.v.v[i].nr;
	for (size_t i = 0; i < u->calls.v.nr; i++) {
		const struct code_count *c = &u->calls.v.v[i];
		const struct code_callee *callee = &u->callees.v[c->to];
		const char *name = symtab__name(&callee->dso->symtab, callee->sym);

		/* "free@GLIBC_2.2.5" is of a library, which the compiler cannot inline */
		if (!strchr(name, '@') && !(t->opts.only_pointers && block_counts__is_direct(u, c->from)))
			source_tree__add_target(t, c->from, name, source_tree__nr_calls(t, c, samples));
	}
	free(samples);
}

/* Without branches: a function was entered as often as its first instruction ran. */
static void source_tree__guess_heads(struct source_tree *t, const struct code_counts *blocks)
{
	const struct symbol *last = NULL;

	for (size_t i = 0; i < blocks->v.nr; i++) {
		const struct symbol *sym = source_tree__symbol(t, blocks->v.v[i].from);
		struct source_line at;
		u32 function;

		if (!sym || sym == last)
			continue;
		last = sym;
		function = source_tree__function(t, sym->start, &at);
		if (function != SOURCE_NONE && blocks->v.v[i].from == sym->start)
			t->v.v[function].head = MAX(t->v.v[function].head, blocks->v.v[i].nr);
	}
}

/* ---- the finished tree ---- */

static int spot__compare(struct source_spot a, struct source_spot b)
{
	if (a.line != b.line)
		return a.line < b.line ? -1 : 1;
	return a.discriminator < b.discriminator ? -1 : a.discriminator > b.discriminator;
}

static int compare_targets(const void *x, const void *y)
{
	const struct source_target *a = x, *b = y;

	if (a->point != b->point)
		return a->point < b->point ? -1 : 1;
	return strcmp(a->name, b->name);
}

static int compare_targets_by_nr(const void *x, const void *y)
{
	const struct source_target *a = x, *b = y;

	if (a->point != b->point)
		return a->point < b->point ? -1 : 1;
	if (a->nr != b->nr)
		return a->nr > b->nr ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* Add up targets of one name, and give them to their points. */
static void source_tree__sort_targets(struct source_tree *t)
{
	struct source_target *v = t->targets.v;
	size_t last = 0;

	if (!t->targets.nr)
		return;
	qsort(v, t->targets.nr, sizeof(*v), compare_targets);
	for (size_t i = 1; i < t->targets.nr; i++) {
		if (compare_targets(&v[last], &v[i]))
			v[++last] = v[i];
		else
			v[last].nr += v[i].nr;
	}
	t->targets.nr = last + 1;
	qsort(v, t->targets.nr, sizeof(*v), compare_targets_by_nr);
	for (size_t i = 0; i < t->targets.nr; i++) {
		struct source_point *p = &t->points.v[v[i].point];

		if (!p->nr_targets++)
			p->first_target = (u32)i;
	}
	for (size_t i = 0; i < t->points.nr; i++) {
		struct source_point *p = &t->points.v[i];
		u64 sum = 0;

		for (u32 k = 0; k < p->nr_targets; k++)
			sum += v[p->first_target + k].nr;
		if (t->use->has_branches && t->opts.sum_of_calls)
			p->nr = MAX(p->nr, sum);
	}
}

/*
 * The numbers of calls of chains are estimated otherwise than the counts of lines: scale them to that of the
 * line.
 */
static void source_tree__scale_targets(struct source_tree *t)
{
	for (size_t i = 0; t->targets.nr && i < t->points.nr; i++) {
		struct source_point *p = &t->points.v[i];
		struct source_target *v = &t->targets.v[p->first_target];
		u64 sum = 0;

		for (u32 k = 0; k < p->nr_targets; k++)
			sum += v[k].nr;
		for (u32 k = 0; k < p->nr_targets; k++)
			v[k].nr = (u64)((double)v[k].nr * (double)p->nr / (double)sum);
		while (p->nr_targets && !v[p->nr_targets - 1].nr)
			p->nr_targets--;
	}
}

static int compare_points(const void *x, const void *y, void *tree)
{
	const struct source_tree *t = tree;
	const struct source_point *a = &t->points.v[*(const u32 *)x], *b = &t->points.v[*(const u32 *)y];

	if (a->body != b->body)
		return a->body < b->body ? -1 : 1;
	return spot__compare(a->spot, b->spot);
}

static int compare_inlined(const void *x, const void *y, void *tree)
{
	const struct source_tree *t = tree;
	const struct source_body *a = &t->v.v[*(const u32 *)x], *b = &t->v.v[*(const u32 *)y];
	int ret;

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	ret = spot__compare(a->call, b->call);
	return ret ? ret : strcmp(a->name, b->name);
}

static int compare_functions(const void *x, const void *y, void *tree)
{
	const struct source_tree *t = tree;
	const struct source_body *a = &t->v.v[*(const u32 *)x], *b = &t->v.v[*(const u32 *)y];

	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* Parents have lower numbers than what is inlined into them. */
static void source_tree__add_up(struct source_tree *t)
{
	for (size_t i = 0; i < t->points.nr; i++)
		t->v.v[t->points.v[i].body].total += t->points.v[i].nr;
	for (size_t i = t->v.nr; i-- > 0;)
		if (t->v.v[i].parent != SOURCE_NONE)
			t->v.v[t->v.v[i].parent].total += t->v.v[i].total;
}

static void source_tree__sort(struct source_tree *t, u32 *v, size_t nr,
			      int (*compare)(const void *x, const void *y, void *tree))
{
	if (nr)
		qsort_r(v, nr, sizeof(*v), compare, t);
}

/* Leave functions without counts out. */
static void source_tree__order(struct source_tree *t)
{
	for (u32 i = 0; i < t->points.nr; i++)
		array__add(&t->point_order, i);
	for (u32 i = 0; i < t->v.nr; i++)
		if (t->v.v[i].parent != SOURCE_NONE)
			array__add(&t->inlined_order, i);
		else if (t->v.v[i].total)
			array__add(&t->functions, i);
	source_tree__sort(t, t->point_order.v, t->point_order.nr, compare_points);
	source_tree__sort(t, t->inlined_order.v, t->inlined_order.nr, compare_inlined);
	source_tree__sort(t, t->functions.v, t->functions.nr, compare_functions);
	for (u32 i = 0; i < t->point_order.nr; i++) {
		struct source_body *b = &t->v.v[t->points.v[t->point_order.v[i]].body];

		if (!b->nr_points++)
			b->first_point = i;
	}
	for (u32 i = 0; i < t->inlined_order.nr; i++) {
		struct source_body *b = &t->v.v[t->v.v[t->inlined_order.v[i]].parent];

		if (!b->nr_inlined++)
			b->first_inlined = i;
	}
}

int source_tree__build(struct source_tree *t, const struct code_use *u, const struct source_tree_opts *opts,
		       struct err *err)
{
	struct code_counts estimated = { 0 };
	const struct code_counts *blocks;

	*t = (struct source_tree){ .use = u, .opts = *opts };
	strpool__init(&t->names);
	if (!u->has_branches)
		block_counts__estimate(u, &estimated);
	blocks = u->has_branches ? &u->blocks : &estimated;
	source_tree__add_blocks(t, blocks);
	if (!u->has_branches)
		source_tree__guess_heads(t, blocks);
	for (size_t i = 0; i < u->branches.v.nr; i++)
		source_tree__add_branch(t, &u->branches.v.v[i]);
	source_tree__add_chain_calls(t);
	source_tree__sort_targets(t);
	if (!u->has_branches)
		source_tree__scale_targets(t);
	source_tree__add_up(t);
	source_tree__order(t);
	array__exit(&estimated.v);
	hash_table__exit(&t->by_body);
	hash_table__exit(&t->by_point);
	if (t->functions.nr)
		return 0;
	source_tree__exit(t);
	err__set(err, -ENODATA, "no line of the code of '%s' that ran is known",
		 dso__long_name(&u->session->machine.dsos, u->dso));
	err__advise(err, "compile all of it with -g; keep its .dwo files, if it has some");
	return -ENODATA;
}

void source_tree__exit(struct source_tree *t)
{
	array__exit(&t->v);
	array__exit(&t->points);
	array__exit(&t->targets);
	array__exit(&t->functions);
	array__exit(&t->point_order);
	array__exit(&t->inlined_order);
	strpool__exit(&t->names);
}
