#include "base/memory/arena.h"

#include "base/memory/mem.h"

#include <string.h>
#include <sys/mman.h>

enum {
	ARENA_CHUNK = 64 << 10,
	/* Held before there are huge pages: to clear one costs as much as the faults of 100 small ones. */
	ARENA_SMALL = 1 << 20,
	ARENA_SMALL_GROWS = 128 << 10,
	ARENA_HUGE = 2 << 20, /* a huge page */
};

struct arena_chunk {
	struct arena_chunk *next;
	char *end;
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

void arena__trim(struct arena *a)
{
	const size_t page = mem__page_size();
	char *from = (char *)ROUND_UP((uintptr_t)a->p, (uintptr_t)page);

	if (!a->p || from >= a->end)
		return;
	/* the kernel rounds up the size, and would clear memory after the chunk */
	madvise(from, (size_t)(a->end - from) / page * page, MADV_DONTNEED);
}

static void arena__new_chunk(struct arena *a, size_t size)
{
	/* Later chunks grow with the arena, so that a large one has few. */
	size_t want = MAX(size + sizeof(struct arena_chunk),
			  MIN(MAX(a->total / 8, (size_t)ARENA_CHUNK), (size_t)2 * ARENA_HUGE));
	struct arena_chunk *c;

	if (a->total + size >= (a->grows ? ARENA_SMALL_GROWS : ARENA_SMALL))
		want = ROUND_UP(want, (size_t)ARENA_HUGE);
	c = xmalloc_large(want);
	c->next = a->chunks;
	a->chunks = c;
	a->p = c->data;
	a->end = c->end = (char *)c + want;
}

bool arena__free_after(struct arena *a, const void *p)
{
	while (a->chunks && ((const char *)p < a->chunks->data || (const char *)p >= a->chunks->end)) {
		struct arena_chunk *c = a->chunks;

		a->chunks = c->next;
		free(c);
		a->p = a->end = NULL;
	}
	return a->chunks;
}

void *arena__alloc_slow(struct arena *a, size_t size)
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

/* Grow the newest allocation in place. Return false if p is not the newest or the block is too small. */
static bool arena__extend(struct arena *a, const void *p, size_t size, size_t new_size)
{
	const size_t more = ROUND_UP(new_size, (size_t)8) - ROUND_UP(size, (size_t)8);

	if (!size || (const char *)p + ROUND_UP(size, (size_t)8) != a->p || more > (size_t)(a->end - a->p))
		return false;
	a->p += more;
	a->total += more;
	return true;
}

void *arena__regrow(struct arena *a, void *p, size_t size, size_t new_size)
{
	void *copy;

	if (arena__extend(a, p, size, new_size))
		return p;
	copy = arena__alloc(a, new_size);
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
