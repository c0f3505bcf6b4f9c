/* perf push: send recordings, with names, to servers that keep profiles. */
#ifndef PUSH_PUSH_H
#define PUSH_PUSH_H

#include "push/push_args.h"

/*
 * Send the recording at path to each server. Return 0, PUSH_KNOWN if ClickHouse had it already, or a negative
 * errno with err.
 */
int push__file(const struct push_args *a, const char *path, struct err *err);
/*
 * Check the options, and read the token into http. Return 0 or -EINVAL, or another negative errno, with
 * err.
 */
int push_args__settle(struct push_args *a, struct err *err);
void push_args__exit(struct push_args *a);

#endif
