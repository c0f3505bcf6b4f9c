/*
 * The kernel's tracepoints, from tracefs: events/system/event/{id,format}. Every function takes the folder
 * of tracefs, so that tests can use their own.
 */
#ifndef EVENT_TRACEFS_H
#define EVENT_TRACEFS_H

#include "base/message/err.h"
#include "base/memory/types.h"

/*
 * Append the folder where tracefs is mounted: /sys/kernel/tracing, /sys/kernel/debug/tracing, or the one in
 * /proc/mounts. Return 0; -ENOENT: not mounted; -EACCES: unreadable; in both cases err says what to type.
 */
int tracefs__find(struct strbuf *path, struct err *err);

/*
 * Get the id of a tracepoint, its attr.config. Return 0; -ENOENT: no such system or event (err says which);
 * -EACCES; or the errno of reading the file.
 */
int tracefs__event_id(const char *tracefs, const char *system, const char *event, u64 *id, struct err *err);

/* Append the text of events/SYSTEM/EVENT/format. Return 0 or a negative errno. */
int tracefs__event_format(const char *tracefs, const char *system, const char *event, struct strbuf *format);
/*
 * Append another file of tracefs, such as "events/header_page" or "printk_formats". Return 0 or a negative
 * errno.
 */
int tracefs__read(const char *tracefs, const char *file, struct strbuf *text);

/* Return not 0 to stop. */
typedef int (*tracefs_event_fn)(const char *system, const char *event, void *ctx);
/*
 * Call fn for every event whose system and name match the patterns (base/text/glob.h; NULL: all), by system,
 * then by name. Return what stopped fn, 0, or -ENOENT/-EACCES if the folder of events cannot be read.
 */
int tracefs__for_each_event(const char *tracefs, const char *system_glob, const char *event_glob,
			    tracefs_event_fn fn, void *ctx);
/* As tracefs__each_event, for the systems alone: event is NULL. */
int tracefs__for_each_system(const char *tracefs, tracefs_event_fn fn, void *ctx);

#endif
