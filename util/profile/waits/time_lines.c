#include "profile/waits/time_lines.h"

#include <linux/futex.h>
#include <linux/perf_event.h>
#include <stdlib.h>

struct reading {
	struct time_lines *lines;
	struct session *session;
	const bool *on_cpu; /* by evsel */
	u8 *events;         /* enum wait_event, by evsel */
	const struct wait_rule *rule;
	struct strbuf command; /* of the recorder; empty: not known */
};

bool evlist__has_wait_times(const struct evlist *l)
{
	for (size_t i = 0; i < l->evsels.nr; i++)
		if (evsel__wait_event(l->evsels.v[i]) == WAIT_EVENT_OFF_CPU &&
		    l->evsels.v[i]->attr.sample_type & PERF_SAMPLE_RAW)
			return true;
	return false;
}

bool session__has_wait_times(const struct session *s)
{
	return evlist__has_wait_times(&s->reader->evlist) && s->has_time && !s->is_merged;
}

bool evlist__has_wait_details(const struct evlist *l)
{
	bool ended = false;

	for (size_t i = 0; i < l->evsels.nr; i++)
		ended |= evsel__wait_event(l->evsels.v[i]) == WAIT_EVENT_ENDED;
	return ended && evlist__has_wait_times(l);
}

u32 time_lines__find(const struct time_lines *t, u32 tid)
{
	u32 i;

	hash_table__for_each (&t->by_tid, hash__u64(tid), i)
		if (t->v.v[i].tid == tid)
			return i;
	return NO_LINE;
}

static struct time_line *reading__line(struct reading *r, u32 pid, u32 tid)
{
	struct time_lines *t = r->lines;
	u32 i = time_lines__find(t, tid);

	if (i == NO_LINE) {
		i = (u32)t->v.nr;
		hash_table__insert(&t->by_tid, hash__u64(tid), i);
		array__add(&t->v, ((struct time_line){ .pid = pid, .tid = tid, .first = UINT64_MAX }));
	}
	return &t->v.v[i];
}

/* Note that a thread has a record of this time; 0: one that describes what was there before. */
static struct time_line *reading__see(struct reading *r, u32 pid, u32 tid, u64 time)
{
	struct time_line *l = reading__line(r, pid, tid);

	l->pid = pid;
	if (!time) {
		l->was_there = true;
		return l;
	}
	l->is_recorded = true;
	l->first = MIN(l->first, time);
	l->last = MAX(l->last, time);
	return l;
}

/* ---- other records than samples ---- */

static void reading__fork(struct reading *r, const struct task_record *t)
{
	struct time_line *l;
	u32 parent;

	if (t->synthesized || !t->time) {
		reading__see(r, t->pid, t->tid, 0);
		return;
	}
	l = reading__line(r, t->ppid, t->ptid);
	array__add(&l->marks, ((struct line_mark){ t->time, MARK_RUNS }));
	parent = time_lines__find(r->lines, t->ptid);
	l = reading__see(r, t->pid, t->tid, t->time);
	array__add(&l->births, ((struct line_birth){ t->time, parent }));
	array__add(&l->marks, ((struct line_mark){ t->time, MARK_BEGINS }));
}

/*
 * Is a word of the recorder's command line a path of this name? Other programs may begin at the same time as
 * the one that is recorded. The kernel cuts names of threads off.
 */
static bool reading__has_word(const struct reading *r, const char *name)
{
	enum { NAME_MAX_LEN = 15 };
	size_t len = strlen(name);
	const char *at = strchr(r->command.buf, ' ');

	if (!r->command.len)
		return true; /* not known */
	while (len && at && (at = strstr(at + 1, name)))
		if ((at[-1] == ' ' || at[-1] == '/') && (!at[len] || at[len] == ' ' || len == NAME_MAX_LEN))
			return true;
	return false;
}

