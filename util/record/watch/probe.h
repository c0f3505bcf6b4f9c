/*
 * Probes by name (uprobe:BINARY:FUNCTION, kprobe:FUNCTION). The kernel places a probe for each counter that
 * is opened and removes it when the counter is closed. (man 2 perf_event_open: uprobe_path, probe_offset,
 * kprobe_func)
 */
#ifndef RECORD_PROBE_H
#define RECORD_PROBE_H

#include "event/evsel/evsel.h"
#include "record/target/scope.h"

/*
 * Look up the functions of l's probes; fill attr.config2 and the recorder's part of the probe_spec. inherit:
 * count threads and processes that start later, too. Return 0, or a negative errno with err that says what
 * to type.
 */
int probes__find(struct evlist *l, struct scope *scope, bool inherit, struct err *err);
/* Does l have a probe that counts on whole CPUs? */
bool probes__need_filter(const struct evlist *l);

#endif
