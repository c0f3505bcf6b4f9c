/*
 * Messages for the user, on stderr. Each is built whole, its control characters masked, and written with one
 * write, so that it does not mix with the output of the profiled program. Lines after the first are not
 * indented. Results go to stdout, not through here.
 */
#ifndef BASE_MSG_H
#define BASE_MSG_H

#include "base/message/err.h"

enum msg_level {
	MSG_QUIET = -1, /* errors only */
	MSG_NORMAL = 0, /* errors, warnings, info */
	MSG_VERBOSE = 1,
	MSG_DEBUG = 2,
};

/* Level and sink are the only global state below the commands. sink NULL: stderr. */
typedef void (*msg_sink_fn)(const char *text, size_t len);
void msg__set_level(int level);
void msg__set_sink(msg_sink_fn sink);

/* Print "perf: error: TEXT". Always returns -1. */
int error__say(const char *fmt, ...) PRINTF(1, 2);
/*
 * Print the text of e as "perf: error: TEXT"; if it names no limit, add a line about the limit of this
 * process that caused it. Return -1.
 */
int error__print(const struct err *e);
void warning(const char *fmt, ...) PRINTF(1, 2);
/* Print TEXT with a newline. */
void info(const char *fmt, ...) PRINTF(1, 2);
/* Print "domain: TEXT" at this level (1, 2, ...) and above. */
void debug(int level, const char *domain, const char *fmt, ...) PRINTF(3, 4);

#endif
