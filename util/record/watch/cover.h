/*
 * Cover a range of bytes with hardware watchpoints, which are 1, 2, 4 or 8 bytes long and aligned to their
 * length. Pure functions.
 */
#ifndef RECORD_COVER_H
#define RECORD_COVER_H

#include "event/evsel/event_request.h"

/*
 * Find the fewest watchpoints that cover exactly the bytes [addr, addr + size), and store the first max of
 * them in pieces. Return how many are needed, which may be more.
 */
size_t cover(u64 addr, u64 size, struct watch_piece *pieces, size_t max);
/* Return how many bytes from addr on nr watchpoints can cover. */
u64 cover__reach(u64 addr, size_t nr);

#endif
