/*
 * Passes over the records. The first pass finds the record boundaries and remembers where its blocks
 * began; later passes over plain files only claim a block's place under the lock and read outside it. A
 * stream with compressed records (or of nothing but tiny blocks) is walked anew by each pass, under the lock.
 *
 * Plain bytes are read straight into the caller's block, as far as whole records go. When the block must
 * end before the bytes do (in front of a compressed record or of skipped payload, behind a record whose size
 * would leave the next one unaligned), the rest is kept in the pass's window so that nothing is read twice.
 */
#include "base/file.h"
#include "format/reader_private.h"
#include "format/swap.h"
#include "format/zstd.h"

#include <errno.h>
#include <string.h>

enum {
	BLOCK_SIZE = 256 << 10,
	RECORD_SIZE_MAX = 1 << 16,
	HEADER_SIZE = sizeof(struct perf_event_header),
};

typedef unsigned long long ull;

struct window { /* bytes that are read but not yet yielded */
	u8 *data;
	size_t pos, size, alloc;
};

struct reader_pass {
	struct reader *r;
	pthread_mutex_t lock;
	bool first;        /* this pass learns */
	bool stopped;      /* by the user */
	size_t next_range; /* of a pass over known blocks */
	u64 seq;
	u64 nr_seen; /* records, when first */

	u32 segment;
	u64 offset; /* in the segment: of the window's first byte, or of the next one to read */
	struct window window;

	bool inside;           /* a compressed record */
	struct unzstd *unzstd; /* of this segment */
	u64 inside_offset;
	u8 *in; /* its content */
	size_t in_pos, in_size;
	struct window plain; /* decompressed */
};

static size_t window__left(const struct window *w)
{
	return w->size - w->pos;
}

static void window__clear(struct window *w)
{
	w->pos = w->size = 0;
}

/* Moves what is left to the front and makes room for alloc bytes in all. */
static void window__compact(struct window *w, size_t alloc)
{
	if (alloc > w->alloc) {
		w->data = xreallocarray(w->data, alloc, 1);
		w->alloc = alloc;
	}
	if (w->pos && w->size > w->pos)
		memmove(w->data, w->data + w->pos, w->size - w->pos);
	w->size -= w->pos;
	w->pos = 0;
}

struct reader_pass *reader_pass__new(struct reader *r)
{
	struct reader_pass *p = xcalloc(1, sizeof(*p));

	p->r = r;
	p->first = !r->first_pass_done;
	pthread_mutex_init(&p->lock, NULL);
	if (r->segments.nr)
		p->offset = r->segments.v[0].start;
	if (p->first) {
		r->priv->ranges.nr = 0;
		r->nr_unknown = r->nr_compressed = r->nr_compressed2 = 0;
	}
	return p;
}

void reader_pass__delete(struct reader_pass *p)
{
	if (!p)
		return;
	pthread_mutex_destroy(&p->lock);
	unzstd__delete(p->unzstd);
	free(p->window.data);
	free(p->plain.data);
	free(p->in);
	free(p);
}

void block__exit(struct block *b)
{
	free(b->data);
	*b = (struct block)BLOCK_INIT;
}

static void block__reserve(struct block *b, size_t size)
{
	if (b->alloc >= size)
		return;
	free(b->data);
	b->alloc = MAX(size, (size_t)4096);
	b->data = xmalloc(b->alloc);
}

/* ---- boundaries ---- */

enum walk_end {
	WALK_PARTIAL,    /* the bytes end inside a record, or just behind one */
	WALK_BAD,        /* a record of size under 8 */
	WALK_COMPRESSED, /* in front of a compressed record */
	WALK_CUT,        /* behind a record that must be a block's last */
};

