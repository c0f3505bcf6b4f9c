#include "base/arena.h"

#include "base/mem.h"

#include <string.h>

enum { ARENA_CHUNK = 64 << 10 };

struct arena_chunk {
	struct arena_chunk *next;
	char data[];
};

void arena__exit(struct arena *a)
{
	struct arena_chunk *c = a->chunks;

	while (c) {
		struct arena_chunk *next = c->next;

		free(c);
		c = next;
	}
	*a = (struct arena)ARENA_INIT;
}

static void arena__new_chunk(struct arena *a, size_t size)
{
	/* Later chunks grow with the arena, so that a large one has few. */
	size_t want = MAX(size, MIN(MAX(a->total / 8, (size_t)ARENA_CHUNK), (size_t)4 << 20));
	struct arena_chunk *c = xmalloc(sizeof(*c) + want);

	c->next = a->chunks;
	a->chunks = c;
	a->p = c->data;
	a->end = c->data + want;
}

void *arena__alloc(struct arena *a, size_t size)
{
	void *p;

	if (size > SIZE_MAX / 2)
		return xmalloc(size);                     /* ends the program */
	size = ROUND_UP(MAX(size, (size_t)1), (size_t)8); /* never NULL, even for 0 bytes */
	if ((size_t)(a->end - a->p) < size)
		arena__new_chunk(a, size);
	p = a->p;
	a->p += size;
	a->total += size;
	return p;
}

void *arena__zalloc(struct arena *a, size_t size)
{
	return memset(arena__alloc(a, size), 0, size);
}

void *arena__memdup(struct arena *a, const void *p, size_t size)
{
	void *copy = arena__alloc(a, size);

	if (size)
		memcpy(copy, p, size);
	return copy;
}

char *arena__strndup(struct arena *a, const char *s, size_t len)
{
	char *copy = arena__alloc(a, len + 1);

	memcpy(copy, s, len);
	copy[len] = '\0';
	return copy;
}

char *arena__strdup(struct arena *a, const char *s)
{
	return arena__strndup(a, s, strlen(s));
}
