/*
 * The walk over a stream of records, one after the other. It handles everything except long runs of plain
 * records in a file, which are walked in pieces.
 *
 * Bytes are read directly into the caller's block, as far as whole records go. If the block must end before
 * the bytes do (before a compressed record or a skipped payload, or after a record whose size would leave
 * the next one unaligned), the rest is kept in the walker's window, so that nothing is read twice. A partial
 * record at the end is kept only if it cannot be read again. Copying to an address a few bytes above the
 * source's, modulo 4096, takes three times as long, and the place after a kept rest is such an address.
 */
#include "base/system/file.h"
#include "format/read/reader_private.h"
#include "format/records/swap.h"

#include <errno.h>
#include <string.h>

typedef unsigned long long ull;

static size_t window__left(const struct window *w)
{
	return w->size - w->pos;
}

static const u8 *window__at(const struct window *w)
{
	return w->data + w->pos;
}

static void window__clear(struct window *w)
{
	w->pos = w->size = 0;
}

/* Replace the content. data may be part of it. */
static void window__set(struct window *w, const u8 *data, size_t size)
{
	if (size > w->alloc) {
		u8 *larger = xmalloc(size);

		memcpy(larger, data, size);
		free(w->data);
		w->data = larger;
		w->alloc = size;
	} else if (size) {
		memmove(w->data, data, size);
	}
	w->pos = 0;
	w->size = size;
}

/* Copy the rest to where the next bytes will follow it. */
static void window__copy(const struct window *w, u8 *to)
{
	if (window__left(w))
		memcpy(to, window__at(w), window__left(w));
}

void walker__init(struct walker *w, struct reader *r, bool first)
{
	*w = (struct walker){ .r = r, .first = first };
	w->offset = r->segments.v[0].start;
}

/* Report damage, unless the caller that walks a range does something about it. */
static void PRINTF(2, 3) walker__damage(struct walker *w, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (w->range_end)
		w->failed = true;
	else
		reader__vdamage(w->r, fmt, ap);
	va_end(ap);
}

void walker__exit(struct walker *w)
{
	unpacker__close(&w->unpacker);
	free(w->window.data);
	free(w->plain.data);
}

void block__exit(struct block *b)
{
	free(b->data);
	*b = (struct block)BLOCK_INIT;
}

void block__reserve(struct block *b, size_t size)
{
	if (b->alloc >= size)
		return;
	free(b->data);
	b->alloc = MAX(size, (size_t)4096);
	b->data = xmalloc(b->alloc);
}

/* ---- boundaries ---- */

enum run_end {
	RUN_PARTIAL,    /* the bytes end inside a record, or directly after one */
	RUN_BAD,        /* a record of size under 8 */
	RUN_COMPRESSED, /* before a compressed record */
	RUN_CUT,        /* after a record that must be a block's last */
};

struct run { /* of whole records */
	enum run_end end;
	size_t size;
	u64 nr_records;
	u64 payload; /* bytes after them */
};

static struct perf_event_header header__load(const u8 *p, bool swap)
{
	struct perf_event_header h;

	memcpy(&h, p, sizeof(h));
	return swap ? event_header__swapped(h) : h;
}

static u64 load(const u8 *p, size_t size, bool swap)
{
	u64 x64 = 0;
	u32 x32 = 0;

	if (size == 4) {
		memcpy(&x32, p, sizeof(x32));
		return swap ? __builtin_bswap32(x32) : x32;
	}
	memcpy(&x64, p, sizeof(x64));
	return swap ? __builtin_bswap64(x64) : x64;
}

/* Return the size of the payload after a record, which header.size does not include. */
static u64 record__payload(const u8 *p, const struct perf_event_header *h, bool swap)
{
	u64 size;

	if (h->type == RECORD_AUXTRACE && h->size >= RECORD_HEADER_SIZE + 8)
		return load(p + RECORD_HEADER_SIZE, 8, swap);
	if (h->type != RECORD_HEADER_TRACING_DATA || h->size < RECORD_HEADER_SIZE + 4)
		return 0;
	/* Some recorders put the data inside the record. */
	size = load(p + RECORD_HEADER_SIZE, 4, swap);
	return h->size >= RECORD_HEADER_SIZE + 4 + size ? 0 : ROUND_UP(size, 8);
}

static bool type__compressed(u32 type)
{
	return type == RECORD_COMPRESSED || type == RECORD_COMPRESSED2;
}

