/*
 * The samples of a recording that is mostly side-band (many short processes or maps, a low frequency): the
 * first pass keeps them, so that the recording needs not be read again for the few bytes of it that they are.
 */
#ifndef MODEL_KEPT_SAMPLES_H
#define MODEL_KEPT_SAMPLES_H

#include "base/memory/arena.h"
#include "base/memory/array.h"
#include "format/read/reader.h"

struct kept_piece { /* whole records, one behind the other */
	u8 *data;
	size_t size;
	u64 offset; /* of all that is kept */
};

struct kept_samples {
	struct arena arena;
	ARRAY(struct kept_piece) pieces; /* in the order of the stream */
	size_t bytes;
	u64 nr_read;   /* bytes of the stream that they are from */
	bool given_up; /* there are too many: nothing is kept */
};

void kept_samples__exit(struct kept_samples *k);
/* The samples in the next records of the stream; NULL: they are not there to be kept. */
void kept_samples__add(struct kept_samples *k, const struct block *b);
void kept_samples__give_up(struct kept_samples *k);

#endif
