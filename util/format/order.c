#include "format/order.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum {
	BATCH_MAX = 4096,
	MEMORY_DEFAULT = 64 << 20,
};

/* A record that waits: where it is. block and pos count up in stream order. */
struct waiting {
	u64 time;
	u32 block, pos;
};

/* A block of which records wait, or are in the current batch. */
struct kept {
	struct block block; /* data NULL: in the spill file */
	u32 nr;             /* records that wait or are in the batch */
	u32 batch;          /* the last batch that used it */
	bool spilled;       /* it is in the spill file, at spill_offset */
	u64 spill_offset;
};

struct order {
	struct reader *reader;
	struct reader_pass *pass;
	const struct sample_decoder *decoder;
	bool file_order;
	size_t memory;

	ARRAY(struct kept *) blocks; /* by number; NULL: done with */
	u32 first;                   /* all before this number are NULL */
	size_t in_memory;            /* bytes of kept data */
	int spill_fd;                /* -1: none yet */
	u64 spill_size;
	struct block spare; /* for the next read */

	bool reading; /* the newest block has records that were not looked at, from pos on */
	size_t pos;
	bool at_end;

	ARRAY(struct waiting) waiting;
	ARRAY(struct waiting) scratch; /* of the sort */
	size_t nr_sorted;              /* of waiting */
	u64 newest, limit;             /* newest time seen; records up to limit go at the next mark */
	size_t flush_pos, flush_end;   /* waiting[flush_pos...flush_end) are on their way out */

	struct ordered_record *batch;
	u32 *batch_blocks; /* number of the block of each */
	u32 nr_batch, batch_no;
};

struct order *order__new(struct reader *r, const struct sample_decoder *d, const struct order_opts *opts)
{
	struct order *o = xcalloc(1, sizeof(*o));

	o->reader = r;
	o->decoder = d;
	o->file_order = opts->file_order;
	o->memory = opts->memory ? opts->memory : MEMORY_DEFAULT;
	o->pass = reader_pass__new(r);
	o->spill_fd = -1;
	o->batch = xcalloc(BATCH_MAX, sizeof(*o->batch));
	o->batch_blocks = xcalloc(BATCH_MAX, sizeof(*o->batch_blocks));
	return o;
}

void order__delete(struct order *o)
{
	if (!o)
		return;
	for (size_t i = o->first; i < o->blocks.nr; i++) {
		if (!o->blocks.v[i])
			continue;
		block__exit(&o->blocks.v[i]->block);
		free(o->blocks.v[i]);
	}
	array__exit(&o->blocks);
	array__exit(&o->waiting);
	array__exit(&o->scratch);
	block__exit(&o->spare);
	reader_pass__delete(o->pass);
	if (o->spill_fd >= 0)
		close(o->spill_fd);
	free(o->batch);
	free(o->batch_blocks);
	free(o);
}

/* ---- blocks ---- */

/* Its memory serves the next read, if it is large enough for one; small blocks have exactly what they need.
 */
static void order__free_data(struct order *o, struct kept *k)
{
	if (!k->block.data)
		return;
	o->in_memory -= k->block.alloc;
	if (k->block.alloc > o->spare.alloc) {
		block__exit(&o->spare);
		o->spare = (struct block){ .data = k->block.data, .alloc = k->block.alloc };
	} else {
		free(k->block.data);
	}
	k->block.data = NULL;
	k->block.alloc = 0;
}

static void order__drop(struct order *o, u32 number)
{
	struct kept *k = o->blocks.v[number];

	if (k->nr || (o->reading && number == o->blocks.nr - 1))
		return;
	order__free_data(o, k);
	free(k);
	o->blocks.v[number] = NULL;
	while (o->first < o->blocks.nr && !o->blocks.v[o->first])
		o->first++;
}

static int order__spill_open(struct order *o, struct err *err)
{
	const char *dir = getenv("TMPDIR");
	char *name;
	int ret = 0;

	if (o->spill_fd >= 0)
		return 0;
	name = xasprintf("%s/perf-order-XXXXXX", dir && *dir ? dir : "/tmp");
	o->spill_fd = mkostemp(name, O_CLOEXEC);
	if (o->spill_fd < 0)
		ret = err__set(err, -errno, "cannot create a temporary file '%s' for sorting: %s", name,
			       strerror(errno));
	else
		unlink(name);
	free(name);
	return ret;
}

