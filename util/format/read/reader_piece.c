#include "format/read/reader_piece.h"

#include "base/system/file.h"
#include "format/read/reader_private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

enum {
	SLACK = 512,       /* bytes read after a piece; its last record mostly ends there */
	CHAIN = 16,        /* plausible headers in a row that make a guess */
	SPARSE_CHAIN = 4,  /* the same for large records, each of which costs a read */
	SEARCH = 16 << 10, /* bytes searched at a time, when only headers are read */
	GLANCE = 512,      /* bytes read of a large record, or of several small ones */
	SAMPLE_HEAD = 128, /* bytes of a sample in which a decoder looks for its id */
	/* after so many reads of small records: return to reading whole pieces */
	SPARSE_BOUND = 2 * PIECE_SIZE / PIECE_SPARSE,
	LOOK_AHEAD = 512, /* bytes ahead of the current header to prefetch */
	READ_AHEAD = 4 << 20,
	SAMPLES_KEPT =
		256 << 10, /* bytes of samples to keep of an unpacked piece, or more among many others */
	PAGE = 4096,
	MISC_UNUSED = 0x0ff8, /* bits of header.misc that have no meaning in any record */
};

void piece__exit(struct piece *p)
{
	free(p->buffer);
	array__exit(&p->by_event);
	array__exit(&p->kept);
	*p = (struct piece)PIECE_INIT;
}

void piece__start(struct piece *p, u64 offset, u64 limit, bool sparse)
{
	p->offset = offset;
	p->limit = limit;
	p->sparse = sparse;
	p->filled = false;
}

/* Discard the results of an earlier walk. */
static void piece__reset(struct piece *p, const struct piece_source *src)
{
	p->stuck = false;
	p->nr_records = p->nr_unknown = 0;
	p->kept.nr = 0;
	memset(p->by_type, 0, sizeof(p->by_type));
	if (!src->decoder)
		return;
	array__reserve(&p->by_event, src->nr_events);
	p->by_event.nr = src->nr_events;
	memset(p->by_event.v, 0, src->nr_events * sizeof(*p->by_event.v));
}

static void piece__reserve(struct piece *p, size_t size)
{
	if (size <= p->alloc)
		return;
	p->alloc = MAX(size, p->alloc + p->alloc / 2);
	p->buffer = xreallocarray(p->buffer, p->alloc, 1);
	p->data = p->buffer;
}

/*
 * Make room for size bytes to be read from a file offset. Copying takes up to three times as long if the low
 * twelve bits of source and destination are almost equal, since the processor assumes that loads depend on
 * earlier stores. Here they differ by half a page.
 */
static void piece__reserve_for(struct piece *p, size_t size, u64 offset)
{
	piece__reserve(p, size + PAGE);
	p->data = p->buffer + ((offset + PAGE / 2 - (uintptr_t)p->buffer) & (PAGE - 1) & ~7ull);
}

static const struct perf_event_header *piece__at(const struct piece *p, size_t pos)
{
	return (const struct perf_event_header *)(const void *)(p->data + pos);
}

/* ---- counting ---- */

static inline bool header__is_plain(const struct perf_event_header *h)
{
	return h->size >= RECORD_HEADER_SIZE && !(h->size & 7) && !record_type__ends_run(h->type);
}

static void piece__count_event(struct piece *p, const struct piece_source *src,
			       const struct perf_event_header *h, int n)
{
	const struct record r = { .header = h };
	const struct evsel *e = sample_decoder__evsel(src->decoder, &r);

	if (e && e->idx < p->by_event.nr) /* else the event was not known yet when the piece was walked */
		p->by_event.v[e->idx] += (u64)n;
}

static inline void piece__count_type(struct piece *p, const struct perf_event_header *h, int n)
{
	if (likely(h->type < RECORD_TYPE_MAX))
		p->by_type[h->type] += (u64)n;
	else
		p->nr_unknown += (u64)n;
}

/* Any record but a sample; its bytes are at pos of data. */
static inline void piece__keep(struct piece *p, const struct perf_event_header *h, u64 offset, size_t pos)
{
	piece__count_type(p, h, 1);
	array__add(&p->kept, ((struct kept_record){ offset, pos }));
}

/* ---- pieces that are read completely ---- */

static void piece__fill(struct piece *p, const struct piece_source *src)
{
	size_t want = (size_t)MIN(p->limit - p->offset + SLACK, src->end - p->offset);
	ssize_t n;

	if (p->filled)
		return;
	p->filled = true;
	piece__reserve_for(p, PIECE_SIZE + SLACK + RECORD_SIZE_MAX, p->offset);
	n = file__pread_all(src->fd, p->data, want, p->offset);
	p->ret = n < 0 ? (int)n : 0;
	p->size = n < 0 ? 0 : (size_t)n;
}

