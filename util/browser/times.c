/*
 * Activity in time: a strip for each thread, or each CPU. Another pass counts the samples of each part of
 * the time: while it runs, it holds 16 bytes a sample. A span that is chosen here becomes a filter.
 */
#include "browser/browser.h"
#include "profile/gather/sample_stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NR_PARTS = 1024, LANES_MAX = 256, LABEL = 22, NO_COLUMN = UINT32_MAX };

struct lane {
	u32 id; /* its thread, or its CPU */
	u32 pid, comm;
	u64 total;
	bool is_rest;          /* of all that have no lane of their own */
	u64 running[NR_PARTS]; /* sums of periods */
	u64 waiting[NR_PARTS]; /* ns */
};

struct times {
	ARRAY(struct lane *) lanes; /* the busiest first */
	struct list list;
	u64 first, last;   /* ns, of all samples */
	u64 most;          /* of all running[] */
	unsigned at;       /* the cursor's column */
	unsigned from, to; /* the span's columns; NO_COLUMN: not chosen */
	unsigned columns;
	bool by_cpu;
};

/* ---- counting ---- */

static void times__free(struct times *t)
{
	for (size_t i = 0; i < t->lanes.nr; i++)
		free(t->lanes.v[i]);
	t->lanes.nr = 0;
}

struct lane_of_row {       /* which lane a row of the profile belongs to, and what kind of event it is */
	struct lane *lane; /* NULL: left out by a filter */
	bool is_wait;
};

