/*
 * A failure with its text, filled where the detail is known and printed by the command.
 * code is a negative errno. The text is one line: lower case, no full stop, names quoted;
 * advice on what to type may follow on lines of its own, added by err__advise.
 * Control characters, newlines too, are masked in what a format makes: names come from outside. So
 * a text of several lines goes only through "%s" alone (mask.h), and err__prefix adds to it.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include "base/text/strbuf.h"

struct err {
	int code; /* 0: none */
	struct strbuf text;
};

#define ERR_INIT                    \
	{                           \
		.text = STRBUF_INIT \
	}
void err__exit(struct err *e);
/* Sets code and text, replacing what was there, and returns code. e may be NULL. */
int err__set(struct err *e, int code, const char *fmt, ...) PRINTF(3, 4);
/* Appends a line of advice. e may be NULL. */
void err__advise(struct err *e, const char *fmt, ...) PRINTF(2, 3);
/* Puts a text in front of what e says: "TEXT: ..."; the lines of e stay as they are. e may be NULL. */
void err__prefix(struct err *e, const char *fmt, ...) PRINTF(2, 3);
/* strerror(errno) for a negative code. */
const char *err__str(int code);

#endif
