#include "record/host/priority.h"

#include <errno.h>
#include <sched.h>
#include <sys/resource.h>

void priority__raise(struct priority *p)
{
	p->nice_before = getpriority(PRIO_PROCESS, 0);
	setpriority(PRIO_PROCESS, 0, -20);
}

static void priority__come_before_ordinary(struct priority *p)
{
	const struct sched_param lowest = { .sched_priority = sched_get_priority_min(SCHED_RR) };

	/* Keep another policy that was set before perf started. */
	if (!p->is_realtime && sched_getscheduler(0) == SCHED_OTHER)
		p->is_realtime = !sched_setscheduler(0, SCHED_RR, &lowest);
}

int priority__choose(struct priority *p, int chosen, struct err *err)
{
	const struct sched_param param = { .sched_priority = chosen };
	int ret;

	p->chosen = chosen;
	if (!chosen)
		return 0;
	ret = sched_setscheduler(0, SCHED_FIFO, &param) ? -errno : 0;
	if (ret)
		return err__set(err, ret, "cannot record with real-time priority %d (-r): %s%s", chosen,
				err__str(ret),
				ret == -EPERM ? ": it takes CAP_SYS_NICE, or a limit (ulimit -r)"
					      : ": it is 1 to 99");
	p->is_realtime = true;
	priority__lower(p);
	return 0;
}

void priority__come_first(struct priority *p)
{
	const struct sched_param param = { .sched_priority = p->chosen };

	if (p->chosen && !p->is_realtime)
		p->is_realtime = !sched_setscheduler(0, SCHED_FIFO, &param);
	else if (!p->chosen)
		priority__come_before_ordinary(p);
}

void priority__lower(struct priority *p)
{
	const struct sched_param none = { 0 };

	if (p->is_realtime)
		sched_setscheduler(0, SCHED_OTHER, &none); /* SCHED_OTHER uses the nice value again */
	p->is_realtime = false;
}
