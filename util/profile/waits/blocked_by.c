#include "profile/waits/blocked_by.h"

struct piece { /* a time in which so many threads waited for a lock */
	u64 from, to, waiters;
};

struct lock_state {
	u64 since, waiters;         /* how many wait, and since when so many */
	ARRAY(struct piece) pieces; /* since the last waking; without the current one */
};

/* What a thread does next: begin a wait for a lock, or be woken. */
struct lock_event {
	u64 time;
	u32 line;
	bool waits; /* it has begun to wait in that span */
	size_t span;
};

static bool event__is_before(const struct lock_event *a, const struct lock_event *b)
{
	return a->time != b->time ? a->time < b->time : a->line < b->line;
}

/* Go on to the thread's next wait, from a span on. Return false if there is none. */
static bool event__advance(struct lock_event *e, const struct time_lines *t, size_t span)
{
	const struct time_line *l = &t->v.v[e->line];

	while (span < l->spans.nr && !t->waits.v[l->spans.v[span].wait].lock)
		span++;
	if (span == l->spans.nr)
		return false;
	*e = (struct lock_event){ l->spans.v[span].begin, e->line, false, span };
	return true;
}

static void lock__end_piece(struct lock_state *s, u64 time)
{
	if (s->waiters && s->since < time)
		array__add(&s->pieces, ((struct piece){ s->since, time, s->waiters }));
	s->since = time;
}

/* A wait has ended: the time since the waking before belongs to who ended it. */
static void lock__let_go(struct lock_state *s, const struct line_wait *wait, struct weighing *w,
			 struct time_count *others)
{
	bool is_recorded = wait->waker != NO_LINE && w->weights->lines.v.v[wait->waker].is_recorded;

	others->nr += !is_recorded;
	for (size_t i = 0; i < s->pieces.nr; i++) {
		const struct piece *p = &s->pieces.v[i];

		others->ns += is_recorded ? 0 : (p->to - p->from) * p->waiters;

		if (wait->waker != NO_LINE)
			weighing__add(w, wait->waker, p->from, p->to, p->waiters, wait->ended);
		else
			weighing__add_lone(w, wait->waker_pid, wait->waker_tid, LONE_NOT_RECORDED,
					   (p->to - p->from) * p->waiters);
	}
	s->pieces.nr = 0;
}

/* Go through the waits of all threads in the order of time. */
static void walk_locks(const struct time_lines *t, struct weighing *w, struct lock_event *heap, size_t nr,
		       struct lock_state *locks, struct time_count *others)
{
	for (size_t i = nr; i-- > 0;)
		heap__sift(heap, nr, i, event__is_before);
	while (nr) {
		struct lock_event *e = &heap[0];
		const struct line_span *span = &t->v.v[e->line].spans.v[e->span];
		const struct line_wait *wait = &t->waits.v[span->wait];
		struct lock_state *s = &locks[wait->lock - 1];

		lock__end_piece(s, e->time);
		if (!e->waits) {
			s->waiters++;
			e->waits = true;
			e->time = span->woken;
		} else {
			lock__let_go(s, wait, w, others);
			s->waiters--;
			if (!event__advance(e, t, e->span + 1))
				heap[0] = heap[--nr];
		}
		if (nr)
			heap__sift(heap, nr, 0, event__is_before);
	}
}

/* Count the waits for locks whose holders are not known, and how long those for others were ready. */
static void count_rest(const struct time_lines *t, struct weight_facts *facts)
{
	for (size_t i = 0; i < t->v.nr; i++)
		for (size_t k = 0; k < t->v.v[i].spans.nr; k++) {
			const struct line_span *s = &t->v.v[i].spans.v[k];

			facts->ready += t->waits.v[s->wait].lock ? s->end - s->woken : 0;
			if (!t->waits.v[s->wait].is_unknown)
				continue;
			facts->unknown.nr++;
			facts->unknown.ns += s->woken - s->begin;
		}
}

void blocked_by__add(const struct time_lines *t, struct weighing *w, struct weight_facts *facts)
{
	struct lock_state *locks = xcalloc(t->locks.nr + 1, sizeof(*locks));
	struct lock_event *heap = xcalloc(t->v.nr + 1, sizeof(*heap));
	size_t nr = 0;

	for (size_t i = 0; i < t->v.nr; i++) {
		heap[nr].line = (u32)i;
		nr += event__advance(&heap[nr], t, 0);
	}
	walk_locks(t, w, heap, nr, locks, &facts->others);
	count_rest(t, facts);
	for (size_t i = 0; i < t->locks.nr; i++)
		array__exit(&locks[i].pieces);
	free(locks);
	free(heap);
}
