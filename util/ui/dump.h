/*
 * `perf report -D`: every record of a recording as text, in the words and the order of stock perf.
 *
 * Records that the recorder made, and those without a time, are printed where they stand; the others in time
 * order within the rounds that FINISHED_ROUND ends, merged with bounded memory. Ends with the counts of
 * each type of record.
 */
#ifndef UI_DUMP_H
#define UI_DUMP_H

#include "model/session.h"

struct dump_opts {
	bool file_order;     /* --disable-order: every record where it stands */
	bool no_hint;        /* do not say how to see the header: it was shown, or --quiet */
	unsigned nr_threads; /* at most; 0 is 1. The text does not depend on it */
};

/*
 * Writes the dump of s to fd. 0, or a negative errno with err: reading failed, or writing did (-EPIPE:
 * whoever reads fd is gone, which is no reason to complain). Damage of the recording is in s->reader->damage
 * as usual. The caller ignores SIGPIPE, or is ended by it. When the user asks to stop (s->reader->stop), the
 * dump ends with the counts of what it has shown, and s->reader->stopped is set.
 */
int dump__run(struct session *s, const struct dump_opts *opts, int fd, struct err *err);

#endif
