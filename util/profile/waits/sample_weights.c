#include "profile/waits/sample_weights.h"

#include "base/text/number.h"
#include "profile/waits/blocked_by.h"
#include "profile/waits/critical_path.h"
#include "profile/waits/not_recorded.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- the thread of --thread ---- */

/* Had a thread this name? *last: the name that it had last. */
static bool history__has_name(const struct machine *m, const struct thread_history *h, const char *name,
			      const char **last)
{
	bool found = false;

	for (size_t i = 0; i < h->states.nr; i++) {
		if (h->states.v[i].comm == COMM_UNKNOWN)
			continue;
		*last = machine__str(m, h->states.v[i].comm);
		found |= name && !strcmp(*last, name);
	}
	return found;
}

/* List threads with a name, or all: "12 worker, 13 worker". Set *line to the last one. Return how many. */
static u32 list_threads(const struct time_lines *t, const struct machine *m, const char *name, u32 *line,
			struct strbuf *sb)
{
	enum { LISTED = 20 };
	u32 nr = 0;

	for (size_t i = 0; i < m->tids.nr; i++) {
		const char *last = "";
		u32 found = time_lines__find(t, m->tids.v[i].tid);

		if (found == NO_LINE || !t->v.v[found].is_recorded ||
		    (!history__has_name(m, &m->tids.v[i], name, &last) && name))
			continue;
		*line = found;
		if (nr++ < LISTED) {
			strbuf__addf(sb, "%s%u ", nr > 1 ? ", " : "", m->tids.v[i].tid);
			strbuf__add_masked(sb, last);
		}
	}
	if (nr > LISTED)
		strbuf__addf(sb, " and %u more", nr - LISTED);
	return nr;
}

static int find_thread(const struct time_lines *t, const struct session *s, const char *text, u32 *line,
		       struct err *err)
{
	struct strbuf list = STRBUF_INIT;
	int ret = 0;
	u64 tid;
	u32 nr;

	*line = number__parse(text, 0, UINT32_MAX, &tid) ? time_lines__find(t, (u32)tid) : NO_LINE;
	if (*line != NO_LINE && t->v.v[*line].is_recorded)
		return 0;
	nr = list_threads(t, &s->machine, text, line, &list);
	if (!nr) {
		list_threads(t, &s->machine, NULL, line, &list);
		ret = err__set(err, -ENOENT, "--thread: '%s' has no thread '%s'", s->reader->path, text);
		err__advise(err, "threads: %s", list.buf);
	} else if (nr > 1) {
		ret = err__set(err, -EINVAL, "--thread: %u threads are called '%s'", nr, text);
		err__advise(err, "name one by its number: %s", list.buf);
	}
	strbuf__exit(&list);
	return ret;
}

/* ---- chosen spans ---- */

static void add_spans(const struct time_lines *t, struct weighing *w, const struct span_choice *c)
{
	u32 line = NO_LINE;

	for (size_t i = 0; i < c->v.nr; i++) {
		const struct span *s = &c->v.v[i];

		if (!i || s->tid != c->v.v[i - 1].tid)
			line = time_lines__find(t, s->tid);
		if (line != NO_LINE)
			weighing__add(w, line, s->begin, s->end, s->step, NOT_ENDED);
		else
			weighing__add_lone(w, s->pid, s->tid, LONE_NOT_RECORDED, span__ns(s) * s->step);
	}
}

/* ---- all ---- */

/* Choose the events that count what has no sample. */
static void weights__choose_events(struct sample_weights *w, const struct evlist *l, const bool *on_cpu)
{
	struct evsel **e = w->lone_events;

	for (size_t i = l->evsels.nr; i-- > 0;) {
		enum wait_event kind = evsel__wait_event(l->evsels.v[i]);

		if (on_cpu[i] || (kind == WAIT_EVENT_ENDED && !e[LONE_RAN]))
			e[LONE_RAN] = l->evsels.v[i];
		if (kind == WAIT_EVENT_READY || (kind == WAIT_EVENT_OFF_CPU && !e[LONE_READY]))
			e[LONE_READY] = l->evsels.v[i];
		if (kind == WAIT_EVENT_OFF_CPU)
			e[LONE_NOT_RECORDED] = l->evsels.v[i];
	}
	for (size_t i = 0; i < l->evsels.nr && !e[LONE_RAN]; i++)
		if (evsel__has_spans(l->evsels.v[i]))
			e[LONE_RAN] = l->evsels.v[i];
}

static const char *last_name(const struct machine *m, u32 tid)
{
	const char *last = NULL;
	u32 i;

	hash_table__for_each (&m->by_tid, hash__u64(tid), i)
		if (m->tids.v[i].tid == tid)
			history__has_name(m, &m->tids.v[i], NULL, &last);
	return last;
}

/* Are there threads of the same name, with time? */
static bool weighing__has_equal_names(const struct weighing *w, const struct machine *m)
{
	const struct time_lines *t = &w->weights->lines;
	ARRAY(const char *) names = { .v = NULL };
	bool found = false;

	for (size_t i = 0; i < t->v.nr; i++) {
		const char *name = w->lines[i].spans ? last_name(m, t->v.v[i].tid) : NULL;

		if (name)
			array__add(&names, name);
	}
	if (names.nr)
		qsort(names.v, names.nr, sizeof(*names.v), str__compare);
	for (size_t i = 1; i < names.nr; i++)
		found |= !strcmp(names.v[i - 1], names.v[i]);
	array__exit(&names);
	return found;
}

int sample_weights__read(struct sample_weights *w, struct session *s, const struct weights_opts *opts,
			 struct err *err)
{
	struct weighing weighing;
	struct time_lines *t = &w->lines;
	u32 line = NO_LINE;
	int ret;

	*w = (struct sample_weights){ .of = opts->of };
	ret = time_lines__read(t, s, opts->on_cpu, opts->waits, err);
	if (!ret && opts->thread)
		ret = find_thread(t, s, opts->thread, &line, err);
	if (ret)
		return ret;
	time_lines__add_not_recorded(t);
	weights__choose_events(w, &s->reader->evlist, opts->on_cpu);
	w->facts.vague = (struct time_count){ t->nr_vague, t->vague };
	weighing__init(&weighing, w);
	if (opts->of == WEIGHTS_BLOCKED_BY)
		blocked_by__add(t, &weighing, &w->facts);
	else if (opts->of == WEIGHTS_CRITICAL_PATH)
		critical_path__add(t, &weighing, line, &w->facts);
	else
		add_spans(t, &weighing, opts->spans);
	weighing__finish(&weighing);
	w->equal_names = weighing__has_equal_names(&weighing, &s->machine);
	weighing__exit(&weighing);
	return 0;
}

void sample_weights__exit(struct sample_weights *w)
{
	free(w->ns);
	w->ns = NULL;
	time_lines__exit(&w->lines);
	array__exit(&w->lone);
	hash_table__exit(&w->by_lone);
}
