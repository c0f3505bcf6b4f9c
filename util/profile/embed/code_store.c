#include "profile/embed/code_store.h"

#include "binary/code/code_refs.h"
#include "model/code.h"

#include <string.h>

static const unsigned all_of_lines = DWARF_WANTS_LINE | DWARF_WANTS_INLINED;

/* Return the number of the binary, which is added if it is new. */
static u32 code_store__dso(struct code_store *c, u32 i, struct dso *dso, const struct code *code)
{
	if (!c->entries[i]) {
		array__add(&c->dsos, ((struct code_dso){ .id = c->names->dsos.v[i].id,
							 .machine = code->machine,
							 .big_endian = code->big_endian,
							 .code = STRBUF_INIT }));
		array__add(&c->of_session, dso);
		c->entries[i] = (u32)c->dsos.nr;
	}
	return c->entries[i] - 1;
}

static const char *code_store__text(struct code_store *c, const char *s)
{
	return s ? strpool__get(&c->texts, strpool__intern(&c->texts, s)) : NULL;
}

/* ---- lines ---- */

static u64 frames__hash(const struct names_frame *v, u32 nr, u32 dso)
{
	u64 hash = hash__u64((u64)dso << 32 | nr);

	for (u32 i = 0; i < nr; i++)
		hash = hash__add(hash__add(hash, (u64)(uintptr_t)v[i].name),
				 (u64)(uintptr_t)v[i].file << 20 ^ v[i].line);
	return hash;
}

/* All texts are interned. */
static bool frames__equal(const struct names_frame *a, const struct names_frame *b, u32 nr)
{
	for (u32 i = 0; i < nr; i++)
		if (a[i].name != b[i].name || a[i].file != b[i].file || a[i].line != b[i].line)
			return false;
	return true;
}

/* Return the first of these frames of a binary, which are added if they are new. */
static u32 code_store__frames(struct code_store *c, u32 dso, const struct names_frame *v, u32 nr)
{
	struct names_lines *l = &c->dsos.v[dso].lines;
	u64 hash = frames__hash(v, nr, dso);
	u32 i, first = (u32)l->frames.nr;

	hash_table__for_each (&c->by_frames, hash, i) {
		const struct frame_list *list = &c->frame_lists.v[i];

		if (list->dso == dso && list->nr == nr && frames__equal(&l->frames.v[list->first], v, nr))
			return list->first;
	}
	hash_table__insert(&c->by_frames, hash, (u32)c->frame_lists.nr);
	array__add(&c->frame_lists, ((struct frame_list){ dso, first, nr }));
	for (u32 k = 0; k < nr; k++)
		array__add(&l->frames, v[k]);
	return first;
}

/* The last frame is of the function that has the code, which reports name by its symbol. */
static void intern_frames(struct code_store *c, const struct code_frames *frames, struct names_frame *out)
{
	size_t nr = frames->v.nr;

	for (size_t i = 0; i < nr; i++) {
		const struct code_frame *f = &frames->v.v[i];

		out[i] = (struct names_frame){ i + 1 < nr ? code_store__text(c, f->name) : NULL,
					       code_store__text(c, f->file), f->line, 0 };
	}
}

static void code_store__add_lines(struct code_store *c, u32 number, u64 start, u64 end)
{
	struct dso *dso = c->of_session.v[number];
	struct names_lines *l = &c->dsos.v[number].lines;
	struct code_frames frames = { 0 };
	ARRAY(struct names_frame) found = { 0 };
	u64_array borders = { 0 };
	u32 last = UINT32_MAX;

	symbolizer__line_borders(&c->session->symbolizer, dso, start, end, 0, &borders);
	if (borders.nr) {
		array__add(&borders, start);
		qsort(borders.v, borders.nr, sizeof(*borders.v), u64__compare);
	}
	for (size_t i = 0; i < borders.nr; i++) {
		u32 nr, first;

		if (i && borders.v[i] == borders.v[i - 1])
			continue;
		symbolizer__frames(&c->session->symbolizer, dso, borders.v[i], all_of_lines, &frames);
		nr = (u32)frames.v.nr;
		array__reserve(&found, nr);
		intern_frames(c, &frames, found.v);
		first = code_store__frames(c, number, found.v, nr);
		if (first == last)
			continue;
		last = first;
		array__add(&l->addresses, ((struct names_address){ borders.v[i], first, nr }));
		for (u32 k = 0; k < nr && c->source.left; k++)
			if (found.v[k].file && found.v[k].line)
				source_store__want(&c->source, dso, number, found.v[k].file, found.v[k].line);
	}
	array__exit(&borders);
	array__exit(&found);
	code_frames__exit(&frames);
}

/* ---- names that the code refers to ---- */

struct ref_adder {
	struct code_store *store;
	u32 number;
	struct strbuf text;
};

