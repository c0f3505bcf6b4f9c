#include "record/host/priority.h"

#include <errno.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SHORT_SLICE_NS = 100000 }; /* the shortest that the kernel gives */

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

/*
 * Ask for short slices of CPU time (EEVDF, Linux 6.12), so that the thread runs soon after it wakes up. That
 * needs no permission; older kernels ignore it.
 */
static void ask_for_short_slices(void)
{
	const struct { /* struct sched_attr of <linux/sched/types.h>, which does not go with <sched.h> */
		u32 size, policy;
		u64 flags;
		s32 nice;
		u32 priority;
		u64 runtime, deadline, period;
	} attr = {
		.size = sizeof(attr),
		.policy = SCHED_OTHER,
		.nice = getpriority(PRIO_PROCESS, 0),
		.runtime = SHORT_SLICE_NS,
	};

	if (sched_getscheduler(0) == SCHED_OTHER)
		syscall(SYS_sched_setattr, 0, &attr, 0);
}

void priority__come_first(struct priority *p)
{
	const struct sched_param param = { .sched_priority = p->chosen };

	if (p->chosen && !p->is_realtime)
		p->is_realtime = !sched_setscheduler(0, SCHED_FIFO, &param);
	else if (!p->chosen)
		priority__come_before_ordinary(p);
	if (!p->is_realtime)
		ask_for_short_slices();
}

void priority__lower(struct priority *p)
{
	const struct sched_param none = { 0 };

	if (p->is_realtime)
		sched_setscheduler(0, SCHED_OTHER, &none); /* SCHED_OTHER uses the nice value again */
	p->is_realtime = false;
}
