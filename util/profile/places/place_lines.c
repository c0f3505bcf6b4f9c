/* Source lines of places, and inlined functions. */
#include "base/memory/hash.h"
#include "base/text/path_name.h"
#include "profile/places/places_private.h"

#include <string.h>

/* ---- texts ---- */

/* Append what is shown when the line is unknown: symbol and offset, or dso and address. */
static void places__add_offset(struct places *p, const struct place *place, u64 addr)
{
	const struct dso *dso = p->session->machine.dsos.v.v[place->dso];

	if (place->sym) {
		char *name = places__demangle(p, dso, symtab__name(&dso->symtab, place->sym));

		strbuf__addf(&p->scratch, "%s+%llu", name, (unsigned long long)(addr - place->sym->start));
		free(name);
	} else if (place->mapped) {
		strbuf__addf(&p->scratch, "%s[%llx]", machine__str(&p->session->machine, place->dso_name),
			     (unsigned long long)addr);
	} else {
		strbuf__addstr(&p->scratch, "??:0");
	}
}

static void places__set_line(struct places *p, struct place *place, u64 addr, const struct code_frame *f)
{
	const char *file = f->file && !p->opts.full_paths ? path__name(f->file) : f->file;

	if (!p->opts.lines || p->opts.looked_up)
		return;
	place->has_line = file != NULL;
	place->file = file ? strpool__intern(&p->texts, file) : 0;
	place->line_number = file ? f->line : 0;
	place->start_line = f->start_line;
	strbuf__setlen(&p->scratch, 0);
	if (file)
		strbuf__addf(&p->scratch, "%s:%u", file, f->line);
	else
		places__add_offset(p, place, addr);
	place->line = strpool__intern(&p->texts, p->scratch.buf);
}

/* Return what to look up at addresses: enum dwarf_wants. */
static unsigned places__wants(const struct places *p)
{
	return (p->opts.lines ? DWARF_WANTS_LINE : 0) | (p->opts.inlines ? DWARF_WANTS_INLINED : 0) |
	       (p->opts.starts ? DWARF_WANTS_START : 0);
}

/*
 * Look up the functions at an address of a mapped place; other places have no dso, and one frame without a
 * name.
 */
static void places__find_frames(struct places *p, const struct place *place, u64 addr, unsigned wants)
{
	struct session *s = p->session;

	p->found.v.nr = 0;
	if (place->mapped && !p->opts.looked_up) {
		symbolizer__frames(&s->symbolizer, s->machine.dsos.v.v[place->dso], addr, wants, &p->found);
		return;
	}
	array__add(&p->found.v, (struct code_frame){ 0 });
	if (place->mapped)
		p->opts.looked_up(p->opts.ctx, place->dso, addr);
}

void places__add_line(struct places *p, struct place *place, u64 addr)
{
	places__find_frames(p, place, addr, places__wants(p) & ~DWARF_WANTS_INLINED);
	places__set_line(p, place, addr, p->found.v.v);
}

u32 places__inlined_name(struct places *p, const struct dso *dso, const char *raw)
{
	u64 hash = hash__u64((u64)(uintptr_t)raw);
	char *name;
	u32 i, text;

	hash_table__for_each (&p->by_raw_name, hash, i)
		if (p->inlined_names.v[i].raw == raw)
			return p->inlined_names.v[i].text;
	name = places__demangle(p, dso, raw);
	text = strpool__intern(&p->texts, name);
	free(name);
	hash_table__insert(&p->by_raw_name, hash, (u32)p->inlined_names.nr);
	array__add(&p->inlined_names, ((struct inlined_name){ raw, text }));
	return text;
}

/* ---- frames ---- */

static void frames__add(struct places *p, size_t list, const struct place *place)
{
	u32 id = places__intern(p, place);

	array__add(&p->frames, id);
	p->frames.v[list]++;
}

