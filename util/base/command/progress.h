/*
 * How far long work has got, on one line of the terminal that is rewritten in place:
 *
 *	counting samples: 123 of 600 MB (20%), 1234567 records/s
 *
 * A thread of its own draws the line, ten times a second and only when the work takes longer than half a
 * second. Whoever works just leaves numbers. All functions take NULL, which shows nothing: there is no need
 * to ask first.
 */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include "base/memory/types.h"

struct progress;
/* For work of the calling thread, shown on fd. NULL when fd is no terminal that can rewrite a line. */
struct progress *progress__new(int fd);
/* Erases the line; nothing is shown from here on, whatever is still left. */
void progress__end(struct progress *p);
void progress__delete(struct progress *p); /* ends it, too */

/* What comes next; total: its bytes, 0: unknown. Control characters are masked. */
void progress__begin(struct progress *p, u64 total, const char *fmt, ...) PRINTF(3, 4);
/* What delays it: shown instead until progress__leave. Ignored when it is not the thread of progress__new
 * that waits. */
void progress__enter(struct progress *p, const char *fmt, ...) PRINTF(2, 3);
void progress__leave(struct progress *p);
/* So many more records, and the work is at byte `at` now, or beyond. By any thread. */
void progress__step(struct progress *p, u64 at, u64 nr_records);
/* Writes other text to the same terminal, at the beginning of an empty line. By any thread. */
void progress__print(struct progress *p, const char *text, size_t size);

#endif