static int order__spill(struct order *o, struct kept *k, struct err *err)
{
	int ret = 0;

	if (!k->spilled) {
		ret = order__spill_open(o, err);
		if (ret)
			return ret;
		ret = file__pwrite_all(o->spill_fd, k->block.data, k->block.size, o->spill_size);
		if (ret)
			return err__set(err, ret, "cannot write to the temporary file for sorting: %s",
					err__str(ret));
		k->spilled = true;
		k->spill_offset = o->spill_size;
		o->spill_size += k->block.size;
	}
	order__free_data(o, k);
	return 0;
}

/* Sheds blocks that the batch does not use, oldest first, until the memory limit holds. */
static int order__shed(struct order *o, struct err *err)
{
	for (u32 i = o->first; i < o->blocks.nr && o->in_memory > o->memory; i++) {
		struct kept *k = o->blocks.v[i];
		int ret;

		if (!k || !k->block.data || k->batch == o->batch_no || (o->reading && i == o->blocks.nr - 1))
			continue;
		ret = order__spill(o, k, err);
		if (ret)
			return ret;
	}
	return 0;
}

static int order__load(struct order *o, struct kept *k, struct err *err)
{
	ssize_t n;

	if (k->block.data)
		return 0;
	k->block.data = xmalloc(k->block.size);
	k->block.alloc = k->block.size;
	o->in_memory += k->block.alloc;
	n = file__pread_all(o->spill_fd, k->block.data, k->block.size, k->spill_offset);
	if (n == (ssize_t)k->block.size)
		return 0;
	return err__set(err, n < 0 ? (int)n : -EIO, "cannot read the temporary file for sorting: %s",
			err__str(n < 0 ? (int)n : -EIO));
}

/* Reads the next block. 1, 0 at the end, or a negative errno. */
static int order__read(struct order *o, struct err *err)
{
	struct block b = o->spare;
	struct kept *k;
	int ret;

	o->spare = (struct block)BLOCK_INIT;
	ret = reader_pass__next(o->pass, &b, err);
	if (ret <= 0) {
		block__exit(&b);
		return ret;
	}
	k = xcalloc(1, sizeof(*k));
	k->block = b;
	if (b.size < b.alloc / 2) { /* many small ones must not cost a large buffer each */
		k->block.data = xmemdup(b.data, b.size);
		k->block.alloc = b.size;
		o->spare = (struct block){ .data = b.data, .alloc = b.alloc };
	}
	o->in_memory += k->block.alloc;
	array__add(&o->blocks, k);
	o->reading = true;
	o->pos = 0;
	return 1;
}

/* ---- time ---- */

/* When the record is due; UINT64_MAX: at once. */
static u64 order__time(const struct order *o, const struct record *r)
{
	const struct sample_layout *l;
	struct sample_id id;
	struct evsel *e;
	u64 time = 0;

	if (r->header->type >= RECORD_HEADER_ATTR)
		return UINT64_MAX;
	if (r->header->type == PERF_RECORD_SAMPLE) {
		e = sample_decoder__evsel(o->decoder, r);
		l = e ? &o->decoder->layouts[e->idx] : NULL;
		if (l && l->time != SAMPLE_NO_FIELD && l->time + sizeof(time) <= r->header->size)
			memcpy(&time, (const u8 *)r->header + l->time, sizeof(time));
	} else if (sample_id__decode(o->decoder->evlist, r, &id) && id.time_known) {
		time = id.time;
	}
	return time ? time : UINT64_MAX;
}

static bool waiting__after(const struct waiting *a, const struct waiting *b)
{
	return a->time > b->time; /* equal ones are in stream order already, and the merge is stable */
}

/* Merges two neighbouring runs of v into out. */
static void merge_runs(const struct waiting *v, size_t a, size_t mid, size_t end, struct waiting *out)
{
	size_t b = mid, i = a;

	while (i < mid && b < end)
		*out++ = waiting__after(&v[i], &v[b]) ? v[b++] : v[i++];
	memcpy(out, &v[i], (mid - i) * sizeof(*v));
	memcpy(out + (mid - i), &v[b], (end - b) * sizeof(*v));
}

static size_t run_end(const struct waiting *v, size_t i, size_t nr)
{
	for (i++; i < nr && !waiting__after(&v[i - 1], &v[i]); i++)
		;
	return i;
}

/* A merge sort that starts from the runs that are there: one per ring buffer and round. */
static void order__sort(struct order *o)
{
	size_t nr = o->waiting.nr;

	if (o->nr_sorted == nr)
		return;
	for (;;) {
		struct waiting *v = o->waiting.v, *out;
		size_t end, next, i;

		end = run_end(v, 0, nr);
		if (end == nr)
			break;
		array__reserve(&o->scratch, nr);
		out = o->scratch.v;
		for (i = 0; i < nr; i = next, end = i < nr ? run_end(v, i, nr) : nr) {
			next = end < nr ? run_end(v, end, nr) : nr;
			merge_runs(v, i, end, next, out + i);
		}
		o->scratch.v = v;
		o->waiting.v = out;
		nr = o->waiting.nr;
		i = o->scratch.alloc;
		o->scratch.alloc = o->waiting.alloc;
		o->waiting.alloc = i;
	}
	o->nr_sorted = nr;
}

