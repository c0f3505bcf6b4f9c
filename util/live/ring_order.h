/* In which order rings are emptied. */
#ifndef LIVE_RING_ORDER_H
#define LIVE_RING_ORDER_H

#include "base/memory/array.h"
#include "live/ring.h"

struct ring_order {
	ARRAY(struct ring *) rings;
};

void ring_order__exit(struct ring_order *o);
/*
 * The rings that ring__begin has shown something of, the fullest first: it would be the first to have no
 * room.
 */
void ring_order__make(struct ring_order *o, struct ring *rings, size_t nr);

#endif
