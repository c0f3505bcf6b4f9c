/* Two locks that are static in a library, liblocks.so. */
#ifndef LOCKS_LIBRARY_H
#define LOCKS_LIBRARY_H

#include <pthread.h>

pthread_mutex_t *library__cache_lock(void);
pthread_mutex_t *library__lock(void);

#endif