/* Sets waiting records up to limit on their way out. */
static void order__flush(struct order *o, u64 limit)
{
	size_t lo = 0, hi;

	order__sort(o);
	hi = o->waiting.nr;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (o->waiting.v[mid].time <= limit)
			lo = mid + 1;
		else
			hi = mid;
	}
	o->flush_pos = 0;
	o->flush_end = lo;
}

/* All that was to go is gone: the rest moves up. */
static void order__flushed(struct order *o)
{
	size_t left = o->waiting.nr - o->flush_end;

	memmove(o->waiting.v, o->waiting.v + o->flush_end, left * sizeof(*o->waiting.v));
	o->waiting.nr = o->nr_sorted = left;
	o->flush_pos = o->flush_end = 0;
}

/* ---- batches ---- */

static void order__emit(struct order *o, const struct record *r, u64 time, u32 number)
{
	struct kept *k = o->blocks.v[number];

	k->batch = o->batch_no;
	o->batch_blocks[o->nr_batch] = number;
	o->batch[o->nr_batch++] =
		(struct ordered_record){ .record = *r, .time = time, .segment = k->block.segment };
}

/* Moves one waiting record into the batch. 1; 0: there is no memory for its block beside the batch's;
 * negative errno. */
static int order__emit_waiting(struct order *o, struct err *err)
{
	const struct waiting *w = &o->waiting.v[o->flush_pos];
	struct kept *k = o->blocks.v[w->block];
	struct record r;
	size_t pos = w->pos;
	int ret;

	if (!k->block.data) {
		if (o->nr_batch && o->in_memory + k->block.size > o->memory) {
			ret = order__shed(o, err);
			if (ret || o->in_memory + k->block.size > o->memory)
				return ret;
		}
		ret = order__load(o, k, err);
		if (ret)
			return ret;
	}
	block__next(&k->block, &pos, &r);
	order__emit(o, &r, w->time, w->block);
	o->flush_pos++;
	if (o->flush_pos == o->flush_end)
		order__flushed(o);
	return 1;
}

static void order__look_at_next(struct order *o)
{
	u32 number = (u32)o->blocks.nr - 1;
	struct kept *k = o->blocks.v[number];
	size_t pos = o->pos;
	struct record r;
	u64 time;

	if (!block__next(&k->block, &o->pos, &r)) {
		o->reading = false;
		order__drop(o, number);
		return;
	}
	time = order__time(o, &r);
	k->nr++;
	if (o->file_order || time == UINT64_MAX) {
		order__emit(o, &r, time, number);
	} else {
		array__add(&o->waiting, ((struct waiting){ time, number, (u32)pos }));
		o->newest = MAX(o->newest, time);
	}
	if (r.header->type == RECORD_FINISHED_ROUND && !o->file_order) {
		order__flush(o, o->limit);
		o->limit = o->newest;
	}
}

static void order__release_batch(struct order *o)
{
	for (u32 i = 0; i < o->nr_batch; i++)
		o->blocks.v[o->batch_blocks[i]]->nr--;
	for (u32 i = 0; i < o->nr_batch; i++)
		if (o->blocks.v[o->batch_blocks[i]])
			order__drop(o, o->batch_blocks[i]);
	o->nr_batch = 0;
	o->batch_no++;
}

/* 1: go on; 0: the batch must end here; negative errno. */
static int order__step(struct order *o, struct err *err)
{
	int ret;

	if (o->flush_pos < o->flush_end)
		return order__emit_waiting(o, err);
	if (o->reading) {
		order__look_at_next(o);
		return 1;
	}
	if (o->at_end)
		return 0;
	if (o->in_memory > o->memory) {
		if (o->nr_batch)
			return 0;
		ret = order__shed(o, err);
		if (ret)
			return ret;
	}
	ret = order__read(o, err);
	if (ret < 0)
		return ret;
	if (!ret) {
		o->at_end = true;
		order__flush(o, UINT64_MAX);
	}
	return 1;
}

ssize_t order__next(struct order *o, const struct ordered_record **v, struct err *err)
{
	int ret = 1;

	order__release_batch(o);
	while (ret > 0 && o->nr_batch < BATCH_MAX)
		ret = order__step(o, err);
	*v = o->batch;
	return ret < 0 ? ret : (ssize_t)o->nr_batch;
}
