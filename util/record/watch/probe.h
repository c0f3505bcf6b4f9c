/*
 * Probes by name (uprobe:BINARY:FUNCTION, kprobe:FUNCTION): the kernel places one for each counter that is
 * opened, and takes it away with it. (man 2 perf_event_open: uprobe_path, probe_offset, kprobe_func)
 */
#ifndef RECORD_PROBE_H
#define RECORD_PROBE_H

#include "event/evsel/evsel.h"
#include "record/target/scope.h"

/*
 * Looks up the functions of l's probes: fills attr.config2 and what is settled in the probe_spec. inherit:
 * threads and processes that come later shall count. 0, or a negative errno with err that says what to type.
 */
int probes__find(struct evlist *l, struct scope *scope, bool inherit, struct err *err);
/* Whether l has a probe that counts everywhere. */
bool probes__need_filter(const struct evlist *l);

#endif
