#include "format/read/merged_inputs.h"

#include "base/memory/cursor.h"
#include "base/text/mask.h"
#include "format/records/sampling_mark.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Append the command line, words separated by blanks. */
static void add_command(struct strbuf *line, const struct reader *r)
{
	struct strbuf sb = STRBUF_INIT;
	struct cursor c;
	const char *word;
	u32 nr = 0;

	if (!reader__feature(r, FEATURE_CMDLINE, &sb)) {
		c = cursor__make(sb.buf, sb.len, r->needs_swap);
		nr = cursor__u32(&c);
	}
	if (nr)
		strbuf__addstr(line, ":");
	for (u32 i = 0; i < nr && (word = cursor__str(&c, cursor__u32(&c))); i++)
		strbuf__addf(line, " %s", word);
	strbuf__exit(&sb);
}

void merged_inputs__add_line(struct strbuf *line, const char *host, u64 nr_samples, const struct reader *r)
{
	strbuf__addf(line, "%llu samples of %s", (unsigned long long)nr_samples,
		     host ? host : "an unknown host");
	add_command(line, r);
	mask_controls(line->buf, line->len, NULL);
}

bool evlist__is_merged(const struct evlist *l)
{
	for (size_t i = 0; i < l->evsels.nr; i++)
		if (attr__is_merged(&l->evsels.v[i]->attr))
			return true;
	return false;
}

int merged_inputs__read(struct merged_inputs *m, const struct reader *r)
{
	char *line, *end;

	*m = (struct merged_inputs){ .text = STRBUF_INIT };
	if (reader__extension(r, EXTENSION_MERGED, &m->text)) {
		merged_inputs__exit(m);
		return -ENOENT;
	}
	m->duration = strtoull(m->text.buf, NULL, 10);
	line = strchr(m->text.buf, '\n');
	while (line && (end = strchr(++line, '\n'))) {
		*end = '\0';
		mask_controls(line, (size_t)(end - line), NULL);
		array__add(&m->lines, line);
		line = end;
	}
	return 0;
}

void merged_inputs__exit(struct merged_inputs *m)
{
	array__exit(&m->lines);
	strbuf__exit(&m->text);
}