/* Find how many of size bytes are whole records. Some types make no sense inside a compressed record. */
static void run__find(struct run *run, const u8 *data, size_t size, const struct walker *w)
{
	bool swap = w->r->needs_swap, inside = w->inside;

	*run = (struct run){ .end = RUN_PARTIAL };
	while (size - run->size >= RECORD_HEADER_SIZE) {
		const u8 *p = data + run->size;
		struct perf_event_header h = header__load(p, swap);

		if (unlikely(h.size < RECORD_HEADER_SIZE)) {
			run->end = RUN_BAD;
			return;
		}
		if (h.size > size - run->size)
			return;
		if (unlikely(h.type >= RECORD_HEADER_ATTR && record_type__ends_run(h.type) &&
			     !reader__is_old_feature(w->r, h.type))) {
			if (type__compressed(h.type)) {
				run->end = inside ? RUN_BAD : RUN_COMPRESSED;
				return;
			}
			run->payload = inside ? 0 : record__payload(p, &h, swap);
		}
		run->size += h.size;
		run->nr_records++;
		if (unlikely(run->payload || h.size & 7)) {
			run->end = RUN_CUT;
			return;
		}
	}
}

/* b->data already has the run. */
static void walker__finish_block(struct walker *w, struct block *b, const struct run *run, u64 offset)
{
	b->size = run->size;
	b->offset = offset;
	b->compressed = w->inside;
	b->unpacked = w->inside ? w->inside_done : 0;
	w->inside_done += run->size;
	b->payload = run->payload;
	b->segment = w->segment;
}

static struct reader_segment *walker__segment(const struct walker *w)
{
	return &w->r->segments.v[w->segment];
}

/* Return the offset at which the segment, or the range, ends. */
static u64 walker__end(const struct walker *w)
{
	return w->range_end ? w->range_end : walker__segment(w)->end;
}

static void walker__next_segment(struct walker *w)
{
	struct reader *r = w->r;

	w->inside = false;
	unpacker__close(&w->unpacker);
	window__clear(&w->window);
	window__clear(&w->plain);
	if (w->range_end)
		w->segment = (u32)r->segments.nr;
	else if (++w->segment < r->segments.nr)
		w->offset = r->segments.v[w->segment].start;
}

/* ---- compressed records ---- */

/* Enter the compressed record at the front of the window, which must have all of it. */
static void walker__enter(struct walker *w)
{
	const u8 *p = window__at(&w->window);
	bool swap = w->r->needs_swap;
	struct perf_event_header h = header__load(p, swap);
	size_t start = h.type == RECORD_COMPRESSED2 ? RECORD_HEADER_SIZE + 8 : RECORD_HEADER_SIZE;

	*(h.type == RECORD_COMPRESSED2 ? &w->totals.nr_compressed2 : &w->totals.nr_compressed) += 1;
	w->unpacker.format = UNPACK_ZSTD;
	w->unpacker.in = p + start;
	w->unpacker.size = h.size > start ? h.size - start : 0;
	if (h.type == RECORD_COMPRESSED2 && w->unpacker.size)
		w->unpacker.size = (size_t)MIN((u64)w->unpacker.size, load(p + RECORD_HEADER_SIZE, 8, swap));
	w->inside = true;
	w->totals.packed_bytes += w->unpacker.size;
	w->inside_offset = w->offset;
	w->inside_done = 0;
	w->offset += h.size;
	w->window.pos += h.size;
}

/*
 * Decompress more into b, after the rest that is left over. Return the number of bytes in b; 0: no more;
 * negative: cannot be decompressed.
 */
static ssize_t walker__decompress(struct walker *w, struct block *b)
{
	size_t left = window__left(&w->plain);
	struct err err = ERR_INIT;
	ssize_t n;

	block__reserve(b, MAX(left, (size_t)RECORD_SIZE_MAX) + BLOCK_SIZE);
	window__copy(&w->plain, b->data);
	n = unpacker__run(&w->unpacker, b->data + left, BLOCK_SIZE, &err);
	if (n < 0)
		walker__damage(w, "'%s': the compressed record at offset %llu cannot be decompressed: %s",
			       walker__segment(w)->path, (ull)w->inside_offset, err.text.buf);
	err__exit(&err);
	return n > 0 ? n + (ssize_t)left : n;
}

/*
 * Is this more than a recorder could have packed? Records differ at least in their time, which takes some
 * bytes; but stack copies may be long and empty.
 */
