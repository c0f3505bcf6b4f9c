/* Processes and their threads, with what each took; choosing one shows only its samples. */
#include "browser/report_browser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct thread_line {
	u32 pid, tid, comm;
	bool is_process; /* the sum of its threads */
	u64 period, nr;
};

struct threads {
	ARRAY(struct thread_line) all; /* by tid */
	ARRAY(struct thread_line) lines;
	struct list list;
};

static int by_ids(const void *a, const void *b)
{
	const struct thread_line *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

/* Largest processes first; within one the process, then its largest thread. */
static int by_period(const void *a, const void *b)
{
	const struct thread_line *x = a, *y = b;

	if (x->period != y->period)
		return x->period > y->period ? -1 : 1;
	return by_ids(a, b);
}

static void threads__count(struct browser *b, struct threads *t, const struct profile *p)
{
	for (size_t i = 0; i < p->rows.rows.nr; i++) {
		const struct row *row = row_table__get(&p->rows, i);

		if (browser__view(b)->hists_of_event[row->key.event] != report_of(b)->event ||
		    !browser__wants_thread(b, &row->key))
			continue;
		array__add(&t->all, ((struct thread_line){ .pid = row->key.pid,
							   .tid = row->key.tid,
							   .comm = row->key.comm,
							   .period = row->period,
							   .nr = row->nr }));
	}
}

/* Add up lines of one thread. */
static void threads__join(struct threads *t)
{
	size_t nr = 0;

	if (t->all.nr)
		qsort(t->all.v, t->all.nr, sizeof(*t->all.v), by_ids);
	for (size_t i = 0; i < t->all.nr; i++) {
		struct thread_line *l = nr ? &t->all.v[nr - 1] : NULL, *from = &t->all.v[i];

		if (l && l->pid == from->pid && l->tid == from->tid) {
			l->period += from->period;
			l->nr += from->nr;
			l->comm = from->comm;
		} else {
			t->all.v[nr++] = *from;
		}
	}
	t->all.nr = nr;
}

static size_t process_end(const struct threads *t, size_t i)
{
	u32 pid = t->all.v[i].pid;

	while (i < t->all.nr && t->all.v[i].pid == pid)
		i++;
	return i;
}

/* List processes; those with several threads are followed by these. */
static void threads__list(struct threads *t)
{
	ARRAY(struct thread_line) processes = { 0 };

	t->lines.nr = 0;
	for (size_t i = 0, end; i < t->all.nr; i = end) {
		struct thread_line p = t->all.v[i];

		end = process_end(t, i);
		for (size_t k = i + 1; k < end; k++) {
			p.period += t->all.v[k].period;
			p.nr += t->all.v[k].nr;
			if (t->all.v[k].tid == p.pid)
				p.comm = t->all.v[k].comm;
		}
		p.is_process = true;
		p.tid = (u32)i; /* where its threads are, for now */
		qsort(t->all.v + i, end - i, sizeof(*t->all.v), by_period);
		array__add(&processes, p);
	}
	if (processes.nr)
		qsort(processes.v, processes.nr, sizeof(*processes.v), by_period);
	for (size_t i = 0; i < processes.nr; i++) {
		size_t first = processes.v[i].tid, end = process_end(t, first);

		processes.v[i].tid = processes.v[i].pid;
		array__add(&t->lines, processes.v[i]);
		for (size_t k = first; k < end && end - first > 1; k++)
			array__add(&t->lines, t->all.v[k]);
	}
	array__exit(&processes);
}

static void threads__make(struct browser *b, void *state)
{
	struct threads *t = state;
	struct profile p;

	t->all.nr = t->lines.nr = 0;
	if (browser__collect_flat(b, 0, 0, 0, &p)) {
		browser__say(b, "%s", b->err->text.buf);
		list__fit(&t->list, 0, t->list.rows);
		return;
	}
	threads__count(b, t, &p);
	profile__exit(&p);
	threads__join(t);
	threads__list(t);
	list__fit(&t->list, t->lines.nr, t->list.rows);
}

static void threads__draw(struct browser *b, void *state, const struct area *area)
{
	struct threads *t = state;
	struct area a = *area;
	u64 total = browser__total(b);

	if (a.rows > 1) {
		grid__print(a.grid, a.row++, a.column, a.columns, STYLE_HEADER,
			    "   share  name                    pid      tid     samples%s",
			    zooms__choose_code(&report_of(b)->zooms) ? ", of all functions" : "");
		a.rows--;
	}
	list__fit(&t->list, t->lines.nr, a.rows);
	for (unsigned i = 0; i < a.rows && t->list.top + i < t->lines.nr; i++) {
		const struct thread_line *l = &t->lines.v[t->list.top + i];
		double share = total ? (double)l->period / (double)total : 0;
		char comm[16], tid[16] = "";

		if (!l->is_process)
			snprintf(tid, sizeof(tid), "%d", (int)l->tid);
		grid__print(a.grid, a.row + i, a.column, a.columns, l->is_process ? STYLE_BOLD : STYLE_TEXT,
			    "%7.2f%%  %s%-*s  %7d  %7s  %10llu", 100 * share, l->is_process ? "" : "  ",
			    l->is_process ? 18 : 16, view__comm(browser__view(b), l->comm, comm), (int)l->pid,
			    tid, (unsigned long long)l->nr);
		for (unsigned k = 0; k < MIN(8u, a.columns); k++)
			grid__cell(a.grid, a.row + i, a.column + k)->style = style_of_share(share);
		if (t->list.top + i == t->list.at)
			grid__select(a.grid, a.row + i, a.column, a.columns);
	}
}

static void threads__get_subject(struct browser *b, void *state, struct subject *s)
{
	struct threads *t = state;
	const struct thread_line *l = t->lines.nr ? &t->lines.v[t->list.at] : NULL;

	(void)b;
	if (!l)
		return;
	s->pid = l->pid;
	s->tid = l->tid;
	s->has_pid = true;
	s->has_tid = !l->is_process;
}

static void threads__go(struct browser *b, void *state)
{
	struct threads *t = state;
	const struct thread_line *l = t->lines.nr ? &t->lines.v[t->list.at] : NULL;
	char text[16];

	if (!l)
		return;
	snprintf(text, sizeof(text), "%d", (int)(l->is_process ? l->pid : l->tid));
	browser__zoom(b, l->is_process ? ZOOM_PID : ZOOM_TID, text);
	browser__show(b, &table_screen);
}

static bool threads__press(struct browser *b, void *state, const struct terminal_event *event)
{
	struct threads *t = state;
	size_t at = t->list.top + event->row - 2;

	if (event->key == TERM_PRESS && event->row >= 2 && at < t->lines.nr) {
		if (at == t->list.at)
			threads__go(b, t);
		else
			t->list.at = at;
		return true;
	}
	return list__key(&t->list, event->key);
}

static void threads__end(void *state)
{
	struct threads *t = state;

	array__exit(&t->all);
	array__exit(&t->lines);
}

static const struct key_row threads_keys[] = {
	{ TERM_ENTER, "Enter", "filter: this thread or process; then the table", threads__go },
	{ 0 },
};

const struct screen threads_screen = {
	.name = "processes and threads",
	.key = 'p',
	.text = "processes and threads",
	.keys = threads_keys,
	.state_size = sizeof(struct threads),
	.make = threads__make,
	.draw = threads__draw,
	.press = threads__press,
	.get_subject = threads__get_subject,
	.end = threads__end,
};
