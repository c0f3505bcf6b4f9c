/* Features that only this program's recordings have: names, code and source. */
#include "format/read/features.h"

#include "format/file/code_section.h"
#include "format/read/merged_inputs.h"
#include "format/records/sampling_mark.h"

#include <errno.h>

typedef unsigned long long ull;

static void add_names_stored(const struct reader *r, const char *prefix, struct strbuf *out)
{
	struct strbuf sb = STRBUF_INIT;
	struct names_summary s;
	int ret = reader__extension(r, EXTENSION_NAMES, &sb);

	if (!ret)
		ret = names_section__summary(sb.buf, sb.len, r->needs_swap, &s);
	if (!ret) {
		strbuf__addf(out, "%sembedded names: %u functions of %u binaries, %llu bytes", prefix,
			     s.nr_symbols, s.nr_dsos, (ull)s.size);
		if (s.nr_left_out)
			strbuf__addf(out, "; %u seldom hit functions left out", s.nr_left_out);
		strbuf__addch(out, '\n');
	} else if (ret != -ENODATA && ret != -ENOENT) {
		strbuf__addf(out, "%sembedded names cannot be read\n", prefix);
	}
	strbuf__exit(&sb);
}

static void add_source_stored(const struct code_summary *s, const char *prefix, struct strbuf *out)
{
	if (!s->nr_files && !s->nr_newer)
		return;
	strbuf__addf(out, "%sembedded source: %u lines of %u files", prefix, s->nr_lines, s->nr_files);
	if (s->nr_newer)
		strbuf__addf(out, "; %u files left out, which are newer than their binaries", s->nr_newer);
	strbuf__addch(out, '\n');
}

static void add_code_stored(const struct reader *r, const char *prefix, struct strbuf *out)
{
	struct strbuf sb = STRBUF_INIT;
	struct code_summary s;
	int ret = reader__extension(r, EXTENSION_CODE, &sb);

	if (!ret)
		ret = code_section__summary(sb.buf, sb.len, r->needs_swap, &s);
	if (!ret) {
		strbuf__addf(out, "%sembedded code: %u bytes of %u functions of %u binaries, %llu bytes",
			     prefix, s.code_bytes, s.nr_functions, s.nr_dsos, (ull)s.size);
		if (s.nr_left_out)
			strbuf__addf(out, "; %u seldom hit functions left out", s.nr_left_out);
		if (s.nr_unread)
			strbuf__addf(out, "; the code of %u functions could not be read", s.nr_unread);
		strbuf__addch(out, '\n');
		add_source_stored(&s, prefix, out);
	} else if (ret != -ENODATA && ret != -ENOENT) {
		strbuf__addf(out, "%sembedded code cannot be read\n", prefix);
	}
	strbuf__exit(&sb);
}

static void add_merged(const struct reader *r, const char *prefix, struct strbuf *out)
{
	struct merged_inputs m;

	if (merged_inputs__read(&m, r))
		return;
	strbuf__addf(out, "%smerged from %zu recordings:\n", prefix, m.lines.nr);
	for (size_t i = 0; i < m.lines.nr; i++)
		strbuf__addf(out, "%s  %s\n", prefix, m.lines.v[i]);
	merged_inputs__exit(&m);
}

/* How the events were sampled that have a mark. */
static void add_varied(const struct reader *r, const char *prefix, struct strbuf *out)
{
	const struct evlist *l = &r->evlist;
	bool is_first = true;

	for (size_t i = 0; i < l->evsels.nr; i++) {
		if (!attr__is_varied(&l->evsels.v[i]->attr))
			continue;
		strbuf__addf(out, "%s%s", is_first ? prefix : "",
			     is_first ? "sampled at varied periods: " : ", ");
		strbuf__add_masked(out, l->evsels.v[i]->name);
		is_first = false;
	}
	if (!is_first)
		strbuf__addch(out, '\n');
}

void features__print_stored(const struct reader *r, const char *prefix, struct strbuf *out)
{
	add_varied(r, prefix, out);
	add_merged(r, prefix, out);
	add_names_stored(r, prefix, out);
	add_code_stored(r, prefix, out);
}
