/*
 * The kernel's tracepoints as tracefs shows them: events/system/event/{id,format}. Every function takes the
 * folder of tracefs, so that tests can give one of their own.
 */
#ifndef EVENT_TRACEFS_H
#define EVENT_TRACEFS_H

#include "base/message/err.h"
#include "base/memory/types.h"

/*
 * Appends the folder where tracefs is mounted: /sys/kernel/tracing, /sys/kernel/debug/tracing, or where
 * /proc/mounts says. 0; -ENOENT when it is mounted nowhere, -EACCES when its folder may not be read, both
 * with err saying what to type.
 */
int tracefs__find(struct strbuf *path, struct err *err);

/*
 * The id of a tracepoint, which is its attr.config. 0; -ENOENT when there is no such system or event (the
 * err names the one that is missing), -EACCES, or the error of reading the file.
 */
int tracefs__event_id(const char *tracefs, const char *system, const char *event, u64 *id, struct err *err);

/* Appends the text of events/SYSTEM/EVENT/format. 0 or a negative errno. */
int tracefs__event_format(const char *tracefs, const char *system, const char *event, struct strbuf *format);
/* Appends any other file of tracefs, as "events/header_page" or "printk_formats". 0 or a negative errno. */
int tracefs__read(const char *tracefs, const char *file, struct strbuf *text);

/* Not 0: stop. */
typedef int (*tracefs_event_fn)(const char *system, const char *event, void *ctx);
/*
 * Calls fn for every event whose system and name match the patterns (base/text/glob.h; NULL: all), by system,
 * then by name. Returns what stopped fn, 0, or -ENOENT/-EACCES when the folder of events cannot be read.
 */
int tracefs__for_each_event(const char *tracefs, const char *system_glob, const char *event_glob,
			    tracefs_event_fn fn, void *ctx);
/* The same for the systems alone: event is NULL. */
int tracefs__for_each_system(const char *tracefs, tracefs_event_fn fn, void *ctx);

#endif
