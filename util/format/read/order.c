#include "format/read/order.h"

#include "base/system/file.h"

#include <errno.h>
#include <string.h>

enum {
	BATCH_RECORDS = 2048,
	BATCH_SIZE = 64 << 10, /* bytes; a larger batch is full */
	RECORD_SIZE_MAX = 1 << 16,
	HEADER_SIZE = sizeof(struct perf_event_header),
	BLOCK_ALLOC = 256 << 10, /* for blocks of plain files, whose sizes differ a little */
	MEMORY_REREAD = 2 << 20, /* bytes of waiting records, if others can be read again */
	MEMORY_SPILL = 4 << 20,  /* bytes of waiting records, if others go to a temporary file */
	WINDOWS_SIZE = 2 << 20,  /* bytes of all runs' windows */
	WINDOW_MIN = 4 << 10,
	WINDOW_MAX = 256 << 10,
};

/* A block with waiting records. */
struct kept {
	struct block block; /* data NULL: must be read again */
	u32 nr_runs;        /* with waiting records in it */
	bool spilled;       /* it is in the temporary file, at spill_offset */
	u64 spill_offset;
};

/* Bytes of a block that were read again. */
struct window {
	u8 *data;
	size_t alloc, size;
	u32 block, from; /* number of the block, and offset of the first byte in it */
};

/* Waiting records in stream order and in time order. Other records may be between them. */
struct run {
	u64 time;       /* of the next record */
	u32 block, pos; /* position of that record */
	u32 last, end;  /* block of the last record, and the offset after it */
	struct window *window;
	const struct perf_event_header *reread; /* the next record, if it is in the window; NULL: look */
};

struct order {
	struct reader *reader;
	struct reader_pass *pass;
	const struct sample_decoder *decoder;
	bool file_order;
	size_t memory;

	ARRAY(struct kept *) blocks; /* by number; NULL: done */
	size_t in_memory;            /* bytes of kept data, without the newest block */
	int spill_fd;                /* -1: none yet */
	u64 spill_size;
	ARRAY(struct block) spares;     /* free memory for the next blocks */
	ARRAY(struct window *) windows; /* free memory for the next windows */

	bool reading; /* the newest block has records that were not looked at, from pos on */
	size_t pos;
	bool at_end;

	ARRAY(struct run) runs; /* a heap: the run with the earliest next record on top */
	struct run growing;     /* the newest run, if it has a record */
	u64 growing_time;       /* of its last record */
	bool is_growing;
	u64 newest, limit; /* newest time seen; records up to limit go at the next mark */
	bool flushing;     /* records up to flush_limit are on their way out */
	u64 flush_limit;
};

struct order *order__new(struct reader *r, const struct sample_decoder *d, const struct order_opts *opts)
{
	struct order *o = xcalloc(1, sizeof(*o));

	o->reader = r;
	o->decoder = d;
	o->file_order = opts->file_order;
	o->memory = opts->memory;
	o->pass = reader_pass__new(r);
	o->spill_fd = -1;
	return o;
}

static void window__delete(struct window *w)
{
	if (w)
		free(w->data);
	free(w);
}

void order__delete(struct order *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < o->blocks.nr; i++) {
		if (!o->blocks.v[i])
			continue;
		block__exit(&o->blocks.v[i]->block);
		free(o->blocks.v[i]);
	}
	for (size_t i = 0; i < o->runs.nr; i++)
		window__delete(o->runs.v[i].window);
	for (size_t i = 0; i < o->windows.nr; i++)
		window__delete(o->windows.v[i]);
	for (size_t i = 0; i < o->spares.nr; i++)
		block__exit(&o->spares.v[i]);
	array__exit(&o->blocks);
	array__exit(&o->runs);
	array__exit(&o->windows);
	array__exit(&o->spares);
	reader_pass__delete(o->pass);
	file__close(o->spill_fd);
	free(o);
}

/* ---- batches ---- */

void order_batch__exit(struct order_batch *b)
{
	array__exit(&b->records);
	free(b->data);
	*b = (struct order_batch)ORDER_BATCH_INIT;
}

static void order_batch__start(struct order_batch *b)
{
	b->records.nr = 0;
	b->size = 0;
	if (!b->data)
		b->data = xmalloc(BATCH_SIZE + RECORD_SIZE_MAX);
}

static bool order_batch__is_full(const struct order_batch *b)
{
	return b->records.nr == BATCH_RECORDS || b->size >= BATCH_SIZE;
}

