#include "profile/embed/source_store.h"

#include <sys/stat.h>

void source_store__init(struct source_store *s, struct symbolizer *symbolizer, u64 budget)
{
	*s = (struct source_store){ .left = budget };
	source_files__init(&s->files, symbolizer, &(struct source_opts){ .strip = 0 });
}

void source_store__exit(struct source_store *s)
{
	for (size_t i = 0; i < s->v.nr; i++)
		free(s->v.v[i].lines);
	array__exit(&s->v);
	source_files__exit(&s->files);
}

/* May everybody who has the binary see the source? */
static bool is_readable(const struct source_file *f, const struct dso *dso)
{
	char *binary = xasprintf("%s%s", dso->root ? dso->root : "", dso->file ? dso->file : "");
	struct stat source, code;
	/* without a path it was stored already */
	bool is_ok = !f->found ||
		     (!stat(f->found, &source) &&
		      (source.st_mode & S_IROTH || (!stat(binary, &code) && code.st_uid == source.st_uid)));

	free(binary);
	return is_ok;
}

static struct wanted_source *source_store__get(struct source_store *s, struct dso *dso, u32 number,
					       const char *path)
{
	const struct source_file *f = source_files__get(&s->files, dso, path);
	struct wanted_source *w;

	for (size_t i = s->v.nr; i-- > 0;)
		if (s->v.v[i].file == f)
			return &s->v.v[i];
	w = array__push(&s->v);
	*w = (struct wanted_source){ .file = f, .dso = number };
	if (f->is_newer)
		s->nr_newer++;
	else if (f->source && is_readable(f, dso))
		w->nr = (u32)MIN(f->lines.nr, (size_t)(UINT32_MAX - f->first));
	w->lines = w->nr ? xcalloc(w->nr / 8 + 1, 1) : NULL;
	return w;
}

/* i: number of the line, from the file's first one on */
static bool is_wanted(const struct wanted_source *w, u32 i)
{
	return w->lines[i / 8] >> i % 8 & 1;
}

void source_store__want(struct source_store *s, struct dso *dso, u32 number, const char *file, u32 line)
{
	struct wanted_source *w = source_store__get(s, dso, number, file);
	u32 first = w->file->first, at = line - first;
	size_t len;

	if (!w->lines || line < first || at >= w->nr)
		return;
	for (u32 i = at - MIN(at, (u32)SOURCE_AROUND); i < w->nr && (i <= at || i - at <= SOURCE_AROUND);
	     i++) {
		if (is_wanted(w, i) || !source_file__line(w->file, first + i, &len))
			continue;
		if (len + 1 > s->left)
			return;
		s->left -= len + 1;
		w->lines[i / 8] |= (u8)(1 << i % 8);
	}
}

static void add_excerpt(const struct wanted_source *w, source_excerpt_array *out)
{
	struct source_excerpt e = { .file = w->file->path, .text = STRBUF_INIT };

	for (u32 i = 0; i < w->nr; i++) {
		u32 number = w->file->first + i;
		const char *text;
		size_t len;

		if (!is_wanted(w, i))
			continue;
		if (!i || !is_wanted(w, i - 1))
			array__add(&e.runs, ((struct source_run){ number, 0, (u32)e.text.len }));
		e.runs.v[e.runs.nr - 1].nr++;
		text = source_file__line(w->file, number, &len);
		strbuf__add(&e.text, text, len);
		strbuf__addch(&e.text, '\n');
	}
	if (e.runs.nr)
		array__add(out, e);
}

void source_store__excerpts(const struct source_store *s, u32 number, source_excerpt_array *out)
{
	for (size_t i = 0; i < s->v.nr; i++)
		if (s->v.v[i].dso == number && s->v.v[i].lines)
			add_excerpt(&s->v.v[i], out);
}
