#include "record/events/triggers.h"

#include "event/evsel/event_request.h"

static void evsel__become_trigger(struct evsel *e, bool inherit)
{
	struct perf_event_attr *attr = &e->attr;

	attr->size = PERF_ATTR_SIZE_VER7;
	if (!e->request->own_period && !e->request->own_freq) {
		attr->freq = 0;
		attr->sample_period = 1;
	}
	attr->sample_type = 0;
	attr->read_format = 0;
	attr->disabled = 1;
	attr->inherit = inherit;
	attr->watermark = 0;
	attr->wakeup_events = 1; /* wake up for each one */
	e->attr_size = attr->size;
}

int triggers__open(struct triggers *t, struct evlist *l, const struct target *target, bool inherit,
		   struct err *err)
{
	struct counters_settled settled;
	int ret;

	t->l = l;
	if (!l->evsels.nr)
		return 0;
	for (size_t i = 0; i < l->evsels.nr; i++)
		evsel__become_trigger(l->evsels.v[i], inherit);
	ret = counters__settle(&t->counters, l, target, &settled, err);
	return ret ? ret : counters__open(&t->counters, l, target, 1, err);
}

void triggers__enable(struct triggers *t)
{
	if (t->l)
		counters__enable(&t->counters, t->l, true);
}

void triggers__drain(struct triggers *t)
{
	struct ring_part part[2];

	for (size_t i = 0; i < t->counters.rings.nr; i++) {
		ring__begin(&t->counters.rings.v[i], part);
		ring__end(&t->counters.rings.v[i]);
	}
}

void triggers__exit(struct triggers *t)
{
	counters__exit(&t->counters);
}
