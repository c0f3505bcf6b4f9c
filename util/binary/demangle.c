#include "binary/symtab.h"

#include <string.h>

/* libiberty's header declares an xmemdup of three arguments, which nothing here calls. */
#define xmemdup libiberty_xmemdup
#include <libiberty/demangle.h>
#undef xmemdup

static bool may_be_mangled(const char *name)
{
	return !strncmp(name, "_Z", 2) || !strncmp(name, "___Z", 4) || !strncmp(name, "_R", 2) ||
	       !strncmp(name, "_D", 2) || !strncmp(name, "_GLOBAL_", 8);
}

/* Without parameters and return types, as reports show names. */
static char *demangle(const char *name)
{
	return may_be_mangled(name) ? cplus_demangle(name, DMGL_AUTO | DMGL_NO_OPTS) : NULL;
}

char *symbol__demangle(const char *name)
{
	size_t len = strlen(name);
	char *bare, *text, *full;

	if (len < 5 || strcmp(name + len - 4, "@plt"))
		return demangle(name);
	bare = xmemdup(name, len - 3);
	bare[len - 4] = '\0';
	text = demangle(bare);
	full = text ? xasprintf("%s@plt", text) : NULL;
	free(bare);
	free(text);
	return full;
}
