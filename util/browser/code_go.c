/* Where the jumps and calls of a function's code lead, and back from there. */
#include "binary/symbols/elf_object.h"
#include "browser/code_view.h"
#include "browser/report_browser.h"
#include "model/code.h"

#include <stdlib.h>
#include <string.h>

enum { PLACES_MAX = 1000 /* to go back to */ };

/* ---- places ---- */

void code__forget_places(struct code_view *c)
{
	for (size_t i = 0; i < c->back.nr; i++)
		free(c->back.v[i].name);
	c->back.nr = 0;
}

/* Note the selected line, for Backspace. */
static void code__remember(struct browser *b, struct code_view *c)
{
	const struct report_browser *r = report_of(b);

	if (c->back.nr == PLACES_MAX) {
		free(c->back.v[0].name);
		memmove(c->back.v, c->back.v + 1, (PLACES_MAX - 1) * sizeof(*c->back.v));
		c->back.nr--;
	}
	array__add(&c->back, ((struct code_place){ .name = xstrdup(b->function),
						   .code = r->function_code,
						   .dso_name = r->function_dso,
						   .binary = r->function_binary,
						   .inlined = r->function_inlined,
						   .spot = code__spot(c) }));
}

/* Show a line of a function; takes p->name. */
static void code__go(struct browser *b, struct code_view *c, struct code_place *p)
{
	struct report_browser *r = report_of(b);
	bool is_shown = p->code == r->function_code && p->inlined == r->function_inlined &&
			p->binary == r->function_binary && !strcmp(p->name, b->function);

	free(b->function);
	b->function = p->name;
	if (!is_shown) {
		const struct place place = {
			.sym = p->code, .dso = p->binary, .dso_name = p->dso_name, .inlined = p->inlined
		};

		browser__take_place(b, &place);
		c->went = ++b->function_generation;
		code__list(b, c, &p->spot);
	} else {
		code__select(c, &p->spot);
	}
}

void code__return(struct browser *b, void *state)
{
	struct code_view *c = state;
	struct code_place p;

	if (!c->back.nr) {
		browser__unzoom(b);
		return;
	}
	p = c->back.v[--c->back.nr];
	code__go(b, c, &p);
}

/* Show the code of a symbol, from an address of its dso on. */
static void code__go_to(struct browser *b, struct code_view *c, struct dso *dso, const struct symbol *sym,
			u64 addr)
{
	u32 id = places__symbol(&c->hot.places, dso, sym);
	struct code_place p = { .name = xstrdup(places__name(&c->hot.places, id)),
				.code = sym,
				.dso_name = dso->short_name,
				.binary = dso->idx,
				.spot = { .is_set = true,
					  .offset = (u32)(addr - sym->start),
					  .is_insn = true,
					  /* room above for what is said of the function */
					  .down = c->lines.list.rows * 2 / 3 } };

	code__remember(b, c);
	code__go(b, c, &p);
}

/* ---- calls into other binaries ---- */

/* Find the function of this name in the symbols of a dso that has no file here. */
static const struct symbol *find_by_name(const struct dso *dso, const char *name)
{
	for (size_t i = 0; i < dso->symtab.syms.nr; i++)
		if (!strcmp(symtab__name(&dso->symtab, &dso->symtab.syms.v[i]), name))
			return &dso->symtab.syms.v[i];
	return NULL;
}

struct exported {
	struct dso *dso; /* NULL: there is none */
	const struct symbol *sym;
	u64 addr;      /* dso address */
	bool is_ifunc; /* what is known is the function that chooses the code */
};

static bool dso__find_exported(struct symbolizer *s, struct dso *dso, const char *name,
			       struct exported *found)
{
	struct elf_name elf = { .kind = ELF_NAME_DATA };
	struct elf_object *o;

	symbolizer__find(s, dso, 0); /* load them */
	found->sym = NULL;
	if (!dso->file || dso->file_error) {
		found->sym = find_by_name(dso, name);
		found->addr = found->sym ? found->sym->start : 0;
	} else if (!elf_object__open(&o, dso->root, dso->file, NULL)) {
		if (elf_object__find_exported(o, name, &elf) && elf.kind != ELF_NAME_DATA &&
		    elf_object__file_offset(o, elf.addr, &found->addr))
			found->sym = symbolizer__find(s, dso, found->addr);
		elf_object__delete(o);
	}
	found->is_ifunc = elf.kind == ELF_NAME_IFUNC;
	found->dso = dso;
	return found->sym != NULL;
}

/* Find the first binary of the recording that exports a function, as the dynamic linker does. */
static struct exported find_exported(struct browser *b, const char *name)
{
	struct session *s = report_of(b)->in->session;
	const struct dsos *dsos = &s->machine.dsos;
	struct exported found = { .dso = NULL };

