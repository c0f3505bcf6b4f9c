/*
 * Threads that share one piece of work with the thread that starts them.
 *
 * Linux often puts a new thread behind the one that made it, on the same CPU, where it waits for the next
 * tick although another CPU has nothing to do: up to 4 ms, in which a report may be over. These begin on
 * another CPU, if the caller may run on another one, and may then go wherever the caller may.
 */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>

/* As pthread_create with no attributes. */
int thread__start(pthread_t *thread, void *(*fn)(void *), void *arg);

#endif
