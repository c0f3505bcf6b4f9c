#include "record/watch/cover.h"

enum { WATCH_BYTES = 8 }; /* length of the longest watchpoint */

/*
 * Return the longest watchpoint that begins at addr and fits. Aligned powers of two are nested or disjoint,
 * so no other choice needs fewer.
 */
static u64 longest_at(u64 addr, u64 size)
{
	u64 len = WATCH_BYTES;

	while (len > size || addr % len)
		len /= 2;
	return len;
}

size_t cover(u64 addr, u64 size, struct watch_piece *pieces, size_t max)
{
	size_t nr = 0;

	while (size) {
		u64 len = longest_at(addr, size);

		if (nr < max)
			pieces[nr] = (struct watch_piece){ addr, len };
		else if (len == WATCH_BYTES) /* all that follow have this length, except the last few */
			return nr + (size_t)(size / WATCH_BYTES) +
			       (size_t)__builtin_popcountll(size % WATCH_BYTES);
		nr++;
		addr += len;
		size -= len;
	}
	return nr;
}

u64 cover__reach(u64 addr, size_t nr)
{
	u64 size = nr * WATCH_BYTES;

	while (size && cover(addr, size, NULL, 0) > nr)
		size--;
	return size;
}
