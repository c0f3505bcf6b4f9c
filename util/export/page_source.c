#include "export/page_source.h"

#include "profile/annotate/annotated.h"
#include "profile/annotate/source_files.h"

#include <stdlib.h>
#include <string.h>

enum {
	CONTEXT_LINES = 8, /* source lines around one that has instructions */
	MOST_INSNS = 5000, /* of a function; larger ones show only code near instructions that were hit */
	CONTEXT_INSNS = 16,
};

struct page_line {
	const char *file;
	u32 number;
};

typedef ARRAY(struct page_line) page_lines;

struct source_function {
	struct annotated a;
	u32 *number; /* by instruction: its number in the page, from 1 on; 0: it is left out */
	u32 nr;      /* instructions in the page */
	bool has_unknown;
	page_lines files;            /* of the page, each with its first line */
	ARRAY(const char *) inlined; /* raw names of inlined functions */
};

struct source_writer {
	const struct export *x;
	struct hot_code hot;
	struct source_files files;
	struct strbuf *json;
	ARRAY(struct source_function) v; /* the first functions of hot */
};

static int page_line__compare(const void *a, const void *b)
{
	const struct page_line *x = a, *y = b;
	int diff = strcmp(x->file, y->file);

	return diff ? diff : x->number < y->number ? -1 : x->number > y->number;
}

/* ---- source lines ---- */

/* Add a line, if the file has it. *sep: what to put before it. */
static void add_line(struct strbuf *json, const struct source_file *f, u32 number, const char **sep)
{
	struct strbuf text = STRBUF_INIT;
	size_t len;
	const char *line = source_file__line(f, number, &len);

	if (!line)
		return;
	strbuf__add(&text, line, len);
	strbuf__addf(json, "%s[%u,", *sep, number);
	strbuf__add_json(json, text.buf);
	strbuf__addch(json, ']');
	*sep = ",";
	strbuf__exit(&text);
}

/* Add a file with the lines around v[0 .. nr), which are in it. */
static void source_writer__add_file(struct source_writer *w, const struct hot_function *f,
				    const struct page_line *v, size_t nr)
{
	const struct source_file *file = source_files__get(&w->files, f->dso, v->file);
	const char *sep = "";
	u32 next = 1;

	strbuf__addstr(w->json, "{\"path\":");
	strbuf__add_json(w->json, v->file);
	strbuf__addf(w->json, ",\"newer\":%s,\"lines\":[", file->is_newer ? "true" : "false");
	for (size_t i = 0; i < nr; i++) {
		u32 from = v[i].number > CONTEXT_LINES ? v[i].number - CONTEXT_LINES : 1;

		for (next = MAX(next, from); next - from <= 2 * CONTEXT_LINES; next++)
			add_line(w->json, file, next, &sep);
	}
	strbuf__addstr(w->json, "]}");
}

/* Add the files, and put their names into names, in the same order. */
static void source_writer__add_files(struct source_writer *w, const struct annotated *a, page_lines *names)
{
	page_lines lines = { 0 };

	for (size_t i = 0; i < a->lines.nr; i++)
		array__add(&lines, ((struct page_line){ a->lines.v[i].file, a->lines.v[i].number }));
	if (lines.nr)
		qsort(lines.v, lines.nr, sizeof(*lines.v), page_line__compare);
	strbuf__addstr(w->json, ",\"files\":[");
	for (size_t from = 0, to; from < lines.nr; from = to) {
		for (to = from + 1; to < lines.nr && !strcmp(lines.v[to].file, lines.v[from].file);)
			to++;
		strbuf__addstr(w->json, from ? "," : "");
		source_writer__add_file(w, a->function, &lines.v[from], to - from);
		array__add(names, lines.v[from]);
	}
	strbuf__addch(w->json, ']');
	array__exit(&lines);
}

/* ---- instructions ---- */

/* is_first: as for annotated__add_unknown(). */
static void add_insn_text(struct strbuf *json, const struct annotated *a, const struct annotated_insn *in,
			  bool is_first)
{
	struct strbuf text = STRBUF_INIT;

	if (in->kind == INSN_UNKNOWN && in->size)
		annotated__add_unknown(a, is_first, &text);
	else
		strbuf__addstr(&text, annotated__text(a, in->mnemonic));
	if (in->operands)
		strbuf__addf(&text, " %s", annotated__text(a, in->operands));
	if (in->has_target)
		strbuf__addf(&text, " %llx", (unsigned long long)in->target);
	if (in->name)
		strbuf__addf(&text, " <%s>", annotated__text(a, in->name));
	strbuf__add_json(json, text.buf);
	strbuf__exit(&text);
}

/*
 * Choose the instructions to show. A "function" may be all the code between two symbols of a stripped binary.
 */
static void source_function__choose(struct source_function *f)
{
	const struct annotated *a = &f->a;
	u32 next = 0; /* not yet chosen */

	f->number = xcalloc(a->insns.nr + 1, sizeof(*f->number));
	for (u32 i = 0; i < a->insns.nr; i++) {
		bool is_hit = a->insns.nr <= MOST_INSNS;

		for (u32 e = 0; e < a->nr_events; e++)
			is_hit |= annotated__cost(a, i, e)->nr > 0;
		if (!is_hit)
			continue;
		next = MAX(next, i > CONTEXT_INSNS ? i - CONTEXT_INSNS : 0);
		for (; next <= i + CONTEXT_INSNS && next < a->insns.nr; next++)
			f->number[next] = ++f->nr;
	}
}

/* Return the number in the page of the function that was inlined there, from 1 on; 0: none was. */
static u32 source_function__inlined(struct source_function *f, const struct annotated_insn *in)
{
	const char *name = in->nr_frames ? f->a.frames.v[in->frames].name : NULL;
	u32 i = 0;

	while (name && i < f->inlined.nr && strcmp(f->inlined.v[i], name))
		i++;
	if (name && i == f->inlined.nr)
		array__add(&f->inlined, name);
	return name ? i + 1 : 0;
}

