#include "base/text/mask.h"

#include <string.h>

/*
 * Return the bytes of the UTF-8 character at s, which begins with 0x80 or more and has n bytes to read, or 0
 * if there is none. Overlong forms of controls (c0 9b, e0 82 9b) are not characters.
 */
static size_t utf8_length(const u8 *s, size_t n)
{
	size_t len = s[0] >= 0xc2 && s[0] < 0xe0   ? 2
		     : (s[0] & 0xf0) == 0xe0       ? 3
		     : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
						   : 0;

	if (!len || len > n || (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90))
		return 0;
	for (size_t i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return len;
}

void mask_controls(char *text, size_t n, const char *keep)
{
	u8 *s = (u8 *)text;

	for (size_t i = 0; i < n;) {
		size_t len = 1;

		if (likely(s[i] >= 0x20 && s[i] < 0x7f)) {
			i++;
			continue;
		}
		if (s[i] >= 0x80)
			len = utf8_length(s + i, n - i);
		if (s[i] < 0x80 ? !keep || !s[i] || !strchr(keep, s[i])
				: len == 2 && s[i] == 0xc2 && s[i + 1] < 0xa0)
			memset(s + i, '?', len);
		else if (!len && s[i] < 0xa0)
			s[i] = '?';
		i += MAX(len, (size_t)1);
	}
}

void mask_message(char *s, size_t n, const char *fmt)
{
	mask_controls(s, n, !strcmp(fmt, "%s") ? "\n\t" : "\t");
}
