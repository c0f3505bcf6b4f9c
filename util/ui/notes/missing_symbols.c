#include "ui/notes/missing_symbols.h"

#include "base/message/called_name.h"
#include "base/system/file.h"
#include "base/text/mask.h"
#include "binary/elf/debuginfod.h"
#include "profile/gather/unwound.h"
#include "unwind/runtime.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SERVER_PERCENT = 5 }; /* of the samples lack names: the server that has them is named */

typedef unsigned long long ull;

struct missing_symbols {
	const struct dso *dso;
	u64 nr; /* samples in it that have no symbol, or a made-up name */
};

typedef ARRAY(struct missing_symbols) missing_symbols_array;

/* ---- why ---- */

static bool is_stripped(const struct dso *dso)
{
	return dso->kind == DSO_ELF && !dso->load_error &&
	       (dso->symtab.exported_only || !dso->symtab.syms.nr);
}

bool dso__add_missing_reason(const struct session *s, const struct dso *dso, struct strbuf *out)
{
	if (dso->load_reason)
		strbuf__addstr(out, dso->load_reason);
	else if (dso->loaded && is_stripped(dso))
		strbuf__addf(out, "'%s': stripped, no debug file", dso__long_name(&s->machine.dsos, dso));
	else
		return false;
	return true;
}

static void missing_symbols__add_reason(const struct missing_symbols *l, const struct session *s,
					struct strbuf *out)
{
	const char *name = dso__long_name(&s->machine.dsos, l->dso);

	if (l->dso->kind == DSO_NONE)
		strbuf__addstr(out, "at addresses where nothing was mapped, as far as recorded");
	else if (dso__add_missing_reason(s, l->dso, out))
		return;
	else if (l->dso->file_error) /* stored names */
		strbuf__addf(out, "'%s' %s: its symbols were not here when it was recorded", name,
			     l->dso->file_error == -ESTALE ? "was changed" : "is gone");
	else
		strbuf__addf(out, "'%s' has symbols, but none for this code", name);
}

/* ---- what to type ---- */

/* Did the system's packages bring the binary? Then a server has its debug file, by build-id. */
static bool dso__is_packaged(const struct session *s, const struct dso *dso)
{
	static const char *const folders[] = { "/usr/", "/lib", "/bin/", "/sbin/" };
	const char *name = dso__long_name(&s->machine.dsos, dso);

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		if (!strncmp(name, folders[i], strlen(folders[i])))
			return dso->build_id.size && strncmp(name, "/usr/local/", strlen("/usr/local/"));
	return false;
}

static bool missing_symbols__has_server(const struct missing_symbols *l, const struct session *s)
{
	const struct dso *dso = l->dso;

	return dso->kind == DSO_ELF && dso__is_packaged(s, dso) && dso->file_error != -EACCES &&
	       (dso->load_error || dso->file_error || is_stripped(dso)) && !s->symbolizer.opts.debuginfod;
}

static void add_path(const struct session *s, struct strbuf *out)
{
	size_t start = out->len;

	strbuf__add_shell_word(out, s->reader->path);
	mask_controls(out->buf + start, out->len - start, NULL);
}

static void add_report(const struct session *s, const char *options, struct strbuf *out)
{
	strbuf__addf(out, "%s report%s", called_name(), options);
	if (strcmp(s->reader->path, "perf.data")) {
		strbuf__addstr(out, " -i ");
		add_path(s, out);
	}
}

/*
 * Name the usual server, unless DEBUGINFOD_URLS is set. The system that recorded is known if it is this one.
 * indent: what begins the second line.
 */
static void add_debuginfod(const struct session *s, const char *indent, struct strbuf *out)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	struct strbuf os = STRBUF_INIT;

	if (!s->symbolizer.finder.opts.foreign_host && file__read("/etc/os-release", &os, 1 << 16))
		(void)file__read("/usr/lib/os-release", &os, 1 << 16);
	if (!urls || !*urls)
		strbuf__addf(out, "export DEBUGINFOD_URLS=%s\n%s", debuginfod__usual_server(os.buf), indent);
	add_report(s, " --debuginfod", out);
	strbuf__exit(&os);
}

static void missing_symbols__add_advice(const struct missing_symbols *l, const struct session *s,
					struct strbuf *out)
{
	const struct dso *dso = l->dso;

	if (dso->kind == DSO_JIT) {
		const char *code = unwound__maker(&s->machine, dso->pid);

		strbuf__addf(out, "%s: %s", code, runtime__of_code(code)->advice);
	} else if (dso->kind != DSO_ELF || !(dso->load_error || dso->file_error || is_stripped(dso))) {
		return; /* the reason says it, or nothing helps */
	} else if (dso->file_error == -EACCES) {
		strbuf__addstr(out, "sudo ");
		add_report(s, "", out);
	} else if (missing_symbols__has_server(l, s)) {
		add_debuginfod(s, "             ", out);
	} else if (dso->build_id.size) {
		strbuf__addf(out, "%s buildid-cache --add FILE, where FILE is the same build with symbols",
			     called_name());
	} else if (is_stripped(dso)) {
		strbuf__addstr(out, "build it without -s and strip, and record again");
	} else {
		add_report(s, " --symfs FOLDER", out);
		strbuf__addstr(out, ", where FOLDER has the recorded file at that path");
	}
}

