/*
 * From records to text to a descriptor, on several threads.
 *
 * The recording goes through in parts of some 64 KiB. Each part is read (records put in order and looked at,
 * one part after the other), formatted (any number of parts at once) and written (one after the other, each
 * by one write). Every thread does whatever is to be done, what is nearest to the output first; there is no
 * thread for each stage, so that one thread alone does the same work in the same way. A few parts for each
 * thread bound the memory.
 */
#ifndef UI_DUMP_PIPELINE_H
#define UI_DUMP_PIPELINE_H

#include "ui/dump_record.h"

struct dump_pipeline_opts {
	const struct dump_format *format;
	struct order *order;
	/*
	 * Called with each record in order, by one thread at a time: fill in what depends on earlier
	 * records.
	 */
	void (*look_at)(void *ctx, struct dump_item *item);
	void *ctx;
	int fd;
	unsigned nr_threads;
	/* set by a signal handler: when it is above nr_stops, stop reading. NULL: never */
	const int *stop;
	int nr_stops;
};

/*
 * Run to the end of the recording. Return 0, or a negative errno with err: reading failed (what was read
 * before is written) or writing failed. *stopped: stopped by *stop; what was read is written.
 */
int dump_pipeline__run(const struct dump_pipeline_opts *opts, bool *stopped, struct err *err);

#endif
