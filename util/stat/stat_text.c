/* Tables of perf stat as text. */
#include "stat/stat_text.h"

#include "event/evsel/event_request.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { /* columns */
       VALUE_WIDTH = 18,
       UNIT_WIDTH = 4,
       NAME_WIDTH = 32,
       CGROUP_WIDTH = 16,
       METRIC_WIDTH = 38,
       COMM_WIDTH = 16,
       TID_WIDTH = 8,
       TIME_WIDTH = 17,
       LEFT_WIDTH = VALUE_WIDTH + 1 + UNIT_WIDTH + 1 + NAME_WIDTH,
};

/* ---- lines ---- */

static void add_padded(struct strbuf *out, const char *text, size_t width)
{
	size_t len = strlen(text);

	strbuf__add_masked(out, text);
	strbuf__addchars(out, ' ', len < width ? width - len : 0);
}

/* Append what comes before the value: the time of an interval, and the name of the row. */
static void add_prefix(struct strbuf *out, const struct stat_line *line)
{
	const struct aggregation_form *f = &aggregation_forms[line->table->rows->by];

	strbuf__addstr(out, line->time);
	if (line->table->rows->by == AGGREGATE_THREAD) {
		size_t len = strlen(line->row->comm);
		char tid[24];

		strbuf__addchars(out, ' ', len < COMM_WIDTH ? COMM_WIDTH - len : 0);
		strbuf__add_masked(out, line->row->comm);
		snprintf(tid, sizeof(tid), "-%d", line->row->tid);
		add_padded(out, tid, 1 + TID_WIDTH);
	} else if (f->word) {
		add_padded(out, line->row->name, (size_t)f->width);
	}
	if (f->counts_places)
		strbuf__addf(out, " %4llu ", (unsigned long long)line->value->nr_places);
}

static void add_metric(struct strbuf *out, const struct metric *m)
{
	size_t start = out->len;

	strbuf__addstr(out, " # ");
	strbuf__addf(out, m->format, m->value);
	strbuf__addch(out, ' ');
	add_padded(out, m->unit, METRIC_WIDTH - MIN(out->len - start, (size_t)METRIC_WIDTH));
}

/* Append how far the runs differ, and which part of the time the counter counted. */
static void add_doubts(struct strbuf *out, const struct stat_line *line)
{
	double noise = run_mean__percent(&line->value->value);

	if (line->state != STAT_COUNTED)
		return;
	if (line->opts->is_repeated && noise > 0)
		strbuf__addf(out, "  ( +-%6.2f%% )", noise);
	if (line->value->running != line->value->enabled)
		strbuf__addf(out, "  (%.2f%%)", stat_value__percent(line->value));
}

void stat_text__add_line(struct strbuf *out, const struct stat_line *line)
{
	struct strbuf value = STRBUF_INIT;
	double factor;

	add_prefix(out, line);
	stat_line__add_value(&value, line);
	strbuf__addchars(out, ' ', value.len < VALUE_WIDTH ? VALUE_WIDTH - value.len : 0);
	strbuf__addf(out, "%s %-*s ", value.buf, UNIT_WIDTH, evsel__unit(line->e, &factor));
	add_padded(out, line->e->name, NAME_WIDTH);
	if (line->opts->shows_cgroups) {
		strbuf__addch(out, ' ');
		add_padded(out, line->e->request->cgroup ? line->e->request->cgroup : "", CGROUP_WIDTH);
	}
	if (line->nr_metrics)
		add_metric(out, &line->metrics[0]);
	else
		strbuf__addchars(out, ' ', METRIC_WIDTH);
	add_doubts(out, line);
	strbuf__addch(out, '\n');
	for (unsigned i = 1; i < line->nr_metrics; i++) {
		add_prefix(out, line);
		strbuf__addchars(out, ' ', LEFT_WIDTH);
		add_metric(out, &line->metrics[i]);
		strbuf__addch(out, '\n');
	}
	strbuf__exit(&value);
}

/* ---- above and below ---- */

void stat_text__add_title(struct strbuf *out, const struct stat_print_opts *o, const char *what, u64 nr_runs)
{
	if (o->form != STAT_TEXT)
		return;
	strbuf__addf(out, "\n Performance counter stats for %s", what);
	if (nr_runs > 1)
		strbuf__addf(out, " (%llu runs)", (unsigned long long)nr_runs);
	strbuf__addstr(out, ":\n\n");
}

void stat_text__add_interval_heading(struct strbuf *out, const struct stat_print_opts *o,
				     const struct stat_table *t)
{
	const struct aggregation_form *f = &aggregation_forms[t->rows->by];

	if (o->form != STAT_TEXT)
		return;
	strbuf__addf(out, "#%*s ", TIME_WIDTH - 2, "time");
	if (t->rows->by == AGGREGATE_THREAD)
		strbuf__addf(out, "%*s-%-*s", COMM_WIDTH, "comm", TID_WIDTH, "pid");
	else if (f->word)
		strbuf__addf(out, "%-*s", f->width, f->word);
	if (f->counts_places)
		strbuf__addstr(out, " cpus ");
	if (!o->metric_only)
		strbuf__addf(out, "%*s %*s events\n", VALUE_WIDTH, "counts", UNIT_WIDTH, "unit");
}

