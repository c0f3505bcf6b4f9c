#include "base/system/thread.h"

#include "base/memory/mem.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS_MAX = 256 };

struct start {
	void *(*fn)(void *);
	void *arg;
	cpu_set_t cpus; /* CPUs on which the thread may run */
};

static void *start__run(void *arg)
{
	struct start s = *(struct start *)arg;

	free(arg);
	/* if this fails, it stays on the other CPUs */
	(void)sched_setaffinity(0, sizeof(s.cpus), &s.cpus);
	return s.fn(s.arg);
}

/*
 * Get the CPUs on which the caller may run, without its present one. Return false if there is none, or if
 * there are more than a set holds.
 */
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
	free(s); /* those CPUs may be offline by now */
	return pthread_create(thread, NULL, fn, arg);
}

unsigned thread__count(unsigned wanted)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	return wanted ? MIN(wanted, (unsigned)THREADS_MAX) : (unsigned)MAX(online, 1L);
}
