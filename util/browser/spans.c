/*
 * The spans of a recording (perf record --span): a list of the slowest, and a menu of which ones count. They
 * are read when one of these, or the view of time, first asks for them.
 */
#include "browser/report_browser.h"

#include "base/message/called_name.h"
#include "profile/causes/span_times.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LISTED = 1000, NAME = 17 /* columns of a thread */ };

/* ---- all spans ---- */

void span_sets__exit(struct span_sets *s)
{
	for (size_t i = 0; i < s->v.nr; i++)
		span_set__exit(&s->v.v[i].set);
	array__exit(&s->v);
}

const struct span_sets *browser__spans(struct browser *b)
{
	struct span_sets *s = &report_of(b)->spans;
	struct session *session = report_of(b)->in->session;
	const struct evlist *l = &session->reader->evlist;

	for (size_t i = 0; i < l->evsels.nr && !s->is_read && !report_of(b)->in->live; i++) {
		struct spans_of_event *of;

		if (!evsel__has_spans(l->evsels.v[i]))
			continue;
		of = array__push(&s->v);
		if (span_set__read(&of->set, session, l->evsels.v[i], b->err))
			browser__say(b, "%s", b->err->text.buf);
		of->fast = span_set__quantile(&of->set, 0.5);
		of->slow = span_set__quantile(&of->set, 0.99);
	}
	s->is_read = true;
	return s;
}

bool browser__wants_span(struct browser *b, const struct span_set *set, const struct span *span)
{
	const struct report_setup *setup = report_of(b)->in->setup;
	const struct sample_filter *zoom = browser__view(b)->zoom.filter, *all = &setup->view.filter;
	const struct time_spans *times = setup->profile.times;
	const char *comm;
	char buf[16];

	if (all->has_spans && (set->event != all->spans.event || span__ns(span) < all->spans.least.ns ||
			       span__ns(span) > all->spans.most.ns))
		return false;
	if (times && (!times->v.nr || span->end < times->v.v[0].start ||
		      span->begin > times->v.v[times->v.nr - 1].end))
		return false;
	comm = view__comm(browser__view(b), browser__thread_comm(b, span->tid), buf);
	return sample_filter__wants_thread(all, comm, span->pid, span->tid) &&
	       (!zoom || sample_filter__wants_thread(zoom, comm, span->pid, span->tid));
}

u32 browser__thread_comm(struct browser *b, u32 tid)
{
	const struct machine *m = &report_of(b)->in->session->machine;
	u32 comm = ROW_COMM_OF_TID | tid, i;

	hash_table__for_each (&m->by_tid, hash__u64(tid), i)
		for (size_t k = 0; m->tids.v[i].tid == tid && k < m->tids.v[i].states.nr; k++)
			if (m->tids.v[i].states.v[k].comm != COMM_UNKNOWN)
				comm = m->tids.v[i].states.v[k].comm;
	return comm;
}

/* ---- the menu ---- */

static const struct span_kind {
	const char *name, *slower, *faster; /* as options */
} span_kinds[] = {
	{ "all", "0ns", NULL },
	{ "slow", "p99", NULL },
	{ "fast", NULL, "p50" },
};

static void count_all(struct browser *b, u32 arg)
{
	(void)arg;
	browser__count_weights(b, &(struct weights_args){ .span = NULL });
}

/* arg: number of the set, and of the kind. */
static void count_spans(struct browser *b, u32 arg)
{
	const struct span_set *set = &browser__spans(b)->v.v[arg / ARRAY_SIZE(span_kinds)].set;
	const struct span_kind *kind = &span_kinds[arg % ARRAY_SIZE(span_kinds)];

	browser__count_weights(b, &(struct weights_args){ .has_span = true,
							  .span = evsel__span_name(set->event),
							  .slower = kind->slower,
							  .faster = kind->faster });
}

