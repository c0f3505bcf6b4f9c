/* Make text fit the columns of a terminal. Text is UTF-8; a byte outside of a character takes one column. */
#ifndef BASE_FIT_H
#define BASE_FIT_H

#include "base/text/strbuf.h"

/* Return the columns that n bytes of text take on a terminal. Colours (ESC [ ... m) take none. */
unsigned fit__columns(const char *text, size_t n);
/*
 * Append n bytes of text, shortened in the middle to at most so many columns: "first...last". More of the end
 * stays than of the beginning.
 */
void fit__shorten(struct strbuf *sb, const char *text, size_t n, unsigned columns);
/*
 * Append the name of a binary in at most so many columns: if there is no room, without its version, then
 * without ".so", then shortened in the middle.
 */
void fit__binary(struct strbuf *sb, const char *name, size_t n, unsigned columns);
/*
 * Append text with its lines broken at blanks so that each takes at most so many columns, or in words that
 * are longer. lead: text before the continuation of a line; columns must be more than it takes.
 */
void fit__wrap(struct strbuf *sb, const char *text, const char *lead, unsigned columns);

#endif
