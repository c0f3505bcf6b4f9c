#include "profile/annotate/source_files.h"

#include "base/memory/hash.h"
#include "base/system/file.h"
#include "binary/elf/debuginfod.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define SOURCE_OF_RECORDING "the recording"
enum {
	SOURCE_MAX = 64 << 20,      /* bytes; larger files are not read */
	SOURCE_LINES_MAX = 1 << 20, /* between the first and the last one that a recording stores */
};

/*
 * Places where a source file may be. Each function appends the path to look at, and returns false if it has
 * none. The first regular file is read. Files that the recording stores come after the user's places.
 */
static bool add_prefixed(const struct source_files *l, const struct dso *dso, const char *path,
			 struct strbuf *out)
{
	(void)dso;
	if (!l->opts.prefix)
		return false;
	for (unsigned i = 0; i < l->opts.strip && *path; i++) {
		path += strspn(path, "/");
		path += strcspn(path, "/");
	}
	strbuf__addf(out, "%s%s%s", l->opts.prefix, *path == '/' ? "" : "/", path);
	return true;
}

static bool add_below_symfs(const struct source_files *l, const struct dso *dso, const char *path,
			    struct strbuf *out)
{
	const char *symfs = l->symbolizer->opts.symfs;

	(void)dso;
	if (!symfs || !*symfs)
		return false;
	strbuf__addf(out, "%s%s%s", symfs, *path == '/' ? "" : "/", path);
	return true;
}

static bool add_recorded(const struct source_files *l, const struct dso *dso, const char *path,
			 struct strbuf *out)
{
	(void)l;
	(void)dso;
	strbuf__addstr(out, path);
	return true;
}

static bool add_from_server(const struct source_files *l, const struct dso *dso, const char *path,
			    struct strbuf *out)
{
	struct debuginfod *d = l->symbolizer->opts.debuginfod;
	char *found = d && dso->build_id.size ? debuginfod__fetch_source(d, &dso->build_id, path) : NULL;

	if (found)
		strbuf__addstr(out, found);
	free(found);
	return found != NULL;
}

static const struct {
	const char *name;
	bool (*add_path)(const struct source_files *l, const struct dso *dso, const char *path,
			 struct strbuf *out);
} sources[] = {
	{ "--prefix", add_prefixed }, { "--symfs", add_below_symfs },    { SOURCE_OF_RECORDING, NULL },
	{ "file", add_recorded },     { "debuginfod", add_from_server },
};

/* ---- reading ---- */

static void source_file__split(struct source_file *f)
{
	const char *text = f->text.buf;

	f->first = 1;
	array__add(&f->lines, 0);
	for (const char *end; (end = memchr(text, '\n', f->text.len - (size_t)(text - f->text.buf)));) {
		text = end + 1;
		array__add(&f->lines, (size_t)(text - f->text.buf));
	}
	if (f->lines.v[f->lines.nr - 1] < f->text.len)
		array__add(&f->lines, f->text.len + 1); /* the last line has no newline */
}

/* Append the lines of a run, and lines that are not stored up to there. Lines have to ascend. */
static void source_file__add_run(struct source_file *f, const struct stored_source *run)
{
	const char *p = run->text, *end = run->text + run->size;

	if (f->lines.nr && (run->first < f->first + f->lines.nr || run->first - f->first > SOURCE_LINES_MAX))
		return;
	if (!f->lines.nr)
		f->first = run->first;
	while (f->lines.nr < run->first - f->first)
		array__add(&f->lines, f->text.len);
	for (u32 i = 0; i < run->nr && p < end; i++) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));

		array__add(&f->lines, f->text.len);
		strbuf__add(&f->text, p, (size_t)((nl ? nl : end) - p));
		strbuf__addch(&f->text, '\n');
		p = nl ? nl + 1 : end;
	}
}

