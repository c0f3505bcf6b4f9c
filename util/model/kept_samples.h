/*
 * The samples of a recording that is mostly side-band (short processes, many maps, a low frequency): the
 * first pass keeps them, so that pass 2 need not read the recording again.
 */
#ifndef MODEL_KEPT_SAMPLES_H
#define MODEL_KEPT_SAMPLES_H

#include "base/memory/arena.h"
#include "base/memory/array.h"
#include "format/read/reader.h"

struct kept_piece { /* whole records, without gaps */
	u8 *data;
	size_t size;
	u64 offset; /* from the first kept byte */
};

struct kept_samples {
	struct arena arena;
	ARRAY(struct kept_piece) pieces; /* in the order of the stream */
	size_t bytes;
	u64 nr_read;   /* bytes of the stream that were looked at */
	bool given_up; /* too many samples: none are kept */
};

void kept_samples__exit(struct kept_samples *k);
/* Return the samples among the next records of the stream, or NULL if none are kept. */
void kept_samples__add(struct kept_samples *k, const struct block *b);
void kept_samples__give_up(struct kept_samples *k);

#endif
