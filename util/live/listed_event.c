#include "live/listed_event.h"

#include "event/evsel/event_request.h"
#include "live/counter.h"

#include <errno.h>
#include <unistd.h>

/* Try to open the event on this process, without the kernel if need be; on a CPU if its PMU needs one. */
static bool evsel__can_open(const struct evsel *e)
{
	struct perf_event_attr attr = e->attr;
	int cpu = e->request->cpus.nr && !e->request->in_each_pmu ? e->request->cpus.v[0] : -1, fd;

	attr.disabled = 1;
	attr.sample_period = 0;
	attr.sample_type = 0;
	fd = counter__open(&attr, cpu < 0 ? 0 : -1, cpu, -1);
	if (fd == -EACCES || fd == -EPERM) {
		attr.exclude_kernel = 1;
		attr.exclude_hv = 1;
		fd = counter__open(&attr, cpu < 0 ? 0 : -1, cpu, -1);
	}
	if (fd == -EINVAL && cpu < 0) { /* the PMU counts only for whole CPUs */
		fd = counter__open(&attr, -1, 0, -1);
	}
	if (fd < 0)
		return false;
	close(fd);
	return true;
}

bool listed_event__can_open(const struct listed_event *listed)
{
	struct evlist l;
	bool can = false;

	if (listed->family == FAMILY_TRACEPOINT || listed->family == FAMILY_RAW || listed->example)
		return true;
	evlist__init(&l);
	if (!parse_events(&l, listed->name, NULL))
		can = evsel__can_open(l.evsels.v[0]);
	evlist__exit(&l);
	return can;
}
