/*
 * Text from outside, made harmless for terminals: each byte of a control character becomes '?'. That is what
 * is below 0x20, 0x7f, and the C1 controls (ISO 6429), of which some do what ESC and a letter do: U+0080 to
 * U+009F in UTF-8, and bytes 0x80 to 0x9f that are no part of a character in UTF-8.
 */
#ifndef BASE_MASK_H
#define BASE_MASK_H

#include "base/memory/types.h"

/* Of n bytes at s. Those in keep (NULL: none), which are below 0x80, stay. The length stays. */
void mask_controls(char *s, size_t n, const char *keep);
/*
 * Masks a message made by fmt. Newlines stay only if fmt is "%s": such a text has lines, and was masked when
 * it was made. No other message has any: err__advise adds lines, err__prefix adds words before them (err.h).
 */
void mask_message(char *s, size_t n, const char *fmt);

#endif
