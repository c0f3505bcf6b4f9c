/*
 * A failure with its text, filled where the detail is known and printed by the command. code: negative
 * errno. The text is one line: lower case, no full stop, quoted names. err__advise adds lines that say what
 * to type. Control characters, including newlines, are masked in formatted text, since names are untrusted;
 * so a text of several lines must be passed with "%s" alone (mask.h), and err__prefix adds to it.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include "base/text/strbuf.h"

struct err {
	int code; /* 0: none */
	struct strbuf text;
	struct strbuf *words; /* if not NULL: gets the words that were possible instead, one a line */
};

#define ERR_INIT                    \
	{                           \
		.text = STRBUF_INIT \
	}
void err__exit(struct err *e);
/* Set code and text, replacing earlier ones, and return code. e may be NULL. */
int err__set(struct err *e, int code, const char *fmt, ...) PRINTF(3, 4);
/* Append a line of advice. e may be NULL. */
void err__advise(struct err *e, const char *fmt, ...) PRINTF(2, 3);
/* Put a text before the message: "TEXT: ..."; its lines stay as they are. e may be NULL. */
void err__prefix(struct err *e, const char *fmt, ...) PRINTF(2, 3);
/*
 * Set "cannot write 'PATH': REASON", and add a line of advice where one helps, for a file that the user names
 * with -o. Return code.
 */
int err__set_output(struct err *e, int code, const char *path);
/* Return strerror() of a negative errno. */
const char *err__str(int code);

#endif
