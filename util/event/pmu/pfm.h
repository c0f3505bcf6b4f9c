/* libpfm4, a library that knows the processor vendors' event names. If it is missing, no event is found. */
#ifndef EVENT_PFM_H
#define EVENT_PFM_H

#include "base/message/err.h"

#include <linux/perf_event.h>

/* Return 0, or -ENOTSUP with err: perf was built without libpfm4, or it is not installed. */
int pfm__load(struct err *err);
/*
 * Fill attr for an event such as "RETIRED_INSTRUCTIONS:u" or "amd64_fam19h_zen4::...". vendor_only: skip
 * events that the kernel names itself. Return 0; -ENOENT: unknown event; -EINVAL with err: the event is
 * known, but not the attributes after it; -ENOTSUP: no library.
 */
int pfm__encode(const char *text, bool vendor_only, struct perf_event_attr *attr, struct err *err);
/* Call fn for the events of this machine's PMUs, by name; a nonzero return value stops it. */
int pfm__for_each(int (*fn)(const char *name, const char *desc, void *ctx), void *ctx);

#endif
