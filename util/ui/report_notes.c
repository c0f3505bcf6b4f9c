#include "ui/report_notes.h"

#include "base/message/msg.h"
#include "live/checks.h"
#include "ui/notes/missing_symbols.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* -v: show how many names the recording contains. */
static void tell_embedded(const struct reader *reader)
{
	struct strbuf section = STRBUF_INIT;
	struct names_summary s;

	if (!reader__extension(reader, EXTENSION_NAMES, &section) &&
	    !names_section__summary(section.buf, section.len, reader->needs_swap, &s))
		debug(1, "symbols",
		      "the recording has the names of %u functions of %u binaries, %llu bytes; %u were left "
		      "out",
		      s.nr_symbols, s.nr_dsos, (unsigned long long)s.size, s.nr_left_out);
	strbuf__exit(&section);
}

void report_notes__explain(const struct session *session)
{
	const struct dsos *dsos = &session->machine.dsos;
	struct strbuf why = STRBUF_INIT;

	fflush(stdout);
	tell_embedded(session->reader);
	for (size_t i = 0; i < dsos->v.nr; i++) {
		strbuf__reset(&why);
		if (dso__add_missing_reason(session, dsos->v.v[i], &why))
			debug(1, "symbols", "%s", why.buf);
	}
	strbuf__exit(&why);
}

bool report_notes__has_kernel_samples(const struct profile *p)
{
	const struct row_table *t = &p->rows;

	for (size_t i = 0; i < t->rows.nr; i++) {
		const struct row_key *key = &row_table__get(t, i)->key;

		if (key->cpumode == PERF_RECORD_MISC_KERNEL &&
		    !p->session->reader->evlist.evsels.v[key->event]->attr.exclude_kernel)
			return true;
	}
	return false;
}

void report_notes__tell_hidden_kernel(const struct report_setup *s, bool had_samples)
{
	const struct machine *m = &s->session->machine;
	struct strbuf why = STRBUF_INIT;

	if (!m->kernel.has_text && had_samples)
		warning("kernel addresses were hidden when '%s' was recorded: kernel functions have no names",
			s->session->reader->path);
	for (size_t i = 0; !s->args->symbols.kallsyms && i < m->dsos.v.nr; i++) {
		if (m->dsos.v.v[i]->kind != DSO_KERNEL || m->dsos.v.v[i]->load_error != -EPERM)
			continue;
		checks__tell_hidden_symbols(&why);
		warning("%s", why.buf);
		break;
	}
	strbuf__exit(&why);
}

/* ---- filters that leave nothing ---- */

static void offer_locks(const struct locks *l, struct suggest *near, struct arena *names)
{
	for (size_t i = 0; l && i < l->v.nr; i++)
		suggest__offer(near, arena__strdup(names, lock_text__name(locks__text(l, l->v.v[i].lock))));
}

/* Offer the names of what the filter keeps entries by. Those without a name are skipped. */
static void offer_names(struct view *v, enum hist_filter filter, struct suggest *near, struct arena *names)
{
	const struct dsos *dsos = &v->profile->session->machine.dsos;

	if (filter == HIST_FILTER_CONTEXT) {
		offer_locks(v->opts.waits.locks, near, names);
		return;
	}
	for (size_t i = 0; i < v->entries.nr; i++) {
		const struct hist_entry *e = v->entries.v[i];
		const struct place *p = places__get(&v->places, e->place);
		const char *name = NULL;
		char buf[16];

		if (filter == HIST_FILTER_THREAD)
			name = view__comm(v, e->comm, buf);
		else if (filter == HIST_FILTER_DSO)
			name = p->mapped ? dso__short_name(dsos, dsos->v.v[p->dso]) : NULL;
		else
			name = p->sym ? places__name(&v->places, e->place) : NULL;
		if (name)
			suggest__offer(near, arena__strdup(names, name));
	}
}

static bool view__is_emptied_by(const struct view *v, enum hist_filter filter)
{
	for (size_t i = 0; i < v->entries.nr; i++)
		if (!(v->entries.v[i]->filtered & filter))
			return false;
	return v->entries.nr != 0;
}

int report_notes__check_filters(const struct report_setup *s, struct view *v, struct err *err)
{
	const struct view_opts *o = &s->view;
	const char *path = s->session->reader->path, *text = o->symbol_filter;
	const struct {
		const char *word, *fmt;
		enum hist_filter filter;
	} rows[] = {
		{ text, "no symbol in '%s' contains '%s'%s", HIST_FILTER_TEXT },
		{ sample_filter__only(&o->filter, "symbol"), "no symbol in '%s' is called '%s'%s",
		  HIST_FILTER_SYMBOL },
		{ sample_filter__only(&o->filter, "dso"), "no sample of '%s' is in a binary '%s'%s",
		  HIST_FILTER_DSO },
		{ sample_filter__only(&o->filter, "comm"), "no sample of '%s' is of a thread named '%s'%s",
		  HIST_FILTER_THREAD },
		{ s->args->samples.filter.pids, "no sample of '%s' is of a process '%s'%s",
		  HIST_FILTER_THREAD },
		{ s->args->samples.filter.tids, "no sample of '%s' is of a thread '%s'%s",
		  HIST_FILTER_THREAD },
		{ sample_filter__only(&o->filter, "lock"), "no wait in '%s' is for a lock '%s'%s",
		  HIST_FILTER_CONTEXT },
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *word = rows[i].word;
		struct arena names = ARENA_INIT;
		struct suggest near;

		if (!word || !view__is_emptied_by(v, rows[i].filter))
			continue;
		err__set(err, -ENOENT, rows[i].fmt, path, word,
			 word == text && strpbrk(word, "./") && access(word, F_OK)
				 ? ", and there is no such file"
				 : "");
		suggest__init(&near, "", word);
		offer_names(v, rows[i].filter, &near, &names);
		err__suggest(err, &near);
		arena__exit(&names);
		if (word == text)
			return -ENOENT;
		warning("%s", err->text.buf);
		return 0;
	}
	return 0;
}
