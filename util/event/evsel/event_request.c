#include "event/evsel/event_request.h"

#include <unistd.h>

void watch_spec__delete(struct watch_spec *w)
{
	if (!w)
		return;
	free(w->symbol);
	free(w->dso);
	free(w->file);
	free(w->members);
	array__exit(&w->pieces);
	free(w);
}

static void probe_spec__delete(struct probe_spec *p)
{
	if (!p)
		return;
	free(p->binary);
	free(p->function);
	free(p->target);
	free(p);
}

void span_spec__clear_points(struct span_spec *s)
{
	for (size_t i = 0; i < s->points.nr; i++)
		free(s->points.v[i].target);
	s->points.nr = 0;
}

bool span_spec__returns(const struct span_spec *s)
{
	for (size_t i = 0; i < s->points.nr; i++)
		if (s->points.v[i].is_return)
			return true;
	return false;
}

static void span_spec__delete(struct span_spec *s)
{
	if (!s)
		return;
	span_spec__clear_points(s);
	array__exit(&s->points);
	free(s->begin);
	free(s->end);
	free(s);
}

void event_request__delete(struct event_request *r)
{
	if (!r)
		return;
	free(r->pmu);
	array__exit(&r->cpus);
	free(r->unit);
	free(r->tracepoint);
	watch_spec__delete(r->watch);
	probe_spec__delete(r->probe);
	span_spec__delete(r->span);
	free(r->filter);
	if (r->cgroup)
		close(r->cgroup_fd);
	free(r->cgroup);
	free(r);
}
