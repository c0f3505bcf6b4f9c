/*
 * --threads: several threads empty the rings, each those of some CPUs, and each ring has a file of its own.
 *
 * The files are data.0, data.1... of a data directory, one for each ring, of records as the kernel wrote
 * them: nothing is put in order, and nothing between them. Whoever reads them puts the side-band of all in
 * order first.
 */
#ifndef RECORD_LANES_H
#define RECORD_LANES_H

#include "record/events/counters.h"
#include "record/host/cpu_groups.h"
#include "record/describe/build_id_list.h"
#include "record/events/tally.h"

struct lanes_opts {         /* not owned */
	const char *dir;    /* which exists */
	const char *groups; /* as cpu_groups__init */
	const struct target *target;
	struct counters *counters;
	const struct evlist *l; /* with ids, as in the file */
	u64 write_buffer;       /* bytes of records that may wait to be written, of all rings */
	int compression;        /* as in struct writer_opts */
	bool build_ids;         /* are gathered */
	u32 own_pid;            /* whose samples are left out; 0: nobody's */
};

struct lanes_total {
	u64 wakeups;
	u64 packed, unpacked; /* bytes of records in the files, and before they were compressed */
};

struct lanes;
/* Creates the files, and starts the threads. 0 or a negative errno with err. */
int lanes__new(struct lanes **l, const struct lanes_opts *opts, struct err *err);
/* Bytes in the files so far. */
u64 lanes__size(const struct lanes *l);
/* The first write that failed since, or 0: a negative errno with err. */
int lanes__check(const struct lanes *l, struct err *err);
/*
 * Takes what is in the rings, ends the threads, completes the files. tally: gets what they hold, too. ids:
 * gets what was mapped; NULL if none are gathered. As __check.
 */
int lanes__finish(struct lanes *l, struct lanes_total *total, struct tally *tally, struct build_id_list *ids,
		  struct err *err);
/* Unless finished, ends the threads as well. */
void lanes__delete(struct lanes *l);

#endif
