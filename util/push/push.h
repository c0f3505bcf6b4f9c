/* perf push: send recordings, with names, to servers that keep profiles. */
#ifndef PUSH_PUSH_H
#define PUSH_PUSH_H

#include "push/push_args.h"

/*
 * Send the recording at path to each server. Return 0, PUSH_KNOWN if ClickHouse had it already, or a
 * negative errno with err: -EUCLEAN: the recording cannot be read; -ENODATA: it has no samples; -EBADMSG: a
 * server does not want it; others may pass.
 */
int push__file(const struct push_args *a, const char *path, struct err *err);
/* Is an error of session__open the fault of the recording, not of a process without memory or descriptors? */
bool push__is_unreadable(int ret);

#endif
