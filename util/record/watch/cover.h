/*
 * Covering bytes with hardware watchpoints, which are 1, 2, 4 or 8 bytes long and aligned to their length. A
 * pure function.
 */
#ifndef RECORD_COVER_H
#define RECORD_COVER_H

#include "event/evsel/event_request.h"

/*
 * The fewest watchpoints that together are just the bytes [addr, addr + size); the first max of them go to
 * pieces. Returns how many it takes, which may be more.
 */
size_t cover(u64 addr, u64 size, struct watch_piece *pieces, size_t max);
/* The most bytes from addr on that nr watchpoints can be. */
u64 cover__reach(u64 addr, size_t nr);

#endif