static void reading__comm(struct reading *r, const struct record *record)
{
	struct comm_record c;
	struct time_line *l;
	u64 time;

	sample_decoder__trailer(&r->session->decoder, record, &time);
	if (!record__comm(record, &c))
		return;
	l = reading__see(r, c.pid, c.tid, time);
	if (c.exec && time) /* other names may be set by other threads */
		array__add(&l->marks, ((struct line_mark){ time, MARK_RUNS }));
	if (c.exec && time && r->lines->main == NO_LINE && !l->births.nr && reading__has_word(r, c.comm))
		r->lines->main = time_lines__find(r->lines, c.tid);
}

static void reading__exit(struct reading *r, const struct task_record *t)
{
	struct time_line *l = reading__see(r, t->pid, t->tid, t->time);

	l->exit = t->time;
	array__add(&l->marks, ((struct line_mark){ t->time, MARK_ENDS }));
	if (t->ppid != t->pid)
		array__add(&r->lines->children,
			   ((struct child_exit){ t->time, t->ppid, time_lines__find(r->lines, t->tid) }));
}

static void reading__task(struct reading *r, const struct record *record)
{
	struct task_record t;

	if (record->header->type == PERF_RECORD_COMM) {
		reading__comm(r, record);
		return;
	}
	if (!record__task(record, &t))
		return;
	if (record->header->type == PERF_RECORD_FORK)
		reading__fork(r, &t);
	else
		reading__exit(r, &t);
}

/* Note when records were missing. One without a time is about the whole recording. */
static void reading__loss(struct reading *r, const struct record *record)
{
	u64 time;

	sample_decoder__trailer(&r->session->decoder, record, &time);
	if (time)
		array__add(&r->lines->losses, time);
}

/* ---- samples ---- */

/* Return the time between samples of e while a thread runs, for a sample with this period; 0: not known. */
static u64 time_between(const struct evsel *e, u64 period)
{
	const struct perf_event_attr *a = &e->attr;

	if (a->type == PERF_TYPE_SOFTWARE)
		return a->config == PERF_COUNT_SW_CPU_CLOCK || a->config == PERF_COUNT_SW_TASK_CLOCK ? period
												     : 0;
	return a->freq && a->sample_freq ? 1000000000 / a->sample_freq : 0;
}

static void judge_plainly(void *ctx, const struct sample *s, const struct wait_detail *d,
			  struct wait_judgement *j)
{
	u32 op = d->futex_op & (u32)FUTEX_CMD_MASK;

	(void)ctx;
	if (d->futex_op == NO_FUTEX || (op != FUTEX_WAIT && op != FUTEX_LOCK_PI))
		return;
	j->lock = hash__add(s->addr, d->futex_op & FUTEX_PRIVATE_FLAG ? s->pid : 0);
	j->is_held = (d->flags & (WOKEN_BY_FUTEX | WOKEN_BY_HARDIRQ | WOKEN_BY_SOFTIRQ | WOKEN_BY_THREAD)) ==
		     (WOKEN_BY_FUTEX | WOKEN_BY_THREAD);
	j->is_unheld = !j->is_held;
}

const struct wait_rule plain_wait_rule = { judge_plainly, NULL };

static void reading__judge(struct reading *r, const struct sample *s, const struct wait_detail *d,
			   struct line_wait *w)
{
	struct time_lines *t = r->lines;
	struct wait_judgement j = { .lock = 0 };
	u64 id;
	u32 i;

	r->rule->judge(r->rule->ctx, s, d, &j);
	w->kind = j.kind;
	w->is_unknown = j.is_unheld;
	if (!j.is_held)
		return;
	id = j.lock;
	hash_table__for_each (&t->by_lock, hash__u64(id), i)
		if (id && t->locks.v[i] == id) {
			w->lock = i + 1;
			return;
		}
	if (id)
		hash_table__insert(&t->by_lock, hash__u64(id), (u32)t->locks.nr);
	array__add(&t->locks, id);
	w->lock = (u32)t->locks.nr;
}

