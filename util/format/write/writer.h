/*
 * Writing a recording: a perf.data file, or a pipe-mode stream. The header, attrs and ids are on disk before
 * the first record, and the size of the data is brought up to date at each writer__sync, so that what was
 * written stays readable whatever happens. What features are known beforehand is in front of the records,
 * others follow them (in a pipe they all go ahead, as records). Records may be compressed: each __sync, and
 * each buffer that is full, ends a piece of the zstd stream, so that this holds for them, too.
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
	/* bytes that may wait for a slow disk, while another thread writes; 0: the caller writes */
	u64 queue;
	int compression;   /* of records: 0: none, 1 (fast) ... ZSTD_LEVEL_MAX (small) */
	bool records_only; /* one of the other files of a data directory: neither header nor features */
};

/*
 * path "-": standard output, pipe mode. Creates the file (mode 0600); an existing regular one was moved by
 * the caller. 0, or a negative errno with err; -EBUSY: another perf is writing the file.
 */
int writer__open(struct writer **w, const char *path, const struct writer_opts *opts, struct err *err);
/* Writes header, attrs and ids; pipe: HEADER_ATTR (and EVENT_UPDATE) records. Once, before the first record.
 */
int writer__begin(struct writer *w, const struct evlist *l, struct err *err);
/*
 * Appends whole records. Buffered; with a queue it is some later call that returns the errno of a failed
 * write.
 */
int writer__write(struct writer *w, const void *data, u64 size);
/*
 * Writes out the buffer, and makes it a complete file: the data's size in the header, the features. With a
 * queue: has that done, unless it is behind; then it is done with what comes next.
 */
int writer__sync(struct writer *w);
/*
 * Does what a __sync has left for later; for when there are no records. 0, or the errno of a write that
 * failed.
 */
int writer__catch_up(struct writer *w);
/* Bytes of records so far. */
u64 writer__data_size(const struct writer *w);
/* What they take in the file: less when they are compressed; those that wait for that do not count yet. */
u64 writer__file_size(const struct writer *w);
/* For how long calls have waited for room in the queue, ms. */
u64 writer__blocked_ms(const struct writer *w);
bool writer__is_pipe(const struct writer *w);
/* Whether path names the file that w writes. */
bool writer__is_at(const struct writer *w, const char *path);
/*
 * One feature section; with a queue, after __begin, the end of its thread: all that was written before is in
 * the file then. A second one of the same kind replaces the first. Before __begin: what is known beforehand,
 * and in the file before the first record. Later: with the next __sync or __finish, behind the records. Pipe:
 * a HEADER_FEATURE record, only before the first write; TRACING_DATA then, too, as HEADER_TRACING_DATA;
 * BUILD_ID at any time after __begin, as HEADER_BUILD_ID records.
 */
int writer__feature(struct writer *w, enum feature f, const void *data, size_t size);
/*
 * A chunk of the extension section; with a queue, the end of its thread, as above. A second one of the same
 * kind replaces the first. A pipe has no such section: returns 0 and does nothing.
 */
int writer__extension(struct writer *w, enum extension_kind kind, const void *data, size_t size);
/*
 * The last __sync. 0 or a negative errno with err, also for a failure that an earlier call returned: then the
 * header says how much can be read, and the features are there as far as there is room: some of the last
 * records make way for them. w stays until __delete.
 */
int writer__finish(struct writer *w, struct err *err);
/* Unless finished, what is buffered is still written. */
void writer__delete(struct writer *w);

#endif
