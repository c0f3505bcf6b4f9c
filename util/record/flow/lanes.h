/*
 * --threads: a thread drains each ring into a file of its own, whenever its ring has data.
 *
 * If stacks must be unwound, a lane needs the side-band of all rings. Then the thread that calls round reads
 * that first, lets all lanes drain and unwind at once, and waits for them.
 *
 * The files data.0, data.1... of a data directory hold the records as the kernel wrote them. They are not
 * sorted, and there are no round marks between them. A reader must sort the side-band of all files first.
 */
#ifndef RECORD_LANES_H
#define RECORD_LANES_H

#include "record/flow/drain.h"

struct lanes_opts {      /* not owned */
	const char *dir; /* must exist when the drain starts */
	const struct target *target;
	/* the events as the kernel has them, with ids, if the lanes must unwind stacks; otherwise NULL */
	const struct evlist *kernel_events;
	u64 write_buffer; /* bytes of records of all rings that may wait to be written */
	int compression;  /* as in struct writer_opts */
	struct map_viewers viewers;
};

/*
 * Return a new drain. Copy all fields of *from except ops. finish adds the counts of the lanes' intakes to
 * the drain's intake.
 */
struct drain *lanes__new(const struct drain *from, const struct lanes_opts *opts);

#endif
