#include "profile/waits/critical_path.h"

#include "profile/waits/wait_kinds.h"

struct place_left { /* of a thread: what of its past was not used yet */
	size_t spans, births;
};

struct path {
	const struct time_lines *t;
	struct weighing *w;
	struct weight_facts *facts;
	struct place_left *left; /* by line */
	u64 begin;               /* of the recording */
	/* where the path is: */
	u32 line;
	u64 time;
	u32 ended; /* how the thread went on to the one before: as in struct line_wait */
};

/* Add what the thread did from a time on, and go there. */
static void path__go(struct path *p, u64 from)
{
	weighing__add(p->w, p->line, MAX(from, p->begin), p->time, 1, p->ended);
	p->time = MIN(p->time, from);
}

/* The wait itself is part of the path. */
static void path__wait(struct path *p, const struct line_span *s, struct time_count *reason)
{
	if (reason) {
		reason->nr++;
		reason->ns += MIN(s->woken, p->time) - s->begin;
	}
	path__go(p, s->begin);
	p->ended = NOT_ENDED;
}

static void path__jump(struct path *p, u32 line, u64 time, u32 ended)
{
	path__go(p, time);
	p->line = line;
	p->ended = ended;
}

/*
 * Find the child that ended a wait. The kernel closes the events of a process before it tells the parent that
 * the process has ended: a recording of single processes may lack that waking.
 */
static const struct child_exit *path__child(const struct path *p, const struct line_span *s)
{
	enum { AT_ONCE = 1000000 }; /* ns; a wait for several things can have ended by the child only then */
	u32 pid = p->t->v.v[p->line].pid;
	enum wait_kind kind = p->t->waits.v[s->wait].kind;
	u64 from = s->begin, to = MIN(s->end, p->time);

	if (kind == WAIT_POLL || kind == WAIT_SIGNAL)
		from = MAX(from, to > AT_ONCE ? to - AT_ONCE : 0);
	else if (kind != WAIT_CHILD)
		return NULL;
	return time_lines__child(p->t, pid, from, to);
}

/* Is it normal that nobody is known to have ended a wait of this kind? A timer or a device did. */
static bool is_of_device(enum wait_kind kind)
{
	return kind == WAIT_SLEEP || kind == WAIT_IO || kind == WAIT_FAULT;
}

/* Follow a wait of which it was not recorded who ended it. */
static void path__follow_unknown(struct path *p, const struct line_span *s)
{
	const struct child_exit *child = path__child(p, s);

	if (child)
		path__jump(p, child->line, child->time, NOT_ENDED);
	else
		path__wait(p, s, is_of_device(p->t->waits.v[s->wait].kind) ? NULL : &p->facts->unknown);
}

/* Follow a wait that has ended, or is going on, at the path's time. */
static void path__follow(struct path *p, const struct line_span *s)
{
	const struct line_wait *wait = &p->t->waits.v[s->wait];

	if (wait->is_ready || wait->is_not_recorded || wait->flags & (WOKEN_BY_HARDIRQ | WOKEN_BY_SOFTIRQ))
		path__wait(p, s, NULL);
	else if (s->woken > p->time)
		path__wait(p, s, &p->facts->circles);
	else if (!(wait->flags & WOKEN_BY_THREAD))
		path__follow_unknown(p, s);
	else if (!wait->waker_tid) /* an interrupt, while the CPU was idle */
		path__wait(p, s, NULL);
	else if (wait->waker == NO_LINE || !p->t->v.v[wait->waker].is_recorded)
		path__wait(p, s, &p->facts->others);
	else
		path__jump(p, wait->waker, s->woken, wait->ended);
}

/* The thread began: go on in the one that forked it. Return false if it is not known. */
static bool path__to_parent(struct path *p, const struct line_birth *b)
{
	if (b->parent == NO_LINE || !p->t->v.v[b->parent].is_recorded) {
		path__go(p, b->time);
		return false;
	}
	path__jump(p, b->parent, b->time, NOT_ENDED);
	return true;
}

/* Is this what comes first: that it is not known what the thread did? */
static bool path__begins_with(const struct path *p, const struct line_span *s)
{
	return p->t->waits.v[s->wait].is_not_recorded && s->begin <= p->begin;
}

/* Go back by a step. Return false at the path's beginning. */
static bool path__step(struct path *p)
{
	const struct time_line *l = &p->t->v.v[p->line];
	struct place_left *left = &p->left[p->line];
	size_t spans = bisect_near(k, left->spans, l->spans.nr, l->spans.v[k].begin < p->time),
	       births = bisect_near(k, left->births, l->births.nr, l->births.v[k].time <= p->time);
	const struct line_birth *birth;
	const struct line_span *span;

	if (spans > left->spans) { /* the path has followed this wait already */
		path__wait(p, &l->spans.v[left->spans], &p->facts->circles);
		return true;
	}
	births = MIN(births, left->births);
	birth = births ? &l->births.v[births - 1] : NULL;
	span = spans ? &l->spans.v[spans - 1] : NULL;
	if (span && (!birth || span->begin >= birth->time)) {
		left->spans = spans - 1;
		if (!path__begins_with(p, span)) {
			path__follow(p, span);
			return true;
		}
		path__go(p, MIN(span->end, p->time));
		return false;
	}
	if (!birth) {
		path__go(p, p->begin);
		return false;
	}
	left->births = births - 1;
	return path__to_parent(p, birth);
}

static u32 last_line(const struct time_lines *t)
{
	u32 last = NO_LINE;

	if (t->main != NO_LINE && t->v.v[t->main].exit)
		return t->main;
	for (size_t i = 0; i < t->v.nr; i++)
		if (t->v.v[i].is_recorded && (last == NO_LINE || t->v.v[i].last > t->v.v[last].last))
			last = (u32)i;
	return last;
}

void critical_path__add(const struct time_lines *t, struct weighing *w, u32 line, struct weight_facts *facts)
{
	struct path p = { .t = t, .w = w, .facts = facts, .begin = t->begin, .ended = NOT_ENDED };
	const struct time_line *l;

	p.line = line == NO_LINE ? last_line(t) : line;
	if (p.line == NO_LINE)
		return;
	l = &t->v.v[p.line];
	if (line == NO_LINE && p.line == t->main) /* others may have been recorded before it began */
		p.begin = l->first;
	p.time = l->exit ? l->exit : l->last;
	facts->begin = p.begin;
	facts->end = p.time;
	facts->pid = l->pid;
	facts->tid = l->tid;
	p.left = xcalloc(t->v.nr, sizeof(*p.left));
	for (size_t i = 0; i < t->v.nr; i++)
		p.left[i] = (struct place_left){ t->v.v[i].spans.nr, t->v.v[i].births.nr };
	while (p.time > p.begin && path__step(&p))
		;
	if (p.time > p.begin) {
		facts->uncovered = p.time - p.begin;
		l = &t->v.v[p.line];
		weighing__add_lone(w, l->pid, l->tid, LONE_NOT_RECORDED, facts->uncovered);
	}
	free(p.left);
}
