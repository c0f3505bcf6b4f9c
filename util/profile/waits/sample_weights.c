#include "profile/waits/sample_weights.h"

#include "base/text/number.h"
#include "profile/waits/blocked_by.h"
#include "profile/waits/critical_path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long ull;

/*
 * What was asked for of a thread. How often a span or a sample is wanted is noted where that changes: sums of
 * all numbers before give it.
 */
struct line_sums {
	u64 *spans, *runs; /* by index + 1 of them; NULL: nothing asked for yet */
	u64 ran;           /* ns in which it ran without ending a wait */
	size_t at_span, at_run, at_ready; /* looked up last: the next lookup is often near */
};

struct weighing {
	struct sample_weights *weights;
	struct line_sums *lines; /* by line */
	u64 *ended;              /* ns in which threads ran up to there; by index in lines.ended */
};

void weighing__add_lone(struct weighing *w, u32 pid, u32 tid, bool is_ready, u64 ns)
{
	struct sample_weights *weights = w->weights;

	if (!ns)
		return;
	for (size_t i = weights->lone.nr; i-- > 0;) {
		struct lone_time *l = &weights->lone.v[i];

		if (l->tid == tid && l->is_ready == is_ready) {
			l->ns += ns;
			return;
		}
	}
	array__add(&weights->lone, ((struct lone_time){ pid, tid, is_ready, ns }));
}

/* Count time in which a thread was ready, up to a time, for its next sample of that. */
static void weighing__add_ready(struct weighing *w, const struct time_line *l, u64 until, u64 ns)
{
	size_t *at = &w->lines[l - w->weights->lines.v.v].at_ready;

	if (!ns)
		return;
	if (!l->readies.nr) {
		weighing__add_lone(w, l->pid, l->tid, true, ns);
		return;
	}
	*at = bisect_near(k, *at, l->readies.nr, l->readies.v[k].time < until);
	w->weights->ns[l->readies.v[MIN(*at, l->readies.nr - 1)].number] += ns;
}

static u64 overlap(u64 from, u64 to, u64 begin, u64 end)
{
	from = MAX(from, begin);
	to = MIN(to, end);
	return from < to ? to - from : 0;
}

/* Count what a span has of [from, to). Return how much that is. */
static u64 weighing__add_span(struct weighing *w, const struct time_line *l, const struct line_span *s,
			      u64 from, u64 to, u64 times)
{
	const struct line_wait *wait = &w->weights->lines.waits.v[s->wait];
	u64 ns = overlap(from, to, s->begin, s->end),
	    waited = wait->is_ready ? ns : overlap(from, to, s->begin, s->woken);

	w->weights->ns[wait->number] += waited * times;
	weighing__add_ready(w, l, s->end, (ns - waited) * times);
	return ns;
}

static void line_sums__init(struct line_sums *sums, const struct time_line *l)
{
	if (sums->spans)
		return;
	sums->spans = xcalloc(l->spans.nr + 1, sizeof(*sums->spans));
	sums->runs = xcalloc(l->runs.nr + 1, sizeof(*sums->runs));
}

/* Count the samples on the CPU in (from, to]. */
static void line_sums__add_runs(struct line_sums *sums, const struct time_line *l, u64 from, u64 to,
				u64 times)
{
	size_t begin = bisect_near(k, sums->at_run, l->runs.nr, l->runs.v[k].time <= from),
	       end = bisect_near(k, begin, l->runs.nr, l->runs.v[k].time <= to);

	sums->at_run = begin;
	sums->runs[begin] += times;
	sums->runs[end] -= times;
}

void weighing__add(struct weighing *w, u32 line, u64 from, u64 to, u64 times, u32 ended)
{
	const struct time_line *l = &w->weights->lines.v.v[line];
	struct line_sums *sums = &w->lines[line];
	u64 not_run = 0, ran;
	size_t begin, end;

	if (from >= to || !times)
		return;
	line_sums__init(sums, l);
	begin = bisect_near(k, sums->at_span, l->spans.nr, l->spans.v[k].end <= from);
	end = bisect_near(k, begin, l->spans.nr, l->spans.v[k].begin < to);
	sums->at_span = begin;
	if (begin < end && l->spans.v[begin].begin < from)
		not_run += weighing__add_span(w, l, &l->spans.v[begin++], from, to, times);
	if (begin < end && l->spans.v[end - 1].end > to)
		not_run += weighing__add_span(w, l, &l->spans.v[--end], from, to, times);
	if (begin < end) {
		const struct line_span *first = &l->spans.v[begin], *last = &l->spans.v[end - 1];

		sums->spans[begin] += times;
		sums->spans[end] -= times;
		not_run += last->before + line_span__ns(last) - first->before;
	}
	line_sums__add_runs(sums, l, from, to, times);
	ran = (to - from - not_run) * times;
	if (ended == NOT_ENDED)
		sums->ran += ran;
	else
		w->ended[ended] += ran;
}