static int by_total(const void *a, const void *b)
{
	const struct lane *x = *(struct lane *const *)a, *y = *(struct lane *const *)b;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static int by_id(const void *a, const void *b)
{
	const struct lane *x = *(struct lane *const *)a, *y = *(struct lane *const *)b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static u32 times__id(const struct times *t, const struct row *row)
{
	return t->by_cpu ? row->key.cpu : row->key.tid;
}

static struct lane *times__lane_of(struct times *t, u32 id)
{
	struct lane key = { .id = id }, *p = &key;
	struct lane **found = t->lanes.nr ? bsearch(&p, t->lanes.v, t->lanes.nr, sizeof(p), by_id) : NULL;

	return found ? *found : NULL;
}

/* Make a lane for each thread or CPU with samples; beyond LANES_MAX the busiest keep theirs. */
static void times__make_lanes(struct times *t, struct browser *b, const struct profile *p)
{
	struct lane *last = NULL;

	for (size_t i = 0; i < p->rows.rows.nr; i++) {
		const struct row *row = row_table__get(&p->rows, i);

		if (!browser__wants_thread(b, &row->key) ||
		    browser__view(b)->hists_of_event[row->key.event] != b->event)
			continue;
		if (!last || last->id != times__id(t, row)) {
			last = NULL;
			for (size_t k = 0; k < t->lanes.nr && !last; k++)
				if (t->lanes.v[k]->id == times__id(t, row))
					last = t->lanes.v[k];
		}
		if (!last && t->lanes.nr < LANES_MAX) {
			last = xcalloc(1, sizeof(*last));
			last->pid = row->key.pid;
			last->id = times__id(t, row);
			array__add(&t->lanes, last);
		}
		if (!last) {
			last = t->lanes.v[LANES_MAX - 1];
			last->is_rest = true;
		}
		last->comm = row->key.comm;
		last->total += row->period;
	}
}

static void add_span(u64 *parts, double from, double to, double ns)
{
	for (unsigned i = (unsigned)from; i <= (unsigned)to && i < NR_PARTS; i++) {
		double begin = MAX(from, (double)i), end = MIN(to, (double)(i + 1));

		if (end > begin)
			parts[i] += (u64)(ns * (end - begin));
	}
}

static void times__count(struct times *t, const struct sample_stream *stream, const struct lane_of_row *rows)
{
	double ns_per_part = (double)(t->last - t->first + 1) / NR_PARTS;

	for (size_t index = 0; index < stream->v.nr; index++) {
		struct stream_sample s = sample_stream__get(stream, index);
		const struct lane_of_row *row = &rows[s.row];
		double part = (double)(s.time - t->first) / ns_per_part;

		if (!row->lane)
			continue;
		if (row->is_wait) {
			double began = MAX(part - (double)s.weight / ns_per_part, 0.0);

			add_span(row->lane->waiting, began, part, ns_per_part);
			continue;
		}
		row->lane->running[MIN((unsigned)part, NR_PARTS - 1u)] += s.weight;
	}
}

/* The first and the last time of the samples, which are in any order. */
static void times__range(struct times *t, const struct sample_stream *stream)
{
	for (size_t index = 0; index < stream->v.nr; index++) {
		u64 time = sample_stream__get(stream, index).time;

		t->first = index ? MIN(t->first, time) : time;
		t->last = index ? MAX(t->last, time) : time;
	}
}

static void times__assign(struct times *t, struct browser *b, const struct profile *p,
			  struct lane_of_row *rows)
{
	const struct time_table *waits = browser__view(b)->opts.waits.times;

	if (t->lanes.nr)
		qsort(t->lanes.v, t->lanes.nr, sizeof(*t->lanes.v), by_id);
	for (size_t i = 0; i < p->rows.rows.nr; i++) {
		const struct row *row = row_table__get(&p->rows, i);

		if (browser__view(b)->hists_of_event[row->key.event] != b->event)
			continue;
		rows[i].lane = times__lane_of(t, times__id(t, row));
		rows[i].is_wait = waits && waits->roles.v[row->key.event] == TIME_WAITING;
	}
}

static void times__read(struct times *t, struct browser *b)
{
	struct sample_stream stream = { .base = 0 };
	struct lane_of_row *rows;
	struct profile p;

	if (browser__collect_flat(b, t->by_cpu ? PROFILE_SPLIT_CPU : 0, &stream, &p)) {
		browser__say(b, "%s", b->err->text.buf);
		return;
	}
	times__make_lanes(t, b, &p);
	rows = xcalloc(p.rows.rows.nr + 1, sizeof(*rows));
	times__assign(t, b, &p, rows);
	times__range(t, &stream);
	times__count(t, &stream, rows);
	free(rows);
	sample_stream__exit(&stream);
	profile__exit(&p);
	if (t->lanes.nr)
		qsort(t->lanes.v, t->lanes.nr, sizeof(*t->lanes.v), t->by_cpu ? by_id : by_total);
}

static void times__make(struct browser *b, void *state)
{
	struct times *t = state;

	times__free(t);
	t->first = t->last = 0;
	t->from = t->to = NO_COLUMN;
	t->at = 0;
	if (b->in->session->has_time)
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
		if ((c >= t->from && c <= t->to && t->from != NO_COLUMN) || c == t->at)
			cell->style |= STYLE_SELECTED;
	}
}

/* Return the most that a column of any lane has. */
static double times__most(const struct times *t)
{
	double most = 0;

	for (size_t i = 0; i < t->lanes.nr; i++)
		for (unsigned c = 0; c < t->columns; c++) {
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

static void times__draw_facts(const struct times *t, const struct browser *b, const struct area *a)
{
	if (t->from == NO_COLUMN)
		grid__print(a->grid, a->row, a->column, a->columns, STYLE_HEADER,
			    " +%.6f s of %.6f s%s   [ begins a span, ] ends it", seconds(t, t->at),
			    (double)(t->last - t->first) / 1e9,
			    zooms__choose_code(&b->zooms) ? ", of all functions" : "");
	else
		grid__print(a->grid, a->row, a->column, a->columns, STYLE_HEADER,
			    " +%.6f s to +%.6f s   Enter: count only this span", seconds(t, t->from),
			    seconds(t, t->to + 1));
}

static void times__draw_label(const struct times *t, struct browser *b, const struct lane *l, struct grid *g,
			      unsigned row, unsigned label)
{
	u32 style = l == t->lanes.v[t->list.at] ? STYLE_BOLD | STYLE_SELECTED : STYLE_TEXT;
	char comm[16];

	if (t->by_cpu && l->id != UINT32_MAX && !l->is_rest)
		grid__print(g, row, 0, label, style, " CPU %u", l->id);
	else if (t->by_cpu || l->is_rest)
		grid__print(g, row, 0, label, style, " others");
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
			    b->in->session->has_time
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
		times__draw_lane(t, l, a.grid, row, a.column + label, most);
	}
}

/* ---- keys ---- */

static void begin_span(struct browser *b, void *state)
{
	struct times *t = state;

	(void)b;
	t->from = t->at;
	t->to = t->to == NO_COLUMN || t->to < t->from ? t->columns - 1 : t->to;
}

static void end_span(struct browser *b, void *state)
{
	struct times *t = state;

	(void)b;
	t->to = t->at;
	t->from = t->from == NO_COLUMN || t->from > t->to ? 0 : t->from;
}

static void zoom_span(struct browser *b, void *state)
{
	struct times *t = state;

	if (t->from == NO_COLUMN) {
		browser__say(b, "[ and ] choose a span");
		return;
	}
	browser__zoom_time(b, column_time(t, t->from), column_time(t, t->to + 1) - (t->to + 1 < t->columns));
}

static bool has_cpus(const struct browser *b)
{
	return evlist__sample_type_any(&b->in->session->reader->evlist) & PERF_SAMPLE_CPU;
}

static void toggle_cpus(struct browser *b, void *state)
{
	struct times *t = state;

	if (!has_cpus(b)) {
		browser__say(b, "The samples have no CPUs; perf record -a or --sample-cpu records them");
		return;
	}
	t->by_cpu = !t->by_cpu;
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
	{ '[', "[", "begin a span at the cursor", begin_span },
	{ ']', "]", "end it", end_span },
	{ TERM_ENTER, "Enter", "filter: the span", zoom_span },
	{ 'C', "C", "lanes of CPUs, or of threads", toggle_cpus },
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
