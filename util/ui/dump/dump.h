/*
 * `perf report -D`: every record of a recording as text, in the words and the order of stock perf.
 *
 * Records that the recorder made, and those without a time, are printed where they are in the file; the
 * others in time order within the rounds that FINISHED_ROUND ends, merged with bounded memory. The counts of
 * each record type follow.
 */
#ifndef UI_DUMP_H
#define UI_DUMP_H

#include "model/session.h"
#include "ui/dump/dump_pipeline.h"

struct dump_opts {
	bool file_order; /* --disable-order: print records in file order */
	bool no_hint;    /* do not mention --header: it was shown, or --quiet */
	bool no_stats;   /* end without the counts of records */
	/*
	 * Functions that add text after each record's (perf script -D), as in struct dump_pipeline_opts;
	 * their items have the record only. add_text NULL: nothing
	 */
	struct dump_more {
		void *(*worker_new)(void *ctx);
		void (*add_text)(void *worker, const struct dump_item *item, struct strbuf *out);
		void (*worker_delete)(void *worker);
		void *ctx;
	} more;
	unsigned nr_threads; /* at most; 0: 1. The text does not depend on it */
};

/*
 * Write the dump of s to fd. Return 0, or a negative errno with err: reading or writing failed (-EPIPE: the
 * reader of fd is gone, which needs no message). Damage is in s->reader->damage. The caller ignores SIGPIPE,
 * or is ended by it. When the user asks to stop (s->reader->stop), the dump ends with the counts of what it
 * has shown, and sets s->reader->stopped.
 */
int dump__run(struct session *s, const struct dump_opts *opts, int fd, struct err *err);

#endif