/* [bytes from the function's start, text, number of the file or -1, line, inlined function] */
static void source_writer__add_insn(struct source_writer *w, struct source_function *f, u32 i)
{
	const struct annotated *a = &f->a;
	const struct annotated_insn *in = &a->insns.v[i];
	const struct annotated_line *line = in->line == ANNOTATED_NONE ? NULL : &a->lines.v[in->line];
	int file = -1;

	for (size_t k = 0; line && k < f->files.nr; k++)
		if (!strcmp(f->files.v[k].file, line->file))
			file = (int)k;
	strbuf__addf(w->json, "[%u,", in->offset);
	add_insn_text(w->json, a, in, !f->has_unknown);
	f->has_unknown |= in->kind == INSN_UNKNOWN;
	strbuf__addf(w->json, ",%d,%u,%u]", file, line ? line->number : 0, source_function__inlined(f, in));
}

static void source_writer__add_inlined(struct source_writer *w, struct source_function *f)
{
	struct strbuf name = STRBUF_INIT;

	strbuf__addstr(w->json, ",\"inlined\":[");
	for (size_t i = 0; i < f->inlined.nr; i++) {
		strbuf__reset(&name);
		annotated__add_frame_name(&f->a, &w->hot, &(struct code_frame){ .name = f->inlined.v[i] },
					  &name);
		strbuf__addstr(w->json, i ? "," : "");
		strbuf__add_json(w->json, name.buf);
	}
	strbuf__addch(w->json, ']');
	strbuf__exit(&name);
}

/* ---- functions ---- */

static u32 source_writer__binary(const struct source_writer *w, const struct dso *dso)
{
	for (size_t i = 0; i < w->x->binaries.nr; i++)
		if (w->x->binaries.v[i].dso == dso)
			return (u32)i + 1;
	return 0;
}

static void source_writer__add_function(struct source_writer *w, const struct hot_function *f)
{
	const struct annotate_opts opts = { .asks_objdump = true };
	struct source_function *function = array__push(&w->v);
	struct annotated *a = &function->a;
	const char *sep = "";

	*function = (struct source_function){ 0 };
	annotated__init(a, &w->hot, f, &opts);
	strbuf__addstr(w->json, "{\"name\":");
	strbuf__add_json(w->json, hot_function__name(&w->hot, f));
	/* A number of JSON cannot be above 2^53. */
	strbuf__addf(w->json, ",\"binary\":%u,\"start\":\"%llx\",\"why\":", source_writer__binary(w, f->dso),
		     (unsigned long long)a->code.vaddr);
	strbuf__add_json(w->json, a->no_code.text.len ? a->no_code.text.buf : "");
	source_writer__add_files(w, a, &function->files);
	strbuf__addstr(w->json, ",\"insns\":[");
	source_function__choose(function);
	for (u32 i = 0; i < a->insns.nr; i++)
		if (function->number[i]) {
			strbuf__addstr(w->json, sep);
			source_writer__add_insn(w, function, i);
			sep = ",";
		}
	strbuf__addch(w->json, ']');
	source_writer__add_inlined(w, function);
	strbuf__addch(w->json, '}');
	array__exit(&function->files);
	array__exit(&function->inlined);
}

static void source_writer__find_places(const struct source_writer *w, struct page_source *s)
{
	u32 *first = xcalloc(w->v.nr + 1, sizeof(*first)), next = 1;

	for (size_t i = 0; i < w->v.nr; i++) {
		first[i] = next;
		next += w->v.v[i].nr + 1;
	}
	for (size_t row = 0; row < w->x->rows->rows.nr; row++) {
		u32 function = hot_code__function(&w->hot, row), insn, place = 0;

		if (function && function <= w->v.nr) {
			const struct source_function *f = &w->v.v[function - 1];

			insn = annotated__find(&f->a,
					       hot_code__addr(&w->hot, row) - f->a.function->sym->start);
			place = first[function - 1] + (insn == ANNOTATED_NONE ? 0 : f->number[insn]);
		}
		array__add(&s->place_of_row, place);
	}
	free(first);
}

void page_source__init(struct page_source *s, const struct export *x, unsigned nr)
{
	const struct source_opts no_prefix = { 0 };
	struct source_writer w = { .x = x, .json = &s->json };
	bool *wanted;

	*s = (struct page_source){ .json = STRBUF_INIT };
	strbuf__addch(&s->json, '[');
	hot_code__init(&w.hot, x->profile, x->exported_rows.v, NULL);
	source_files__init(&w.files, &x->session->symbolizer, &no_prefix);
	wanted = xcalloc(w.hot.v.nr + 1, sizeof(*wanted));
	memset(wanted, true, MIN(nr, w.hot.v.nr));
	hot_code__find_addresses(&w.hot, wanted);
	array__reserve(&w.v, nr);
	for (size_t i = 0; i < w.hot.v.nr && wanted[i]; i++) {
		strbuf__addstr(&s->json, i ? "," : "");
		source_writer__add_function(&w, &w.hot.v.v[i]);
	}
	strbuf__addch(&s->json, ']');
	source_writer__find_places(&w, s);
	for (size_t i = 0; i < w.v.nr; i++) {
		annotated__exit(&w.v.v[i].a);
		free(w.v.v[i].number);
	}
	array__exit(&w.v);
	free(wanted);
	source_files__exit(&w.files);
	hot_code__exit(&w.hot);
}

void page_source__exit(struct page_source *s)
{
	strbuf__exit(&s->json);
	array__exit(&s->place_of_row);
}