u32 places__list_frames(struct places *p, const struct row_space *space, u64 ip, bool is_call)
{
	size_t list = p->frames.nr;
	struct maps_span span;
	struct dso_addr addr;
	struct place place = places__look_up(p, space, ip, &addr, &span);
	const struct dso *dso = p->session->machine.dsos.v.v[place.dso];
	const struct code_frame *last;
	u32 own_name = 0;

	if (is_call && (place.sym ? addr.addr > place.sym->start : p->opts.exact && addr.addr))
		addr.addr--;
	if (p->opts.exact)
		place.ip = addr.addr;
	else if (place.sym && p->opts.graph_key != GRAPH_BY_ADDRESS)
		place.ip = 0;
	places__find_frames(p, &place, addr.addr, places__wants(p));
	last = &p->found.v.v[p->found.v.nr - 1];
	if (place.sym && p->found.v.nr > 1)
		own_name = places__inlined_name(p, dso, last->name);
	array__add(&p->frames, 0);
	for (const struct code_frame *f = own_name ? p->found.v.v : last; f <= last; f++) {
		struct place at = place;

		if (f->is_inlined)
			at.inlined = places__inlined_name(p, dso, f->name);
		if (at.inlined == own_name)
			at.inlined = 0; /* inlined into itself */
		at.raw = at.inlined ? f->name : NULL;
		places__set_line(p, &at, addr.addr, f);
		frames__add(p, list, &at);
	}
	return (u32)list;
}

/* ---- functions that are both called and inlined ---- */

struct own_code { /* of a function in a binary, by its name */
	u32 dso, text;
	const struct symbol *sym; /* NULL: several functions have this name */
};

struct own_codes {
	ARRAY(struct own_code) v;
	struct hash_table by_name;
};

static struct own_code *own_codes__find(const struct own_codes *c, u32 dso, u32 text)
{
	u32 i;

	hash_table__for_each (&c->by_name, hash__u64((u64)dso << 32 | text), i)
		if (c->v.v[i].dso == dso && c->v.v[i].text == text)
			return &c->v.v[i];
	return NULL;
}

/* Note the code of a function if a function of its name was inlined somewhere. */
static void own_codes__add(struct own_codes *c, struct places *p, u32 place)
{
	u32 text = strpool__find(&p->texts, places__name(p, place));
	const struct place *at = places__get(p, place);
	struct own_code *known;

	if (text == UINT32_MAX)
		return;
	known = own_codes__find(c, at->dso, text);
	if (known) {
		known->sym = known->sym == at->sym ? at->sym : NULL;
		return;
	}
	hash_table__insert(&c->by_name, hash__u64((u64)at->dso << 32 | text), (u32)c->v.nr);
	array__add(&c->v, ((struct own_code){ at->dso, text, at->sym }));
}

/* Let the row of inlined code be that of the function's own code, if this was sampled. */
static void places__join(struct places *p, const struct own_codes *codes, u32 place)
{
	struct place own = *places__get(p, place);
	const struct own_code *code = own_codes__find(codes, own.dso, own.inlined);
	u32 row;

	p->v.v[place].row = place;
	if (!code || !code->sym)
		return;
	own.sym = code->sym;
	own.inlined = 0;
	own.name = NULL;
	row = places__intern(p, &own); /* may move places */
	p->v.v[place].row = row;
}

void places__join_inlined(struct places *p)
{
	size_t nr = p->v.nr, nr_dsos = p->session->machine.dsos.v.nr;
	struct own_codes codes = { { 0 } };
	bool *has_inlined;

	if (!p->opts.inline_rows)
		return;
	has_inlined = xcalloc(nr_dsos + 1, sizeof(*has_inlined));
	for (size_t i = 0; i < nr; i++)
		has_inlined[p->v.v[i].dso] |= p->v.v[i].inlined != 0;
	for (u32 i = 0; i < nr; i++)
		if (p->v.v[i].sym && !p->v.v[i].inlined && has_inlined[p->v.v[i].dso])
			own_codes__add(&codes, p, i);
	for (u32 i = 0; i < nr; i++)
		if (p->v.v[i].inlined)
			places__join(p, &codes, i);
	free(has_inlined);
	array__exit(&codes.v);
	hash_table__exit(&codes.by_name);
}
