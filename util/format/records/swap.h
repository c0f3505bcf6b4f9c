/* Records of a machine with the other byte order, brought into ours in place. */
#ifndef FORMAT_SWAP_H
#define FORMAT_SWAP_H

#include "format/records/sample.h"

static inline struct perf_event_header event_header__swapped(struct perf_event_header h)
{
	h.type = __builtin_bswap32(h.type);
	h.misc = __builtin_bswap16(h.misc);
	h.size = __builtin_bswap16(h.size);
	return h;
}

/*
 * Swaps one whole record, header and trailer included; its size has been checked to be there. Samples are
 * taken apart with d's layouts; data whose shape nobody knows (raw data, stack copies, features) stays as it
 * is.
 */
void record__swap(const struct sample_decoder *d, void *record);
/* Swaps an attr of size bytes: numbers, and the bit fields, which the other order fills from the other end.
 */
void attr__swap(void *attr, size_t size);

#endif
