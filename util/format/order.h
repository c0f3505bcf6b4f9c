/*
 * The records of a recording in the order in which they happened.
 *
 * A recorder empties one ring buffer after the other, so records are in time order only within what came from
 * one ring. After each turn it writes a FINISHED_ROUND record: whatever was pending when a turn ended is in
 * the file by the end of the next one. So at a mark, all records up to the newest time seen before the mark
 * in front of it can go, sorted by time (equal times: as in the file). Records that the recorder made, and
 * those without a time (absent, 0, all ones), go where they stand; the mark goes before what it sets free.
 *
 * Records come in batches, each valid until the next call. What waits for its turn is kept in memory up to
 * a limit, beyond which it is put into an unlinked temporary file; per waiting record 16 bytes stay.
 */
#ifndef FORMAT_ORDER_H
#define FORMAT_ORDER_H

#include "format/reader.h"
#include "format/sample.h"

struct ordered_record {
	struct record record;
	u64 time;    /* UINT64_MAX: none */
	u32 segment; /* of the reader's segments */
};

struct order_opts {
	bool file_order; /* every record where it stands */
	size_t memory;   /* bytes of waiting records to keep in memory; 0: 64 MiB */
};

struct order;
/* One pass over r, whose first pass has been made. d: of r's evlist; outlives the order. */
struct order *order__new(struct reader *r, const struct sample_decoder *d, const struct order_opts *opts);
void order__delete(struct order *o);
/* *v points at the next records, in order. Returns how many, 0 at the end, or a negative errno with err. */
ssize_t order__next(struct order *o, const struct ordered_record **v, struct err *err);

#endif
