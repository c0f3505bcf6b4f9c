/* Well-formed UTF-8. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/memory/types.h"

#define UTF8_REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/*
 * Return the size of the well-formed UTF-8 character at s (Unicode 16, table 3-7), in bytes; 0: there is
 * none. s ends in NUL.
 */
size_t utf8__size(const char *s);
/* Is all of the text UTF-8? */
bool utf8__is_valid(const char *s);

#endif
