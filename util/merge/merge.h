/*
 * perf merge: many recordings of the same events as one, with one sample for each distinct stack.
 *
 * Addresses are different in each run. A frame of a merged recording is an address of a binary: each binary
 * has one place in memory, which its content decides (name and build-id), and so have the kernel and its
 * modules. Threads of one name are one process. So equal stacks of many runs and hosts are one sample, with
 * the sum of the periods, and with their number as its weight: a chunk of the file says so
 * (EXTENSION_MERGED). The order of the inputs does not matter: all is sorted before it is written. Merging
 * merged recordings adds up as merging all at once.
 *
 * Merging leaves out times, processors, threads, branch stacks, payloads of tracepoints, registers and
 * weights.
 */
#ifndef MERGE_MERGE_H
#define MERGE_MERGE_H

#include "base/message/err.h"

struct merge;

struct merge_opts {
	const char *buildid_dir; /* the build-id cache; NULL: none */
	unsigned nr_threads;     /* 0: as many as CPUs */
};

struct merge_totals {
	u64 nr_inputs;  /* recordings, also those of merged ones */
	u64 nr_samples; /* of the inputs */
	u64 nr_stacks;  /* samples of the output */
};

/* opts must live as long. */
struct merge *merge__new(const struct merge_opts *opts);
/*
 * Add a recording. Return 0; 1: it is damaged, a warning says so, and the readable part was added; or a
 * negative errno with err, and nothing was added: -EINVAL: it has other events, or is of another
 * architecture; others: it cannot be read, or has no samples.
 */
int merge__add(struct merge *m, const char *path, struct err *err);
/* Write what was added, at least one recording. Return 0, or a negative errno with err. */
int merge__write(struct merge *m, const char *output, struct merge_totals *totals, struct err *err);
void merge__delete(struct merge *m);

#endif
