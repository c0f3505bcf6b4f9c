/*
 * An arena: many small objects, freed all at once with arena__exit. Not thread-safe. What becomes large is on
 * huge pages where the system has them.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/memory/types.h"

struct arena_chunk;
struct arena {
	struct arena_chunk *chunks; /* newest first */
	char *p, *end;              /* free part of the newest */
	size_t total;               /* bytes handed out, rounded */
	bool grows;                 /* to be set at the start where much is expected: huge pages come early */
};

#define ARENA_INIT \
	{          \
		0  \
	}
void arena__exit(struct arena *a); /* frees everything; a is as after ARENA_INIT */
void *arena__alloc_slow(struct arena *a, size_t size) __attribute__((malloc, returns_nonnull));

/* Uninitialised memory, aligned to 8. */
__attribute__((malloc, returns_nonnull)) static inline void *arena__alloc(struct arena *a, size_t size)
{
	size_t rounded = ROUND_UP(size, (size_t)8);
	char *p = a->p;

	if (unlikely(rounded - 1 >= (size_t)(a->end - p))) /* too large for the chunk, for any, or nothing */
		return arena__alloc_slow(a, size);
	a->p += rounded;
	a->total += rounded;
	return p;
}

void *arena__zalloc(struct arena *a, size_t size) __attribute__((malloc, returns_nonnull));
void *arena__memdup(struct arena *a, const void *p, size_t size);
char *arena__strdup(struct arena *a, const char *s);
char *arena__strndup(struct arena *a, const char *s, size_t len); /* adds the NUL */

/*
 * A larger place for the size bytes that were allocated at p (NULL: none): the same one where that can be,
 * else p stays as it is until arena__exit.
 */
void *arena__regrow(struct arena *a, void *p, size_t size, size_t new_size);

/* array__push into the arena: of an array that is empty or was filled so, and is not to be array__exit'ed. */
#define arena__array_push(arena, a)                                                                  \
	({                                                                                           \
		if ((a)->nr == (a)->alloc) {                                                         \
			size_t old_ = (a)->alloc * sizeof(*(a)->v);                                  \
			(a)->alloc = MAX((a)->alloc * 2, (size_t)4);                                 \
			(a)->v = arena__regrow((arena), (a)->v, old_, (a)->alloc * sizeof(*(a)->v)); \
		}                                                                                    \
		&(a)->v[(a)->nr++];                                                                  \
	})

#endif
