/*
 * From records to text to a descriptor, on several threads.
 *
 * The recording goes through in parts of some 64 KiB. Each part is read (records put in order and looked at,
 * one part after the other), formatted (any number of parts at once) and written (one after the other, each
 * by one write; into a file, up to a multiple of 64 KiB, and the rest with the next part). Every thread does
 * whatever is to be done, what is nearest to the output first; there is no thread for each stage, so that one
 * thread alone does the same work in the same way. A few parts for each thread bound the memory.
 */
#ifndef UI_DUMP_PIPELINE_H
#define UI_DUMP_PIPELINE_H

#include "base/text/strbuf.h"
#include "format/read/order.h"
#include "model/session.h"

/* A part of a record's text, or all of it. */
struct dump_item {
	const struct ordered_record *r;
	/* values that depend on earlier records, for add_text; each command gives them its own meaning */
	u64 value, time;
	u32 nr;
	u8 flags;
};
typedef ARRAY(struct dump_item) dump_items;

struct dump_pipeline_opts {
	struct session *session;
	bool file_order; /* leave every record where it is in the file */
	/*
	 * Called with each record in order, by one thread at a time: append the items to print of it, if any.
	 */
	void (*look_at)(void *ctx, const struct ordered_record *r, dump_items *items);
	void *ctx; /* for look_at and worker_new */
	/*
	 * Make the state of a formatting thread, which only that thread uses. add_text appends the text of an
	 * item, which depends on nothing else.
	 */
	void *(*worker_new)(void *ctx);
	void (*add_text)(void *worker, const struct dump_item *item, struct strbuf *out);
	void (*worker_delete)(void *worker);
	int fd;
	unsigned nr_threads; /* at most; 0: 1. A short recording gets fewer */
};

/*
 * Run to the end of the recording, or until the user asks to stop (session->reader->opts.stop): then what was
 * read is written, and reader->stopped is set. Return 0, or a negative errno with err: reading failed (what
 * was read before is written) or writing failed.
 */
int dump_pipeline__run(const struct dump_pipeline_opts *opts, struct err *err);

#endif
