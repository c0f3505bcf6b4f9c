#include "base/memory/numbers.h"

#include <string.h>

static void numbers__widen(struct numbers *n)
{
	u32 *wide = xreallocarray(NULL, n->alloc, sizeof(*wide));

	for (size_t i = 0; i < n->nr; i++)
		wide[i] = ((const u16 *)n->v)[i];
	free(n->v);
	n->v = wide;
	n->is_wide = true;
}

void numbers__add(struct numbers *n, const u32 *from, size_t nr)
{
	u32 all = 0;

	for (size_t i = 0; i < nr; i++)
		all |= from[i];
	if (all > UINT16_MAX && !n->is_wide)
		numbers__widen(n);
	if (n->nr + nr > n->alloc) {
		n->alloc = MAX(n->nr + nr, n->alloc + n->alloc / 2);
		n->v = xreallocarray(n->v, n->alloc, n->is_wide ? sizeof(u32) : sizeof(u16));
	}
	if (n->is_wide)
		memcpy((u32 *)n->v + n->nr, from, nr * sizeof(*from));
	for (size_t i = 0; i < nr && !n->is_wide; i++)
		((u16 *)n->v)[n->nr + i] = (u16)from[i];
	n->nr += nr;
}

bool numbers__are(const struct numbers *n, size_t i, const u32 *these, size_t nr)
{
	const u16 *narrow = (const u16 *)n->v + i;
	u32 differences = 0;

	if (n->is_wide)
		return !memcmp((const u32 *)n->v + i, these, nr * sizeof(*these));
	for (size_t k = 0; k < nr;
	     k++) /* they are most often equal: a loop that does not end early is faster */
		differences |= narrow[k] ^ these[k];
	return !differences;
}

void numbers__copy(const struct numbers *n, size_t i, size_t stride, u32 *to, size_t nr)
{
	if (n->is_wide)
		for (size_t k = 0; k < nr; k++, i += stride)
			to[k] = ((const u32 *)n->v)[i];
	else
		for (size_t k = 0; k < nr; k++, i += stride)
			to[k] = ((const u16 *)n->v)[i];
}

void numbers__exit(struct numbers *n)
{
	free(n->v);
	*n = (struct numbers){ .v = NULL };
}