struct walk {
	enum walk_end end;
	size_t size; /* of the whole records */
	u64 payload; /* behind them */
	u64 nr, nr_unknown;
	bool has_user; /* records that the recorder made itself */
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

/* Bytes behind a record that its header's size leaves out. */
static u64 record__payload(const u8 *p, const struct perf_event_header *h, bool swap)
{
	u64 size;

	if (h->type == RECORD_AUXTRACE && h->size >= HEADER_SIZE + 8)
		return load(p + HEADER_SIZE, 8, swap);
	if (h->type != RECORD_HEADER_TRACING_DATA || h->size < HEADER_SIZE + 4)
		return 0;
	/* Some recorders put the data inside. */
	size = load(p + HEADER_SIZE, 4, swap);
	return h->size >= HEADER_SIZE + 4 + size ? 0 : ROUND_UP(size, 8);
}

static bool type__compressed(u32 type)
{
	return type == RECORD_COMPRESSED || type == RECORD_COMPRESSED2;
}

/* Finds how far whole records go in size bytes. */
static void walk__run(struct walk *w, const u8 *data, size_t size, bool swap, bool inside)
{
	*w = (struct walk){ .end = WALK_PARTIAL };
	while (size - w->size >= HEADER_SIZE) {
		const u8 *p = data + w->size;
		struct perf_event_header h = header__load(p, swap);

		if (unlikely(h.size < HEADER_SIZE)) {
			w->end = WALK_BAD;
			return;
		}
		if (h.size > size - w->size)
			return;
		if (unlikely(h.type >= RECORD_HEADER_ATTR)) {
			if (type__compressed(h.type)) {
				w->end = inside ? WALK_BAD : WALK_COMPRESSED;
				return;
			}
			w->has_user = true;
			w->payload = inside ? 0 : record__payload(p, &h, swap);
		}
		if (unlikely(h.type != PERF_RECORD_SAMPLE && !record_type__name(h.type)))
			w->nr_unknown++;
		w->nr++;
		w->size += h.size;
		if (unlikely(w->payload || h.size & 7)) {
			w->end = WALK_CUT;
			return;
		}
	}
}

/* Brings a block's records into native order. */
static void block__swap(struct block *b, const struct sample_decoder *d)
{
	for (size_t pos = 0; pos < b->size;) {
		struct perf_event_header *h = (struct perf_event_header *)(void *)(b->data + pos);

		record__swap(d, h);
		pos += h->size;
	}
}

/*
 * The same while the stream is still telling which events it has: each record may matter to the next. skip:
 * records of the block that an earlier pass, which did not end, has learnt from.
 */
static void block__swap_and_gather(struct reader *r, struct block *b, u64 skip, bool gather)
{
	for (size_t pos = 0; pos < b->size;) {
		struct perf_event_header *h = (struct perf_event_header *)(void *)(b->data + pos);
		struct record rec = { .header = h, .offset = b->compressed ? b->offset : b->offset + pos };

		if (r->needs_swap)
			record__swap(reader__decoder(r), h);
		pos += h->size;
		rec.payload = pos >= b->size ? b->payload : 0;
		if (!gather || h->type < RECORD_HEADER_ATTR)
			skip -= !!skip;
		else if (skip)
			skip--;
		else
			reader__gather(r, &rec);
	}
}

/* Notes the block for later passes. Thousands of tiny ones are nonsense and not worth more than the bytes
 * themselves. */
static void pass__remember(struct reader_pass *p, const struct block *b, u64 offset)
{
	struct reader_private *priv = p->r->priv;

	if (priv->ranges.nr * sizeof(*priv->ranges.v) > BLOCK_SIZE + p->r->file_size / 8)
		priv->walk_again = true;
	if (priv->walk_again)
		array__exit(&priv->ranges);
	else
		array__add(&priv->ranges,
			   ((struct reader_range){ offset, b->payload, (u32)b->size, p->segment }));
}

/* Fills in what the walk found; b->data holds the records already. */
static void pass__finish_block(struct reader_pass *p, struct block *b, const struct walk *w, u64 offset)
{
	struct reader *r = p->r;
	u64 known = r->priv->nr_gathered > p->nr_seen ? r->priv->nr_gathered - p->nr_seen : 0;

	b->size = w->size;
	b->offset = offset;
	b->compressed = p->inside;
	b->payload = w->payload;
	b->seq = p->seq++;
	b->segment = p->segment;
	if (r->needs_swap || (p->first && w->has_user))
		block__swap_and_gather(r, b, known, p->first && w->has_user);
	if (!p->first)
		return;
	r->nr_unknown += w->nr_unknown;
	p->nr_seen += w->nr;
	r->priv->nr_gathered = MAX(r->priv->nr_gathered, p->nr_seen);
	pass__remember(p, b, offset);
}

/* ---- compressed records ---- */

/* Enters the compressed record at data, which is whole. */
static void pass__enter(struct reader_pass *p, const u8 *data)
{
	struct reader *r = p->r;
	struct perf_event_header h = header__load(data, r->needs_swap);
	size_t start = h.type == RECORD_COMPRESSED2 ? HEADER_SIZE + 8 : HEADER_SIZE;

	if (p->first) {
		r->is_compressed = r->priv->walk_again = true;
		*(h.type == RECORD_COMPRESSED2 ? &r->nr_compressed2 : &r->nr_compressed) += 1;
	}
	if (!p->unzstd)
		p->unzstd = unzstd__new();
	if (!p->in)
		p->in = xmalloc(RECORD_SIZE_MAX);
	p->in_pos = p->in_size = 0;
	if (h.size > start) {
		p->in_size = h.size - start;
		if (h.type == RECORD_COMPRESSED2)
			p->in_size = (size_t)MIN((u64)p->in_size, load(data + HEADER_SIZE, 8, r->needs_swap));
		memcpy(p->in, data + start, p->in_size);
	}
	p->inside = true;
	p->inside_offset = p->offset;
	p->offset += h.size;
}

static void pass__next_segment(struct reader_pass *p)
{
	struct reader *r = p->r;

	p->inside = false;
	unzstd__delete(p->unzstd);
	p->unzstd = NULL;
	window__clear(&p->window);
	window__clear(&p->plain);
	if (++p->segment < r->segments.nr)
		p->offset = r->segments.v[p->segment].start;
}

static const char *pass__path(const struct reader_pass *p)
{
	return p->r->segments.v[p->segment].path;
}

/* More of the stream into p->plain. 1: there is; 0: the record is used up; negative: it cannot be
 * decompressed. */
static int pass__decompress(struct reader_pass *p)
{
	struct err err = ERR_INIT;
	ssize_t n;

	window__compact(&p->plain, BLOCK_SIZE + RECORD_SIZE_MAX);
	n = unzstd__run(p->unzstd, p->in, p->in_size, &p->in_pos, p->plain.data + p->plain.size, BLOCK_SIZE,
			&err);
	if (n < 0)
		reader__damage(p->r, "'%s': the compressed record at offset %llu cannot be decompressed: %s",
			       pass__path(p), (ull)p->inside_offset, err.text.buf);
	else
		p->plain.size += (size_t)n;
	err__exit(&err);
	return n < 0 ? (int)n : n > 0;
}

/* A block of what is inside the current compressed record. 1, or 0 when there is none (any more). */
static int pass__inside(struct reader_pass *p, struct block *b)
{
	struct walk w;
	int ret;

	for (;;) {
		walk__run(&w, p->plain.data + p->plain.pos, window__left(&p->plain), p->r->needs_swap, true);
		if (w.size) {
			block__reserve(b, w.size);
			memcpy(b->data, p->plain.data + p->plain.pos, w.size);
			p->plain.pos += w.size;
			pass__finish_block(p, b, &w, p->inside_offset);
			return 1;
		}
		if (w.end == WALK_BAD) {
			reader__damage(p->r,
				       "'%s': the compressed record at offset %llu does not hold records",
				       pass__path(p), (ull)p->inside_offset);
			pass__next_segment(p);
			return 0;
		}
		ret = pass__decompress(p);
		if (ret < 0)
			pass__next_segment(p);
		p->inside = ret > 0;
		if (ret <= 0)
			return 0;
	}
}

/* ---- the walk over a stream ---- */

static void pass__segment_ended(struct reader_pass *p)
{
	struct reader_segment *s = &p->r->segments.v[p->segment];

	if (p->offset > s->end)
		reader__damage(
			p->r,
			"'%s': the file ends at offset %llu, expected data of an earlier record up to %llu",
			s->path, (ull)s->end, (ull)p->offset);
	if (window__left(&p->plain))
		reader__damage(p->r, "'%s': offset %llu: the compressed stream ends inside a record", s->path,
			       (ull)p->inside_offset);
	pass__next_segment(p);
}

/* No whole record at the front of left bytes: why? Also moves on. */
static void pass__stuck(struct reader_pass *p, const u8 *data, size_t left, const struct walk *w)
{
	struct reader *r = p->r;
	const struct reader_segment *s = &r->segments.v[p->segment];
	struct perf_event_header h = { 0 };
	bool expected = r->unterminated && p->segment == 0;

	if (left >= HEADER_SIZE)
		h = header__load(data, r->needs_swap);
	if (w->end == WALK_BAD && !expected)
		reader__damage(r, "'%s': offset %llu: a record of size %u, expected at least %d", s->path,
			       (ull)p->offset, h.size, HEADER_SIZE);
	else if (!expected && left < HEADER_SIZE)
		reader__damage(r, "'%s': the file ends at offset %llu, inside a record's header", s->path,
			       (ull)s->end);
	else if (!expected)
		reader__damage(
			r, "'%s': offset %llu: a record of type %u and %u bytes runs past the end at %llu",
			s->path, (ull)p->offset, h.type, h.size, (ull)s->end);
	pass__next_segment(p);
}

/* Skips what follows a block's last record. */
static void pass__skip_payload(struct reader_pass *p, u64 payload)
{
	if (payload <= window__left(&p->window))
		p->window.pos += payload;
	else
		window__clear(&p->window);
	/* An offset beyond all files is as good as any. */
	if (__builtin_add_overflow(p->offset, payload, &p->offset))
		p->offset = UINT64_MAX;
}

/* Keeps what was read into a block but not used, unless the next read may as well start there. */
static void pass__keep_rest(struct reader_pass *p, const u8 *rest, size_t size)
{
	window__clear(&p->window);
	if (size < RECORD_SIZE_MAX && p->offset + size < p->r->segments.v[p->segment].end)
		return;
	window__compact(&p->window, MAX(size, (size_t)1));
	memcpy(p->window.data, rest, size);
	p->window.size = size;
}

/* Reads the next bytes into b. Returns how many. */
static ssize_t pass__read(struct reader_pass *p, struct block *b, struct err *err)
{
	struct reader_segment *s = &p->r->segments.v[p->segment];
	size_t want = (size_t)MIN((u64)BLOCK_SIZE, s->end - p->offset);
	ssize_t n = file__pread_all(s->fd, b->data, want, p->offset);

	if (n < 0)
		return err__set(err, (int)n, "'%s': cannot read at offset %llu: %s", s->path, (ull)p->offset,
				err__str((int)n));
	if ((size_t)n < want) {
		reader__damage(p->r, "'%s': the file ends at offset %llu, it was longer when it was opened",
			       s->path, (ull)(p->offset + (u64)n));
		s->end = p->offset + (u64)n;
	}
	return n;
}

/*
 * Takes whole records off the front of size bytes at data: b's own bytes, or the window's. 1: b is a block of
 * them; 0: none, but the pass has moved on; -EAGAIN: none, more bytes are needed.
 */
static int pass__take(struct reader_pass *p, struct block *b, const u8 *data, size_t size)
{
	bool at_end = p->offset + size >= p->r->segments.v[p->segment].end;
	bool own = data == b->data;
	u64 offset = p->offset;
	size_t used;
	struct walk w;

	walk__run(&w, data, size, p->r->needs_swap, false);
	if (!w.size && w.end == WALK_PARTIAL && !at_end)
		return -EAGAIN;
	if (!w.size && w.end != WALK_COMPRESSED) {
		pass__stuck(p, data, size, &w);
		return 0;
	}
	used = w.size;
	if (!w.size) {
		pass__enter(p, data);
		used = (size_t)(p->offset - offset);
	}
	p->offset = offset + used;
	if (!own)
		p->window.pos += used;
	else if (w.end == WALK_COMPRESSED || w.end == WALK_CUT)
		pass__keep_rest(p, data + used, size - used);
	if (!w.size)
		return 0;
	if (!own)
		memcpy(b->data, data, w.size);
	pass__skip_payload(p, w.payload);
	pass__finish_block(p, b, &w, offset);
	return 1;
}

/* A step of the walk: 1: b is a block, 0: go on, negative errno: reading failed. */
static int pass__step(struct reader_pass *p, struct block *b, struct err *err)
{
	ssize_t n;
	int ret;

	if (p->inside)
		return pass__inside(p, b);
	if (p->offset >= p->r->segments.v[p->segment].end) {
		pass__segment_ended(p);
		return 0;
	}
	block__reserve(b, (size_t)MIN((u64)BLOCK_SIZE, p->r->segments.v[p->segment].end - p->offset));
	if (window__left(&p->window)) {
		ret = pass__take(p, b, p->window.data + p->window.pos, window__left(&p->window));
		if (ret != -EAGAIN)
			return ret;
		window__clear(&p->window);
	}
	n = pass__read(p, b, err);
	return n <= 0 ? (int)n : pass__take(p, b, b->data, (size_t)n);
}

/* Whether the user has had enough. Called with the lock held. */
static bool pass__is_stopped(struct reader_pass *p)
{
	struct reader *r = p->r;
	int nr = r->stop ? __atomic_load_n(r->stop, __ATOMIC_RELAXED) : 0;

	if (nr > r->nr_stops) {
		r->nr_stops = nr;
		r->stopped = p->stopped = true;
	}
	return p->stopped;
}

/* Makes the stream end here. */
static void pass__cut(struct reader_pass *p)
{
	struct reader *r = p->r;

	for (u32 i = p->segment; i < r->segments.nr; i++) {
		struct reader_segment *s = &r->segments.v[i];

		s->end = i == p->segment ? MIN(p->offset, s->end) : s->start;
	}
	p->segment = (u32)r->segments.nr;
}

static int pass__walk(struct reader_pass *p, struct block *b, struct err *err)
{
	struct reader *r = p->r;
	int ret = 0;

	if (p->segment < r->segments.nr && pass__is_stopped(p)) {
		if (!p->first)
			return 0;
		pass__cut(p);
	}
	while (!ret && p->segment < r->segments.nr)
		ret = pass__step(p, b, err);
	if (!ret && p->first && !r->first_pass_done) {
		reader__gather_end(r);
		r->first_pass_done = true;
	}
	return ret;
}

/* Claims the next known block and reads it. */
static int pass__claim(struct reader_pass *p, struct block *b, struct err *err)
{
	const struct sample_decoder *d;
	const struct reader_range *range;
	const struct reader_segment *s;
	struct reader *r = p->r;
	ssize_t n;

	pthread_mutex_lock(&p->lock);
	range = p->next_range < r->priv->ranges.nr && !pass__is_stopped(p) ? &r->priv->ranges.v[p->next_range++] : NULL;
	b->seq = p->next_range - 1;
	d = r->needs_swap ? reader__decoder(r) : NULL;
	pthread_mutex_unlock(&p->lock);
	if (!range)
		return 0;
	s = &r->segments.v[range->segment];
	block__reserve(b, range->size);
	b->offset = range->offset;
	b->payload = range->payload;
	b->segment = range->segment;
	b->compressed = false;
	b->size = 0;
	n = file__pread_all(s->fd, b->data, range->size, range->offset);
	if (n != (ssize_t)range->size)
		return err__set(err, n < 0 ? (int)n : -EIO, "'%s': cannot read again at offset %llu: %s",
				s->path, (ull)range->offset,
				n < 0 ? err__str((int)n) : "the file has shrunk");
	b->size = range->size;
	if (d)
		block__swap(b, d);
	return 1;
}

int reader_pass__next(struct reader_pass *p, struct block *b, struct err *err)
{
	int ret;

	if (!p->first && !p->r->priv->walk_again)
		return pass__claim(p, b, err);
	pthread_mutex_lock(&p->lock);
	ret = pass__walk(p, b, err);
	pthread_mutex_unlock(&p->lock);
	return ret;
}
