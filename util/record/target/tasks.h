/*
 * The processes that the target has forked during the recording: a new output file begins by describing
 * those that still run.
 */
#ifndef RECORD_TASKS_H
#define RECORD_TASKS_H

#include "base/system/file.h"

#include <linux/perf_event.h>

struct tasks {
	int_array pids; /* some may have ended, or be listed twice */
	size_t compact_at;
};

void tasks__exit(struct tasks *t);
void tasks__add(struct tasks *t, int pid);
/* Look at a whole record. */
void tasks__see(struct tasks *t, const struct perf_event_header *h);
/* Return the processes that still run, ascending. */
const int_array *tasks__alive(struct tasks *t);

#endif