static void add_choices(struct browser *b, const struct spans_of_event *of, u32 nr)
{
	struct strbuf slow = STRBUF_INIT, fast = STRBUF_INIT;
	const char *name = evsel__span_name(of->set.event);

	strbuf__add_duration(&slow, (double)of->slow);
	strbuf__add_duration(&fast, (double)of->fast);
	nr *= ARRAY_SIZE(span_kinds);
	browser__add_choice(b, count_spans, nr, "in %s: all %llu", name, (unsigned long long)of->set.nr);
	browser__add_choice(b, count_spans, nr + 1, "in slow %s: at least %s (p99)", name, slow.buf);
	browser__add_choice(b, count_spans, nr + 2, "in fast %s: at most %s (p50)", name, fast.buf);
	strbuf__exit(&slow);
	strbuf__exit(&fast);
}

void browser__choose_spans(struct browser *b, void *state)
{
	const struct span_sets *s = browser__spans(b);

	(void)state;
	if (!s->v.nr) {
		browser__say(b, "To see slow calls of a function, record with --span FUNCTION");
		return;
	}
	live__hold(b);
	browser__open_menu(b, "Time");
	browser__add_choice(b, count_all, 0, "all");
	for (u32 i = 0; i < s->v.nr; i++)
		if (s->v.v[i].set.v.nr)
			add_choices(b, &s->v.v[i], i);
}

/* ---- the list ---- */

struct span_line {
	const struct span *span;
	const struct span_set *set;
};

struct spans {                         /* the state of the screen */
	ARRAY(struct span_line) lines; /* the slowest first */
	struct list list;
	u64 first;               /* time of the recording's first sample */
	struct span_times times; /* if has_times */
	struct span_cursor cursor;
	bool has_times, is_read;
};

static int compare_lines(const void *x, const void *y)
{
	const struct span_line *a = x, *b = y;
	u64 one = span__ns(a->span), other = span__ns(b->span);

	if (one != other)
		return one > other ? -1 : 1;
	return a->span->begin < b->span->begin ? -1 : a->span->begin > b->span->begin;
}

/* Read what the time of spans went to. */
static void spans__read_times(struct spans *s, struct browser *b)
{
	struct session *session = report_of(b)->in->session;

	if (s->is_read || !session__has_wait_times(session))
		return;
	s->is_read = true;
	s->has_times = !span_times__read(&s->times, session, b->err);
	if (s->has_times)
		span_cursor__init(&s->cursor, &s->times);
	else
		browser__say(b, "%s", b->err->text.buf);
}

static void spans__make(struct browser *b, void *state)
{
	struct spans *s = state;
	const struct span_sets *sets = browser__spans(b);
	u64 last;

	s->lines.nr = 0;
	for (size_t i = 0; i < sets->v.nr; i++) {
		const struct span_set *set = &sets->v.v[i].set;
		size_t nr = 0;

		for (size_t k = set->by_duration.nr; k-- > 0 && nr < MOST_LISTED;) {
			const struct span *span = &set->v.v[set->by_duration.v[k]];

			if (!browser__wants_span(b, set, span))
				continue;
			array__add(&s->lines, ((struct span_line){ span, set }));
			nr++;
		}
	}
	if (s->lines.nr)
		qsort(s->lines.v, s->lines.nr, sizeof(*s->lines.v), compare_lines);
	s->lines.nr = MIN(s->lines.nr, (size_t)MOST_LISTED);
	if (s->lines.nr && !profile__sample_times(report_of(b)->in->session, &s->first, &last))
		s->first = 0;
	if (s->lines.nr)
		spans__read_times(s, b);
	list__fit(&s->list, s->lines.nr, s->list.rows);
}

/* Append what most of the span's time went to. */
static void spans__add_reason(struct spans *s, const struct span *span, struct strbuf *sb)
{
	const struct span_part *most = NULL;

	if (!s->has_times)
		return;
	span_cursor__seek(&s->cursor, span);
	for (size_t i = 0; i < s->cursor.parts.nr; i++)
		if (!most || s->cursor.parts.v[i].ns > most->ns)
			most = &s->cursor.parts.v[i];
	if (!most)
		return;
	strbuf__addf(sb, "%3.0f%% ", 100 * (double)most->ns / (double)span__ns(span));
	span_reason__add_words(&s->times.reasons.v[most->reason], &s->times.locks, sb);
}

