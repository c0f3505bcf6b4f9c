/* The order in which rings are drained. */
#ifndef LIVE_RING_ORDER_H
#define LIVE_RING_ORDER_H

#include "base/memory/array.h"
#include "live/ring.h"

struct ring_order {
	ARRAY(struct ring *) rings;
};

void ring_order__exit(struct ring_order *o);
/* List the rings for which ring__begin returned data, the fullest first: it would overflow first. */
void ring_order__make(struct ring_order *o, struct ring *rings, size_t nr);

#endif
