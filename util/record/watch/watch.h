/*
 * Watchpoints by name (mem:NAME): the names are looked up before anything is opened, the watchpoints are
 * opened where they watch nothing, and placed when the variable's address in the process is known:
 *   - in a command: when the program that has it is loaded (tracer.h), or for a library that comes later,
 * when its map shows up in the rings;
 *   - in processes that run: from their maps, or likewise when it shows up;
 *   - in the kernel: at once.
 * One process at a time is watched for each target; its threads and forks are with it.
 */
#ifndef RECORD_WATCH_H
#define RECORD_WATCH_H

#include "record/events/counters.h"
#include "record/target/scope.h"
#include "record/target/workload.h"

struct watches;
/*
 * Looks up the names of l's events and completes their attrs: bp_type, bp_len, and as bp_addr the address as
 * linked. *ws is NULL if there are none. scope must live as long as *ws. 0, or a negative errno with err that
 * says what to type.
 */
int watches__new(struct watches **ws, struct evlist *l, struct scope *scope, struct err *err);
void watches__delete(struct watches *ws); /* after the workload's end or last poll */
/*
 * To be placed among these counters, which have just been opened: l's attrs are still as the kernel has them.
 * For processes that run it is done now. c must live as long as ws.
 */
void watches__place(struct watches *ws, struct counters *c);
/* The workload, not yet started, is traced until they are placed. */
int watches__trace(struct watches *ws, struct workload *w, struct err *err);
/* A record from the rings: something may have been mapped. */
struct perf_event_header;
void watches__see(struct watches *ws, const struct perf_event_header *h);
/* Whether one has no place yet: the rings are worth a look more often. */
bool watches__are_waiting(const struct watches *ws);
/* At the end: names those that never got a place. */
void watches__tell_unplaced(const struct watches *ws);

#endif
