/* report -T: what each thread counted, from the READ records of recordings with perf record -s. */
#ifndef UI_THREAD_COUNTS_H
#define UI_THREAD_COUNTS_H

#include "base/memory/array.h"
#include "base/memory/hash.h"
#include "base/text/strbuf.h"
#include "format/records/sample.h"

struct thread_count {
	u32 pid, tid;
	u64 time;          /* of its first record, ns */
	ARRAY(u64) values; /* by event, in the event's unit */
};

struct thread_counts {
	const struct evlist *evlist;
	ARRAY(struct thread_count) v;
	struct hash_table by_tid;
};

void thread_counts__exit(struct thread_counts *c);
/* Take a record if it is a READ record: session_opts.look, with a struct thread_counts as ctx. */
void thread_counts__look(void *ctx, const struct sample_decoder *d, const struct record *r);
/*
 * Append the table: a line for each thread, in the order in which they ended, with a column for each event;
 * or if raw is set or the table would be wider than columns (0: never), a line for each thread and event.
 */
void thread_counts__print(struct thread_counts *c, bool raw, unsigned columns, struct strbuf *sb);

#endif