/* Copy the record at pos of block b. The batch is not full. */
static void order_batch__add(struct order_batch *batch, const struct block *b, size_t pos,
			     const struct perf_event_header *h, u64 time)
{
	void *copy = memcpy(batch->data + batch->size, h, h->size);
	struct ordered_record *r = array__push(&batch->records);

	r->record = (struct record){ .header = copy,
				     .offset = b->compressed ? b->offset : b->offset + pos,
				     .payload = pos + h->size >= b->size ? b->payload : 0 };
	r->time = time;
	r->segment = b->segment;
	batch->size += ROUND_UP((size_t)h->size, (size_t)8);
}

/* ---- blocks ---- */

static struct kept *order__newest(const struct order *o)
{
	return o->blocks.v[o->blocks.nr - 1];
}

/* Reuse its memory for a later read, if it is large enough. */
static void order__free_data(struct order *o, struct kept *k)
{
	if (k->block.alloc < BLOCK_ALLOC)
		free(k->block.data);
	else
		array__add(&o->spares, ((struct block){ .data = k->block.data, .alloc = k->block.alloc }));
	k->block.data = NULL;
	k->block.alloc = 0;
}

static int order__spill_open(struct order *o, struct err *err)
{
	if (o->spill_fd < 0)
		o->spill_fd = file__open_unnamed(NULL);
	if (o->spill_fd >= 0)
		return 0;
	return err__set(err, o->spill_fd, "cannot create a temporary file in '%s' for sorting: %s",
			file__temp_dir(), err__str(o->spill_fd));
}

static int order__spill(struct order *o, struct kept *k, struct err *err)
{
	int ret = order__spill_open(o, err);

	if (ret)
		return ret;
	ret = file__pwrite_all(o->spill_fd, k->block.data, k->block.size, o->spill_size);
	if (ret)
		return err__set(err, ret, "cannot write to the temporary file for sorting: %s",
				err__str(ret));
	k->spilled = true;
	k->spill_offset = o->spill_size;
	o->spill_size += k->block.size;
	return 0;
}

/* The newest block is done: keep the part that is still needed. */
static int order__finish_block(struct order *o, struct err *err)
{
	struct kept *k = order__newest(o);
	bool in_file = !k->block.compressed && !o->reader->needs_swap;
	size_t memory = o->memory ? o->memory : in_file ? MEMORY_REREAD : MEMORY_SPILL;
	int ret = 0;

	o->reading = false;
	if (!k->nr_runs) {
		order__free_data(o, k);
		free(k);
		o->blocks.v[o->blocks.nr - 1] = NULL;
		return 0;
	}
	if (o->in_memory + k->block.size > memory) {
		if (!in_file)
			ret = order__spill(o, k, err);
		if (!ret)
			order__free_data(o, k);
		return ret;
	}
	if (k->block.size < k->block.alloc / 2) { /* small blocks must not each hold a large buffer */
		u8 *data = xmemdup(k->block.data, k->block.size);

		order__free_data(o, k);
		k->block.data = data;
		k->block.alloc = k->block.size;
	}
	o->in_memory += k->block.alloc;
	return 0;
}

/* A run has no more records in the block. */
static void order__leave(struct order *o, u32 number)
{
	struct kept *k = o->blocks.v[number];

	if (--k->nr_runs || (o->reading && number == o->blocks.nr - 1))
		return;
	if (k->block.data) {
		o->in_memory -= k->block.alloc;
		order__free_data(o, k);
	}
	free(k);
	o->blocks.v[number] = NULL;
}

/* Read the next block. Return 1, 0 at the end, or a negative errno. */
static int order__read(struct order *o, struct err *err)
{
	struct block b = BLOCK_INIT;
	struct kept *k;
	int ret;

	if (o->spares.nr)
		b = o->spares.v[--o->spares.nr];
	else
		b = (struct block){ .data = xmalloc(BLOCK_ALLOC), .alloc = BLOCK_ALLOC };
	ret = reader_pass__next(o->pass, &b, err);
	if (ret <= 0) {
		block__exit(&b);
		return ret;
	}
	k = xcalloc(1, sizeof(*k));
	k->block = b;
	array__add(&o->blocks, k);
	o->reading = true;
	o->pos = 0;
	return 1;
}

/* ---- windows: bytes that are read again ---- */

static int order__changed(const struct order *o, const struct kept *k, struct err *err)
{
	return err__set(err, -EIO, "'%s': the file has changed since it was opened",
			o->reader->segments.v[k->block.segment].path);
}

/* Can a record be at pos of the block, as the first pass found it? Only the last one has an odd size. */
static bool block__may_have(const struct block *b, size_t pos, size_t size)
{
	return size >= HEADER_SIZE && size <= b->size - pos && (!(size & 7) || pos + size == b->size);
}

