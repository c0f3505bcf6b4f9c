/*
 * Activity in time: a strip for each thread or each CPU. If CPUs are more than the screen has rows, a strip
 * is of a group with neighbouring numbers. Another pass counts the samples of each part of the time; no
 * sample is kept. A part that is chosen here becomes a filter. Below the strip of a thread is one of its
 * spans (perf record --span).
 */
#include "browser/report_browser.h"

#include "base/message/called_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NR_PARTS = 1024, LANES_MAX = 256, LABEL = 22, NO_COLUMN = UINT32_MAX };

struct lane {
	u32 id; /* its thread, or its first CPU */
	u32 pid, comm;
	u64 total;
	bool is_rest;                       /* of all that have no lane of their own */
	const struct spans_of_event *spans; /* that are in the lane; NULL: none */
	u64 running[NR_PARTS];              /* sums of periods; of spans: the longest (ns) */
	u64 waiting[NR_PARTS];              /* ns; of spans: how many begin */
};

struct times {
	ARRAY(struct lane *) lanes; /* the busiest first */
	struct list list;
	u64 first, last;   /* ns: the time that is shown */
	unsigned at;       /* the cursor's column */
	unsigned from, to; /* columns of the part; NO_COLUMN: not chosen */
	unsigned columns;
	bool by_cpu;
	bool each_cpu; /* has a lane, however many there are */
	u32 group;     /* of so many CPUs is a lane; a power of two */
};

/* ---- counting ---- */

static void times__free(struct times *t)
{
	for (size_t i = 0; i < t->lanes.nr; i++)
		free(t->lanes.v[i]);
	t->lanes.nr = 0;
}

