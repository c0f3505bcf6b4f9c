#include "format/file/source_excerpt.h"

#include "base/memory/cursor.h"

#include <errno.h>

enum { RUN_BYTES = 12 };

void source_excerpts__exit(source_excerpt_array *sources)
{
	for (size_t i = 0; i < sources->nr; i++) {
		array__exit(&sources->v[i].runs);
		strbuf__exit(&sources->v[i].text);
	}
	array__exit(sources);
}

/* ---- writing ---- */

void source_excerpt__write(struct strbuf *out, u32 dso, const struct source_excerpt *s)
{
	size_t name_size = strlen(s->file) + 1;

	strbuf__add_u32(out, dso);
	strbuf__add_u32(out, (u32)s->runs.nr);
	strbuf__add_u32(out, (u32)name_size);
	strbuf__add_u32(out, (u32)s->text.len);
	for (size_t i = 0; i < s->runs.nr; i++) {
		strbuf__add_u32(out, s->runs.v[i].first);
		strbuf__add_u32(out, s->runs.v[i].nr);
		strbuf__add_u32(out, s->runs.v[i].text);
	}
	strbuf__add(out, s->file, name_size);
	strbuf__add(out, s->text.buf, s->text.len);
}

/* ---- reading ---- */

int source_excerpt__read(struct source_excerpt_chunk *s, u32 *dso, const void *data, size_t size, bool swap)
{
	struct cursor c = cursor__make(data, size, swap);
	u32 name_size, text_size;

	*s = (struct source_excerpt_chunk){ .swap = swap };
	*dso = cursor__u32(&c);
	s->nr_runs = cursor__u32(&c);
	name_size = cursor__u32(&c);
	text_size = cursor__u32(&c);
	if (c.bad || s->nr_runs > cursor__left(&c) / RUN_BYTES)
		return -EBADMSG;
	s->runs = cursor__bytes(&c, (size_t)s->nr_runs * RUN_BYTES);
	s->file = cursor__str(&c, name_size);
	s->text = cursor__bytes(&c, text_size);
	s->text_size = text_size;
	return c.bad ? -EBADMSG : 0;
}

static struct source_run read_run(const struct source_excerpt_chunk *s, u32 i)
{
	struct cursor c = cursor__make(s->runs + (size_t)i * RUN_BYTES, RUN_BYTES, s->swap);
	struct source_run r;

	r.first = cursor__u32(&c);
	r.nr = cursor__u32(&c);
	r.text = cursor__u32(&c);
	return r;
}

bool source_excerpt__run(const struct source_excerpt_chunk *s, u32 i, struct stored_source *run)
{
	struct source_run r = read_run(s, i);
	u32 end = i + 1 < s->nr_runs ? read_run(s, i + 1).text : (u32)s->text_size;

	if (r.text > end || end > s->text_size)
		return false;
	*run = (struct stored_source){ r.first, r.nr, s->text + r.text, end - r.text };
	return true;
}