static void reading__add_span(struct time_line *l, const struct wait_span *s, u32 wait)
{
	if (s->begin == s->end)
		return;
	l->first = MIN(l->first, s->begin);
	array__add(&l->spans,
		   ((struct line_span){ .begin = s->begin, .woken = s->woken, .end = s->end, .wait = wait }));
}

static void reading__waits(struct reading *r, const struct sample *s, u32 number, bool is_ready)
{
	struct time_lines *t = r->lines;
	struct time_line *l = reading__see(r, s->pid, s->tid, s->time);
	struct line_wait w = { .number = number, .is_ready = is_ready, .ended = NOT_ENDED, .waker = NO_LINE };
	struct wait_span span;
	struct wait_detail d;

	if (is_ready)
		array__add(&l->readies, ((struct line_point){ s->time, number }));
	if (s->raw && wait_detail__decode(&d, s->raw, s->raw_size, s->time, r->session->reader->needs_swap)) {
		w.flags = (u8)d.flags;
		w.waker_pid = d.pid;
		w.waker_tid = d.tid;
		w.place = d.place;
		if (!is_ready)
			reading__judge(r, s, &d, &w);
		while (wait_detail__next(&d, &span)) {
			w.woken = MAX(w.woken, span.woken);
			reading__add_span(l, &span, (u32)t->waits.nr);
		}
	} else if (!is_ready && s->weight <= 1 && s->period <= s->time) {
		span = (struct wait_span){ s->time - s->period, s->time, s->time };
		reading__add_span(l, &span, (u32)t->waits.nr);
	} else if (!is_ready) {
		t->nr_vague += s->weight;
		t->vague += s->period;
	}
	array__add(&t->waits, w);
}

static void reading__sample(struct reading *r, const struct record *record, u32 number)
{
	struct time_line *l;
	struct sample s;
	struct wait_detail d;

	if (sample__decode_head(&r->session->decoder, record, &s) || !s.tid)
		return;
	if (r->on_cpu[s.evsel->idx]) {
		l = reading__see(r, s.pid, s.tid, s.time);
		array__add(&l->runs, ((struct line_point){ s.time, number }));
		r->lines->run_ns = time_between(s.evsel, s.period);
		return;
	}
	if (r->events[s.evsel->idx] == WAIT_EVENT_NONE || sample__decode_tail(record, &s))
		return;
	if (r->events[s.evsel->idx] != WAIT_EVENT_ENDED) {
		reading__waits(r, &s, number, r->events[s.evsel->idx] == WAIT_EVENT_READY);
		return;
	}
	if (!s.raw || !wait_detail__decode(&d, s.raw, s.raw_size, s.time, r->session->reader->needs_swap))
		return;
	reading__line(r, s.pid, s.tid);
	array__add(&r->lines->ended,
		   ((struct ended_wait){ d.place, s.time, time_lines__find(r->lines, s.tid), number }));
}

static void reading__block(struct reading *r, const struct block *b)
{
	struct time_lines *t = r->lines;
	struct record record;
	size_t pos = 0;

	array__add(&t->blocks,
		   ((struct numbered_block){ b->offset, b->unpacked, b->segment, t->nr_samples }));
	while (block__next(b, &pos, &record)) {
		u32 type = record.header->type;

		if (type == PERF_RECORD_SAMPLE)
			reading__sample(r, &record, t->nr_samples++);
		else if (type == PERF_RECORD_FORK || type == PERF_RECORD_EXIT || type == PERF_RECORD_COMM)
			reading__task(r, &record);
		else if (type == PERF_RECORD_LOST || type == PERF_RECORD_LOST_SAMPLES)
			reading__loss(r, &record);
	}
}

/* ---- order ---- */

static u64 span_key(const struct line_span *s)
{
	return s->begin;
}

static u64 point_key(const struct line_point *p)
{
	return p->time;
}

static u64 mark_key(const struct line_mark *m)
{
	return m->time;
}