/* ---- all of a view ---- */

static int compare_missing(const void *x, const void *y)
{
	const struct missing_symbols *a = x, *b = y;

	return a->nr != b->nr ? (a->nr < b->nr ? 1 : -1) : a->dso->idx < b->dso->idx ? -1 : 1;
}

/* Return the dsos with samples without a symbol, those with most first. */
static missing_symbols_array missing_symbols__find(const struct view *v)
{
	const struct dsos *dsos = &v->profile->session->machine.dsos;
	missing_symbols_array missing = { 0 };
	size_t nr = 0;

	for (size_t i = 0; i < dsos->v.nr; i++)
		array__add(&missing, ((struct missing_symbols){ .dso = dsos->v.v[i] }));
	for (size_t i = 0; i < v->folds.nr; i++) {
		const struct place *p = places__get(&v->places, v->folds.v[i].place);

		if (!p->sym || p->sym->is_made_up)
			missing.v[p->dso].nr += v->folds.v[i].nr;
	}
	for (size_t i = 0; i < missing.nr; i++)
		if (missing.v[i].nr)
			missing.v[nr++] = missing.v[i];
	missing.nr = nr;
	if (nr)
		qsort(missing.v, nr, sizeof(*missing.v), compare_missing);
	return missing;
}

static u64 nr_lacking(const struct view *v)
{
	return v->nr.made_up + v->nr.unresolved + v->nr.unmapped;
}

static void add_part(struct strbuf *out, u64 nr, const char *what)
{
	if (nr)
		strbuf__addf(out, "%s %llu %s", out->buf[out->len - 1] == ':' ? "" : ",", (ull)nr, what);
}

/* no: "No" at the beginning of a line, or "no". */
static void add_numbers(const struct view *v, const char *no, struct strbuf *out)
{
	u64 nr = nr_lacking(v);

	strbuf__addf(out, "%s symbol for %llu of %llu %s%s", no, (ull)nr, (ull)v->profile->nr_samples,
		     v->opts.branches ? "branch targets" : "samples", nr ? ":" : "");
	add_part(out, v->nr.made_up, "have made-up names");
	add_part(out, v->nr.unresolved, "in known files");
	add_part(out, v->nr.unmapped, "elsewhere");
}

void missing_symbols__add_summary(const struct view *v, struct strbuf *out)
{
	const struct session *s = v->profile->session;
	bool has_server = false;
	missing_symbols_array missing;

	if (!nr_lacking(v) || nr_lacking(v) * 100 < v->profile->nr_samples) {
		strbuf__addstr(out, "; ");
		add_numbers(v, "no", out);
		return;
	}
	strbuf__addstr(out, "\n# ");
	add_numbers(v, "No", out);
	missing = missing_symbols__find(v);
	for (size_t i = 0; i < missing.nr; i++)
		has_server |= missing_symbols__has_server(&missing.v[i], s);
	array__exit(&missing);
	/* for few samples, three lines of a screen are too many: perf doctor has them, too */
	if (has_server && nr_lacking(v) * 100 >= SERVER_PERCENT * v->profile->nr_samples) {
		strbuf__addstr(out, "\n# Real names, from debug files of the system's packages:\n#   ");
		add_debuginfod(s, "#   ", out);
	}
	if (strcmp(s->reader->path, "-")) {
		strbuf__addf(out, "\n# Why each binary has none: %s doctor ", called_name());
		add_path(s, out);
	}
}

void missing_symbols__print(const struct view *v, FILE *out)
{
	const struct session *s = v->profile->session;
	missing_symbols_array missing = missing_symbols__find(v);
	struct strbuf text = STRBUF_INIT, why = STRBUF_INIT, advice = STRBUF_INIT, next = STRBUF_INIT;

	add_numbers(v, "No", &text);
	for (size_t i = 0; i <= missing.nr; i++) {
		const struct missing_symbols *l = i < missing.nr ? &missing.v[i] : NULL;

		strbuf__reset(&next);
		if (l)
			missing_symbols__add_advice(l, s, &next);
		if (advice.len && strcmp(advice.buf, next.buf)) /* once for neighbours */
			strbuf__addf(&text, "\n          -> %s", advice.buf);
		strbuf__reset(&advice);
		strbuf__addstr(&advice, next.buf);
		if (l) {
			strbuf__addf(&text, "\n%8llu  ", (ull)l->nr);
			missing_symbols__add_reason(l, s, &why);
			strbuf__add_masked(&text, why.buf);
			strbuf__reset(&why);
		}
	}
	strbuf__addch(&text, '\n');
	features__print_stored(s->reader, "", &text);
	fputs(text.buf, out);
	strbuf__exit(&text);
	strbuf__exit(&why);
	strbuf__exit(&advice);
	strbuf__exit(&next);
	array__exit(&missing);
}
