/* Shell patterns for names: '*', '?', '[abc]', '[a-z]', '[!abc]', and '\' in front of one that means itself.
 */
#ifndef BASE_GLOB_H
#define BASE_GLOB_H

#include "base/memory/types.h"

/* Does all of name match? Takes at most (length of pattern) * (length of name) steps. */
bool glob__match(const char *pattern, const char *name);
/* Does text contain a special character? */
bool glob__is_pattern(const char *text);

#endif
