#include "base/message/called_name.h"
#include "base/text/path_name.h"

#include <string.h>

static const char usual[] = "perf";
static const char *name = usual;

void called_name__take(const char *argv0)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-";
	const char *base = argv0 ? path__name(argv0) : NULL;

	name = usual;
	if (base && !strncmp(base, "perf-", 5) && base[5] && !base[strspn(base, plain)])
		name = base;
}

const char *called_name(void)
{
	return name;
}

void called_name__add(const char *text, struct strbuf *sb)
{
	size_t len = strlen(usual);
	bool is_command = !strncmp(text, usual, len) && text[len] == ' ';

	strbuf__addf(sb, "%s%s", is_command ? name : "", is_command ? text + len : text);
}
