/*
 * An arena: many small objects, freed all at once by arena__exit. Not thread-safe. Large arenas use huge
 * pages where the system has them.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/memory/types.h"

struct arena_chunk;
struct arena {
	struct arena_chunk *chunks; /* newest first */
	char *p, *end;              /* free part of the newest */
	size_t total;               /* bytes handed out, rounded */
	bool grows;                 /* set at the beginning if much is expected: use huge pages early */
};

#define ARENA_INIT \
	{          \
		0  \
	}
void arena__exit(struct arena *a); /* frees everything; a is as after ARENA_INIT */
/* Give the end of the last chunk, which is not used yet, back to the system. */
void arena__trim(struct arena *a);
void *arena__alloc_slow(struct arena *a, size_t size) __attribute__((malloc, returns_nonnull));

/*
 * Free chunks, the newest first, until the newest one has p. Return false if none has it: then the arena is
 * empty.
 */
bool arena__free_after(struct arena *a, const void *p);

/* Return uninitialised memory, aligned to 8. */
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
 * Return a larger place for the size bytes at p (NULL: none): the same place if possible; else p stays as it
 * is until arena__exit.
 */
void *arena__regrow(struct arena *a, void *p, size_t size, size_t new_size);

/*
 * As array__push, into the arena, for an array that is empty or was filled this way. Do not array__exit it.
 */
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
