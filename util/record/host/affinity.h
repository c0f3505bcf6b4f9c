/* --affinity: before it empties a ring buffer, the thread moves to the CPU (or memory node) of that ring. */
#ifndef RECORD_AFFINITY_H
#define RECORD_AFFINITY_H

#include "base/memory/array.h"
#include "base/message/err.h"

#include <sched.h>

enum affinity_mode {
	AFFINITY_SYS, /* no change */
	AFFINITY_NODE,
	AFFINITY_CPU,
};

struct affinity {
	enum affinity_mode mode;
	cpu_set_t before;       /* CPUs allowed for the calling thread at first */
	ARRAY(cpu_set_t) nodes; /* CPUs of each memory node */
	int cpu;                /* CPU that the thread moved to last; -1: moved back */
};

/* Parse "sys", "node" or "cpu". Return 0, or -EINVAL with err. */
int affinity__parse(enum affinity_mode *mode, const char *text, struct err *err);
/* Remember the CPUs allowed for the calling thread. All functions below apply to that thread, too. */
void affinity__init(struct affinity *a, enum affinity_mode mode);
/* Move to the CPU, or to the CPUs of its node; -1: any CPU. If that fails, stay. */
void affinity__follow(struct affinity *a, int cpu);
/* Return to the CPUs that were allowed at first. */
void affinity__restore(struct affinity *a);
void affinity__exit(struct affinity *a);

#endif
