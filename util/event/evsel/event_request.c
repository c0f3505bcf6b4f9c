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
	free(r->filter);
	if (r->cgroup)
		close(r->cgroup_fd);
	free(r->cgroup);
	free(r);
}
