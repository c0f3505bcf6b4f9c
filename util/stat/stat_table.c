#include "stat/stat_table.h"

#include "event/evsel/event_request.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- means ---- */

void run_mean__add(struct run_mean *m, double x)
{
	double distance = x - m->mean;

	m->nr++;
	m->mean += distance / (double)m->nr;
	m->squares += distance * (x - m->mean);
}

double run_mean__error(const struct run_mean *m)
{
	double nr = (double)m->nr;

	return m->nr > 1 ? sqrt(m->squares / (nr - 1) / nr) : 0;
}

double run_mean__percent(const struct run_mean *m)
{
	return m->mean != 0 ? 100 * run_mean__error(m) / fabs(m->mean) : 0;
}

/* ---- events ---- */

bool evsel__is_clock(const struct evsel *e)
{
	return e->attr.type == PERF_TYPE_SOFTWARE &&
	       (e->attr.config == PERF_COUNT_SW_CPU_CLOCK || e->attr.config == PERF_COUNT_SW_TASK_CLOCK);
}

const char *evsel__unit(const struct evsel *e, double *factor)
{
	*factor = 1;
	if (evsel__is_clock(e)) {
		*factor = 1e-6;
		return "msec";
	}
	if (e->request->tool != TOOL_NONE)
		return "ns";
	if (e->request->scale != 0)
		*factor = e->request->scale;
	return e->request->unit ? e->request->unit : "";
}

/* Return what an event of perf itself has counted. */
static u64 tool_value(const struct evsel *e, const struct run_times *times)
{
	switch (e->request->tool) {
	case TOOL_DURATION_TIME:
		return times->elapsed;
	case TOOL_USER_TIME:
		return times->user;
	default:
		return times->system;
	}
}

/* ---- the table ---- */

void stat_table__init(struct stat_table *t, const struct counting *c, const struct stat_rows *rows)
{
	*t = (struct stat_table){ .counting = c, .rows = rows };
	t->values = xcalloc(c->l->evsels.nr * rows->v.nr + 1, sizeof(*t->values));
}

void stat_table__exit(struct stat_table *t)
{
	free(t->values);
	array__exit(&t->each_elapsed);
}

void stat_table__reset(struct stat_table *t)
{
	memset(t->values, 0, t->counting->l->evsels.nr * t->rows->v.nr * sizeof(*t->values));
	t->elapsed = t->user = t->system = (struct run_mean){ 0 };
	t->each_elapsed.nr = 0;
}

/* Add up the counters of an event in a row, each as if it had counted all the time. */
static void add_event(struct stat_table *t, const struct evsel *e, const struct run_times *times)
{
	const struct counting *c = t->counting;
	double *sums = xcalloc(t->rows->v.nr + 1, sizeof(*sums));
	bool is_tool = e->request->tool != TOOL_NONE;

	for (size_t r = 0; r < t->rows->v.nr; r++)
		t->values[e->idx * t->rows->v.nr + r].nr_places = 0;
	for (size_t p = 0; p < c->places.nr; p++) {
		size_t r = t->rows->of_place[p];
		struct stat_value *v = &t->values[e->idx * t->rows->v.nr + r];
		const struct stat_counter *counter = counting__counter(c, e->idx, p);
		struct count n = stat_counter__since(counter);

		if (!counter->is_there)
			continue;
		sums[r] += count__scaled(&n);
		v->enabled += (double)n.enabled;
		v->running += (double)n.running;
		v->nr_places++;
	}
	for (size_t r = 0; r < t->rows->v.nr; r++) {
		struct stat_value *v = &t->values[e->idx * t->rows->v.nr + r];

		if (is_tool && !r) { /* it is of the whole command: the first row has it */
			sums[r] = (double)tool_value(e, times);
			v->enabled += sums[r];
			v->running += sums[r];
			v->nr_places = 1;
		}
		run_mean__add(&v->value, sums[r]);
	}
	free(sums);
}

void stat_table__add_run(struct stat_table *t, const struct run_times *times)
{
	for (size_t i = 0; i < t->counting->l->evsels.nr; i++)
		add_event(t, t->counting->l->evsels.v[i], times);
	run_mean__add(&t->elapsed, (double)times->elapsed);
	run_mean__add(&t->user, (double)times->user);
	run_mean__add(&t->system, (double)times->system);
	array__add(&t->each_elapsed, times->elapsed);
}

enum stat_state stat_table__state(const struct stat_table *t, size_t evsel, size_t row)
{
	const struct stat_value *v = stat_table__value(t, evsel, row);

	if (t->counting->l->evsels.v[evsel]->request->tool != TOOL_NONE)
		return v->nr_places ? STAT_COUNTED : STAT_NOT_COUNTED;
	if (t->counting->refusals[evsel])
		return STAT_NOT_SUPPORTED;
	return v->running > 0 ? STAT_COUNTED : STAT_NOT_COUNTED;
}
