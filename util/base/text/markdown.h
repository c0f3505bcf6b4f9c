/*
 * Names from files and users in Markdown (CommonMark with tables, as GitHub and GitLab show it). A name is
 * code, so that nothing in it is a link, a mention, HTML, math, an emoji or the end of a cell. Control
 * characters become '?' (mask.h), bytes outside of UTF-8 characters U+FFFD.
 */
#ifndef BASE_MARKDOWN_H
#define BASE_MARKDOWN_H

#include "base/text/strbuf.h"

enum markup {
	MARKUP_NONE,   /* plain text, not Markdown */
	MARKDOWN_LINE, /* in a paragraph */
	MARKDOWN_CELL, /* in a cell of a table, where '|' is special, also in code */
};

enum { MARKDOWN_NAME_MAX = 120 }; /* columns of a name: comments have a limit of 65,536 characters */

/* Append text as code. Empty text adds nothing. place: MARKDOWN_LINE or MARKDOWN_CELL. */
void markdown__add_code(struct strbuf *sb, const char *text, enum markup place);
/* Append a name as code, shortened in the middle to MARKDOWN_NAME_MAX columns. */
void markdown__add_name(struct strbuf *sb, const char *name, enum markup place);

#endif