static bool totals__are_too_much(const struct unpacked_totals *t)
{
	return t->unpacked_records > UNPACKED_RECORDS_FREE + t->packed_bytes * UNPACKED_RECORDS_PER_BYTE ||
	       t->unpacked_bytes > UNPACKED_BYTES_FREE + t->packed_bytes * UNPACKED_BYTES_PER_BYTE;
}

/* Count what was unpacked. Return whether it is too much. */
static bool walker__unpacks_too_much(struct walker *w, const struct run *run)
{
	w->totals.unpacked_records += run->nr_records;
	w->totals.unpacked_bytes += run->size;
	return totals__are_too_much(&w->totals);
}

bool walker__add_totals(struct walker *w, const struct unpacked_totals *totals)
{
	const struct unpacked_totals sum = {
		.nr_compressed = w->totals.nr_compressed + totals->nr_compressed,
		.nr_compressed2 = w->totals.nr_compressed2 + totals->nr_compressed2,
		.packed_bytes = w->totals.packed_bytes + totals->packed_bytes,
		.unpacked_bytes = w->totals.unpacked_bytes + totals->unpacked_bytes,
		.unpacked_records = w->totals.unpacked_records + totals->unpacked_records,
	};

	if (totals__are_too_much(&sum))
		return false;
	w->totals = sum;
	return true;
}

/* Take whole records from the front of the decompressed bytes: b's own, or those left over. */
static bool walker__take_plain(struct walker *w, struct block *b, const u8 *data, size_t size)
{
	bool own = data == b->data;
	struct run run;

	run__find(&run, data, size, w);
	if (run.end == RUN_BAD && !run.size) {
		walker__damage(w, "'%s': the compressed record at offset %llu does not hold records",
			       walker__segment(w)->path, (ull)w->inside_offset);
		walker__next_segment(w);
		return false;
	}
	if (walker__unpacks_too_much(w, &run)) {
		walker__damage(w,
			       "'%s': the compressed record at offset %llu unpacks to more than a recorder "
			       "packs: %llu records, %llu bytes from %llu; the rest is not read",
			       walker__segment(w)->path, (ull)w->inside_offset,
			       (ull)w->totals.unpacked_records, (ull)w->totals.unpacked_bytes,
			       (ull)w->totals.packed_bytes);
		w->segment = (u32)w->r->segments.nr - 1; /* also skip the other files of a directory */
		walker__next_segment(w);
		return false;
	}
	if (own) {
		window__set(&w->plain, data + run.size, size - run.size);
	} else if (run.size) {
		block__reserve(b, run.size);
		memcpy(b->data, data, run.size);
		w->plain.pos += run.size;
	}
	if (run.size)
		walker__finish_block(w, b, &run, w->inside_offset);
	return run.size;
}

/* Make a block of the content of the current compressed record. Return 1, or 0 if there is no more. */
static int walker__inside(struct walker *w, struct block *b)
{
	while (w->inside) {
		size_t left = window__left(&w->plain);
		ssize_t n;

		if (left >= RECORD_HEADER_SIZE && walker__take_plain(w, b, window__at(&w->plain), left))
			return 1;
		if (!w->inside)
			break;
		n = walker__decompress(w, b);
		if (n < 0)
			walker__next_segment(w);
		else if (!n)
			w->inside = false;
		else if (walker__take_plain(w, b, b->data, (size_t)n))
			return 1;
	}
	return 0;
}

/* ---- plain records ---- */

/* Does the stream go on in another frame, or not at all? */
static bool walker__is_clean(const struct walker *w)
{
	return !w->inside && !window__left(&w->plain) && (!w->unpacker.stream || w->unpacker.at_end);
}

/* The unpacker is kept for the next range. */
static void walker__range_ended(struct walker *w)
{
	if (window__left(&w->plain) || (!walker__is_clean(w) && w->range_end < walker__segment(w)->end))
		w->failed = true;
	w->segment = (u32)w->r->segments.nr;
}

static void walker__segment_ended(struct walker *w)
{
	struct reader_segment *s = walker__segment(w);

	if (w->offset > s->end)
		walker__damage(
			w,
			"'%s': the file ends at offset %llu, expected data of an earlier record up to %llu",
			s->path, (ull)s->end, (ull)w->offset);
	if (window__left(&w->plain))
		walker__damage(w, "'%s': offset %llu: the compressed stream ends inside a record", s->path,
			       (ull)w->inside_offset);
	walker__next_segment(w);
}