static void source_file__read_stored(struct source_file *f, struct symbolizer *s, const struct dso *dso)
{
	const struct code_entry *e = embedded__find_code(&s->embedded, &s->machine->dsos, dso);
	const struct source_excerpt_chunk *c = e ? code_entry__find_source(e, f->path) : NULL;
	struct stored_source run;

	for (u32 i = 0; c && i < c->nr_runs; i++)
		if (source_excerpt__run(c, i, &run))
			source_file__add_run(f, &run);
	if (!f->lines.nr)
		return;
	array__add(&f->lines, f->text.len);
	f->source = SOURCE_OF_RECORDING;
}

/* A binary that was built again meanwhile is not the recorded one: the recording is newer than that one. */
static bool is_newer_than_recording(const struct source_files *l, const struct stat *source)
{
	const struct reader *r = l->symbolizer->embedded.reader;

	return r && r->mtime > 0 && source->st_mtim.tv_sec > r->mtime;
}

static bool is_newer(const struct source_files *l, const char *source, const struct dso *dso)
{
	char *binary = dso->file && !dso->file_error ? xasprintf("%s%s", dso->root, dso->file) : NULL;
	struct stat a, b;
	bool is_there = !stat(source, &a);
	bool newer = is_there && binary && !stat(binary, &b) &&
		     (a.st_mtim.tv_sec != b.st_mtim.tv_sec ? a.st_mtim.tv_sec > b.st_mtim.tv_sec
							   : a.st_mtim.tv_nsec > b.st_mtim.tv_nsec);

	free(binary);
	return newer || (is_there && is_newer_than_recording(l, &a));
}

static void source_files__read(struct source_files *l, const struct dso *dso, struct source_file *f)
{
	struct strbuf path = STRBUF_INIT;

	for (size_t i = 0; !f->source && i < ARRAY_SIZE(sources); i++) {
		strbuf__reset(&path);
		if (!sources[i].add_path) {
			source_file__read_stored(f, l->symbolizer, dso);
			continue;
		}
		if (!sources[i].add_path(l, dso, f->path, &path) || !file__is_plain(path.buf) ||
		    file__read(path.buf, &f->text, SOURCE_MAX))
			continue;
		f->source = sources[i].name;
		f->found = xstrdup(path.buf);
		f->is_newer = is_newer(l, path.buf, dso);
		source_file__split(f);
	}
	strbuf__exit(&path);
}

/* ---- the list ---- */

void source_files__init(struct source_files *l, struct symbolizer *s, const struct source_opts *opts)
{
	*l = (struct source_files){ .symbolizer = s, .opts = *opts };
}

void source_files__exit(struct source_files *l)
{
	for (size_t i = 0; i < l->v.nr; i++) {
		struct source_file *f = l->v.v[i];

		free(f->path);
		free(f->found);
		strbuf__exit(&f->text);
		array__exit(&f->lines);
		free(f);
	}
	array__exit(&l->v);
	hash_table__exit(&l->by_path);
}

const struct source_file *source_files__get(struct source_files *l, struct dso *dso, const char *path)
{
	u64 hash = hash__bytes(path, strlen(path), dso->idx);
	struct source_file *f;
	u32 i;

	hash_table__for_each (&l->by_path, hash, i)
		if (l->v.v[i]->dso == dso->idx && !strcmp(l->v.v[i]->path, path))
			return l->v.v[i];
	f = xcalloc(1, sizeof(*f));
	f->path = xstrdup(path);
	f->dso = dso->idx;
	strbuf__init(&f->text);
	hash_table__insert(&l->by_path, hash, (u32)l->v.nr);
	array__add(&l->v, f);
	source_files__read(l, dso, f);
	return f;
}

const char *source_file__line(const struct source_file *f, u32 number, size_t *len)
{
	size_t i = (size_t)number - f->first;

	if (number < f->first || i + 1 >= f->lines.nr || f->lines.v[i] == f->lines.v[i + 1])
		return NULL;
	*len = f->lines.v[i + 1] - f->lines.v[i] - 1;
	return f->text.buf + f->lines.v[i];
}
