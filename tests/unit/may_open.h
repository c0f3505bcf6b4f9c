/* For tests that open counters. */
#ifndef TESTS_MAY_OPEN_H
#define TESTS_MAY_OPEN_H

#include "live/counter.h"

#include <unistd.h>

/* May this user record a process of his own? */
static bool may_open(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_SW_CPU_CLOCK,
					.exclude_kernel = 1 };
	int fd = counter__open(&attr, 0, -1, -1);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

#endif