/* There is no whole record at the front of left bytes: report why, and go to the next segment. */
static void walker__stuck(struct walker *w, const u8 *data, size_t left, enum run_end end)
{
	struct reader *r = w->r;
	const struct reader_segment *s = walker__segment(w);
	struct perf_event_header h = { 0 };
	bool expected = r->unterminated; /* in any file of a directory */

	if (left >= RECORD_HEADER_SIZE)
		h = header__load(data, r->needs_swap);
	if (end == RUN_BAD && !expected)
		walker__damage(w, "'%s': offset %llu: a record of size %u, expected at least %d", s->path,
			       (ull)w->offset, h.size, RECORD_HEADER_SIZE);
	else if (!expected && left < RECORD_HEADER_SIZE)
		walker__damage(w, "'%s': the file ends at offset %llu, inside a record's header", s->path,
			       (ull)s->end);
	else if (!expected)
		walker__damage(
			w, "'%s': offset %llu: a record of type %u and %u bytes runs past the end at %llu",
			s->path, (ull)w->offset, h.type, h.size, (ull)s->end);
	walker__next_segment(w);
}

/*
 * Patched perf 3.x numbers its header features in a pipe from 69 to 81. In such a record, text is at the
 * place of an AUXTRACE record's data size.
 */
static void walker__check_payload(struct walker *w, struct run *run)
{
	struct reader *r = w->r;

	if (!r->is_pipe || run->payload < PAYLOAD_MAX)
		return;
	/* once: the next one is known for what it is */
	reader__warn(
		r,
		"'%s': the AUXTRACE record that ends at offset %llu claims %llu bytes of data, more than a "
		"pipe can hold: taken for a header feature of a patched perf 3.x; records of types %d to "
		"%d are skipped",
		walker__segment(w)->path, (ull)w->offset, (ull)run->payload, OLD_FEATURE_FIRST,
		OLD_FEATURE_LAST);
	r->has_old_features = true;
	run->payload = 0;
}

/* Skip the payload after a block's last record. */
static void walker__skip_payload(struct walker *w, u64 payload)
{
	if (payload <= window__left(&w->window))
		w->window.pos += payload;
	else
		window__clear(&w->window);
	/* Any offset beyond all files will do. */
	if (__builtin_add_overflow(w->offset, payload, &w->offset))
		w->offset = UINT64_MAX;
}

/* Read what has arrived of a stream, after what is left in the window. */
static ssize_t walker__read_stream(struct walker *w, struct block *b, struct err *err)
{
	struct reader_stream *stream = w->r->priv->stream;
	struct reader_segment *s = walker__segment(w);
	size_t left = window__left(&w->window);
	u64 offset = w->offset + left, size;
	ssize_t n;

	block__reserve(b, RECORD_SIZE_MAX + BLOCK_SIZE);
	window__copy(&w->window, b->data);
	window__clear(&w->window);
	n = reader_stream__read_until(stream, offset, w->r, err); /* also reads a payload to be skipped */
	size = reader_stream__size(stream);
	/* after an error, and at the end of the stream, size is smaller */
	if (size > offset) /* bytes that were read together with the header */
		n = file__pread_all(s->fd, b->data + left, (size_t)MIN(size - offset, (u64)BLOCK_SIZE),
				    offset);
	else if (size == offset)
		n = reader_stream__read(stream, b->data + left, BLOCK_SIZE, w->r, err);
	if (!n)
		s->end = size;
	return n < 0 ? n : n + (ssize_t)left;
}

static bool walker__reads_stream(const struct walker *w)
{
	return w->r->priv->stream && w->segment == 0;
}

/* Read the next bytes into b. Return how many b has. */
static ssize_t walker__read(struct walker *w, struct block *b, struct err *err)
{
	struct reader_segment *s = walker__segment(w);
	size_t want = (size_t)MIN((u64)BLOCK_SIZE, walker__end(w) - w->offset);
	ssize_t n;

	if (walker__reads_stream(w))
		return walker__read_stream(w, b, err);
	window__clear(&w->window);
	block__reserve(b, want);
	n = file__pread_all(s->fd, b->data, want, w->offset);
	if (n < 0)
		return err__set(err, (int)n, "'%s': cannot read at offset %llu: %s", s->path, (ull)w->offset,
				err__str((int)n));
	if ((size_t)n < want) {
		walker__damage(w, "'%s': the file ends at offset %llu, it was longer when it was opened",
			       s->path, (ull)(w->offset + (u64)n));
		if (!w->range_end)
			s->end = w->offset + (u64)n;
	}
	return n;
}

