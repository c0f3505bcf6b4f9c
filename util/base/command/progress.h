/*
 * Progress of long work, on one line of the terminal that is rewritten in place:
 *
 *	counting samples: 123 of 600 MB (20%), 1234567 records/s
 *
 * A separate thread draws the line, ten times a second, if the work takes longer than half a second.
 * Workers only store numbers. All functions accept NULL, which shows nothing.
 */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include "base/memory/types.h"

struct progress;
/*
 * Show progress of the calling thread's work on fd. Return NULL if fd is not a terminal that can rewrite a
 * line.
 */
struct progress *progress__new(int fd);
/* Erase the line, and show nothing from here on. */
void progress__end(struct progress *p);
/*
 * After progress__end: show the line again, until the next __end, by calling show from another thread; it
 * need not be erased.
 */
void progress__resume(struct progress *p, void (*show)(const char *line));
void progress__delete(struct progress *p); /* ends it, too */

/* Name the next work; total: its bytes, 0: unknown. Control characters are masked. */
void progress__begin(struct progress *p, u64 total, const char *fmt, ...) PRINTF(3, 4);
/*
 * Name what delays the work: shown until progress__leave. Ignored unless the thread of progress__new waits.
 */
void progress__enter(struct progress *p, const char *fmt, ...) PRINTF(2, 3);
void progress__leave(struct progress *p);
/* Add that many records; the work is at byte `at` now, or beyond. From any thread. */
void progress__step(struct progress *p, u64 at, u64 nr_records);
/* Write other text to the same terminal, at the beginning of an empty line. From any thread. */
void progress__print(struct progress *p, const char *text, size_t size);

#endif