/* Append the time of a run with as many decimals as show three digits of their error. */
static int decimals_of(double error_seconds)
{
	int n = error_seconds > 0 ? 2 - (int)floor(log10(error_seconds)) : 9;

	return n < 0 ? 0 : MIN(n, 9);
}

enum { BAR_PERCENT = 5 }; /* of the mean, for each '#' */

static void add_each_run(struct strbuf *out, const struct stat_table *t, int decimals)
{
	double mean = t->elapsed.mean / 1e9;
	int indent = VALUE_WIDTH - snprintf(NULL, 0, "%.*f", decimals, mean);

	strbuf__addf(out, "%*s# Table of individual measurements:\n", indent, "");
	for (size_t i = 0; i < t->each_elapsed.nr; i++) {
		double run = (double)t->each_elapsed.v[i] / 1e9;
		double bars = mean > 0 ? floor((run - mean) * 100 / mean / BAR_PERCENT) : 0;

		strbuf__addf(out, " %17.*f (%+.*f) ", decimals, run, decimals, run - mean);
		strbuf__addchars(out, '#', (size_t)MIN(fabs(bars), 50));
		strbuf__addch(out, '\n');
	}
	strbuf__addf(out, "\n%*s# Final result:\n", indent, "");
}

void stat_text__add_times(struct strbuf *out, const struct stat_print_opts *o, const struct stat_table *t)
{
	double mean = t->elapsed.mean / 1e9, error = run_mean__error(&t->elapsed) / 1e9;
	int decimals = decimals_of(error);

	if (o->form != STAT_TEXT)
		return;
	if (!o->null_run)
		strbuf__addch(out, '\n');
	if (o->is_repeated) {
		if (o->shows_table)
			add_each_run(out, t, decimals);
		strbuf__addf(out, " %17.*f +- %.*f seconds time elapsed  ( +-%6.2f%% )\n\n", decimals, mean,
			     decimals, error, run_mean__percent(&t->elapsed));
		return;
	}
	strbuf__addf(out, " %17.9f seconds time elapsed\n\n", mean);
	if (o->has_command)
		strbuf__addf(out, " %17.9f seconds user\n %17.9f seconds sys\n\n\n", t->user.mean / 1e9,
			     t->system.mean / 1e9);
}

/* ---- --metric-only: a column for each ratio, a line for each row ---- */

enum { COLUMN_WIDTH = 20 };

static void add_metrics_of_row(struct strbuf *out, const struct stat_print_opts *o,
			       const struct stat_table *t, size_t row, bool headings)
{
	for (size_t i = 0; i < t->counting->l->evsels.nr; i++) {
		struct metric m[METRICS_MAX];
		unsigned nr = metrics__find(t, i, row, m);

		for (unsigned k = 0; k < nr; k++) {
			if (!m[k].is_ratio)
				continue;
			if (o->form == STAT_CSV && headings)
				strbuf__addf(out, "%s%s", m[k].unit, o->separator);
			else if (o->form == STAT_CSV)
				strbuf__addf(out, "%.2f%s", m[k].value, o->separator);
			else if (headings)
				strbuf__addf(out, "%*s ", COLUMN_WIDTH, m[k].unit);
			else
				strbuf__addf(out, "%*.2f ", MAX(COLUMN_WIDTH, (int)strlen(m[k].unit)),
					     m[k].value);
		}
	}
	strbuf__addch(out, '\n');
}

void stat_text__add_metrics(struct strbuf *out, const struct stat_print_opts *o, const struct stat_table *t,
			    const char *time)
{
	const struct aggregation_form *f = &aggregation_forms[t->rows->by];

	if (!*time && f->word && o->form == STAT_TEXT)
		strbuf__addchars(out, ' ', (size_t)f->width + (f->counts_places ? 6 : 0));
	if (!*time || o->form == STAT_TEXT)
		add_metrics_of_row(out, o, t, 0, true);
	for (size_t r = 0; r < t->rows->v.nr; r++) {
		const struct stat_line line = { .opts = o,
						.table = t,
						.row = &t->rows->v.v[r],
						.value = stat_table__value(t, 0, r),
						.time = time };

		if (o->form == STAT_TEXT)
			add_prefix(out, &line);
		else if (*time)
			strbuf__addf(out, "%s%s", time, o->separator);
		if (o->form == STAT_CSV && f->word) {
			strbuf__add_masked(out, line.row->name);
			strbuf__addstr(out, o->separator);
		}
		add_metrics_of_row(out, o, t, r, false);
	}
}
