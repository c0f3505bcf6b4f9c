#include "binary/symtab.h"

#include <string.h>

/* libiberty's header declares an xmemdup of three arguments, which nothing here calls. */
#define xmemdup libiberty_xmemdup
#include <libiberty/demangle.h>
#undef xmemdup

/* By prefix; a name that no row is for, or that its demangler does not take, is left alone. */
static const struct {
	const char *prefix;
	int style;
} styles[] = {
	{ "_Z", DMGL_AUTO }, { "___Z", DMGL_AUTO }, { "_R", DMGL_AUTO }, { "_GLOBAL_", DMGL_AUTO }, { "_D", DMGL_DLANG },
};

/* Without parameters and return types, as reports show names. */
static char *demangle(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(styles); i++)
		if (!strncmp(name, styles[i].prefix, strlen(styles[i].prefix)))
			return cplus_demangle(name, styles[i].style | DMGL_NO_OPTS);
	return NULL;
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