/* Read size bytes at the run's position; the caller may want more later. */
static int run__read(const struct order *o, struct run *run, size_t size, size_t later, struct err *err)
{
	const struct kept *k = o->blocks.v[run->block];
	int fd = k->spilled ? o->spill_fd : o->reader->segments.v[k->block.segment].fd;
	u64 offset = (k->spilled ? k->spill_offset : k->block.offset) + run->pos;
	struct window *w = run->window;
	ssize_t n;

	if (size > w->alloc) {
		free(w->data);
		w->alloc = size <= WINDOW_MIN ? size : MAX(size, later); /* allocated once */
		w->data = xmalloc(w->alloc);
	}
	w->block = run->block;
	w->from = run->pos;
	w->size = 0;
	n = file__pread_all(fd, w->data, size, offset);
	if (n < 0)
		return err__set(err, (int)n, "'%s': cannot read again at offset %llu: %s",
				k->spilled ? "temporary file" : o->reader->segments.v[k->block.segment].path,
				(unsigned long long)offset, err__str((int)n));
	w->size = (size_t)n;
	return 0;
}

/* Does the window have the whole record at the run's position? *need: the record's size, if known. */
static bool run__in_window(const struct run *run, size_t *need)
{
	const struct window *w = run->window;
	const struct perf_event_header *h;
	size_t at;

	if (w->block != run->block || run->pos < w->from || run->pos - w->from >= w->size)
		return false;
	at = run->pos - w->from;
	if (w->size - at < HEADER_SIZE)
		return false;
	h = (const void *)(w->data + at);
	*need = h->size;
	return h->size <= w->size - at;
}

/* Return the record at the run's position, of a block that is not in memory. NULL with *ret. */
static const struct perf_event_header *run__reread(struct order *o, struct run *run, int *ret,
						   struct err *err)
{
	const struct kept *k = o->blocks.v[run->block];
	size_t left = (run->block == run->last ? run->end : k->block.size) - run->pos;
	size_t size = MIN(MAX(WINDOWS_SIZE / (o->runs.nr + 1), (size_t)WINDOW_MIN), (size_t)WINDOW_MAX);
	const struct perf_event_header *h;
	size_t need = HEADER_SIZE;

	*ret = 0;
	if (!run->window)
		run->window =
			o->windows.nr ? o->windows.v[--o->windows.nr] : xcalloc(1, sizeof(*run->window));
	for (int tries = 0; !run__in_window(run, &need); tries++) {
		if (tries == 2 || need > left)
			*ret = order__changed(o, k, err);
		else
			*ret = run__read(o, run, MIN(MAX(size, need), left), size, err);
		if (*ret)
			return NULL;
	}
	h = (const void *)(run->window->data + (run->pos - run->window->from));
	if (!block__may_have(&k->block, run->pos, h->size))
		*ret = order__changed(o, k, err);
	return *ret ? NULL : h;
}

static const struct perf_event_header *run__header(struct order *o, struct run *run, int *ret,
						   struct err *err)
{
	const struct block *b = &o->blocks.v[run->block]->block;

	*ret = 0;
	if (b->data)
		return (const void *)(b->data + run->pos);
	if (!run->reread)
		run->reread = run__reread(o, run, ret, err);
	return run->reread;
}

/* ---- time ---- */

u64 record__order_time(const struct sample_decoder *d, const struct perf_event_header *h)
{
	struct record r = { .header = h };
	const struct sample_layout *l;
	struct sample_id id;
	struct evsel *e;
	u64 time = 0;

	if (h->type >= RECORD_HEADER_ATTR)
		return UINT64_MAX;
	if (h->type == PERF_RECORD_SAMPLE) {
		e = sample_decoder__evsel(d, &r);
		l = e ? &d->layouts[e->idx] : NULL;
		if (l && l->time != SAMPLE_NO_FIELD && l->time + sizeof(time) <= h->size)
			memcpy(&time, (const u8 *)h + l->time, sizeof(time));
	} else if (sample_id__decode(d->evlist, &r, &id) && id.time_known) {
		time = id.time;
	}
	return time ? time : UINT64_MAX;
}

static u64 order__time(const struct order *o, const struct perf_event_header *h)
{
	return o->file_order ? UINT64_MAX : record__order_time(o->decoder, h);
}

/* ---- runs ---- */

static bool run__before(const struct run *a, const struct run *b)
{
	if (a->time != b->time)
		return a->time < b->time;
	return a->block != b->block ? a->block < b->block : a->pos < b->pos;
}

static void order__push_run(struct order *o, const struct run *run)
{
	size_t i = o->runs.nr;
	struct run *v;

	array__add(&o->runs, *run);
	v = o->runs.v;
	for (; i && run__before(run, &v[(i - 1) / 2]); i = (i - 1) / 2)
		v[i] = v[(i - 1) / 2];
	v[i] = *run;
}

