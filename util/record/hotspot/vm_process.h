/*
 * The memory of a process. A page that is not there now may be one that never comes: of a userfaultfd that
 * nobody serves, or of a file system that does not answer. Such pages are read by a thread of their own,
 * which is left alone if it takes too long.
 */
#ifndef RECORD_VM_PROCESS_H
#define RECORD_VM_PROCESS_H

#include "base/memory/types.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { VM_STUCK_MAX = 4 };

struct vm_stuck { /* a thread that waits for a page */
	u32 pid;
	pthread_t thread;
	struct slow_read *read; /* freed when the thread has ended */
};

struct vm_process {
	int fd; /* of the page map; -1: cannot be read */
	u32 pid;
	u32 thread;        /* of pid, that runs: a thread that has ended has no memory */
	u64 round;         /* in which fd was opened; 0: never */
	unsigned nr_slow;  /* reads of pages that are not there, in this round */
	u64 slow_ms;       /* that they took */
	unsigned nr_stuck; /* threads that still wait; at a limit, only pages that are there are read */
	struct vm_stuck stuck[VM_STUCK_MAX];
};

void vm_process__exit(struct vm_process *p);
/*
 * Read size bytes at an address. Return false, and set errno, if not all of it can be read, or not soon.
 * round: not 0; in another one, the process may be another program.
 */
bool vm_process__read(struct vm_process *p, u32 pid, u64 round, u64 addr, void *data, size_t size);

#endif
