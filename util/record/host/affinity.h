/* --affinity: the thread that empties the rings goes where the ring is that it is about to empty. */
#ifndef RECORD_AFFINITY_H
#define RECORD_AFFINITY_H

#include "base/memory/array.h"
#include "base/message/err.h"

#include <sched.h>

enum affinity_mode {
	AFFINITY_SYS, /* it runs where it may */
	AFFINITY_NODE,
	AFFINITY_CPU,
};

struct affinity {
	enum affinity_mode mode;
	cpu_set_t before;       /* where the calling thread may run */
	ARRAY(cpu_set_t) nodes; /* their CPUs */
	int cpu;                /* where it went last; -1: back */
};

/* "sys", "node", "cpu". 0, or -EINVAL with err. */
int affinity__parse(enum affinity_mode *mode, const char *text, struct err *err);
/* Of the calling thread, as all that follow. */
void affinity__init(struct affinity *a, enum affinity_mode mode);
/* To the CPU, or the CPUs of its node; -1: any. Where that is not possible, it stays. */
void affinity__follow(struct affinity *a, int cpu);
/* Back to where it may run. */
void affinity__restore(struct affinity *a);
void affinity__exit(struct affinity *a);

#endif
