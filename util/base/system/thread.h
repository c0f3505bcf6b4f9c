/*
 * Threads that share work with the thread that starts them.
 *
 * Linux often puts a new thread on the CPU of its creator, where it waits for the next tick although another
 * CPU is idle: up to 4 ms, as long as a whole report. These threads start on another CPU, if the caller may
 * run on one; afterwards they may run wherever the caller may.
 */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>

/* As pthread_create with no attributes. */
int thread__start(pthread_t *thread, void *(*fn)(void *), void *arg);

/* Return how many threads share work: as many as wanted, at most 256; 0 wants as many as CPUs are online. */
unsigned thread__count(unsigned wanted);

#endif
