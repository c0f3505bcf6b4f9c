/*
 * A bounded byte cursor: the only way a parser reads bytes that came from outside.
 * A read past the end returns 0 (or NULL), moves nothing and sets bad, which stays set:
 * a parser may read a whole structure and ask once at the end. Unaligned reads are fine.
 * swap: the data has the other byte order; u16, u32 and u64 come out in ours.
 */
#ifndef BASE_CURSOR_H
#define BASE_CURSOR_H

#include "base/memory/types.h"

#include <string.h>

struct cursor {
	const u8 *start, *p, *end;
	bool swap;
	bool bad;
};

static inline struct cursor cursor__make(const void *data, size_t size, bool swap)
{
	const u8 *d = data;

	return (struct cursor){ .start = d, .p = d, .end = d + size, .swap = swap };
}

static inline size_t cursor__left(const struct cursor *c)
{
	return (size_t)(c->end - c->p);
}

static inline size_t cursor__offset(const struct cursor *c)
{
	return (size_t)(c->p - c->start);
}

/* Return size bytes at the cursor, which moves past them; NULL if there are fewer. */
static inline const void *cursor__bytes(struct cursor *c, size_t size)
{
	const void *p = c->p;

	if (c->bad || size > cursor__left(c)) {
		c->bad = true;
		return NULL;
	}
	c->p += size;
	return p;
}

#define CURSOR_READ_(type, swapped)                             \
	static inline type cursor__##type(struct cursor *c)     \
	{                                                       \
		const void *p = cursor__bytes(c, sizeof(type)); \
		type x = 0;                                     \
                                                                \
		if (p)                                          \
			memcpy(&x, p, sizeof(x));               \
		return c->swap ? (type)(swapped) : x;           \
	}
CURSOR_READ_(u8, x)
CURSOR_READ_(u16, __builtin_bswap16(x))
CURSOR_READ_(u32, __builtin_bswap32(x))
CURSOR_READ_(u64, __builtin_bswap64(x))
#undef CURSOR_READ_

static inline void cursor__skip(struct cursor *c, size_t size)
{
	(void)cursor__bytes(c, size);
}

/*
 * Return a string that ends in NUL within the next size bytes, and move past all of them; NULL and bad if
 * there is no NUL.
 */
static inline const char *cursor__str(struct cursor *c, size_t size)
{
	const char *s = cursor__bytes(c, size);

	if (s && strnlen(s, size) == size) {
		c->bad = true;
		return NULL;
	}
	return s;
}

#endif
