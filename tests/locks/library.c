/* See library.h. */
#include "library.h"

static struct {
	long size;
	pthread_mutex_t lock;
} cache = { 0, PTHREAD_MUTEX_INITIALIZER };

static pthread_mutex_t library_lock = PTHREAD_MUTEX_INITIALIZER;

pthread_mutex_t *library__cache_lock(void)
{
	cache.size++;
	return &cache.lock;
}

pthread_mutex_t *library__lock(void)
{
	return &library_lock;
}
