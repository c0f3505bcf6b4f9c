#include "profile/compare/core_name.h"

#include <ctype.h>
#include <string.h>

/* Return the length without the last ".WORD" or ".WORD.N" if the word marks clones, else len. */
static size_t without_clone(const char *name, size_t len)
{
	static const char *const marks[] = { "isra", "part", "constprop", "cold", "llvm", "lto_priv" };
	size_t end = len, at;

	while (end && isdigit((unsigned char)name[end - 1]))
		end--;
	if (end < len && end && name[end - 1] == '.')
		end--;
	else
		end = len;
	for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
		size_t n = strlen(marks[i]);

		at = end - n;
		if (end > n + 1 && name[at - 1] == '.' && !memcmp(name + at, marks[i], n))
			return at - 1;
	}
	return len;
}

/* Return the length without " [clone ...]", as demanglers write them. */
static size_t without_brackets(const char *name, size_t len)
{
	static const char begin[] = " [clone .";
	size_t n = strlen(begin);

	if (!len || name[len - 1] != ']')
		return len;
	for (size_t at = len - 1; at > n; at--)
		if (!memcmp(name + at - n, begin, n))
			return at - n;
	return len;
}

/* Return the length without "::h" and 16 hexadecimal digits. */
static size_t without_hash(const char *name, size_t len)
{
	if (len <= 19 || memcmp(name + len - 19, "::h", 3))
		return len;
	for (size_t i = len - 16; i < len; i++)
		if (!isxdigit((unsigned char)name[i]) || isupper((unsigned char)name[i]))
			return len;
	return len - 19;
}

void core_name__add(struct strbuf *sb, const char *name)
{
	size_t len = strlen(name), shorter = len;

	do {
		len = shorter;
		shorter = without_hash(name, without_brackets(name, without_clone(name, len)));
	} while (shorter < len);
	for (size_t i = 0; i < len; i++) {
		size_t digits = 0;

		while (name[i] == '#' && isdigit((unsigned char)name[i + 1 + digits]))
			digits++;
		if (digits)
			i += digits;
		else
			strbuf__addch(sb, name[i]);
	}
}
