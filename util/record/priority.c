#include "record/priority.h"

#include <sched.h>
#include <sys/resource.h>

void priority__raise(struct priority *p)
{
	p->nice_before = getpriority(PRIO_PROCESS, 0);
	setpriority(PRIO_PROCESS, 0, -20);
}

void priority__come_first(struct priority *p)
{
	const struct sched_param lowest = { .sched_priority = sched_get_priority_min(SCHED_RR) };

	/* Another policy was chosen by whoever started us. */
	if (!p->is_realtime && sched_getscheduler(0) == SCHED_OTHER)
		p->is_realtime = !sched_setscheduler(0, SCHED_RR, &lowest);
}

void priority__lower(struct priority *p)
{
	const struct sched_param none = { 0 };

	if (p->is_realtime)
		sched_setscheduler(0, SCHED_OTHER, &none); /* the nice value was kept */
	p->is_realtime = false;
}
