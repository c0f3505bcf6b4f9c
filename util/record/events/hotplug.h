/*
 * CPUs that go offline and come back. The kernel takes the counters of a CPU away with it, and does not give
 * them back; nothing tells a process that polls them. But the CPU's folder "topology" in sysfs is made anew,
 * also when the machine was suspended meanwhile, so its inode tells.
 */
#ifndef RECORD_HOTPLUG_H
#define RECORD_HOTPLUG_H

#include "base/memory/array.h"

struct hotplug_cpu {
	int cpu;
	bool is_new;   /* it was offline when the recording began, and has no rings */
	bool is_told;  /* that it is not recorded */
	u64 identity;  /* of its folder, when its counters were opened; 0: it was offline */
	u64 off_since; /* ms; 0: it has counters */
};

/* Gaps in the recording of CPUs, for struct losses. */
struct hotplug_gaps {
	u64 nr, ms; /* times that a CPU had no counters; how long in all */
	u64 cpu;    /* the CPU + 1; 0: several */
};

struct hotplug {
	ARRAY(struct hotplug_cpu) v;
	struct hotplug_gaps gaps; /* that have ended */
	u64 looked;               /* ms; the last look */
};

/* Return the identity of a CPU now, 0 if it is offline. */
u64 hotplug__identity(int cpu);
/* Note a CPU, which has this identity. is_new: it is not recorded. */
void hotplug__add(struct hotplug *h, int cpu, u64 identity, bool is_new);
/*
 * Note the present identity of a CPU of h. since: time of the look before. Return whether to open its
 * counters again.
 */
bool hotplug__see(struct hotplug_cpu *c, u64 identity, u64 since);
/* Note that the counters of a CPU are open again. */
void hotplug__reopened(struct hotplug *h, struct hotplug_cpu *c, u64 identity, u64 now);
/* Return the gaps until now, and begin anew. */
struct hotplug_gaps hotplug__take(struct hotplug *h, u64 now);
void hotplug__exit(struct hotplug *h);

#endif
