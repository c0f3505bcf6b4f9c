/*
 * From a buffer to a data_file: in the caller's thread, or in a thread of its own, so that a slow disk does
 * not block the caller. The queue is bounded.
 */
#ifndef FORMAT_WRITE_QUEUE_H
#define FORMAT_WRITE_QUEUE_H

#include "base/system/parcel_queue.h"
#include "format/file/data_file.h"

#include <pthread.h>

struct write_queue {
	struct data_file *file; /* owned by the thread while it runs */
	struct parcel *chunk;   /* the chunk that is being filled */
	size_t chunk_size;
	bool owes_sync;
	bool has_records;           /* the chunk has records; else header data of a stream */
	struct parcel_queue *queue; /* NULL: no thread */
	pthread_t thread;
	/* Atomic, set by the thread: */
	int error;           /* errno of its first failure */
	unsigned nr_waiting; /* chunks */
	u64 written;         /* bytes of records in the file */
	u64 blocked;         /* ns that the caller waited for room */
};

/* Append to f, which must outlive q. Until __start the caller writes. */
void write_queue__init(struct write_queue *q, struct data_file *f);
/* Start the thread; room: bytes that may wait. Return 0 or a negative errno with err. */
int write_queue__start(struct write_queue *q, u64 room, struct err *err);
/*
 * Append whole records, or header data. Return 0 or the negative errno of a failed write, now or earlier; so
 * do the functions below.
 */
int write_queue__append(struct write_queue *q, const void *data, u64 size, bool is_record);
/* Write the buffer and complete the file: now, or, while the thread is late, with the next chunk. */
int write_queue__sync(struct write_queue *q);
/* Complete the file if a __sync left that for later. */
int write_queue__catch_up(struct write_queue *q);
/* Write everything, and end the thread. */
int write_queue__end(struct write_queue *q);
/* Return the bytes of records in the file now. */
u64 write_queue__file_size(const struct write_queue *q);
void write_queue__exit(struct write_queue *q);

#endif