static int by_total(const void *a, const void *b)
{
	const struct lane *x = *(struct lane *const *)a, *y = *(struct lane *const *)b;

	if (x->is_rest != y->is_rest)
		return x->is_rest ? 1 : -1;
	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static int by_id(const void *a, const void *b)
{
	const struct lane *x = *(struct lane *const *)a, *y = *(struct lane *const *)b;

	if (x->is_rest != y->is_rest)
		return x->is_rest ? 1 : -1;
	return x->id < y->id ? -1 : x->id > y->id;
}

struct thread_total { /* of a thread, or a CPU */
	u32 id, pid, comm;
	u64 total;
	u64 time; /* ns, of the row that comm is of */
};
typedef ARRAY(struct thread_total) thread_totals;

static int total_by_id(const void *a, const void *b)
{
	const struct thread_total *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->time < y->time ? -1 : x->time > y->time;
}

static int total_by_total(const void *a, const void *b)
{
	const struct thread_total *x = a, *y = b;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static u32 times__id(const struct times *t, const struct row *row)
{
	if (!t->by_cpu)
		return row->key.tid;
	return row->key.cpu == UINT32_MAX ? row->key.cpu : row->key.cpu / t->group * t->group;
}

static bool is_shown(struct browser *b, const struct row *row)
{
	return browser__view(b)->hists_of_event[row->key.event] == report_of(b)->event &&
	       browser__wants_thread(b, &row->key);
}

/* Find the spans [begin, end) of a thread in a time. */
static void spans_in(const struct span_set *set, u32 tid, u64 from, u64 to, const struct span **begin,
		     const struct span **end)
{
	const struct span *v = set->v.v;

	*begin = v + bisect(i, (size_t)0, set->v.nr, v[i].tid != tid ? v[i].tid < tid : v[i].end < from);
	*end = v + bisect(i, (size_t)0, set->v.nr, v[i].tid != tid ? v[i].tid < tid : v[i].begin <= to);
}

/* Add the threads that have spans in the time that is shown: they may have no sample in it. */
static void times__add_span_threads(const struct times *t, struct browser *b, thread_totals *totals)
{
	const struct span_sets *sets = browser__spans(b);

	for (size_t i = 0; i < sets->v.nr; i++) {
		const struct span_set *set = &sets->v.v[i].set;
		const struct span *of, *next, *s, *end;

		for (of = set->v.v; of < set->v.v + set->v.nr; of = next) {
			spans_in(set, of->tid, 0, UINT64_MAX, &s, &next);
			spans_in(set, of->tid, t->first, t->last, &s, &end);
			while (s < end && !browser__wants_span(b, set, s))
				s++;
			if (s >= end)
				continue;
			array__add(totals,
				   ((struct thread_total){ .id = s->tid,
							   .pid = s->pid,
							   .comm = browser__thread_comm(b, s->tid) }));
		}
	}
}

/* Add up the rows of each thread or CPU; the busiest first. */
static void times__add_up(struct times *t, struct browser *b, const struct profile *p, thread_totals *totals)
{
	size_t nr = 0;

	for (size_t i = 0; i < p->rows.rows.nr; i++) {
		const struct row *row = row_table__get(&p->rows, i);

		if (is_shown(b, row))
			array__add(totals, ((struct thread_total){ .id = times__id(t, row),
								   .pid = row->key.pid,
								   .comm = row->key.comm,
								   .total = row->period,
								   .time = row->first_time }));
	}
	if (!t->by_cpu)
		times__add_span_threads(t, b, totals);
	if (totals->nr)
		qsort(totals->v, totals->nr, sizeof(*totals->v), total_by_id);
	for (size_t i = 0; i < totals->nr; i++) {
		struct thread_total x = totals->v[i];

		if (nr && totals->v[nr - 1].id == x.id)
			x.total += totals->v[--nr].total;
		totals->v[nr++] = x;
	}
	totals->nr = nr;
	if (nr)
		qsort(totals->v, nr, sizeof(*totals->v), total_by_total);
}

/* The busiest have lanes, beyond LANES_MAX all others one together. Sort the lanes by their ids. */
static void times__make_lanes(struct times *t, struct browser *b, const struct profile *p)
{
	thread_totals totals = { 0 };

	times__add_up(t, b, p, &totals);
	for (size_t i = 0; i < totals.nr && i < LANES_MAX; i++) {
		const struct thread_total *x = &totals.v[i];
		struct lane *l = xcalloc(1, sizeof(*l));

		*l = (struct lane){ .id = x->id, .pid = x->pid, .comm = x->comm, .total = x->total };
		l->is_rest = i + 1 == LANES_MAX && totals.nr > LANES_MAX;
		array__add(&t->lanes, l);
	}
	array__exit(&totals);
	if (t->lanes.nr)
		qsort(t->lanes.v, t->lanes.nr, sizeof(*t->lanes.v), by_id);
}

/* Return the lane of a row that is shown. */
static struct lane *times__lane_of(struct times *t, const struct row *row)
{
	struct lane key = { .id = times__id(t, row) }, *p = &key, *last = t->lanes.v[t->lanes.nr - 1];
	struct lane **found = bsearch(&p, t->lanes.v, t->lanes.nr - last->is_rest, sizeof(p), by_id);

	return found ? *found : last;
}

/* Waits of a thread that end in a part: they came one after the other. */
static void lane__add_waits(struct lane *l, unsigned part, double parts, double ns_per_part)
{
	double end = part + 1, begin = MAX(end - parts, 0.0);

	for (unsigned i = (unsigned)begin; i <= part; i++)
		l->waiting[i] += (u64)(ns_per_part * (MIN(end, (double)(i + 1)) - MAX(begin, (double)i)));
}

static void times__count(struct times *t, struct browser *b, const struct profile *p, u64 step)
{
	const struct time_table *waits = browser__view(b)->opts.waits.times;

	for (size_t i = 0; i < p->rows.rows.nr; i++) {
		const struct row *row = row_table__get(&p->rows, i);
		unsigned part = (unsigned)MIN(row->key.ip, (u64)NR_PARTS - 1);
		struct lane *l;

		if (!is_shown(b, row))
			continue;
		l = times__lane_of(t, row);
		if (waits && waits->roles.v[row->key.event] == TIME_WAITING)
			lane__add_waits(l, part, (double)row->period / (double)step, (double)step);
		else
			l->running[part] += row->period;
	}
}

/* The time of the recording, or what the filters leave of it. */
static bool times__range(struct times *t, struct browser *b)
{
	const struct time_spans *spans = report_of(b)->in->setup->profile.times;

	if (!profile__sample_times(report_of(b)->in->session, &t->first, &t->last))
		return false;
	if (spans && spans->v.nr) {
		t->first = MAX(t->first, spans->v.v[0].start);
		t->last = MIN(t->last, spans->v.v[spans->v.nr - 1].end);
	}
	return t->first <= t->last;
}

/* ---- spans ---- */

/* Return the lane of a thread's spans in the time that is shown; NULL: it has none. */
static struct lane *times__make_spans(const struct times *t, struct browser *b, const struct lane *of,
				      const struct spans_of_event *spans)
{
	const struct span_set *set = &spans->set;
	u64 step = (t->last - t->first) / NR_PARTS + 1;
	struct lane *l = NULL;
	const struct span *s, *last;

	spans_in(set, of->id, t->first, t->last, &s, &last);
	for (; s < last; s++) {
		u64 begin = MAX(s->begin, t->first) - t->first, end = MIN(s->end, t->last) - t->first;

		if (!browser__wants_span(b, set, s))
			continue;
		if (!l) {
			l = xcalloc(1, sizeof(*l));
			*l = (struct lane){ .id = of->id, .pid = of->pid, .comm = of->comm, .spans = spans };
		}
		l->waiting[begin / step] += s->begin >= t->first;
		for (u64 i = begin / step; i <= end / step; i++)
			l->running[i] = MAX(l->running[i], MAX(span__ns(s), 1));
	}
	return l;
}

/* Put lanes of spans below those of their threads. */
static void times__add_spans(struct times *t, struct browser *b)
{
	const struct span_sets *sets = browser__spans(b);
	struct lane *lanes[LANES_MAX];
	size_t nr = t->lanes.nr;

	if (t->by_cpu || !sets->v.nr || !nr)
		return;
	memcpy(lanes, t->lanes.v, nr * sizeof(*lanes));
	t->lanes.nr = 0;
	for (size_t i = 0; i < nr; i++) {
		array__add(&t->lanes, lanes[i]);
		for (size_t k = 0; k < sets->v.nr && !lanes[i]->is_rest; k++) {
			struct lane *l = times__make_spans(t, b, lanes[i], &sets->v.v[k]);

			if (l)
				array__add(&t->lanes, l);
		}
	}
}

/* Choose how many CPUs a lane is of: as few as the screen has room for. */
static void times__group_cpus(struct times *t, struct browser *b, const struct profile *p)
{
	u32 first = UINT32_MAX, last = 0, rows = MAX(b->grid.rows, 6u) - 4;

	t->group = 1;
	for (size_t i = 0; i < p->rows.rows.nr; i++) {
		const struct row *row = row_table__get(&p->rows, i);

		if (!is_shown(b, row) || row->key.cpu == UINT32_MAX)
			continue;
		first = MIN(first, row->key.cpu);
		last = MAX(last, row->key.cpu);
	}
	while (!t->each_cpu && first < last && last / t->group - first / t->group >= rows)
		t->group *= 2;
}

static void times__read(struct times *t, struct browser *b)
{
	u64 step = (t->last - t->first) / NR_PARTS + 1;
	struct profile p;

	if (browser__collect_flat(b, t->by_cpu ? PROFILE_SPLIT_CPU : 0, t->first, step, &p)) {
		browser__say(b, "%s", b->err->text.buf);
		return;
	}
	times__group_cpus(t, b, &p);
	times__make_lanes(t, b, &p);
	times__count(t, b, &p, step);
	profile__exit(&p);
	if (t->lanes.nr)
		qsort(t->lanes.v, t->lanes.nr, sizeof(*t->lanes.v), t->by_cpu ? by_id : by_total);
	times__add_spans(t, b);
}

static void times__make(struct browser *b, void *state)
{
	struct times *t = state;

	times__free(t);
	t->first = t->last = 0;
	t->from = t->to = NO_COLUMN;
	t->at = 0;
	if (report_of(b)->in->session->has_time && times__range(t, b))
		times__read(t, b);
	list__fit(&t->list, t->lanes.nr, t->list.rows);
}

/* ---- drawing ---- */

/* Return the parts of a column: [*begin, *end). */
static void column_parts(const struct times *t, unsigned column, unsigned *begin, unsigned *end)
{
	*begin = (unsigned)((u64)column * NR_PARTS / t->columns);
	*end = MAX((unsigned)((u64)(column + 1) * NR_PARTS / t->columns), *begin + 1);
}

static double sum_of(const u64 *parts, unsigned begin, unsigned end)
{
	double sum = 0;

	for (unsigned i = begin; i < end; i++)
		sum += (double)parts[i];
	return sum / (end - begin);
}

static u64 column_time(const struct times *t, unsigned column)
{
	return t->first + (u64)((double)(t->last - t->first) * column / t->columns);
}

/* The longest span of a column decides on its colour. */
static void times__draw_spans(const struct times *t, const struct lane *l, struct grid *g, unsigned row,
			      unsigned left)
{
	for (unsigned c = 0; c < t->columns; c++) {
		struct grid_cell *cell = grid__cell(g, row, left + c);
		unsigned begin, end;
		u64 longest = 0, nr = 0;

		column_parts(t, c, &begin, &end);
		for (unsigned i = begin; i < end; i++) {
			longest = MAX(longest, l->running[i]);
			nr += l->waiting[i];
		}
		if (!longest)
			continue;
		cell->c = g->is_ascii ? (nr ? '[' : '=') : nr ? 0x2590 : 0x2588; /* right half, whole */
		cell->style = longest >= l->spans->slow  ? STYLE_HOT
			      : longest > l->spans->fast ? STYLE_WARM
							 : STYLE_DIM;
	}
}

static void times__draw_lane(const struct times *t, const struct lane *l, struct grid *g, unsigned row,
			     unsigned left, double most)
{
	double ns = (double)(t->last - t->first + 1) / NR_PARTS;

	for (unsigned c = 0; c < t->columns; c++) {
		struct grid_cell *cell = grid__cell(g, row, left + c);
		unsigned begin, end;
		double running, waiting;

		column_parts(t, c, &begin, &end);
		running = sum_of(l->running, begin, end);
		waiting = sum_of(l->waiting, begin, end) / ns;
		if (running > 0 && most > 0) {
			unsigned level = MIN((unsigned)(8 * running / most), 7u);

			cell->c = g->is_ascii ? (u32) ".:-=+*#@"[level] : 0x2581 + level;
			cell->style = level >= 4 ? STYLE_HOT : STYLE_WARM;
		} else if (waiting > 0.05) {
			cell->c = g->is_ascii ? '~' : 0x2591;
			cell->style = STYLE_WAIT;
		}
	}
}

/* Mark the cursor, and the part that is chosen. */
static void times__mark(const struct times *t, struct grid *g, unsigned row, unsigned left)
{
	for (unsigned c = 0; c < t->columns; c++)
		if ((c >= t->from && c <= t->to && t->from != NO_COLUMN) || c == t->at)
			grid__select(g, row, left + c, 1);
}

/* Return the most that a column of any lane has. */
static double times__most(const struct times *t)
{
	double most = 0;

	for (size_t i = 0; i < t->lanes.nr; i++)
		for (unsigned c = 0; c < t->columns && !t->lanes.v[i]->spans; c++) {
			unsigned begin, end;

			column_parts(t, c, &begin, &end);
			most = MAX(most, sum_of(t->lanes.v[i]->running, begin, end));
		}
	return most;
}

static double seconds(const struct times *t, unsigned column)
{
	return (double)(column_time(t, column) - t->first) / 1e9;
}

/* Return the longest span that the cursor is on, or NULL. */
static const struct span *times__span(const struct times *t, struct browser *b)
{
	const struct lane *l = t->lanes.v[t->list.at];
	const struct span *longest = NULL;
	const struct span *s, *end;

	if (!l->spans || t->from != NO_COLUMN)
		return NULL;
	spans_in(&l->spans->set, l->id, column_time(t, t->at), column_time(t, t->at + 1), &s, &end);
	for (; s < end; s++)
		if ((!longest || span__ns(s) > span__ns(longest)) &&
		    browser__wants_span(b, &l->spans->set, s))
			longest = s;
	return longest;
}

static void times__draw_facts(const struct times *t, struct browser *b, const struct area *a)
{
	const struct span *span = times__span(t, b);
	struct strbuf took = STRBUF_INIT;

	if (span) {
		strbuf__add_duration(&took, (double)span__ns(span));
		grid__print(a->grid, a->row, a->column, a->columns, STYLE_HEADER,
			    " +%.6f s: a span of %s   Enter: count only its time",
			    ((double)span->begin - (double)t->first) / 1e9, took.buf);
		strbuf__exit(&took);
	} else if (t->from == NO_COLUMN)
		grid__print(a->grid, a->row, a->column, a->columns, STYLE_HEADER,
			    " +%.6f s of %.6f s%s   [ begins a part, ] ends it", seconds(t, t->at),
			    (double)(t->last - t->first) / 1e9,
			    zooms__choose_code(&report_of(b)->zooms) ? ", of all functions" : "");
	else
		grid__print(a->grid, a->row, a->column, a->columns, STYLE_HEADER,
			    " +%.6f s to +%.6f s   Enter: count only this part", seconds(t, t->from),
			    seconds(t, t->to + 1));
}

static void times__draw_label(const struct times *t, struct browser *b, const struct lane *l, struct grid *g,
			      unsigned row, unsigned label)
{
	u32 style = l == t->lanes.v[t->list.at] ? STYLE_BOLD | STYLE_SELECTED : STYLE_TEXT;
	char comm[16];

	if (t->by_cpu && l->id != UINT32_MAX && !l->is_rest && t->group > 1)
		grid__print(g, row, 0, label, style, " CPUs %u-%u", l->id, l->id + t->group - 1);
	else if (t->by_cpu && l->id != UINT32_MAX && !l->is_rest)
		grid__print(g, row, 0, label, style, " CPU %u", l->id);
	else if (t->by_cpu || l->is_rest)
		grid__print(g, row, 0, label, style, " others");
	else if (l->spans)
		grid__print(g, row, 0, label, style, "   %s", evsel__span_name(l->spans->set.event));
	else
		grid__print(g, row, 0, label, style, " %.*s %d", (int)label - 9,
			    view__comm(browser__view(b), l->comm, comm), (int)l->id);
}

static void times__draw(struct browser *b, void *state, const struct area *area)
{
	struct times *t = state;
	struct area a = *area;
	unsigned label = MIN((unsigned)LABEL, a.columns / 3);
	double most;

	if (!t->lanes.nr) {
		grid__field(a.grid, a.row, a.column, a.columns, STYLE_DIM,
			    report_of(b)->in->session->has_time
				    ? "  no sample is left"
				    : "  the samples have no times; perf record -T records them");
		return;
	}
	if (t->columns != a.columns - label) {
		t->columns = MAX(a.columns - label, 1u);
		t->at = MIN(t->at, t->columns - 1);
		t->from = t->to = NO_COLUMN;
	}
	times__draw_facts(t, b, &a);
	most = times__most(t);
	list__fit(&t->list, t->lanes.nr, a.rows - 1);
	for (unsigned i = 0; i + 1 < a.rows && t->list.top + i < t->lanes.nr; i++) {
		const struct lane *l = t->lanes.v[t->list.top + i];
		unsigned row = a.row + 1 + i;

		times__draw_label(t, b, l, a.grid, row, label);
		if (l->spans)
			times__draw_spans(t, l, a.grid, row, a.column + label);
		else
			times__draw_lane(t, l, a.grid, row, a.column + label, most);
		times__mark(t, a.grid, row, a.column + label);
	}
}

/* ---- keys ---- */

static void begin_part(struct browser *b, void *state)
{
	struct times *t = state;

	(void)b;
	t->from = t->at;
	t->to = t->to == NO_COLUMN || t->to < t->from ? t->columns - 1 : t->to;
}

static void end_part(struct browser *b, void *state)
{
	struct times *t = state;

	(void)b;
	t->to = t->at;
	t->from = t->from == NO_COLUMN || t->from > t->to ? 0 : t->from;
}

static void zoom_part(struct browser *b, void *state)
{
	struct times *t = state;
	const struct span *span = t->lanes.nr ? times__span(t, b) : NULL;

	if (span) {
		browser__zoom_time(b, span->begin, span->end);
		return;
	}
	if (t->from == NO_COLUMN) {
		browser__say(b, "[ and ] choose a part of the time");
		return;
	}
	browser__zoom_time(b, column_time(t, t->from), column_time(t, t->to + 1) - (t->to + 1 < t->columns));
}

static bool has_cpus(const struct browser *b)
{
	return evlist__sample_type_any(&report_of(b)->in->session->reader->evlist) & PERF_SAMPLE_CPU;
}

static void toggle_cpus(struct browser *b, void *state)
{
	struct times *t = state;

	if (!has_cpus(b)) {
		browser__say(b, "The samples have no CPUs; %s record -a or --sample-cpu records them",
			     called_name());
		return;
	}
	t->each_cpu = t->by_cpu && t->group > 1;
	t->by_cpu = !t->by_cpu || t->each_cpu;
	t->list.at = t->list.top = 0;
	times__make(b, t);
}

static void times__point(struct times *t, const struct terminal_event *event, unsigned label)
{
	unsigned column = event->column >= label ? MIN(event->column - label, t->columns - 1) : 0;

	if (event->key == TERM_PRESS) {
		t->at = column;
		t->from = t->to = NO_COLUMN;
		if (event->row >= 2 && t->list.top + event->row - 2 < t->lanes.nr)
			t->list.at = t->list.top + event->row - 2;
	} else if (column != t->at) {
		t->from = MIN(t->at, column);
		t->to = MAX(t->at, column);
	}
}

static bool times__press(struct browser *b, void *state, const struct terminal_event *event)
{
	struct times *t = state;

	if (!t->lanes.nr || !t->columns)
		return false;
	switch (event->key) {
	case TERM_LEFT:
		t->at -= t->at > 0;
		return true;
	case TERM_RIGHT:
		t->at += t->at + 1 < t->columns;
		return true;
	case TERM_PRESS:
	case TERM_DRAG:
	case TERM_RELEASE:
		times__point(t, event, b->grid.columns - t->columns);
		return true;
	default:
		return list__key(&t->list, event->key);
	}
}

static void times__get_subject(struct browser *b, void *state, struct subject *s)
{
	struct times *t = state;
	const struct lane *l;

	(void)b;
	if (t->list.at >= t->lanes.nr)
		return;
	l = t->lanes.v[t->list.at];
	s->pid = l->pid;
	s->cpu = s->tid = l->id;
	s->last_cpu = l->id + t->group - 1;
	s->has_pid = s->has_tid = !t->by_cpu;
	s->has_cpu = t->by_cpu && l->id != UINT32_MAX && !l->is_rest;
}

static void times__end(void *state)
{
	struct times *t = state;

	times__free(t);
	array__exit(&t->lanes);
}

static const struct key_row times_keys[] = {
	{ '[', "[", "choose a part of the time: it begins at the cursor", begin_part },
	{ ']', "]", "it ends at the cursor", end_part },
	{ TERM_ENTER, "Enter", "filter: this part, or the span at the cursor", zoom_part },
	{ 'C', "C", "lanes of CPUs (first in groups, if they are many), or of threads", toggle_cpus },
	{ 0 },
};

const struct screen times_screen = {
	.name = "time",
	.key = 'T',
	.text = "when each thread or CPU ran and waited",
	.keys = times_keys,
	.state_size = sizeof(struct times),
	.make = times__make,
	.draw = times__draw,
	.press = times__press,
	.get_subject = times__get_subject,
	.end = times__end,
};
