/*
 * Watchpoints by name (mem:NAME). The names are looked up before any counter is opened. The watchpoints are
 * opened at an address where they never fire, and placed when the address of the variable in the process is
 * known:
 *   - in a command: when the program that has the variable is loaded (tracer.h), or for a library loaded
 *     later, when its map appears in the rings;
 *   - in running processes: from their maps, or when the map appears in the rings;
 *   - in the kernel: at once.
 * One process at a time is watched for each target, with its threads and forks.
 */
#ifndef RECORD_WATCH_H
#define RECORD_WATCH_H

#include "record/events/counters.h"
#include "record/target/scope.h"
#include "record/target/workload.h"

struct watches;
/*
 * Look up the names of l's events and complete their attrs: bp_type, bp_len, and the address as linked in
 * bp_addr. *ws is NULL if l has no such events. scope must outlive *ws. Return 0, or a negative errno with
 * err that says what to type.
 */
int watches__new(struct watches **ws, struct evlist *l, struct scope *scope, struct err *err);
void watches__delete(struct watches *ws); /* after the workload's end or the last poll */
/*
 * Place the watchpoints in these counters, which have just been opened: l's attrs are still as the kernel
 * has them. Running processes are handled now. c must outlive ws.
 */
void watches__place(struct watches *ws, struct counters *c);
/* Trace the workload, which has not started yet, until the watchpoints are placed. */
int watches__trace(struct watches *ws, struct workload *w, struct err *err);
/* Look at a record from the rings: it may be a new map. */
struct perf_event_header;
void watches__see(struct watches *ws, const struct perf_event_header *h);
/* Is a watchpoint not placed yet? Then the rings are worth reading more often. */
bool watches__are_waiting(const struct watches *ws);
/* At the end, report the watchpoints that were never placed. */
void watches__tell_unplaced(const struct watches *ws);

#endif
