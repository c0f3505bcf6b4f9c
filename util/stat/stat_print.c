#include "stat/stat_print.h"

#include "event/evsel/event_request.h"
#include "stat/stat_text.h"

#include <stdlib.h>

/* ---- separated values ---- */

static void csv__add_fields(struct strbuf *out, const struct stat_line *line)
{
	const char *s = line->opts->separator;
	const struct aggregation_form *f = &aggregation_forms[line->table->rows->by];

	if (*line->time)
		strbuf__addf(out, "%s%s", line->time, s);
	else if (line->opts->names_summary)
		strbuf__addf(out, "summary%s", s);
	if (f->word) {
		strbuf__add_masked(out, line->row->name);
		strbuf__addstr(out, s);
	}
	if (f->counts_places)
		strbuf__addf(out, "%llu%s", (unsigned long long)line->value->nr_places, s);
}

static void csv__add_metric(struct strbuf *out, const char *s, const struct metric *m)
{
	const char *format = m->is_ratio ? "%.2f" : "%.3f";

	strbuf__addstr(out, s);
	strbuf__addf(out, format, m->value);
	strbuf__addf(out, "%s%s\n", s, m->unit);
}

static void csv__add_line(struct strbuf *out, const struct stat_line *line)
{
	const char *s = line->opts->separator;
	u64 nr_runs = MAX(line->value->value.nr, 1);
	double factor;

	csv__add_fields(out, line);
	stat_line__add_value(out, line);
	strbuf__addf(out, "%s%s%s", s, evsel__unit(line->e, &factor), s);
	strbuf__add_masked(out, line->e->name);
	if (line->opts->shows_cgroups) {
		strbuf__addstr(out, s);
		strbuf__add_masked(out, line->e->request->cgroup ? line->e->request->cgroup : "");
	}
	if (line->opts->is_repeated)
		strbuf__addf(out, "%s%.2f%%", s, run_mean__percent(&line->value->value));
	strbuf__addf(out, "%s%.0f%s%.2f", s, line->value->running / (double)nr_runs, s,
		     stat_value__percent(line->value));
	if (!line->nr_metrics)
		strbuf__addf(out, "%s%s\n", s, s);
	for (unsigned i = 0; i < line->nr_metrics; i++) {
		if (i) { /* a line of its own, with the fields before it empty */
			csv__add_fields(out, line);
			strbuf__addf(out, "%s%s%s%s", s, s, s, line->opts->shows_cgroups ? s : "");
			strbuf__addf(out, "%s%s", line->opts->is_repeated ? s : "", s);
		}
		csv__add_metric(out, s, &line->metrics[i]);
	}
}

/* ---- JSON ---- */

static void json__add_string(struct strbuf *out, const char *name, const char *value)
{
	strbuf__addf(out, "\"%s\" : ", name);
	strbuf__add_json(out, value);
	strbuf__addstr(out, ", ");
}

static void json__add_fields(struct strbuf *out, const struct stat_line *line)
{
	const struct aggregation_form *f = &aggregation_forms[line->table->rows->by];

	strbuf__addch(out, '{');
	if (*line->time)
		strbuf__addf(out, "\"interval\" : %s, ", line->time);
	if (f->word)
		json__add_string(out, f->word,
				 line->row->name +
					 (line->table->rows->by == AGGREGATE_CPU ? strlen("CPU") : 0));
	if (f->counts_places)
		strbuf__addf(out, "\"aggregate-number\" : %llu, ",
			     (unsigned long long)line->value->nr_places);
}

static void json__add_value(struct strbuf *out, const struct stat_line *line)
{
	double factor;
	const char *unit = evsel__unit(line->e, &factor);

	strbuf__addstr(out, "\"counter-value\" : \"");
	if (line->state == STAT_COUNTED)
		strbuf__addf(out, "%f", line->value->value.mean * factor);
	else
		stat_line__add_value(out, line);
	strbuf__addstr(out, "\", ");
	json__add_string(out, "unit", unit);
	json__add_string(out, "event", line->e->name);
	if (line->opts->shows_cgroups)
		json__add_string(out, "cgroup", line->e->request->cgroup ? line->e->request->cgroup : "");
	if (line->opts->is_repeated)
		strbuf__addf(out, "\"variance\" : %.2f, ", run_mean__percent(&line->value->value));
	strbuf__addf(out, "\"event-runtime\" : %.0f, \"pcnt-running\" : %.2f",
		     line->value->running / (double)MAX(line->value->value.nr, 1),
		     stat_value__percent(line->value));
}

static void json__add_line(struct strbuf *out, const struct stat_line *line)
{
	static const struct metric none = { .unit = "" };

	for (unsigned i = 0; i < MAX(line->nr_metrics, 1u); i++) {
		const struct metric *m = line->nr_metrics ? &line->metrics[i] : &none;

		if (line->opts->metric_only && !m->is_ratio)
			continue;
		json__add_fields(out, line);
		if (!i && !line->opts->metric_only) {
			json__add_value(out, line);
			strbuf__addstr(out, ", ");
		}
		strbuf__addf(out, "\"metric-value\" : \"%f\", \"metric-unit\" : \"%s\"}\n", m->value,
			     m->unit);
	}
}

/* ---- all lines of a view ---- */

static void add_line(struct strbuf *out, const struct stat_print_opts *o, const struct stat_table *t,
		     size_t evsel, size_t row, const char *time)
{
	static void (*const views[])(struct strbuf * out, const struct stat_line *line) = {
		[STAT_TEXT] = stat_text__add_line, [STAT_CSV] = csv__add_line, [STAT_JSON] = json__add_line
	};
	struct evsel *e = t->counting->l->evsels.v[evsel];
	struct stat_line line = {
		.opts = o,
		.table = t,
		.e = e,
		.row = &t->rows->v.v[row],
		.value = stat_table__value(t, evsel, row),
		.state = stat_table__state(t, evsel, row),
		.time = time,
	};

	if (e->request->tool != TOOL_NONE && row) /* it is of the whole command */
		return;
	if (o->hides_idle && line.state == STAT_NOT_COUNTED)
		return;
	line.nr_metrics = metrics__find(t, evsel, row, line.metrics);
	views[o->form](out, &line);
}

void stat_print__add_table(struct strbuf *out, const struct stat_print_opts *o, const struct stat_table *t,
			   u64 time_ns)
{
	size_t nr_events = t->counting->l->evsels.nr, nr_rows = t->rows->v.nr;
	bool by_event = aggregation_forms[t->rows->by].by_event;
	struct strbuf time = STRBUF_INIT;
	size_t start = out->len;

	if (o->is_interval && time_ns)
		strbuf__addf(&time, o->form == STAT_TEXT ? "%6llu.%09llu " : "%llu.%09llu",
			     (unsigned long long)(time_ns / 1000000000),
			     (unsigned long long)(time_ns % 1000000000));
	if (o->metric_only && o->form != STAT_JSON)
		stat_text__add_metrics(out, o, t, time.buf);
	else if (by_event)
		for (size_t e = 0; e < nr_events; e++)
			for (size_t r = 0; r < nr_rows; r++)
				add_line(out, o, t, e, r, time.buf);
	else
		for (size_t r = 0; r < nr_rows; r++)
			for (size_t e = 0; e < nr_events; e++)
				add_line(out, o, t, e, r, time.buf);
	if (o->metric_only && o->form == STAT_JSON && out->len == start)
		strbuf__addstr(out, "{\"metric-value\" : \"none\"}\n");
	strbuf__exit(&time);
}
