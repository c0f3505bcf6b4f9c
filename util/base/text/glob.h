/* Shell patterns for names (man 7 glob): '*' also matches a slash. */
#ifndef BASE_GLOB_H
#define BASE_GLOB_H

#include <fnmatch.h>
#include <stdbool.h>
#include <string.h>

/* Does all of name match? */
static inline bool glob__match(const char *pattern, const char *name)
{
	return !fnmatch(pattern, name, 0);
}

/* Does text contain a special character? */
static inline bool glob__is_pattern(const char *text)
{
	return strpbrk(text, "*?[") != NULL;
}

#endif
