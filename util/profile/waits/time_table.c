#include "profile/waits/time_table.h"

#include "format/records/span_detail.h"
#include "format/records/wait_detail.h"

#include <linux/perf_event.h>

static bool is_clock(const struct evsel *e)
{
	return e->attr.type == PERF_TYPE_SOFTWARE &&
	       (e->attr.config == PERF_COUNT_SW_CPU_CLOCK || e->attr.config == PERF_COUNT_SW_TASK_CLOCK);
}

static bool is_wait(const struct evsel *e)
{
	return evsel__wait_event(e) == WAIT_EVENT_OFF_CPU;
}

static bool has_rate(const struct evsel *e)
{
	return e->attr.freq && e->attr.sample_freq && e->attr.type != PERF_TYPE_SOFTWARE &&
	       e->attr.type != PERF_TYPE_TRACEPOINT && e->attr.type != PERF_TYPE_BREAKPOINT;
}

static const struct evsel *find(const struct evlist *l, bool (*is_wanted)(const struct evsel *e))
{
	for (size_t i = 0; i < l->evsels.nr; i++)
		if (is_wanted(l->evsels.v[i]))
			return l->evsels.v[i];
	return NULL;
}

/* Are both the same event, on different kinds of cores? Both sample the same threads, at different times. */
static bool is_same_event(const struct evsel *a, const struct evsel *b)
{
	return a == b || (a->attr.type == PERF_TYPE_HARDWARE && b->attr.type == PERF_TYPE_HARDWARE &&
			  (u32)a->attr.config == (u32)b->attr.config && has_rate(b) &&
			  a->attr.sample_freq == b->attr.sample_freq);
}

bool time_table__init(struct time_table *t, const struct evlist *l)
{
	*t = (struct time_table){ .on_cpu = find(l, is_clock) };
	if (!t->on_cpu && (t->on_cpu = find(l, has_rate)))
		t->hz = t->on_cpu->attr.sample_freq;
	if (!find(l, is_wait))
		return false;
	for (size_t i = 0; i < l->evsels.nr; i++) {
		const struct evsel *e = l->evsels.v[i];

		array__add(&t->roles, is_wait(e)                                 ? TIME_WAITING
				      : t->on_cpu && is_same_event(t->on_cpu, e) ? TIME_ON_CPU
										 : TIME_OTHER);
	}
	return true;
}

void time_table__weigh(struct time_table *t, const struct evlist *l)
{
	t->hz = 0;
	for (size_t i = 0; i < l->evsels.nr; i++) {
		enum wait_event kind = evsel__wait_event(l->evsels.v[i]);

		if (kind == WAIT_EVENT_READY) {
			t->roles.v[i] = TIME_WAITING;
			t->ready_event = (u32)i + 1;
		} else if (kind == WAIT_EVENT_ENDED) {
			t->roles.v[i] = TIME_ON_CPU;
			t->on_cpu = t->on_cpu ? t->on_cpu : l->evsels.v[i];
		}
	}
	for (size_t i = 0; i < l->evsels.nr && !t->on_cpu; i++)
		if (evsel__has_spans(l->evsels.v[i])) {
			t->roles.v[i] = TIME_ON_CPU; /* of time without a sample */
			t->on_cpu = l->evsels.v[i];
		}
}

void time_table__exit(struct time_table *t)
{
	array__exit(&t->roles);
}

bool *time_table__on_cpu(const struct evlist *l)
{
	bool *on_cpu = xcalloc(l->evsels.nr + 1, sizeof(*on_cpu));
	struct time_table t;

	time_table__init(&t, l);
	for (size_t i = 0; i < l->evsels.nr; i++)
		on_cpu[i] = t.on_cpu && is_same_event(t.on_cpu, l->evsels.v[i]);
	time_table__exit(&t);
	return on_cpu;
}

u64 time_table__ns(const struct time_table *t, u32 event, u64 period, u64 nr)
{
	return t->roles.v[event] == TIME_ON_CPU && t->hz ? (u64)((double)nr * 1e9 / (double)t->hz) : period;
}
