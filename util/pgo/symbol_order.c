/*
 * An order of functions for a linker, one symbol a line: lld --symbol-ordering-file. Functions that call each
 * other often are next to each other, and the busiest groups come first, so that the code in use takes few
 * cache lines and pages. The groups are made as in "Optimizing function placement for large-scale data-center
 * applications" (Ottoni and Maher, CGO 2017): the busiest functions first, each joins its most frequent
 * caller's group.
 */
#include "pgo/pgo.h"

#include "base/text/mask.h"

#include <string.h>

enum {
	GROUP_MAX = 1 << 20, /* bytes of a group: half of a huge page */
	GROUP_DILUTION = 8,  /* a group may become this much less dense by one that joins it */
	CALLER_SHARE = 10,   /* the most frequent caller makes at least one of this many calls */
	NONE = UINT32_MAX,
};

struct function {
	const struct symbol *sym;
	u64 weight; /* samples, or with branches ranges of code that ran */
	u64 first;  /* time of its first sample or call */
	bool is_startup;
	u32 group, next; /* index of the group's first function; the next one in it */
};

struct group { /* by the index of its first function */
	u64 weight, size;
	u32 last;
};

struct order {
	const struct code_use *use;
	ARRAY(struct function) functions;
	struct hash_table by_symbol; /* of functions */
	struct code_counts calls;    /* index of the called function, of the caller; number */
	ARRAY(struct group) groups;  /* parallel to functions; weight and size 0: it has joined another one */
	ARRAY(u32) sorted;           /* indexes of functions or groups */
	ARRAY(const char *) names;   /* that were written */
	struct hash_table by_name;   /* of names */
};

/* ---- functions and calls ---- */

/* Linkers do not place stubs of the PLT, and do not know made-up names. */
static u32 order__function(struct order *o, const struct symbol *sym, u64 first)
{
	const char *name = sym ? symtab__name(&o->use->dso->symtab, sym) : "";
	u64 hash = hash__u64((uintptr_t)sym);
	u32 i;

	if (!*name || sym->is_made_up || strstr(name, "@plt") || strchr(name, '\n'))
		return NONE;
	hash_table__for_each (&o->by_symbol, hash, i) {
		if (o->functions.v[i].sym == sym) {
			o->functions.v[i].first = MIN(o->functions.v[i].first, first);
			return i;
		}
	}
	i = (u32)o->functions.nr;
	hash_table__insert(&o->by_symbol, hash, i);
	array__add(&o->functions, ((struct function){ .sym = sym, .first = first }));
	return i;
}

static const struct symbol *order__symbol(const struct order *o, u64 addr)
{
	return addr == CODE_ELSEWHERE ? NULL
				      : symbolizer__find(&o->use->session->symbolizer, o->use->dso, addr);
}

static void order__add_weights(struct order *o, const struct code_counts *c)
{
	for (size_t i = 0; i < c->v.nr; i++) {
		u32 f = order__function(o, order__symbol(o, c->v.v[i].from), c->v.v[i].first);

		if (f != NONE)
			o->functions.v[f].weight += c->v.v[i].nr;
	}
}

static void order__add_call(struct order *o, const struct symbol *from, const struct symbol *to,
			    const struct code_count *call)
{
	u32 caller = order__function(o, from, call->first), callee = order__function(o, to, call->first);

	if (caller != NONE && callee != NONE && caller != callee)
		code_counts__add(&o->calls, callee, caller, call->nr, 0);
}

static void order__add_calls(struct order *o)
{
	const struct code_use *u = o->use;

	for (size_t i = 0; i < u->calls.v.nr; i++) {
		const struct code_count *c = &u->calls.v.v[i];
		const struct code_callee *callee = &u->callees.v[c->to];

		if (callee->dso == u->dso)
			order__add_call(o, order__symbol(o, c->from), callee->sym, c);
	}
	for (size_t i = 0; i < u->branches.v.nr; i++) {
		const struct code_count *c = &u->branches.v.v[i];
		const struct symbol *to = order__symbol(o, c->to);

		if (to && to->start == c->to && c->from != CODE_ELSEWHERE)
			order__add_call(o, order__symbol(o, c->from), to, c);
	}
	code_counts__sort(&o->calls);
}

/* ---- groups ---- */

/* Return the most frequent caller of a function, or NONE: there is none with a good part of its calls. */
static u32 order__caller(const struct order *o, u32 callee)
{
	const struct code_counts *c = &o->calls;
	u64 sum = 0, most = 0;
	u32 caller = NONE;

	for (size_t i = code_counts__at(c, callee); i < c->v.nr && c->v.v[i].from == callee; i++) {
		const struct code_count *call = &c->v.v[i];

		sum += call->nr;
		if (call->nr > most && !o->functions.v[call->to].is_startup) {
			most = call->nr;
			caller = (u32)call->to;
		}
	}
	return most * CALLER_SHARE < sum ? NONE : caller;
}

/* Is x/a less than y/b? */
static bool is_less_dense(u64 x, u64 a, u64 y, u64 b)
{
	return (double)x * (double)b < (double)y * (double)a;
}

