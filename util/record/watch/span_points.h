/*
 * Where the spans of --span begin and end. WHERE is one of
 *	FUNCTION, BINARY:FUNCTION     of the command, its libraries or the processes; of this binary
 *	SYSTEM:EVENT                  a tracepoint (in BEGIN..END)
 *	sdt_PROVIDER:NAME             a static probe of the command or its libraries (in BEGIN..END)
 * A function alone begins at its entry and ends at its return; in BEGIN..END both are entries.
 *
 * The end of a function is a probe on each of its return instructions. A return probe of the kernel
 * (uretprobe) replaces the return address on the stack: C++ programs that throw through it end, Go programs
 * crash, and unwinders see no callers. It is used only for C functions with tail calls.
 *
 * Without the right to set probes, breakpoints serve: processors have four.
 */
#ifndef RECORD_SPAN_POINTS_H
#define RECORD_SPAN_POINTS_H

#include "base/message/err.h"
#include "event/evsel/evsel.h"
#include "record/target/scope.h"

/* Add an event to l for --span text. Return 0, or -EINVAL with err. */
int span_points__add_event(struct evlist *l, const char *text, struct err *err);
/*
 * Find the places of l's events: fill points of their span_spec, and with breakpoints their watch_spec.
 * inherit: count threads and processes that start later, too. Return 0, or a negative errno with err that
 * says what to type.
 */
int span_points__find(struct evlist *l, struct scope *scope, bool inherit, struct err *err);
/* Has l such an event? */
bool evlist__has_span_points(const struct evlist *l);

#endif
