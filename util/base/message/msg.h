/*
 * Messages for the person at the terminal, on stderr. Each is built whole, its control
 * characters masked, and written with one write, so that it does not mix with what the
 * profiled program writes. Lines of a message after the first are indented by nothing.
 * Results never go through here: they go to stdout.
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

/* The level and the sink are the only state below the commands. sink NULL: stderr. */
typedef void (*msg_sink_fn)(const char *text, size_t len);
void msg__set_level(int level);
void msg__set_sink(msg_sink_fn sink);

/* "perf: error: TEXT"; always returns -1. */
int error__say(const char *fmt, ...) PRINTF(1, 2);
/* The text of e, prefixed with its origin: "perf: error: TEXT", and a line on the limit of this process that
 * its code comes of, if the text names none; always returns -1. */
int error__print(const struct err *e);
void warning(const char *fmt, ...) PRINTF(1, 2);
/* TEXT as it is, with a newline. */
void info(const char *fmt, ...) PRINTF(1, 2);
/* "domain: TEXT" at level (1, 2, ...) and above. */
void debug(int level, const char *domain, const char *fmt, ...) PRINTF(3, 4);

#endif
