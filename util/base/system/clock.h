/* The monotonic clock as one number. (man 2 clock_gettime) */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include "base/memory/types.h"

#include <time.h>

enum { NS_PER_SECOND = 1000000000, NS_PER_MS = 1000000 };

static inline u64 timespec__ns(const struct timespec *t)
{
	return (u64)t->tv_sec * NS_PER_SECOND + (u64)t->tv_nsec;
}

static inline u64 clock__ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return timespec__ns(&t);
}

static inline u64 clock__ms(void)
{
	return clock__ns() / NS_PER_MS;
}

#endif
