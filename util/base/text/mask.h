/*
 * Make untrusted text harmless for terminals: replace each byte of a control character by '?'. Control
 * characters are those below 0x20, 0x7f, and the C1 controls (ISO 6429), some of which act like ESC and a
 * letter: U+0080 to U+009F in UTF-8, and bytes 0x80 to 0x9f outside of UTF-8 characters.
 */
#ifndef BASE_MASK_H
#define BASE_MASK_H

#include "base/memory/types.h"

/* Mask n bytes at s. The ASCII characters in keep (or NULL) stay. The length does not change. */
void mask_controls(char *s, size_t n, const char *keep);
/*
 * Mask a message made with fmt. Newlines stay only if fmt is "%s": such a text was masked when it was made.
 * In other messages only err__advise adds lines (err.h).
 */
void mask_message(char *s, size_t n, const char *fmt);

#endif