/* Keep the bytes of a block that were read but not used, unless the next read can start there. */
static void walker__keep_rest(struct walker *w, const u8 *rest, size_t size, const struct run *run)
{
	window__clear(&w->window);
	if (run->end == RUN_PARTIAL && !walker__reads_stream(w) &&
	    w->offset + run->size + size < walker__end(w))
		return;
	window__set(&w->window, rest, size);
}

/*
 * Take whole records from the front of size bytes at data: b's own bytes, or the window's. Return 1: b is a
 * block of them; 0: no records, but the walker has advanced; -EAGAIN: more bytes are needed.
 */
static int walker__take(struct walker *w, struct block *b, const u8 *data, size_t size)
{
	bool at_end = w->offset + size >= walker__end(w);
	bool own = data == b->data;
	u64 offset = w->offset;
	struct run run;

	run__find(&run, data, size, w);
	if (own)
		walker__keep_rest(w, data + run.size, size - run.size, &run);
	if (!run.size && run.end == RUN_PARTIAL && !at_end)
		return -EAGAIN;
	if (!run.size && run.end == RUN_COMPRESSED) {
		walker__enter(w);
		return 0;
	}
	if (!run.size) {
		walker__stuck(w, data, size, run.end);
		return 0;
	}
	if (!own) {
		block__reserve(b, run.size);
		memcpy(b->data, data, run.size);
		w->window.pos += run.size;
	}
	w->offset = offset + run.size;
	walker__check_payload(w, &run);
	walker__skip_payload(w, run.payload);
	walker__finish_block(w, b, &run, offset);
	return 1;
}

/* Do a step of the walk. Return 1: b is a block; 0: continue; negative errno: reading failed. */
static int walker__step(struct walker *w, struct block *b, struct err *err)
{
	size_t left = window__left(&w->window);
	ssize_t n;
	int ret;

	if (w->inside)
		return walker__inside(w, b);
	if (left) {
		ret = walker__take(w, b, window__at(&w->window), left);
		if (ret != -EAGAIN)
			return ret;
	} else if (w->offset >= walker__end(w)) {
		if (w->range_end)
			walker__range_ended(w);
		else
			walker__segment_ended(w);
		return 0;
	}
	n = walker__read(w, b, err);
	if (n <= 0)
		return (int)n;
	ret = walker__take(w, b, b->data, (size_t)n);
	return ret == -EAGAIN ? 0 : ret;
}

void walker__begin_range(struct walker *w, u32 segment, u64 start, u64 end)
{
	if (!walker__is_clean(w))
		unpacker__close(&w->unpacker);
	window__clear(&w->window);
	window__clear(&w->plain);
	w->inside = w->failed = false;
	w->segment = segment;
	w->offset = start;
	w->range_end = end;
	w->totals = (struct unpacked_totals){ 0 };
}

bool walker__is_between_frames(struct walker *w)
{
	while (w->segment < w->r->segments.nr && !w->inside && !window__left(&w->window) &&
	       !walker__reads_stream(w) && w->offset >= walker__end(w))
		walker__segment_ended(w);
	return w->segment < w->r->segments.nr && walker__is_clean(w);
}

void walker__move(struct walker *w, u64 offset)
{
	window__clear(&w->window);
	w->offset = offset;
}

void walker__cut(struct walker *w)
{
	struct reader *r = w->r;

	for (u32 i = w->segment; i < r->segments.nr; i++) {
		struct reader_segment *s = &r->segments.v[i];

		s->end = i == w->segment ? MIN(w->offset, s->end) : s->start;
	}
	w->segment = (u32)r->segments.nr;
}

int walker__next(struct walker *w, struct block *b, struct err *err)
{
	struct reader *r = w->r;
	int ret = 0;

	/* A stream decides itself: its sender may have been asked to stop, too. */
	if (w->segment < r->segments.nr && !r->priv->stream && !w->range_end && reader__is_stopped(r)) {
		if (w->first)
			walker__cut(w);
		else
			w->segment = (u32)r->segments.nr;
	}
	while (!ret && w->segment < r->segments.nr)
		ret = walker__step(w, b, err);
	if (ret == -EINTR && r->priv->stream) {
		walker__cut(w);
		return 0;
	}
	return ret;
}
