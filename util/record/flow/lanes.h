/*
 * --threads: a thread empties each ring, and each ring has a file of its own.
 *
 * The files are data.0, data.1... of a data directory, of records as the kernel wrote them: nothing is put in
 * order, and nothing between them. Whoever reads them puts the side-band of all in order first.
 */
#ifndef RECORD_LANES_H
#define RECORD_LANES_H

#include "record/flow/drain.h"

struct lanes_opts {      /* not owned */
	const char *dir; /* exists when the drain starts */
	const struct target *target;
	u64 write_buffer; /* bytes of records that may wait to be written, of all rings */
	int compression;  /* as in struct writer_opts */
};

/* from: as it begins, but ops. finish adds what the lanes' intakes counted to its intake. */
struct drain *lanes__new(const struct drain *from, const struct lanes_opts *opts);

#endif