static void spans__draw_line(struct spans *s, struct browser *b, size_t i, const struct area *a, unsigned row)
{
	const struct span_line *l = &s->lines.v[i];
	struct strbuf duration = STRBUF_INIT, reason = STRBUF_INIT;
	bool is_one = browser__spans(b)->v.nr == 1;
	char comm[16], tid[16];
	const char *name = view__comm(browser__view(b), browser__thread_comm(b, l->span->tid), comm);

	strbuf__add_duration(&duration, (double)span__ns(l->span));
	if (!is_one)
		strbuf__addf(&reason, "%s  ", evsel__span_name(l->set->event));
	spans__add_reason(s, l->span, &reason);
	snprintf(tid, sizeof(tid), " %d", (int)l->span->tid);
	grid__print(a->grid, row, a->column, a->columns, STYLE_TEXT, " %9s  +%-10.6f  %.*s%-*s %s",
		    duration.buf, (double)(l->span->begin - MIN(s->first, l->span->begin)) / 1e9,
		    NAME - (int)strlen(tid), name, NAME - (int)MIN(strlen(name), NAME - strlen(tid)), tid,
		    reason.buf);
	if (i == s->list.at)
		grid__select(a->grid, row, a->column, a->columns);
	strbuf__exit(&duration);
	strbuf__exit(&reason);
}

static void spans__draw(struct browser *b, void *state, const struct area *area)
{
	struct spans *s = state;
	struct area a = *area;

	if (!s->lines.nr) {
		grid__field(a.grid, a.row, a.column, a.columns, STYLE_DIM,
			    browser__spans(b)->v.nr
				    ? "  no span is left"
				    : "  perf record --span FUNCTION records the calls of a function");
		return;
	}
	if (a.rows > 1) {
		grid__print(a.grid, a.row++, a.column, a.columns, STYLE_HEADER,
			    "      took  begins       thread            %s", s->has_times ? "mostly" : "");
		a.rows--;
	}
	list__fit(&s->list, s->lines.nr, a.rows);
	for (unsigned i = 0; i < a.rows && s->list.top + i < s->lines.nr; i++)
		spans__draw_line(s, b, s->list.top + i, &a, a.row + i);
}

static void spans__go(struct browser *b, void *state)
{
	struct spans *s = state;
	struct span span;

	if (!s->lines.nr)
		return;
	span = *s->lines.v[s->list.at].span;
	browser__zoom_time(b, span.begin, span.end);
	browser__show(b, &times_screen);
}

static bool spans__press(struct browser *b, void *state, const struct terminal_event *event)
{
	struct spans *s = state;
	size_t at = s->list.top + event->row - 2;

	if (event->key == TERM_PRESS && event->row >= 2 && at < s->lines.nr) {
		if (at == s->list.at)
			spans__go(b, s);
		else
			s->list.at = at;
		return true;
	}
	return list__key(&s->list, event->key);
}

static void spans__get_subject(struct browser *b, void *state, struct subject *subject)
{
	struct spans *s = state;
	const struct span *span = s->lines.nr ? s->lines.v[s->list.at].span : NULL;

	(void)b;
	if (!span)
		return;
	subject->pid = span->pid;
	subject->tid = span->tid;
	subject->has_pid = subject->has_tid = true;
}

static void spans__end(void *state)
{
	struct spans *s = state;

	array__exit(&s->lines);
	if (!s->has_times)
		return;
	span_cursor__exit(&s->cursor);
	span_times__exit(&s->times);
}

static const struct key_row spans_keys[] = {
	{ TERM_ENTER, "Enter", "filter: the time of this span; then all threads in it", spans__go },
	{ 0 },
};

const struct screen spans_screen = {
	.name = "spans",
	.key = 'n',
	.text = "the slowest spans: calls of a function (record --span)",
	.keys = spans_keys,
	.state_size = sizeof(struct spans),
	.make = spans__make,
	.draw = spans__draw,
	.press = spans__press,
	.get_subject = spans__get_subject,
	.end = spans__end,
};
