/* Records of a machine with the other byte order, swapped in place. */
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
 * Swap one whole record with header and trailer; its size was checked. d's layouts give the fields of
 * samples; data of unknown layout (raw data, stack copies, features) stays as it is.
 */
void record__swap(const struct sample_decoder *d, void *record);
/* Swap an attr of size bytes: numbers, and bit fields, which the other order fills from the other end. */
void attr__swap(void *attr, size_t size);

#endif
