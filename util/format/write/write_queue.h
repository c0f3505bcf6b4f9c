/*
 * From a buffer to a data_file: in the caller's thread, or, so that a slow disk holds nobody up, in one of
 * its own. What waits for that one is bounded.
 */
#ifndef FORMAT_WRITE_QUEUE_H
#define FORMAT_WRITE_QUEUE_H

#include "base/system/parcel_queue.h"
#include "format/file/data_file.h"

#include <pthread.h>

struct write_queue {
	struct data_file *file; /* the thread's, as long as it runs */
	struct parcel *chunk;   /* that is being filled */
	size_t chunk_size;
	bool owes_sync;
	bool has_records;           /* in the chunk; else it is what stands around them in a stream */
	struct parcel_queue *queue; /* NULL: there is no thread */
	pthread_t thread;
	/* Atomic, of the thread: */
	int error;           /* of its first failure */
	unsigned nr_waiting; /* chunks */
	u64 written;         /* as in the file */
	u64 blocked;         /* ns that the caller waited for room */
};

/* Appends to f, which must outlive it. The caller writes, until __start. */
void write_queue__init(struct write_queue *q, struct data_file *f);
/* Starts the thread; room: bytes that may wait. 0 or a negative errno with err. */
int write_queue__start(struct write_queue *q, u64 room, struct err *err);
/*
 * Appends whole records, or what stands around them. 0 or the negative errno of a write, now or earlier; as
 * those that follow.
 */
int write_queue__append(struct write_queue *q, const void *data, u64 size, bool is_record);
/*
 * Has what is in the buffer written, and the file completed, at once or, while the thread is behind, with
 * what follows.
 */
int write_queue__sync(struct write_queue *q);
/* Does what a __sync has left for later. */
int write_queue__catch_up(struct write_queue *q);
/* All that was appended is in the file, and the thread has ended. */
int write_queue__end(struct write_queue *q);
/* Bytes that records take in the file by now. */
u64 write_queue__file_size(const struct write_queue *q);
void write_queue__exit(struct write_queue *q);

#endif
