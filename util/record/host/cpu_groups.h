/*
 * Which CPUs' rings a thread of its own empties: the argument of --threads.
 *
 * cpu, core, package and numa: a thread for each of them, which runs there. "CPUS/CPUS[:CPUS/CPUS...]": a
 * thread for each pair, of the CPUs whose rings it empties and those that it may run on.
 */
#ifndef RECORD_CPU_GROUPS_H
#define RECORD_CPU_GROUPS_H

#include "base/message/err.h"
#include "base/system/file.h"

struct cpu_group {
	int_array cpus;    /* ascending; not empty */
	int_array runs_on; /* ascending; empty: anywhere */
};

struct cpu_groups {
	ARRAY(struct cpu_group) v; /* no CPU is in two of them */
};

/*
 * Whether text is such an argument: no CPU in two groups. What it names need not exist. 0, or -EINVAL with
 * err.
 */
int cpu_groups__check(const char *text, struct err *err);
/*
 * cpus: those that are recorded. Others that text names are left out; those that it does not name make one
 * group more at the end, and *nr_left says how many they are. sysfs: "/sys", or a folder like it. 0, or
 * -EINVAL with err: as __check, and a group without any CPU that is recorded.
 */
int cpu_groups__init(struct cpu_groups *g, const char *text, const int_array *cpus, const char *sysfs,
		     size_t *nr_left, struct err *err);
/* Adds a group of these CPUs, which are in no other; its thread may run anywhere. */
void cpu_groups__add(struct cpu_groups *g, const int_array *cpus);
void cpu_groups__exit(struct cpu_groups *g);

#endif