static void order__pop_run(struct order *o)
{
	if (o->runs.v[0].window)
		array__add(&o->windows, o->runs.v[0].window);
	o->runs.v[0] = o->runs.v[--o->runs.nr];
	if (o->runs.nr)
		heap__sift(o->runs.v, o->runs.nr, 0, run__before);
}

/* The growing run is complete. */
static void order__end_run(struct order *o)
{
	if (o->is_growing)
		order__push_run(o, &o->growing);
	o->is_growing = false;
}

/* Make the record at pos of the newest block wait; it ends at end. */
static void order__wait(struct order *o, u64 time, size_t pos, size_t end)
{
	u32 number = (u32)o->blocks.nr - 1;

	if (o->is_growing && time < o->growing_time)
		order__end_run(o);
	if (!o->is_growing || o->growing.last != number)
		o->blocks.v[number]->nr_runs++;
	if (!o->is_growing)
		o->growing = (struct run){ .time = time, .block = number, .pos = (u32)pos };
	o->is_growing = true;
	o->growing_time = time;
	o->growing.last = number;
	o->growing.end = (u32)end;
	o->newest = MAX(o->newest, time);
}

/* The run's first record h is done: move to the next. Return 1, 0 if there is none, or a negative errno. */
static int run__advance(struct order *o, struct run *run, const struct perf_event_header *h, struct err *err)
{
	int ret;

	for (;;) {
		run->pos += h->size;
		run->reread = NULL;
		if (run->block == run->last && run->pos >= run->end) {
			order__leave(o, run->block);
			return 0;
		}
		if (run->pos >= o->blocks.v[run->block]->block.size) {
			order__leave(o, run->block);
			/* skip blocks without waiting records of this run */
			while (!o->blocks.v[++run->block])
				;
			run->pos = 0;
		}
		h = run__header(o, run, &ret, err);
		if (!h)
			return ret;
		run->time = order__time(o, h);
		if (run->time != UINT64_MAX)
			return 1;
	}
}

/* Move the earliest waiting record into the batch. Return 1 or a negative errno. */
static int order__emit_waiting(struct order *o, struct order_batch *b, struct err *err)
{
	struct run *run = &o->runs.v[0];
	const struct perf_event_header *h;
	int ret;

	h = run__header(o, run, &ret, err);
	if (!h)
		return ret;
	order_batch__add(b, &o->blocks.v[run->block]->block, run->pos, h, run->time);
	ret = run__advance(o, run, h, err);
	if (ret > 0)
		heap__sift(o->runs.v, o->runs.nr, 0, run__before);
	else if (!ret)
		order__pop_run(o);
	return ret < 0 ? ret : 1;
}

/* Release waiting records up to limit. */
static void order__flush(struct order *o, u64 limit)
{
	order__end_run(o);
	o->flushing = true;
	o->flush_limit = limit;
}

/* Process the next record of the newest block. Return 1 or a negative errno. */
static int order__look_at_next(struct order *o, struct order_batch *b, struct err *err)
{
	struct kept *k = order__newest(o);
	size_t pos = o->pos;
	struct record r;
	u64 time;

	if (!block__next(&k->block, &o->pos, &r)) {
		int ret = order__finish_block(o, err);

		return ret ? ret : 1;
	}
	if (unlikely(!block__may_have(&k->block, pos, r.header->size)))
		return order__changed(o, k, err);
	time = order__time(o, r.header);
	if (time == UINT64_MAX)
		order_batch__add(b, &k->block, pos, r.header, time);
	else
		order__wait(o, time, pos, o->pos);
	if (r.header->type == RECORD_FINISHED_ROUND && !o->file_order) {
		order__flush(o, o->limit);
		o->limit = o->newest;
	}
	return 1;
}

/* Return 1: continue; 0: the end; or a negative errno. */
static int order__step(struct order *o, struct order_batch *b, struct err *err)
{
	int ret;

	if (o->flushing) {
		o->flushing = o->runs.nr && o->runs.v[0].time <= o->flush_limit;
		return o->flushing ? order__emit_waiting(o, b, err) : 1;
	}
	if (o->reading)
		return order__look_at_next(o, b, err);
	if (o->at_end)
		return 0;
	ret = order__read(o, err);
	if (ret)
		return ret;
	o->at_end = true;
	order__flush(o, UINT64_MAX);
	return 1;
}

int order__next(struct order *o, struct order_batch *b, struct err *err)
{
	int ret = 1;

	order_batch__start(b);
	while (ret > 0 && !order_batch__is_full(b))
		ret = order__step(o, b, err);
	return ret < 0 ? ret : b->records.nr > 0;
}
