/*
 * A ring as a flight recorder: the kernel writes it from its end to its beginning and over what is oldest,
 * and asks nobody for room. data_head is where the newest record begins; behind it lie ever older ones, up to
 * where the newest have overwritten the rest. (man 2 perf_event_open, write_backward,
 * PERF_EVENT_IOC_PAUSE_OUTPUT)
 */
#ifndef LIVE_FLIGHT_RING_H
#define LIVE_FLIGHT_RING_H

#include "base/text/strbuf.h"
#include "live/ring.h"

/*
 * Appends to out the whole records that are newer than those of the call before, the oldest first. The kernel
 * writes nothing while they are copied; what it left out is in a LOST record, which it writes next. 0 or a
 * negative errno. scratch: any buffer.
 */
int flight_ring__take(struct ring *r, struct strbuf *scratch, struct strbuf *out);

/* The same for a copy: data begins with the newest record; the last one may be cut. Returns the bytes of
 * whole ones. */
size_t flight_ring__order(const void *data, size_t size, struct strbuf *out);

#endif
