/*
 * An arena: many small objects, freed all at once with arena__exit. Not thread-safe.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/types.h"

struct arena_chunk;
struct arena {
	struct arena_chunk *chunks; /* newest first */
	char *p, *end;              /* free part of the newest */
	size_t total;               /* bytes handed out, rounded */
};

#define ARENA_INIT \
	{          \
		0  \
	}
void arena__exit(struct arena *a); /* frees everything; a is as after ARENA_INIT */
/* Uninitialised memory, aligned to 8. */
void *arena__alloc(struct arena *a, size_t size) __attribute__((malloc, returns_nonnull));
void *arena__zalloc(struct arena *a, size_t size) __attribute__((malloc, returns_nonnull));
void *arena__memdup(struct arena *a, const void *p, size_t size);
char *arena__strdup(struct arena *a, const char *s);
char *arena__strndup(struct arena *a, const char *s, size_t len); /* adds the NUL */

#endif
