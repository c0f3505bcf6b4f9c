#include "base/system/thread.h"

#include "base/memory/mem.h"

#include <sched.h>
#include <stdlib.h>

struct start {
	void *(*fn)(void *);
	void *arg;
	cpu_set_t cpus; /* that the thread may run on */
};

static void *start__run(void *arg)
{
	struct start s = *(struct start *)arg;

	free(arg);
	(void)sched_setaffinity(0, sizeof(s.cpus), &s.cpus); /* else it stays on those others */
	return s.fn(s.arg);
}

/* The CPUs that the caller may run on but the one it is on. False: there are none, or more than a set has. */
static bool other_cpus(cpu_set_t *all, cpu_set_t *others)
{
	int here = sched_getcpu();

	if (here < 0 || here >= CPU_SETSIZE || sched_getaffinity(0, sizeof(*all), all))
		return false;
	*others = *all;
	CPU_CLR(here, others);
	return CPU_COUNT(others) > 0;
}

int thread__start(pthread_t *thread, void *(*fn)(void *), void *arg)
{
	struct start *s;
	pthread_attr_t attr;
	cpu_set_t all, others;
	int ret;

	if (!other_cpus(&all, &others) || pthread_attr_init(&attr))
		return pthread_create(thread, NULL, fn, arg);
	s = xmalloc(sizeof(*s));
	*s = (struct start){ fn, arg, all };
	ret = pthread_attr_setaffinity_np(&attr, sizeof(others), &others);
	if (!ret)
		ret = pthread_create(thread, &attr, start__run, s);
	pthread_attr_destroy(&attr);
	if (!ret)
		return 0;
	free(s); /* those CPUs may be gone by now */
	return pthread_create(thread, NULL, fn, arg);
}