/* Read on, to size bytes in total. Return false if they are missing. */
static bool piece__extend(struct piece *p, const struct piece_source *src, size_t size)
{
	ssize_t n;

	if (size <= p->size)
		return true;
	if (size > src->end - p->offset)
		return false;
	n = file__pread_all(src->fd, p->data + p->size, size - p->size, p->offset + p->size);
	if (n < 0)
		p->ret = (int)n;
	else
		p->size += (size_t)n;
	return size <= p->size;
}

/* Make sure that the whole record at pos is read. Return false if it is not plain. */
static bool piece__complete(struct piece *p, const struct piece_source *src, size_t pos)
{
	const struct perf_event_header *h = piece__at(p, pos);

	return piece__extend(p, src, pos + RECORD_HEADER_SIZE) && header__is_plain(h) &&
	       piece__extend(p, src, pos + h->size);
}

static void piece__walk_all(struct piece *p, const struct piece_source *src, size_t pos)
{
	const size_t limit = (size_t)(p->limit - p->offset), size = p->size;
	const bool all_alike = !src->decoder || src->decoder->only;
	u64 nr_samples = 0, nr_others = 0;

	piece__reset(p, src);
	while (pos < limit) {
		const struct perf_event_header *h = piece__at(p, pos);

		/* The next header's position depends on this one, so the processor does not prefetch it. */
		__builtin_prefetch((const char *)h + LOOK_AHEAD);
		/* Nearly all are. */
		if (unlikely(pos + RECORD_HEADER_SIZE > size || !header__is_plain(h) ||
			     pos + h->size > size) &&
		    !piece__complete(p, src, pos)) {
			p->stuck = true;
			break;
		}
		if (likely(h->type == PERF_RECORD_SAMPLE)) {
			nr_samples++;
			if (!all_alike)
				piece__count_event(p, src, h, 1);
		} else {
			piece__keep(p, h, p->offset + pos, pos);
			nr_others++;
		}
		pos += h->size;
	}
	p->nr_records = nr_samples + nr_others;
	p->by_type[PERF_RECORD_SAMPLE] += nr_samples;
	if (src->decoder && src->decoder->only)
		p->by_event.v[src->decoder->only->idx] += nr_samples;
	p->end = p->offset + pos;
}

static bool header__makes_sense(const struct perf_event_header *h)
{
	return header__is_plain(h) && record_type__name(h->type) && !(h->misc & MISC_UNUSED) &&
	       (h->type != PERF_RECORD_SAMPLE || h->size > RECORD_HEADER_SIZE);
}

/* Are the headers from pos on plausible, as far as there are bytes? */
static bool piece__has_chain(const struct piece *p, size_t pos)
{
	int nr = 0;

	while (nr < CHAIN && pos + RECORD_HEADER_SIZE <= p->size) {
		const struct perf_event_header *h = piece__at(p, pos);

		if (!header__makes_sense(h))
			return false;
		nr++;
		pos += h->size;
	}
	return nr > 1;
}

static u64 piece__search(const struct piece *p)
{
	const size_t nr = MIN(p->size, (size_t)RECORD_SIZE_MAX);

	for (size_t pos = 0; pos + RECORD_HEADER_SIZE <= nr; pos += 8)
		if (piece__has_chain(p, pos))
			return p->offset + pos;
	return UINT64_MAX;
}

/* ---- pieces whose headers alone are read ---- */

/* Read the bytes at offset, as far as the file goes; -EBADMSG: fewer than size. */
static ssize_t piece__glance(const struct piece_source *src, void *data, size_t size, size_t min, u64 offset)
{
	ssize_t n;

	if (offset > src->end || min > src->end - offset)
		return -EBADMSG;
	n = file__pread_all(src->fd, data, (size_t)MIN((u64)size, src->end - offset), offset);
	return n >= 0 && (size_t)n < min ? -EBADMSG : n;
}

static bool source__has_chain(const struct piece_source *src, u64 offset)
{
	for (int i = 0; i < SPARSE_CHAIN && offset != src->end; i++) {
		struct perf_event_header h;

		if (piece__glance(src, &h, sizeof(h), sizeof(h), offset) < 0 || !header__makes_sense(&h))
			return false;
		offset += h.size;
	}
	return true;
}

static u64 piece__search_sparse(struct piece *p, const struct piece_source *src)
{
	piece__reserve_for(p, SEARCH, 0);
	for (u64 base = p->offset; base < p->offset + RECORD_SIZE_MAX && base < p->limit; base += SEARCH) {
		ssize_t n = piece__glance(src, p->data, SEARCH, 0, base);

		for (size_t pos = 0; n > 0 && pos + RECORD_HEADER_SIZE <= (size_t)n; pos += 8)
			if (header__makes_sense(piece__at(p, pos)) && source__has_chain(src, base + pos))
				return base + pos;
	}
	return UINT64_MAX;
}

