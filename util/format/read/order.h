/*
 * The records of a recording in the order in which they happened.
 *
 * A recorder empties one ring buffer after the other, so records are in time order only within what came from
 * one ring. After each turn it writes a FINISHED_ROUND record: whatever was pending when a turn ended is in
 * the file by the end of the next one. So at a mark, all records up to the newest time seen before the mark
 * in front of it can go, merged by time (equal times: as in the file). Records that the recorder made, and
 * those without a time (absent, 0, all ones), stay at their place; the mark goes before what it sets free.
 *
 * Waiting records are remembered as runs: stretches of the stream in which times do not fall, as in each
 * ring's part of a turn. A run costs some 32 bytes however long it is. The bytes are kept in memory up to a
 * limit; beyond it they are read again when their turn comes: from the recording, or, where it must be
 * decompressed or is of the other byte order, from an unlinked temporary file.
 */
#ifndef FORMAT_ORDER_H
#define FORMAT_ORDER_H

#include "format/read/reader.h"
#include "format/records/sample.h"

struct ordered_record {
	struct record record;
	u64 time;    /* UINT64_MAX: none; not set in file order */
	u32 segment; /* of the reader's segments */
};

/* Records in order, copied, so that another thread can work on them while the next ones are read. */
struct order_batch {
	ARRAY(struct ordered_record) records;
	u8 *data; /* the records point into it */
	size_t size;
};
#define ORDER_BATCH_INIT     \
	{                    \
		.data = NULL \
	}
void order_batch__exit(struct order_batch *b);

struct order_opts {
	bool file_order; /* leave every record where it is */
	size_t memory;   /* bytes of waiting records to keep in memory; 0: a few MiB */
};

/* Return the time of a record by which it is put in order, ns; UINT64_MAX: it stays at its place. */
u64 record__order_time(const struct sample_decoder *d, const struct perf_event_header *h);

struct order;
/* Begin a pass over r, whose first pass was made. d: decoder of r's evlist; outlives the order. */
struct order *order__new(struct reader *r, const struct sample_decoder *d, const struct order_opts *opts);
void order__delete(struct order *o);
/*
 * Fill b with the next records, about 64 KiB; b's memory is reused. Return 1; 0 at the end; or a negative
 * errno with err, and b with the records before the failure.
 */
int order__next(struct order *o, struct order_batch *b, struct err *err);

#endif
