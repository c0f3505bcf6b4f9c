/* The last part of a path. */
#ifndef BASE_PATH_NAME_H
#define BASE_PATH_NAME_H

#include <string.h>

/* Return what follows the last slash of path, or all of it; a part of path. */
static inline const char *path__name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

#endif
