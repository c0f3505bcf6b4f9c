#include "format/file/labels.h"

#include "base/memory/mem.h"
#include "base/text/mask.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_MAX = 1000 }; /* bytes */

static bool is_key(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isalnum((u8)text[i]) && !strchr("_.-", text[i]))
			return false;
	return len > 0;
}

int labels__add(struct strbuf *labels, const char *text, struct err *err)
{
	const char *equals = strchr(text, '=');

	if (!equals || !is_key(text, (size_t)(equals - text)))
		return err__set(err, -EINVAL, "'%s' is not KEY=VALUE, such as commit=NAME", text);
	if (!equals[1] || strlen(equals + 1) > VALUE_MAX)
		return err__set(err, -EINVAL, "the value of '%.*s' must have 1 to %d bytes",
				(int)(equals - text), text, VALUE_MAX);
	for (const char *p = equals + 1; *p; p++)
		if (iscntrl((u8)*p))
			return err__set(err, -EINVAL, "the value of '%.*s' has control characters",
					(int)(equals - text), text);
	strbuf__addf(labels, "%s\n", text);
	return 0;
}

char *labels__find(const char *labels, const char *key)
{
	size_t len = strlen(key);
	char *value = NULL;

	for (const char *line = labels, *end; *line; line = *end ? end + 1 : end) {
		end = strchrnul(line, '\n');
		if ((size_t)(end - line) <= len || memcmp(line, key, len) != 0 || line[len] != '=')
			continue;
		free(value);
		value = strndup(line + len + 1, (size_t)(end - line) - len - 1);
	}
	if (value)
		mask_controls(value, strlen(value), NULL);
	return value;
}