static bool has_ref(const struct code_store *c, u32 number, u64 hash, u64 vaddr, bool is_data)
{
	const struct code_dso *d = &c->dsos.v[number];
	u32 i;

	hash_table__for_each (&c->by_ref, hash, i)
		if (i < d->refs.nr && d->refs.v[i].vaddr == vaddr && d->refs.v[i].is_data == is_data)
			return true;
	return false;
}

static void add_ref(void *ctx, u64 target, bool is_data)
{
	struct ref_adder *a = ctx;
	struct code_store *c = a->store;
	struct code_dso *d = &c->dsos.v[a->number];
	u64 hash = hash__u64(target ^ (u64)a->number << 48 ^ (u64)is_data << 63);
	struct code_ref ref;

	if (has_ref(c, a->number, hash, target, is_data) ||
	    !symbolizer__code_ref(&c->session->symbolizer, c->of_session.v[a->number], target, is_data,
				  &a->text, &ref))
		return;
	ref.name = code_store__text(c, ref.name);
	hash_table__insert(&c->by_ref, hash, (u32)d->refs.nr);
	array__add(&d->refs, ref);
}

static void code_store__add_refs(struct code_store *c, u32 number, const struct code *code)
{
	struct ref_adder a = { .store = c, .number = number, .text = STRBUF_INIT };

	code_refs__list((const u8 *)code->bytes.buf, code->bytes.len, code->vaddr, code->machine, add_ref,
			&a);
	strbuf__exit(&a.text);
}

/* ---- functions ---- */

static void code_store__add(struct code_store *c, const struct ranked_symbol *r, struct code *code)
{
	const struct names_symbol *sym = &c->names->dsos.v[r->dso].symbols.v[r->symbol];
	struct dso *dso = names_store__find_dso(c->names, r->dso, &c->session->machine.dsos);
	u32 number;
	struct code_dso *d;

	if (symbolizer__code(&c->session->symbolizer, dso, sym->start, sym->size, code, NULL)) {
		c->summary.nr_unread++;
		return;
	}
	number = code_store__dso(c, r->dso, dso, code);
	d = &c->dsos.v[number];
	array__add(&d->functions, ((struct code_function){ sym->start, code->vaddr, (u32)code->bytes.len,
							   (u32)d->code.len }));
	strbuf__add(&d->code, code->bytes.buf, code->bytes.len);
	code_store__add_lines(c, number, sym->start, sym->start + code->bytes.len);
	code_store__add_refs(c, number, code);
}

static void code_store__add_all(struct code_store *c, const struct ranked_symbol *v, size_t nr, u64 budget)
{
	struct code code = CODE_INIT;

	for (size_t i = 0; i < nr; i++) {
		u32 size = c->names->dsos.v[v[i].dso].symbols.v[v[i].symbol].size;

		if (size > budget) {
			c->summary.nr_left_out++;
			continue;
		}
		code_store__add(c, &v[i], &code);
		budget -= code.bytes.len;
	}
	code__exit(&code);
}

void code_store__fill(struct code_store *c, struct session *s, const struct names_store *names, u64 budget,
		      u64 source_budget)
{
	ARRAY(struct ranked_symbol) ranked = { 0 };

	*c = (struct code_store){ .session = s, .names = names };
	strpool__init(&c->texts);
	c->entries = xcalloc(names->dsos.nr + 1, sizeof(*c->entries));
	source_store__init(&c->source, &s->symbolizer, source_budget);
	for (size_t i = 0; i < names->dsos.nr; i++)
		for (size_t k = 0; k < names->dsos.v[i].symbols.nr; k++)
			if (names->dsos.v[i].symbols.v[k].own_hits)
				array__add(&ranked,
					   ((struct ranked_symbol){ names->dsos.v[i].symbols.v[k].own_hits,
								    (u32)i, (u32)k }));
	ranked_symbols__sort(ranked.v, ranked.nr);
	code_store__add_all(c, ranked.v, ranked.nr, budget);
	for (size_t i = 0; i < c->dsos.nr; i++)
		source_store__excerpts(&c->source, (u32)i, &c->dsos.v[i].sources);
	c->summary.nr_newer = c->source.nr_newer;
	array__exit(&ranked);
}

void code_store__exit(struct code_store *c)
{
	for (size_t i = 0; i < c->dsos.nr; i++) {
		array__exit(&c->dsos.v[i].functions);
		strbuf__exit(&c->dsos.v[i].code);
		names_lines__exit(&c->dsos.v[i].lines);
		array__exit(&c->dsos.v[i].refs);
		source_excerpts__exit(&c->dsos.v[i].sources);
	}
	array__exit(&c->dsos);
	array__exit(&c->of_session);
	free(c->entries);
	hash_table__exit(&c->by_ref);
	hash_table__exit(&c->by_frames);
	array__exit(&c->frame_lists);
	source_store__exit(&c->source);
	strpool__exit(&c->texts);
}
