/* libpfm4, which knows the names that processors' vendors give their events. Without it nothing is found. */
#ifndef EVENT_PFM_H
#define EVENT_PFM_H

#include "base/message/err.h"

#include <linux/perf_event.h>

/* 0, or -ENOTSUP with err: perf was built without it, or it is not installed. */
int pfm__load(struct err *err);
/*
 * The attr of an event such as "RETIRED_INSTRUCTIONS:u" or "amd64_fam19h_zen4::...". vendor_only: not of the
 * events that the kernel knows by name, which it repeats. 0; -ENOENT: it knows no
 * such event; -EINVAL with err: it knows the event, but not what stands behind it; -ENOTSUP without the
 * library.
 */
int pfm__encode(const char *text, bool vendor_only, struct perf_event_attr *attr, struct err *err);
/* Calls fn for the events of the PMUs that this machine has, by name; not 0 stops it. */
int pfm__for_each(int (*fn)(const char *name, const char *desc, void *ctx), void *ctx);

#endif
