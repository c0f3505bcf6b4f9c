#include "profile/waits/not_recorded.h"

enum state { STATE_GONE, STATE_UNKNOWN, STATE_RUNS };

struct walk { /* through what is known of a thread, in the order of time */
	const struct time_lines *t;
	u32 wait; /* of the new spans */
	enum state state;
	u64 time;                      /* up to here it is done */
	u64 before;                    /* ns in spans */
	ARRAY(struct line_span) spans; /* old and new ones */
};

static void walk__add(struct walk *w, u64 begin, u64 woken, u64 end, u32 wait)
{
	array__add(&w->spans, ((struct line_span){ begin, woken, end, w->before, wait }));
	w->before += end - begin;
}

/* Were records lost in (from, to]? That is recorded with the next record, and a bit later. */
static bool walk__has_loss(const struct walk *w, u64 from, u64 to)
{
	enum { LATER = 1000000 }; /* ns */
	const u64_array *l = &w->t->losses;
	size_t i = bisect(k, (size_t)0, l->nr, l->v[k] <= from);

	return i < l->nr && l->v[i] <= to + LATER;
}

/* Go on to a time from which it is known what the thread does. It ran in the last ns before. */
static void walk__to(struct walk *w, u64 time, u64 ran)
{
	u64 ns = time > w->time ? time - w->time : 0, unknown = ns > ran ? ns - ran : 0;

	/* a thread that runs is sampled soon, unless it did something else meanwhile */
	if (w->state == STATE_GONE ||
	    (w->state == STATE_RUNS && (ns <= 2 * w->t->run_ns || !walk__has_loss(w, w->time, time))))
		unknown = 0;
	if (unknown)
		walk__add(w, w->time, w->time + unknown, w->time + unknown, w->wait);
	w->time = MAX(w->time, time);
	w->state = STATE_RUNS;
}

static void walk__mark(struct walk *w, const struct line_mark *m)
{
	if (m->kind == MARK_BEGINS)
		w->time = MAX(w->time, m->time);
	else
		walk__to(w, m->time, 0);
	w->state = m->kind == MARK_BEGINS ? STATE_UNKNOWN : m->kind == MARK_ENDS ? STATE_GONE : STATE_RUNS;
}

static void walk__line(struct walk *w, const struct time_line *l)
{
	size_t span = 0, run = 0, mark = 0;

	while (span < l->spans.nr || run < l->runs.nr || mark < l->marks.nr) {
		u64 of_span = span < l->spans.nr ? l->spans.v[span].begin : UINT64_MAX,
		    of_run = run < l->runs.nr ? l->runs.v[run].time : UINT64_MAX,
		    of_mark = mark < l->marks.nr ? l->marks.v[mark].time : UINT64_MAX;

		if (mark < l->marks.nr && of_mark <= MIN(of_span, of_run)) {
			walk__mark(w, &l->marks.v[mark++]);
		} else if (span < l->spans.nr && of_span <= of_run) {
			const struct line_span *s = &l->spans.v[span++];

			walk__to(w, of_span, 0);
			walk__add(w, s->begin, s->woken, s->end, s->wait);
			w->time = MAX(w->time, s->end);
		} else {
			walk__to(w, of_run, w->t->run_ns);
			run++;
		}
	}
	if (w->state == STATE_RUNS)
		walk__to(w, w->t->end, 0);
}

void time_lines__add_not_recorded(struct time_lines *t)
{
	u32 wait = (u32)t->waits.nr;

	array__add(&t->waits,
		   ((struct line_wait){ .is_not_recorded = true, .waker = NO_LINE, .ended = NOT_ENDED }));
	for (size_t i = 0; i < t->v.nr; i++) {
		struct time_line *l = &t->v.v[i];
		struct walk w = { .t = t, .wait = wait, .time = t->begin };
		bool is_born =
			l->marks.nr && l->marks.v[0].kind == MARK_BEGINS && l->marks.v[0].time <= l->first;

		if (!l->is_recorded)
			continue;
		w.state = is_born && !l->was_there ? STATE_GONE : STATE_UNKNOWN;
		walk__line(&w, l);
		array__exit(&l->spans);
		l->spans.v = w.spans.v;
		l->spans.nr = w.spans.nr;
		l->spans.alloc = w.spans.alloc;
	}
}
