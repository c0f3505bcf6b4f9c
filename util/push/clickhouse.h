/*
 * perf push --clickhouse: tables of ClickHouse, made by share/clickhouse/schema.sql. A recording becomes one
 * slice: frames and stacks, then rows of samples added up by minute, event, thread and stack, and last one
 * row in slices. Queries read what slices lists, so that half a slice never counts.
 */
#ifndef PUSH_CLICKHOUSE_H
#define PUSH_CLICKHOUSE_H

#include "push/push_args.h"

/*
 * Add the recording at path to the tables of a->clickhouse. Return 0, PUSH_KNOWN if they have it, or a
 * negative errno with err.
 */
int push_clickhouse(const struct push_args *a, const char *path, struct err *err);

#endif
