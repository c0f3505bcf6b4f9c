#include "base/text/glob.h"

#include <string.h>

/* At "[...]": whether c is in the set; *end: behind it. A '[' that is never closed means itself. */
static bool set__match(const char *set, char c, const char **end)
{
	const char *p = set + 1;
	bool invert = *p == '!' || *p == '^', found = false;
	unsigned char x = (unsigned char)c;

	p += invert;
	for (const char *first = p; *p && (*p != ']' || p == first); p++) {
		unsigned char low = (unsigned char)*p, high = low;

		if (p[1] == '-' && p[2] && p[2] != ']') {
			high = (unsigned char)p[2];
			p += 2;
		}
		found |= x >= low && x <= high;
	}
	if (!*p) {
		*end = set + 1;
		return c == '[';
	}
	*end = p + 1;
	return found != invert;
}

/* Match one character of the pattern that is not '*'; *next: the rest of the pattern. */
static bool match_one(const char *pattern, char c, const char **next)
{
	if (*pattern == '[')
		return set__match(pattern, c, next);
	if (*pattern == '\\' && pattern[1])
		pattern++;
	else if (*pattern == '?')
		c = '?';
	*next = pattern + (*pattern != '\0');
	return *pattern == c;
}

/* Backtrack to the last '*' only: it can match whatever an earlier one could. */
bool glob__match(const char *pattern, const char *name)
{
	const char *star = NULL, *retry = NULL, *next;

	while (*name) {
		if (*pattern == '*') {
			star = ++pattern;
			retry = name;
		} else if (match_one(pattern, *name, &next)) {
			pattern = next;
			name++;
		} else if (star) {
			pattern = star;
			name = ++retry;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

bool glob__is_pattern(const char *text)
{
	return strpbrk(text, "*?[") != NULL;
}
