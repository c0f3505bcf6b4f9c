/*
 * A ring that the kernel overwrites (flight recorder). The kernel writes it from the end to the beginning.
 * data_head is the newest record; older ones follow, up to the ring's size. (man 2 perf_event_open,
 * write_backward, PERF_EVENT_IOC_PAUSE_OUTPUT)
 */
#ifndef LIVE_FLIGHT_RING_H
#define LIVE_FLIGHT_RING_H

#include "base/text/strbuf.h"
#include "live/ring.h"

/*
 * Append the whole records that are newer than those of the previous call to out, oldest first. The kernel
 * writes nothing during the copy; it reports what it dropped in a LOST record afterwards. Return 0 or a
 * negative errno. scratch: any buffer.
 */
int flight_ring__take(struct ring *r, struct strbuf *scratch, struct strbuf *out);

/*
 * As flight_ring__take, for a copy: data begins with the newest record, and the last one may be incomplete.
 * Return the bytes of whole records.
 */
size_t flight_ring__order(const void *data, size_t size, struct strbuf *out);

#endif
