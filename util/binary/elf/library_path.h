/* Paths of libraries: what the loader would find for a name (man 8 ld.so, man 8 ldconfig). */
#ifndef BINARY_LIBRARY_PATH_H
#define BINARY_LIBRARY_PATH_H

#include "base/memory/types.h"

/*
 * Does the file at path have this name? "libfoo.so.1" is an exact name; "libfoo" also means "libfoo.so.1"
 * and "libfoo-1.2.so".
 */
bool library__is_called(const char *path, const char *name);
/*
 * Return the path of a library that this program can load, to be freed, or NULL. Search LD_LIBRARY_PATH,
 * /etc/ld.so.cache and the usual folders. name: as for library__is_called.
 */
char *library__find(const char *name);

/*
 * As library__find, from the bytes of a cache ("glibc-ld.so.cache1.1": a header of 48 bytes, entries of 24,
 * strings). Libraries for processors with additional features come last. fits: accept this path?
 */
char *library__find_in_cache(const void *data, size_t size, const char *name, bool (*fits)(const char *path));

#endif