/* Read a whole record into data. Return false if it is truncated. */
static bool piece__fetch(struct piece *p, const struct piece_source *src, const struct perf_event_header *h,
			 u64 offset)
{
	size_t size = h->size;
	ssize_t n;

	piece__reserve(p, p->size + size);
	n = piece__glance(src, p->data + p->size, size, size, offset);
	if (n < 0) {
		p->ret = n == -EBADMSG ? 0 : (int)n;
		return false;
	}
	piece__keep(p, piece__at(p, p->size), offset, p->size);
	p->size += size;
	return true;
}

/*
 * Process the records in the n bytes at glance, which are at offset; *at becomes the start of the next
 * record. Return false if a record is not plain. A record with too few bytes here is left for the next
 * glance, unless it is the first.
 */
static bool piece__take_glance(struct piece *p, const struct piece_source *src, const u8 *glance, size_t n,
			       u64 *at)
{
	const u64 offset = *at;

	while (*at < p->limit && *at - offset + RECORD_HEADER_SIZE <= n) {
		const size_t pos = (size_t)(*at - offset);
		const struct perf_event_header *h =
			(const struct perf_event_header *)(const void *)(glance + pos);

		if (!header__is_plain(h) || h->size > src->end - *at)
			return false;
		if (pos && pos + MIN(h->size, (size_t)SAMPLE_HEAD) > n)
			break;
		if (h->type != PERF_RECORD_SAMPLE) {
			if (!piece__fetch(p, src, h, *at))
				return false;
		} else {
			p->by_type[PERF_RECORD_SAMPLE]++;
			if (src->decoder)
				piece__count_event(p, src, h, 1);
		}
		p->nr_records++;
		*at += h->size;
	}
	return true;
}

/* False: it is not worth it, there are too many records, or the file ends earlier than it should. */
static bool piece__walk_sparse(struct piece *p, const struct piece_source *src, u64 start)
{
	u8 glance[GLANCE] __attribute__((aligned(8))), last;
	int nr_reads = 0;
	u64 at = start;

	piece__reset(p, src);
	p->data = p->buffer;
	p->size = 0;
	while (at < p->limit && !p->stuck) {
		ssize_t n = piece__glance(src, glance, sizeof(glance), RECORD_HEADER_SIZE, at);

		if (n < 0 || nr_reads++ > SPARSE_BOUND)
			return false;
		p->stuck = !piece__take_glance(p, src, glance, (size_t)n, &at);
	}
	p->end = at;
	return at == start || piece__glance(src, &last, 1, 1, at - 1) == 1;
}

/* ---- pieces that are compressed ---- */

/* Keep a record. Samples are kept as long as a report would keep them: see kept_samples.h. */
static void piece__keep_unpacked(struct piece *p, const struct record *r, u64 *sample_bytes)
{
	const struct perf_event_header *h = r->header;
	bool is_sample = h->type == PERF_RECORD_SAMPLE;

	if (is_sample) {
		*sample_bytes += h->size;
		p->filled &= *sample_bytes <= SAMPLES_KEPT || *sample_bytes <= p->size / 2;
	}
	if (is_sample && !p->filled)
		return;
	piece__reserve(p, p->size + h->size);
	memcpy(p->data + p->size, h, h->size);
	if (!is_sample)
		piece__keep(p, h, r->offset, p->size);
	p->size += h->size;
}

static void piece__take_block(struct piece *p, const struct piece_source *src, const struct block *b,
			      u64 *sample_bytes)
{
	struct record r;

	for (size_t pos = 0; block__next(b, &pos, &r); p->nr_records++) {
		p->stuck |= r.header->size & 7; /* the next one would not be aligned */
		if (r.header->type == PERF_RECORD_SAMPLE) {
			p->by_type[PERF_RECORD_SAMPLE]++;
			if (src->decoder)
				piece__count_event(p, src, r.header, 1);
		} else {
			p->stuck |= r.header->type == RECORD_HEADER_ATTR;
		}
		if (r.header->type != PERF_RECORD_SAMPLE || p->filled)
			piece__keep_unpacked(p, &r, sample_bytes);
	}
}

/* Begin with no records. */
static void piece__begin_packed(struct piece *p, const struct piece_source *src)
{
	piece__reset(p, src);
	p->data = p->buffer;
	p->size = 0;
	p->ret = 0;
	p->first = p->offset;
	p->check = 0;
}

void piece__unpack(struct piece *p, const struct piece_source *src, struct walker *w, u32 segment,
		   struct block *b)
{
	u64 sample_bytes = 0;
	int ret = 1;

