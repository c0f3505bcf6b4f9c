#include "export/page_source.h"

#include "profile/annotate/annotated.h"
#include "profile/annotate/source_files.h"

#include <stdlib.h>
#include <string.h>

enum { CONTEXT_LINES = 8 }; /* source lines around one that has instructions */

struct page_source {
	const struct export *x;
	struct hot_code hot;
	struct source_files files;
	struct strbuf *json;
};

struct page_line {
	const char *file;
	u32 number;
};

typedef ARRAY(struct page_line) page_lines;

static int page_line__compare(const void *a, const void *b)
{
	const struct page_line *x = a, *y = b;
	int diff = strcmp(x->file, y->file);

	return diff ? diff : x->number < y->number ? -1 : x->number > y->number;
}

static void add_costs(struct strbuf *json, const struct code_cost *costs, u32 nr_events)
{
	for (u32 e = 0; e < nr_events; e++)
		strbuf__addf(json, "%s%llu,%llu", e ? "," : "", (unsigned long long)costs[e].nr,
			     (unsigned long long)costs[e].period);
}

static bool has_cost(const struct code_cost *costs, u32 nr_events)
{
	for (u32 e = 0; e < nr_events; e++)
		if (costs[e].nr)
			return true;
	return false;
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
static void page_source__add_file(struct page_source *p, const struct hot_function *f,
				  const struct page_line *v, size_t nr)
{
	const struct source_file *file = source_files__get(&p->files, f->dso, v->file);
	const char *sep = "";
	u32 next = 1;

	strbuf__addstr(p->json, "{\"path\":");
	strbuf__add_json(p->json, v->file);
	strbuf__addf(p->json, ",\"newer\":%s,\"lines\":[", file->is_newer ? "true" : "false");
	for (size_t i = 0; i < nr; i++) {
		u32 from = v[i].number > CONTEXT_LINES ? v[i].number - CONTEXT_LINES : 1;

		for (next = MAX(next, from); next - from <= 2 * CONTEXT_LINES; next++)
			add_line(p->json, file, next, &sep);
	}
	strbuf__addstr(p->json, "]}");
}

/* Add the files, and put their names into names, in the same order. */
static void page_source__add_files(struct page_source *p, const struct annotated *a, page_lines *names)
{
	page_lines lines = { 0 };

	for (size_t i = 0; i < a->lines.nr; i++)
		array__add(&lines, ((struct page_line){ a->lines.v[i].file, a->lines.v[i].number }));
	if (lines.nr)
		qsort(lines.v, lines.nr, sizeof(*lines.v), page_line__compare);
	strbuf__addstr(p->json, ",\"files\":[");
	for (size_t from = 0, to; from < lines.nr; from = to) {
		for (to = from + 1; to < lines.nr && !strcmp(lines.v[to].file, lines.v[from].file);)
			to++;
		strbuf__addstr(p->json, from ? "," : "");
		page_source__add_file(p, a->function, &lines.v[from], to - from);
		array__add(names, lines.v[from]);
	}
	strbuf__addch(p->json, ']');
	array__exit(&lines);
}

/* ---- instructions ---- */

static void add_insn_text(struct strbuf *json, const struct annotated *a, const struct annotated_insn *in)
{
	struct strbuf text = STRBUF_INIT;

	strbuf__addstr(&text,
		       in->kind == INSN_UNKNOWN && in->size ? "(unknown)" : annotated__text(a, in->mnemonic));
	if (in->operands)
		strbuf__addf(&text, " %s", annotated__text(a, in->operands));
	if (in->has_target)
		strbuf__addf(&text, " %llx", (unsigned long long)in->target);
	if (in->name)
		strbuf__addf(&text, " <%s>", annotated__text(a, in->name));
	strbuf__add_json(json, text.buf);
	strbuf__exit(&text);
}

/* [address, text, number of the file or -1, line, and samples and weight of each event, if there are any] */
static void page_source__add_insn(struct page_source *p, const struct annotated *a, u32 i,
				  const page_lines *files)
{
	const struct annotated_insn *in = &a->insns.v[i];
	const struct annotated_line *line = in->line == ANNOTATED_NONE ? NULL : &a->lines.v[in->line];
	int file = -1;

	for (size_t k = 0; line && k < files->nr; k++)
		if (!strcmp(files->v[k].file, line->file))
			file = (int)k;
	strbuf__addf(p->json, "%s[%llu,", i ? "," : "", (unsigned long long)in->addr);
	add_insn_text(p->json, a, in);
	strbuf__addf(p->json, ",%d,%u", file, line ? line->number : 0);
	if (has_cost(annotated__cost(a, i, 0), a->nr_events)) {
		strbuf__addch(p->json, ',');
		add_costs(p->json, annotated__cost(a, i, 0), a->nr_events);
	}
	strbuf__addch(p->json, ']');
}

/* ---- functions ---- */

static u32 page_source__binary(const struct page_source *p, const struct dso *dso)
{
	for (size_t i = 0; i < p->x->binaries.nr; i++)
		if (p->x->binaries.v[i].dso == dso)
			return (u32)i + 1;
	return 0;
}

static void page_source__add_function(struct page_source *p, const struct hot_function *f)
{
	const struct annotate_opts opts = { 0 };
	page_lines files = { 0 };
	struct annotated a;

	annotated__init(&a, &p->hot, f, &opts);
	strbuf__addstr(p->json, "{\"name\":");
	strbuf__add_json(p->json, hot_function__name(&p->hot, f));
	strbuf__addf(p->json, ",\"binary\":%u,\"why\":", page_source__binary(p, f->dso));
	strbuf__add_json(p->json, a.no_code.text.len ? a.no_code.text.buf : "");
	strbuf__addstr(p->json, ",\"costs\":[");
	add_costs(p->json, hot_code__cost(&p->hot, f->costs, 0), a.nr_events);
	strbuf__addch(p->json, ']');
	page_source__add_files(p, &a, &files);
	strbuf__addstr(p->json, ",\"insns\":[");
	for (u32 i = 0; i < a.insns.nr; i++)
		page_source__add_insn(p, &a, i, &files);
	strbuf__addstr(p->json, "]}");
	array__exit(&files);
	annotated__exit(&a);
}

void page_source__add_json(const struct export *x, unsigned nr, struct strbuf *json)
{
	const struct source_opts no_prefix = { 0 };
	struct page_source p = { .x = x, .json = json };
	bool *wanted;

	strbuf__addch(json, '[');
	hot_code__init(&p.hot, x->profile, x->exported_rows.v, x->args->symbols_of.no_demangle,
		       x->args->demangle_kernel);
	source_files__init(&p.files, &x->session->symbolizer, &no_prefix);
	wanted = xcalloc(p.hot.v.nr + 1, sizeof(*wanted));
	memset(wanted, true, MIN(nr, p.hot.v.nr));
	hot_code__find_addresses(&p.hot, wanted);
	for (size_t i = 0; i < p.hot.v.nr && wanted[i]; i++) {
		strbuf__addstr(json, i ? "," : "");
		page_source__add_function(&p, &p.hot.v.v[i]);
	}
	strbuf__addch(json, ']');
	free(wanted);
	source_files__exit(&p.files);
	hot_code__exit(&p.hot);
}
