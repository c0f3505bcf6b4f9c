#include "format/write/write_queue.h"

#include <errno.h>

#include "base/message/bug.h"
#include "base/system/clock.h"

enum {
	CHUNK_SIZE = 1 << 20,          /* bytes, when the caller writes */
	CHUNK_QUEUED_SIZE = 256 << 10, /* when the thread does */
};

/* Flags of a chunk. */
enum chunk_kind {
	CHUNK_RECORDS = 1 << 0, /* else headers and features */
	CHUNK_SYNC = 1 << 1,    /* complete the file after it */
};

void write_queue__init(struct write_queue *q, struct data_file *f)
{
	*q = (struct write_queue){ .file = f, .chunk = parcel__new(0), .chunk_size = CHUNK_SIZE };
}

/* ---- writing ---- */

static int write_chunk(struct data_file *f, const struct parcel *b)
{
	int ret = f->error;

	if (!ret)
		ret = b->kind & CHUNK_RECORDS ? data_file__put_records(f, b->bytes.buf, b->bytes.len)
					      : data_file__put(f, b->bytes.buf, b->bytes.len);
	return ret || !(b->kind & CHUNK_SYNC) ? ret : data_file__sync(f);
}

static void *write_queue__run(void *arg)
{
	struct write_queue *q = arg;
	struct parcel *b;

	while ((b = parcel_queue__take(q->queue))) {
		int ret = write_chunk(q->file, b);

		__atomic_store_n(&q->error, ret, __ATOMIC_RELAXED);
		__atomic_store_n(&q->written, q->file->written, __ATOMIC_RELAXED);
		parcel_queue__done(q->queue, b);
		__atomic_sub_fetch(&q->nr_waiting, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

int write_queue__start(struct write_queue *q, u64 room, struct err *err)
{
	int ret;

	if (BUG_UNLESS(!q->queue, "started twice"))
		return err__set(err, -EINVAL, "the thread that writes the recording runs already");
	q->queue = parcel_queue__new(room);
	q->chunk_size = CHUNK_QUEUED_SIZE;
	q->written = q->file->written;
	ret = pthread_create(&q->thread, NULL, write_queue__run, q);
	if (!ret)
		return 0;
	parcel_queue__delete(q->queue);
	q->queue = NULL;
	return err__set(err, -ret, "cannot start a thread to write the recording: %s", err__str(-ret));
}

/* ---- appending ---- */

static int write_queue__error(const struct write_queue *q)
{
	return q->queue ? __atomic_load_n(&q->error, __ATOMIC_RELAXED) : q->file->error;
}

static void write_queue__put(struct write_queue *q)
{
	u64 start = clock__ns();

	__atomic_add_fetch(&q->nr_waiting, 1, __ATOMIC_RELAXED);
	parcel_queue__put(q->queue, q->chunk, true);
	q->blocked += clock__ns() - start;
	q->chunk = parcel_queue__fresh(q->queue, 0);
}

static int write_queue__flush(struct write_queue *q, int kind)
{
	int ret = write_queue__error(q);

	q->chunk->kind = kind | (q->has_records ? CHUNK_RECORDS : 0);
	if (!ret && q->queue)
		write_queue__put(q);
	else if (!ret)
		ret = write_chunk(q->file, q->chunk);
	strbuf__reset(&q->chunk->bytes);
	return ret;
}

int write_queue__append(struct write_queue *q, const void *data, u64 size, bool is_record)
{
	size_t used = q->chunk->bytes.len;
	int ret = write_queue__error(q);

	if (!ret && used && (used + size > q->chunk_size || is_record != q->has_records))
		ret = write_queue__flush(q, 0);
	if (ret)
		return ret;
	q->has_records = is_record;
	strbuf__add(&q->chunk->bytes, data, size);
	return 0;
}

int write_queue__sync(struct write_queue *q)
{
	q->owes_sync = __atomic_load_n(&q->nr_waiting, __ATOMIC_RELAXED) > 1;
	return q->owes_sync ? write_queue__error(q) : write_queue__flush(q, CHUNK_SYNC);
}

int write_queue__catch_up(struct write_queue *q)
{
	return q->owes_sync ? write_queue__sync(q) : write_queue__error(q);
}

int write_queue__end(struct write_queue *q)
{
	if (!q->queue)
		return q->file->error;
	write_queue__flush(q, 0);
	parcel_queue__close(q->queue);
	pthread_join(q->thread, NULL);
	parcel_queue__delete(q->queue);
	q->queue = NULL;
	q->chunk_size = CHUNK_SIZE;
	return q->file->error;
}

u64 write_queue__file_size(const struct write_queue *q)
{
	return q->queue ? __atomic_load_n(&q->written, __ATOMIC_RELAXED) : q->file->written;
}

void write_queue__exit(struct write_queue *q)
{
	if (!q->chunk)
		return;
	write_queue__end(q);
	parcel__delete(q->chunk);
}
