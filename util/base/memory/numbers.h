/*
 * A growing array of numbers in 2 bytes each, or in 4 as soon as one of them needs it. Positions stay the
 * same. Not thread-safe.
 */
#ifndef BASE_NUMBERS_H
#define BASE_NUMBERS_H

#include "base/memory/mem.h"

struct numbers {
	void *v; /* u16, or u32 if is_wide; NULL while empty */
	size_t nr, alloc;
	bool is_wide;
};

static inline u32 numbers__get(const struct numbers *n, size_t i)
{
	return n->is_wide ? ((const u32 *)n->v)[i] : ((const u16 *)n->v)[i];
}

static inline void numbers__prefetch(const struct numbers *n, size_t i)
{
	__builtin_prefetch((const char *)n->v + i * (n->is_wide ? sizeof(u32) : sizeof(u16)));
}

/* Append nr numbers. */
void numbers__add(struct numbers *n, const u32 *from, size_t nr);
/* Are the nr numbers from position i on these? */
bool numbers__are(const struct numbers *n, size_t i, const u32 *these, size_t nr);
/* Copy nr numbers from the positions i, i + stride and so on. */
void numbers__copy(const struct numbers *n, size_t i, size_t stride, u32 *to, size_t nr);
void numbers__exit(struct numbers *n);

#endif