static u64 loss_key(const u64 *time)
{
	return *time;
}

static u64 birth_key(const struct line_birth *b)
{
	return b->time;
}

/* Sort a by a key; most are in order, or nearly. */
#define sort_by(a, key)                                                                      \
	do {                                                                                 \
		__typeof__((a)->v) other_, sorted_;                                          \
		size_t first_ = 1;                                                           \
		while (first_ < (a)->nr && key(&(a)->v[first_ - 1]) <= key(&(a)->v[first_])) \
			first_++;                                                            \
		if (first_ >= (a)->nr)                                                       \
			break;                                                               \
		other_ = xreallocarray(NULL, (a)->nr, sizeof(*other_));                      \
		sorted_ = radix__sort((a)->v, other_, (a)->nr, key);                         \
		if (sorted_ != (a)->v)                                                       \
			memcpy((a)->v, sorted_, (a)->nr * sizeof(*other_));                  \
		free(other_);                                                                \
	} while (0)

/* Cut off what overlaps the spans before: a thread waits for one thing at a time. */
static void line__join_spans(struct time_line *l)
{
	u64 end = 0, before = 0;
	size_t nr = 0;

	for (size_t i = 0; i < l->spans.nr; i++) {
		struct line_span s = l->spans.v[i];

		if (s.end <= end)
			continue;
		s.begin = MAX(s.begin, end);
		s.woken = MAX(s.woken, s.begin);
		s.before = before;
		before += line_span__ns(&s);
		end = s.end;
		l->spans.v[nr++] = s;
	}
	l->spans.nr = nr;
}

static int compare_ended(const void *x, const void *y)
{
	const struct ended_wait *a = x, *b = y;

	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return (int)(a->number > b->number) - (int)(a->number < b->number);
}

static int compare_children(const void *x, const void *y)
{
	const struct child_exit *a = x, *b = y;

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->line < b->line ? -1 : a->line > b->line;
}

const struct child_exit *time_lines__child(const struct time_lines *t, u32 pid, u64 from, u64 to)
{
	size_t i = bisect(k, (size_t)0, t->children.nr,
			  t->children.v[k].parent < pid ||
				  (t->children.v[k].parent == pid && t->children.v[k].time <= to));
	const struct child_exit *c = i ? &t->children.v[i - 1] : NULL;

	return c && c->parent == pid && c->time > from ? c : NULL;
}

static bool ended__is_before(const struct ended_wait *e, u32 line, u64 place, u64 time)
{
	return e->line != line ? e->line < line : e->place != place ? e->place < place : e->time < time;
}

static bool lines__ends(const struct time_lines *t, size_t i, const struct line_wait *w)
{
	return i < t->ended.nr && t->ended.v[i].line == w->waker && t->ended.v[i].place == w->place;
}

/* Find the sample in which the waker of a wait ended it: the first after the waking, or else the last. */
static u32 lines__ended(const struct time_lines *t, const struct line_wait *w)
{
	size_t i = bisect(k, (size_t)0, t->ended.nr,
			  ended__is_before(&t->ended.v[k], w->waker, w->place, w->woken));

	if (lines__ends(t, i, w))
		return (u32)i;
	return i && lines__ends(t, i - 1, w) ? (u32)(i - 1) : NOT_ENDED;
}

/* Find the threads that ended waits. */
static void lines__find_wakers(struct time_lines *t)
{
	for (size_t i = 0; i < t->waits.nr; i++) {
		struct line_wait *w = &t->waits.v[i];

		if (!(w->flags & WOKEN_BY_THREAD) || !w->waker_tid)
			continue;
		w->waker = time_lines__find(t, w->waker_tid);
		if (w->waker != NO_LINE)
			w->ended = lines__ended(t, w);
	}
}

