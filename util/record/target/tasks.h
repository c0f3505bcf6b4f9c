/* The processes of a target that its FORK records add, for the description of those that run when a file
 * begins. */
#ifndef RECORD_TASKS_H
#define RECORD_TASKS_H

#include "base/system/file.h"

#include <linux/perf_event.h>

struct tasks {
	int_array pids; /* some of them may be gone, or here twice */
	size_t compact_at;
};

void tasks__exit(struct tasks *t);
void tasks__add(struct tasks *t, int pid);
/* Looks at a record, which is whole. */
void tasks__see(struct tasks *t, const struct perf_event_header *h);
/* Those that are there, ascending. */
const int_array *tasks__alive(struct tasks *t);

#endif
