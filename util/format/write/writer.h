/*
 * Writing a recording: a perf.data file, or a pipe-mode stream. Header, attrs and ids are on disk before the
 * first record, and writer__sync updates the size of the data, so what was written stays readable. Features
 * that are known beforehand are before the records, others after them (in a pipe all come first, as
 * records). Records may be compressed: each __sync and each full buffer ends a piece of the zstd stream, so
 * compressed files stay readable, too.
 */
#ifndef FORMAT_WRITER_H
#define FORMAT_WRITER_H

#include "base/message/err.h"
#include "event/evsel/evsel.h"
#include "format/records/abi.h"
#include "format/file/extension.h"

struct writer;

struct writer_opts {
	bool pipe; /* stream to fd 1 or whatever path says */
	/* bytes that may wait for a slow disk; another thread writes; 0: the caller writes */
	u64 queue;
	int compression;   /* level: 0: none, 1 (fast) ... ZSTD_LEVEL_MAX (small) */
	bool records_only; /* a file data.N of a data directory: neither header nor features */
	/* __finish puts the file in place; until then, and after a failure, what was there stays */
	bool is_aside;
};

/*
 * Create the file (mode 0600); path "-": standard output, pipe mode. The caller has moved an existing
 * regular file away. Return 0, or a negative errno with err; -EBUSY: another perf is writing the file.
 */
int writer__open(struct writer **w, const char *path, const struct writer_opts *opts, struct err *err);
/*
 * Write header, attrs and ids; pipe: HEADER_ATTR (and EVENT_UPDATE) records. Once, before the first record.
 */
int writer__begin(struct writer *w, const struct evlist *l, struct err *err);
/* Append whole records, buffered. With a queue, a later call returns the errno of a failed write. */
int writer__write(struct writer *w, const void *data, u64 size);
/*
 * Write the buffer, and complete the file: size of the data in the header, features. With a queue that is
 * behind, this happens with the next chunk.
 */
int writer__sync(struct writer *w);
/*
 * Complete the file if a __sync left that for later; for rounds without records. Return 0, or the errno of a
 * failed write.
 */
int writer__catch_up(struct writer *w);
/* Bytes of records so far, uncompressed. */
u64 writer__data_size(const struct writer *w);
/* Bytes of records in the file; records that wait for compression are not counted yet. */
u64 writer__file_size(const struct writer *w);
/* Time that calls waited for room in the queue, ms. */
u64 writer__blocked_ms(const struct writer *w);
bool writer__is_pipe(const struct writer *w);
/* Is path the file that w writes? */
bool writer__is_at(const struct writer *w, const char *path);
/*
 * Set one feature section; it replaces one of its kind. After __begin this ends the queue's thread, and all
 * earlier records are in the file. Before __begin: a feature that is written before the records. Later:
 * written after them by the next __sync or __finish. Pipe: a HEADER_FEATURE record, only before the first
 * write; so is TRACING_DATA, as HEADER_TRACING_DATA; BUILD_ID at any time after __begin, as HEADER_BUILD_ID
 * records.
 */
int writer__feature(struct writer *w, enum feature f, const void *data, size_t size);
/*
 * Set a chunk of the extension section; it replaces one of its kind. Ends the queue's thread. A pipe has no
 * such section: do nothing, return 0.
 */
int writer__extension(struct writer *w, enum extension_kind kind, const void *data, size_t size);
/*
 * The last __sync. Return 0 or a negative errno with err, also for the failure of an earlier call: then the
 * header says how much is readable, and features replace the last records if there is no room. w stays until
 * __delete.
 */
int writer__finish(struct writer *w, struct err *err);
/* If not finished, the buffer is still written; but a file that is written aside is removed. */
void writer__delete(struct writer *w);

#endif