	for (size_t i = 0; i < dsos->v.nr; i++)
		if (dsos->v.v[i]->kind == DSO_ELF &&
		    dso__find_exported(&s->symbolizer, dsos->v.v[i], name, &found))
			return found;
	return (struct exported){ .dso = NULL };
}

/* A function of several versions: name one that has samples, if its name tells that it is one. */
static void say_ifunc(struct browser *b, struct code_view *c, const char *name, const struct dso *dso)
{
	for (size_t i = 0; i < c->hot.v.nr; i++) {
		const char *other = hot_function__name(&c->hot, &c->hot.v.v[i]);

		if (c->hot.v.v[i].dso == dso && strstr(other, name)) {
			browser__say(b, "%s has several versions; %s has samples", name, other);
			return;
		}
	}
	browser__say(b, "%s has several versions; a program chooses when it starts", name);
}

/* Go to the code of a function that the dynamic linker finds by its name. */
static void code__go_by_name(struct browser *b, struct code_view *c, const char *name)
{
	struct exported e = find_exported(b, name);

	if (!e.dso)
		browser__say(b, "No binary of the recording has the function %s", name);
	else if (e.is_ifunc)
		say_ifunc(b, c, name, e.dso);
	else
		code__go_to(b, c, e.dso, e.sym, e.addr);
}

/* ---- jumps and calls ---- */

/* Go to an address that the code has; "name@plt" leads to another binary. */
static void code__go_to_target(struct browser *b, struct code_view *c, struct dso *dso,
			       const struct annotated_insn *in)
{
	struct symbolizer *s = &report_of(b)->in->session->symbolizer;
	u64 target = in->target, addr;
	const struct symbol *sym = symbolizer__code_symbol(s, dso, target, &addr);
	struct strbuf text = STRBUF_INIT;
	struct code_ref ref;
	/* The recording may have the name alone. */
	bool is_named = symbolizer__code_ref(s, dso, target, false, &text, &ref) && !ref.is_text;
	char *name = xstrdup(is_named ? ref.name : ""), *plt = strstr(name, "@plt");

	if (plt && !plt[strlen("@plt")]) {
		*plt = '\0';
		code__go_by_name(b, c, name);
	} else if (sym) {
		code__go_to(b, c, dso, sym, addr);
	} else if (is_named) {
		browser__say(b, "The code of %s is neither in the recording nor in a file", name);
	} else {
		browser__say(b, "No function is known at %llx", (unsigned long long)target);
	}
	strbuf__exit(&text);
	free(name);
}

/* Go where a slot of the global offset table leads. */
static void code__go_through_slot(struct browser *b, struct code_view *c, struct dso *dso,
				  const struct annotated_insn *in)
{
	struct symbolizer *s = &report_of(b)->in->session->symbolizer;
	struct strbuf text = STRBUF_INIT;
	struct code_ref ref;

	if (in->has_data && symbolizer__code_ref(s, dso, in->data, true, &text, &ref) && !ref.is_text &&
	    !ref.offset) {
		char *name = xstrdup(ref.name);

		code__go_by_name(b, c, name);
		free(name);
	} else {
		browser__say(b, "Where this leads is known only while the program runs");
	}
	strbuf__exit(&text);
}

static void code__jump(struct browser *b, struct code_view *c, u32 part, u32 insn)
{
	size_t row = code__row_of(c, part, insn);
	struct code_spot spot = { .is_set = true,
				  .part = part,
				  .offset = c->parts.v[part].insns.v[insn].offset,
				  .is_insn = true,
				  .down = c->lines.list.rows / 2 };

	if (row == SIZE_MAX) {
		browser__say(b, "The jump leaves the inlined code, and its target is not shown");
		return;
	}
	code__remember(b, c);
	if (row >= c->lines.list.top && row - c->lines.list.top < c->lines.list.rows)
		spot.down = (unsigned)(row - c->lines.list.top); /* the screen stays */
	code__select(c, &spot);
}

void code__follow(struct browser *b, void *state)
{
	struct code_view *c = state;
	u32 part = 0;
	const struct annotated_insn *in = code__insn(c, &part);
	struct dso *dso = in ? c->parts.v[part].function->dso : NULL;

	if (in && in->jump != ANNOTATED_NONE)
		code__jump(b, c, part, in->jump);
	else if (!in || (in->kind != INSN_JUMP && in->kind != INSN_CALL))
		browser__say(b, "No jump or call is on this line");
	else if (in->has_target)
		code__go_to_target(b, c, dso, in);
	else
		code__go_through_slot(b, c, dso, in);
}