static void order__join(struct order *o, u32 from, u32 to)
{
	struct group *a = &o->groups.v[to], *b = &o->groups.v[from];

	if (from == to || a->size + b->size > GROUP_MAX ||
	    is_less_dense((a->weight + b->weight) * GROUP_DILUTION, a->size + b->size, a->weight, a->size))
		return;
	for (u32 i = from; i != NONE; i = o->functions.v[i].next)
		o->functions.v[i].group = to;
	o->functions.v[a->last].next = from;
	*a = (struct group){ a->weight + b->weight, a->size + b->size, b->last };
	*b = (struct group){ 0 };
}

static void order__sort(struct order *o, int (*compare)(const void *, const void *, void *))
{
	if (o->sorted.nr)
		qsort_r(o->sorted.v, o->sorted.nr, sizeof(u32), compare, o);
}

static int compare_weights(const void *x, const void *y, void *order)
{
	const struct order *o = order;
	const struct function *a = &o->functions.v[*(const u32 *)x], *b = &o->functions.v[*(const u32 *)y];

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return a->sym->start < b->sym->start ? -1 : a->sym->start > b->sym->start;
}

static int compare_densities(const void *x, const void *y, void *order)
{
	const struct order *o = order;
	u32 i = *(const u32 *)x, k = *(const u32 *)y;
	const struct group *a = &o->groups.v[i], *b = &o->groups.v[k];

	if (is_less_dense(a->weight, a->size, b->weight, b->size))
		return 1;
	if (is_less_dense(b->weight, b->size, a->weight, a->size))
		return -1;
	return o->functions.v[i].sym->start < o->functions.v[k].sym->start ? -1 : 1;
}

static int compare_firsts(const void *x, const void *y, void *order)
{
	const struct order *o = order;
	const struct function *a = &o->functions.v[*(const u32 *)x], *b = &o->functions.v[*(const u32 *)y];

	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	return a->sym->start < b->sym->start ? -1 : a->sym->start > b->sym->start;
}

static void order__group(struct order *o)
{
	o->sorted.nr = 0;
	for (u32 i = 0; i < o->functions.nr; i++) {
		struct function *f = &o->functions.v[i];

		f->group = i;
		f->next = NONE;
		array__add(&o->groups, ((struct group){ f->weight, MAX(f->sym->size, 1u), i }));
		if (!f->is_startup)
			array__add(&o->sorted, i);
	}
	order__sort(o, compare_weights);
	for (size_t i = 0; i < o->sorted.nr; i++) {
		u32 caller = order__caller(o, o->sorted.v[i]);

		if (caller != NONE)
			order__join(o, o->functions.v[o->sorted.v[i]].group, o->functions.v[caller].group);
	}
	o->sorted.nr = 0;
	for (u32 i = 0; i < o->functions.nr; i++)
		if (o->groups.v[i].size && !o->functions.v[i].is_startup)
			array__add(&o->sorted, i);
	order__sort(o, compare_densities);
}

/* ---- the file ---- */

/* Local functions of several files may have one name: linkers place them all where it is first. */
static void order__write(struct order *o, u32 function, struct export_out *out)
{
	const char *name = symtab__name(&o->use->dso->symtab, o->functions.v[function].sym);
	size_t len = strcspn(name + 1, "@") + 1; /* without a version */
	u64 hash = hash__bytes(name, len, 0);
	u32 i;

	hash_table__for_each (&o->by_name, hash, i)
		if (!strncmp(o->names.v[i], name, len) && (!o->names.v[i][len] || o->names.v[i][len] == '@'))
			return;
	hash_table__insert(&o->by_name, hash, (u32)o->names.nr);
	array__add(&o->names, name);
	strbuf__add(&out->text, name, len);
	mask_controls(out->text.buf + out->text.len - len, len, NULL);
	strbuf__addch(&out->text, '\n');
	export_out__flow(out);
}

/* Write the functions that began to run early, in that order. */
static void order__write_startup(struct order *o, struct export_out *out)
{
	u64 begin = UINT64_MAX, end;

	for (size_t i = 0; i < o->functions.nr; i++)
		begin = MIN(begin, o->functions.v[i].first);
	end = begin + (u64)o->use->args->startup_ms * 1000000;
	for (u32 i = 0; i < o->functions.nr; i++) {
		o->functions.v[i].is_startup = o->functions.v[i].first < end;
		if (o->functions.v[i].is_startup)
			array__add(&o->sorted, i);
	}
	order__sort(o, compare_firsts);
	for (size_t i = 0; i < o->sorted.nr; i++)
		order__write(o, o->sorted.v[i], out);
}

static int symbol_order__write(const struct code_use *u, struct export_out *out, struct err *err)
{
	struct order o = { .use = u };

	(void)err;
	order__add_weights(&o, u->has_branches ? &u->blocks : &u->samples);
	order__add_calls(&o);
	order__write_startup(&o, out);
	order__group(&o);
	for (size_t i = 0; i < o.sorted.nr; i++)
		for (u32 f = o.sorted.v[i]; f != NONE; f = o.functions.v[f].next)
			order__write(&o, f, out);
	array__exit(&o.functions);
	array__exit(&o.calls.v);
	array__exit(&o.groups);
	array__exit(&o.sorted);
	array__exit(&o.names);
	hash_table__exit(&o.by_symbol);
	hash_table__exit(&o.by_name);
	return 0;
}

const struct pgo_format pgo_symbol_order = {
	.name = "symbol-order",
	.suffix = ".order",
	.help = "of a program, for lld --symbol-ordering-file",
	.is_text = true,
	.write = symbol_order__write,
	.lacks = code_use__lacks_calls,
};