	piece__begin_packed(p, src);
	p->filled = true;
	walker__begin_range(w, segment, p->offset, p->limit);
	while (!p->stuck && (ret = walker__next(w, b, NULL)) > 0) {
		piece__take_block(p, src, b, &sample_bytes);
		p->stuck |= p->size > PIECE_KEPT_MAX;
	}
	p->stuck |= ret < 0 || w->failed;
	p->end = p->stuck ? p->offset : p->limit;
	p->totals = w->totals;
}

/* Can this record be in a summary, and is it whole? Other pieces are unpacked. */
static bool header__is_side_band(const struct perf_event_header *h, size_t left)
{
	return left >= sizeof(*h) && header__is_plain(h) && h->size <= left &&
	       h->type != PERF_RECORD_SAMPLE && h->type != RECORD_HEADER_ATTR &&
	       h->size >= record_type__size_min(h->type);
}

/* Keep the records of a summary. Return false if one cannot be. */
static bool piece__keep_summary(struct piece *p, const struct frame_summary *s, u64 *hash)
{
	piece__reserve(p, s->side_band.len);
	memcpy(p->data, s->side_band.buf, s->side_band.len);
	while (p->size < s->side_band.len) {
		const struct perf_event_header *h = piece__at(p, p->size);

		if (!header__is_side_band(h, s->side_band.len - p->size))
			return false;
		*hash = hash__bytes(h, h->size, *hash);
		piece__keep(p, h, p->offset, p->size);
		p->size += h->size;
	}
	return true;
}

bool piece__summarize(struct piece *p, const struct piece_source *src, struct frame_summary *s)
{
	size_t size = (size_t)MIN(p->limit - p->offset, (u64)RECORD_SIZE_MAX);
	u64 hash = 0;

	if (src->decoder && !src->decoder->only)
		return false; /* a summary counts all samples together */
	piece__begin_packed(p, src);
	piece__reserve(p, size);
	if (file__pread_all(src->fd, p->data, size, p->limit - size) != (ssize_t)size ||
	    !frame_summary__read(s, p->data, size, p->limit - p->offset) || !piece__keep_summary(p, s, &hash))
		return false;
	p->nr_records = s->nr_samples + p->kept.nr;
	p->by_type[PERF_RECORD_SAMPLE] = s->nr_samples;
	if (src->decoder)
		p->by_event.v[src->decoder->only->idx] = s->nr_samples;
	p->totals =
		(struct unpacked_totals){ .nr_compressed = s->nr_packed,
					  .packed_bytes = s->packed_bytes - s->nr_packed * RECORD_HEADER_SIZE,
					  .unpacked_bytes = s->unpacked_bytes,
					  .unpacked_records = p->nr_records };
	p->check = range_check(&p->totals, hash);
	p->end = p->limit;
	return true;
}

/* ---- both ---- */

void piece__walk(struct piece *p, const struct piece_source *src, u64 start)
{
	p->ret = 0;
	p->first = start;
	if (p->sparse) {
		/* Reading here and there is no sequence that the kernel would read ahead of. */
		posix_fadvise(src->fd, (off_t)(p->offset + READ_AHEAD), PIECE_SIZE, POSIX_FADV_WILLNEED);
		if (piece__walk_sparse(p, src, start))
			return;
		p->sparse = false;
	}
	piece__fill(p, src);
	piece__walk_all(p, src, (size_t)(start - p->offset));
}

void piece__guess(struct piece *p, const struct piece_source *src)
{
	p->ret = 0;
	p->first = UINT64_MAX;
	if (p->sparse) {
		p->first = piece__search_sparse(p, src);
		if (p->first < p->limit)
			piece__walk(p, src, p->first);
		return;
	}
	piece__fill(p, src);
	if (!p->ret)
		p->first = piece__search(p);
	if (p->first < p->limit)
		piece__walk_all(p, src, (size_t)(p->first - p->offset));
}

bool piece__drop_front(struct piece *p, const struct piece_source *src, u64 start)
{
	u64 at = p->first, nr_records = 0;
	size_t nr_kept = 0;

	if (!p->filled)
		return false;
	while (at < start && at < p->end) {
		at += piece__at(p, (size_t)(at - p->offset))->size;
		nr_records++;
	}
	if (at != start)
		return false;
	for (at = p->first; at < start;) {
		const struct perf_event_header *h = piece__at(p, (size_t)(at - p->offset));

		if (h->type == PERF_RECORD_SAMPLE) {
			p->by_type[PERF_RECORD_SAMPLE]--;
			if (src->decoder)
				piece__count_event(p, src, h, -1);
		} else {
			piece__count_type(p, h, -1);
			nr_kept++;
		}
		at += h->size;
	}
	p->kept.nr -= nr_kept;
	if (nr_kept)
		memmove(p->kept.v, p->kept.v + nr_kept, p->kept.nr * sizeof(*p->kept.v));
	p->nr_records -= nr_records;
	p->first = start;
	return true;
}