/* ---- from sums to weights ---- */

/* Return x * part / whole, rounded down. */
static u64 share(u64 x, u64 part, u64 whole)
{
	return (u64)((unsigned __int128)x * part / whole);
}

static void weighing__finish_spans(struct weighing *w, const struct time_line *l, const struct line_sums *sums)
{
	u64 times = 0;

	for (size_t i = 0; i < l->spans.nr; i++) {
		const struct line_span *s = &l->spans.v[i];

		times += sums->spans[i];
		if (times)
			weighing__add_span(w, l, s, s->begin, s->end, times);
	}
}

/* Spread ns over the samples on the CPU that are wanted. Return false if there are none. */
static bool weighing__spread(struct weighing *w, const struct time_line *l, const struct line_sums *sums,
			     u64 ns)
{
	u64 all = 0, times = 0, sum = 0, given = 0;

	for (size_t i = 0; i < l->runs.nr; i++) {
		times += sums->runs[i];
		all += times;
	}
	times = 0;
	for (size_t i = 0; all && i < l->runs.nr; i++) {
		u64 upto;

		times += sums->runs[i];
		sum += times;
		upto = share(ns, sum, all);
		w->weights->ns[l->runs.v[i].number] += upto - given;
		given = upto;
	}
	return all;
}

/* ended: the line's part of lines.ended. */
static void weighing__finish_line(struct weighing *w, u32 line, size_t ended, size_t nr_ended)
{
	const struct time_lines *t = &w->weights->lines;
	const struct time_line *l = &t->v.v[line];
	const struct line_sums *sums = &w->lines[line];
	u64 ran = sums->ran;

	if (!sums->spans)
		return;
	for (size_t i = ended; i < ended + nr_ended; i++)
		ran += w->ended[i];
	weighing__finish_spans(w, l, sums);
	if (weighing__spread(w, l, sums, ran))
		return;
	for (size_t i = ended; i < ended + nr_ended; i++)
		w->weights->ns[t->ended.v[i].number] += w->ended[i];
	weighing__add_lone(w, l->pid, l->tid, false, sums->ran);
}

static void weighing__finish(struct weighing *w)
{
	const struct time_lines *t = &w->weights->lines;
	size_t ended = 0, end;

	for (size_t i = 0; i < t->v.nr; i++, ended = end) {
		for (end = ended; end < t->ended.nr && t->ended.v[end].line == i;)
			end++;
		weighing__finish_line(w, (u32)i, ended, end - ended);
	}
	for (size_t i = 0; i < t->nr_samples; i++)
		w->weights->facts.ns += w->weights->ns[i];
	for (size_t i = 0; i < w->weights->lone.nr; i++)
		w->weights->facts.ns += w->weights->lone.v[i].ns;
}

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

/* ---- all ---- */

/* Choose the events that count what has no sample. */
static void weights__choose_events(struct sample_weights *w, const struct evlist *l, const bool *on_cpu)
{
	for (size_t i = l->evsels.nr; i-- > 0;) {
		enum wait_event kind = evsel__wait_event(l->evsels.v[i]);

		if (on_cpu[i] || (kind == WAIT_EVENT_ENDED && !w->running_event))
			w->running_event = l->evsels.v[i];
		if (kind == WAIT_EVENT_READY || (kind == WAIT_EVENT_OFF_CPU && !w->ready_event))
			w->ready_event = l->evsels.v[i];
	}
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
	struct weighing weighing = { .weights = w };
	struct time_lines *t = &w->lines;
	u32 line = NO_LINE;
	int ret;

	*w = (struct sample_weights){ .of = opts->of };
	ret = time_lines__read(t, s, opts->on_cpu, opts->waits, err);
	if (!ret && opts->thread)
		ret = find_thread(t, s, opts->thread, &line, err);
	if (ret)
		return ret;
	weights__choose_events(w, &s->reader->evlist, opts->on_cpu);
	w->ns = xcalloc(t->nr_samples + 1, sizeof(*w->ns));
	w->facts.vague = (struct time_count){ t->nr_vague, t->vague };
	weighing.lines = xcalloc(t->v.nr + 1, sizeof(*weighing.lines));
	weighing.ended = xcalloc(t->ended.nr + 1, sizeof(*weighing.ended));
	if (opts->of == WEIGHTS_BLOCKED_BY)
		blocked_by__add(t, &weighing, &w->facts);
	else
		critical_path__add(t, &weighing, line, &w->facts);
	weighing__finish(&weighing);
	w->equal_names = weighing__has_equal_names(&weighing, &s->machine);
	for (size_t i = 0; i < t->v.nr; i++) {
		free(weighing.lines[i].spans);
		free(weighing.lines[i].runs);
	}
	free(weighing.lines);
	free(weighing.ended);
	return 0;
}

void sample_weights__exit(struct sample_weights *w)
{
	free(w->ns);
	w->ns = NULL;
	time_lines__exit(&w->lines);
	array__exit(&w->lone);
}