/* A thread that appears without a fork, while others run already, begins with its first record. */
static void lines__add_births(struct time_lines *t)
{
	for (size_t i = 0; i < t->v.nr; i++) {
		struct time_line *l = &t->v.v[i];

		if (l->is_recorded && !l->was_there && !l->births.nr && l->first > t->begin)
			array__add(&l->births, ((struct line_birth){ l->first, NO_LINE }));
	}
}

static void lines__finish(struct time_lines *t)
{
	t->begin = UINT64_MAX;
	for (size_t i = 0; i < t->v.nr; i++) {
		struct time_line *l = &t->v.v[i];

		sort_by(&l->spans, span_key);
		sort_by(&l->runs, point_key);
		sort_by(&l->readies, point_key);
		sort_by(&l->births, birth_key);
		sort_by(&l->marks, mark_key);
		line__join_spans(l);
		t->begin = MIN(t->begin, l->first);
		t->end = MAX(t->end, l->last);
	}
	t->begin = MIN(t->begin, t->end);
	sort_by(&t->losses, loss_key);
	if (t->ended.nr)
		qsort(t->ended.v, t->ended.nr, sizeof(*t->ended.v), compare_ended);
	if (t->children.nr)
		qsort(t->children.v, t->children.nr, sizeof(*t->children.v), compare_children);
	lines__find_wakers(t);
	lines__add_births(t);
}

/* ---- all ---- */

static int compare_blocks(const void *x, const void *y)
{
	const struct numbered_block *a = x, *b = y;

	if (a->segment != b->segment)
		return a->segment < b->segment ? -1 : 1;
	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return a->unpacked < b->unpacked ? -1 : a->unpacked > b->unpacked;
}

bool time_lines__first(const struct time_lines *t, const struct block *b, u32 *number)
{
	const struct numbered_block key = { b->offset, b->unpacked, b->segment, 0 }, *found = NULL;

	if (t->blocks.nr)
		found = bsearch(&key, t->blocks.v, t->blocks.nr, sizeof(key), compare_blocks);
	if (found)
		*number = found->first;
	return found;
}

int time_lines__read(struct time_lines *t, struct session *s, const bool *on_cpu,
		     const struct wait_rule *rule, struct err *err)
{
	struct reading r = {
		.lines = t, .session = s, .on_cpu = on_cpu, .rule = rule, .command = STRBUF_INIT
	};
	const struct evlist *l = &s->reader->evlist;
	struct block block = BLOCK_INIT;
	struct reader_pass *pass;
	int ret;

	*t = (struct time_lines){ .main = NO_LINE };
	kept_samples__give_up(&s->kept); /* the numbers of samples are those in the file */
	r.events = xcalloc(l->evsels.nr + 1, sizeof(*r.events));
	for (size_t i = 0; i < l->evsels.nr; i++)
		r.events[i] = (u8)evsel__wait_event(l->evsels.v[i]);
	features__command_line(s->reader, &r.command);
	pass = reader_pass__new(s->reader);
	while ((ret = reader_pass__next(pass, &block, err)) > 0)
		reading__block(&r, &block);
	block__exit(&block);
	reader_pass__delete(pass);
	free(r.events);
	strbuf__exit(&r.command);
	if (t->blocks.nr)
		qsort(t->blocks.v, t->blocks.nr, sizeof(*t->blocks.v), compare_blocks);
	lines__finish(t);
	return ret;
}

void time_lines__exit(struct time_lines *t)
{
	for (size_t i = 0; i < t->v.nr; i++) {
		struct time_line *l = &t->v.v[i];

		array__exit(&l->spans);
		array__exit(&l->runs);
		array__exit(&l->readies);
		array__exit(&l->births);
		array__exit(&l->marks);
	}
	array__exit(&t->v);
	array__exit(&t->waits);
	array__exit(&t->ended);
	array__exit(&t->children);
	array__exit(&t->blocks);
	array__exit(&t->locks);
	array__exit(&t->losses);
	hash_table__exit(&t->by_tid);
	hash_table__exit(&t->by_lock);
}
