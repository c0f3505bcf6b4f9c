/* Names of events: one table of hardware, software and cache events, from name to attr and back. */
#ifndef EVENT_EVENT_NAME_H
#define EVENT_EVENT_NAME_H

#include "base/text/strbuf.h"
#include "base/memory/types.h"

#include <linux/perf_event.h>

/*
 * Find type and config of a hardware, software or cache event by name or alias ("cycles", "cpu-cycles",
 * "faults"), ignoring case; -ENOENT.
 */
int event_name__find(const char *name, size_t len, u32 *type, u64 *config);
/* Get the value of a constant of <linux/perf_event.h> such as "PERF_COUNT_SW_PAGE_FAULTS"; -ENOENT. */
int event_name__constant(const char *name, size_t len, u64 *value);
/* Call fn for each known name and alias, for suggestions and lists. */
void event_name__for_each(void (*fn)(const char *name, void *ctx), void *ctx);
/* An event with its names, for lists. */
struct event_names {
	const char *name, *alias; /* alias: NULL: none */
	u32 type;
	u64 config;
	const char *desc;
};
/* Call fn once for each event of a type, by name. */
void event_name__for_each_event(void (*fn)(const struct event_names *names, void *ctx), void *ctx);
/*
 * Append the name that stock perf gives an attr without a recorded name: "cycles", "cpu-clock", "raw 0x1a8",
 * "mem:0x1234/4:w", "unknown attr type: 8", with modifiers (":u", ":pp", ":H"...).
 */
void event_name__of_attr(const struct perf_event_attr *attr, struct strbuf *name);

#endif
