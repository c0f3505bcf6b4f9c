#include "profile/causes/span_times.h"

#include "base/message/called_name.h"
#include "profile/gather/read_locks.h"
#include "profile/waits/time_table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reasons ---- */

static u32 span_times__reason(struct span_times *t, const struct span_reason *r)
{
	u64 hash = hash__bytes(r, sizeof(*r), 0); /* it has no gaps */
	u32 i;

	hash_table__for_each (&t->by_reason, hash, i)
		if (!memcmp(&t->reasons.v[i], r, sizeof(*r)))
			return i;
	i = (u32)t->reasons.nr;
	hash_table__insert(&t->by_reason, hash, i);
	array__add(&t->reasons, *r);
	return i;
}

/* Judge waits by their reasons (struct wait_rule): waits of the same reason are for one "lock". */
static void judge_reason(void *ctx, const struct sample *sample, const struct wait_detail *d,
			 struct wait_judgement *j)
{
	struct span_times *t = ctx;
	const struct lock_wait *w = locks__find(&t->locks, sample);
	struct span_reason r = { .kind = WAIT_OTHER };

	(void)d;
	if (w)
		r = (struct span_reason){ .kind = w->kind == WAIT_NONE ? WAIT_OTHER : w->kind,
					  .lock_kind = w->lock_kind,
					  .role = w->role,
					  .lock = w->lock,
					  .holder = w->role == ROLE_UNKNOWN ? 0 : w->holder,
					  .tid = w->role == ROLE_UNKNOWN ? 0 : w->holder_tid };
	if (r.kind == WAIT_RUNNABLE)
		return; /* ready */
	j->kind = r.kind;
	j->is_held = true;
	j->lock = span_times__reason(t, &r);
}

/* Note the reason of each wait. What has none was ready. */
static void span_times__note_reasons(struct span_times *t)
{
	const struct time_lines *l = &t->lines;

	for (size_t i = 0; i < l->waits.nr; i++) {
		const struct line_wait *w = &l->waits.v[i];

		array__add(&t->of_waits, w->is_ready || !w->lock ? SPAN_READY : (u32)l->locks.v[w->lock - 1]);
	}
}

/* ---- reading ---- */

static int refuse(const struct session *s, struct err *err)
{
	err__set(err, -ENOENT, "'%s' does not know when threads waited", s->reader->path);
	err__advise(err, "record as root with: %s record --span FUNCTION --off-cpu=locks -g ...",
		    called_name());
	return -ENOENT;
}

int span_times__read(struct span_times *t, struct session *s, struct err *err)
{
	const struct wait_rule rule = { judge_reason, t };
	bool *on_cpu;
	int ret;

	*t = (struct span_times){ .by_reason = HASH_TABLE_INIT };
	span_times__reason(t, &(struct span_reason){ .kind = WAIT_NONE });
	span_times__reason(t, &(struct span_reason){ .kind = WAIT_RUNNABLE });
	if (!session__has_wait_times(s))
		return refuse(s, err);
	ret = locks__read_any(&t->locks, s, err);
	if (ret)
		return ret;
	on_cpu = time_table__on_cpu(&s->reader->evlist);
	ret = time_lines__read(&t->lines, s, on_cpu, &rule, err);
	free(on_cpu);
	if (!ret)
		span_times__note_reasons(t);
	return ret;
}

void span_times__exit(struct span_times *t)
{
	time_lines__exit(&t->lines);
	locks__exit(&t->locks);
	array__exit(&t->reasons);
	array__exit(&t->of_waits);
	hash_table__exit(&t->by_reason);
}

/* ---- the times of a span ---- */

void span_cursor__init(struct span_cursor *c, const struct span_times *t)
{
	*c = (struct span_cursor){ .times = t, .line = NO_LINE };
	c->ns = xcalloc(t->reasons.nr, sizeof(*c->ns));
}

void span_cursor__exit(struct span_cursor *c)
{
	array__exit(&c->parts);
	free(c->ns);
}

static void span_cursor__add(struct span_cursor *c, u32 reason, u64 ns)
{
	if (!ns)
		return;
	if (!c->ns[reason])
		array__add(&c->parts, ((struct span_part){ .reason = reason }));
	c->ns[reason] += ns;
}

/* Add what a wait has of [from, to). Return how much that is. */
static u64 span_cursor__add_wait(struct span_cursor *c, const struct line_span *w, u64 from, u64 to)
{
	u64 begin = MAX(w->begin, from), end = MIN(w->end, to), woken = MIN(MAX(w->woken, begin), end);

	span_cursor__add(c, c->times->of_waits.v[w->wait], woken - begin);
	span_cursor__add(c, SPAN_READY, end - woken);
	return end - begin;
}

static int compare_parts(const void *x, const void *y)
{
	const struct span_part *a = x, *b = y;

	return a->reason < b->reason ? -1 : a->reason > b->reason;
}

void span_cursor__seek(struct span_cursor *c, const struct span *s)
{
	const struct time_lines *t = &c->times->lines;
	const struct time_line *l;
	u64 waited = 0;

	c->parts.nr = 0;
	if (c->tid != s->tid) { /* thread 0 waits for nothing, and has no line */
		c->line = time_lines__find(t, s->tid);
		c->tid = s->tid;
		c->at = 0;
	}
	l = c->line == NO_LINE ? NULL : &t->v.v[c->line];
	if (l) {
		c->at = bisect_near(k, c->at, l->spans.nr, l->spans.v[k].end <= s->begin);
		for (size_t i = c->at; i < l->spans.nr && l->spans.v[i].begin < s->end; i++)
			waited += span_cursor__add_wait(c, &l->spans.v[i], s->begin, s->end);
	}
	span_cursor__add(c, SPAN_ON_CPU, span__ns(s) - waited);
	if (c->parts.nr > 1)
		qsort(c->parts.v, c->parts.nr, sizeof(*c->parts.v), compare_parts);
	for (size_t i = 0; i < c->parts.nr; i++) {
		c->parts.v[i].ns = c->ns[c->parts.v[i].reason];
		c->ns[c->parts.v[i].reason] = 0;
	}
}

/* ---- words ---- */

void span_reason__add_holder_name(const struct span_reason *r, const struct locks *l, struct strbuf *sb)
{
	const char *text = r->holder ? locks__text(l, r->holder) : "";
	size_t len = strlen(text);
	char number[16];
	size_t nr = (size_t)snprintf(number, sizeof(number), " %u", r->tid);

	if (r->tid && len > nr && !strcmp(text + len - nr, number))
		len -= nr;
	strbuf__add(sb, text, len);
}

void span_reason__add_words(const struct span_reason *r, const struct locks *l, struct strbuf *sb)
{
	if (r->kind == WAIT_NONE || r->kind == WAIT_RUNNABLE) {
		strbuf__addstr(sb, r->kind == WAIT_NONE ? "on the CPU" : READY_WORDS);
		return;
	}
	strbuf__addstr(sb, r->lock ? locks__text(l, r->lock) : wait_kind__name((enum wait_kind)r->kind));
	if (!r->holder)
		return;
	strbuf__addstr(sb, r->role == ROLE_HOLDER ? ", held by " : ", ");
	strbuf__addstr(sb, locks__text(l, r->holder));
}
