/* Where libraries are: what the loader would take for a name (man 8 ld.so, man 8 ldconfig). */
#ifndef BINARY_LIBRARY_PATH_H
#define BINARY_LIBRARY_PATH_H

#include "base/memory/types.h"

/* Whether the file at path goes by the name: "libfoo.so.1", or "libfoo" for it or "libfoo-1.2.so". */
bool library__is_called(const char *path, const char *name);
/*
 * The path of a library for programs such as this one, in LD_LIBRARY_PATH, /etc/ld.so.cache and the usual
 * folders; to be freed. NULL: not found. A name as above.
 */
char *library__find(const char *name);

/*
 * The same from the bytes of a cache ("glibc-ld.so.cache1.1": a header of 48 bytes, entries of 24, strings).
 * Those for processors with more than the least features come last. fits: whether to take this one.
 */
char *library__find_in_cache(const void *data, size_t size, const char *name, bool (*fits)(const char *path));

#endif
