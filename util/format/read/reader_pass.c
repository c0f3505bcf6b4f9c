/*
 * Passes after the first. The first pass noted where blocks of plain records begin: a thread claims a block
 * under the lock and reads outside it. Ranges of compressed frames unpack to several blocks: a range that was
 * begun is open, and continued by the next thread that asks for a block, preferably the one that had it last.
 * So a single thread gets the blocks in stream order. Any other compressed stream (and one of very small
 * blocks) is walked again by each pass: threads take turns. (A separate thread for decompression was slower
 * by a sixth: the data is in the cache of the CPU that decompressed it.)
 */
#include "base/system/file.h"
#include "format/read/reader_private.h"
#include "format/records/swap.h"

#include <errno.h>

typedef unsigned long long ull;

struct open_range { /* being unpacked */
	struct walker walker;
	const struct reader_range *range; /* NULL: none */
	const struct block *user;         /* whose block had the last part */
	u64 side_band;                    /* hash of its records so far that are no samples */
	bool in_use;                      /* by a thread, without the lock */
};

struct reader_pass {
	struct reader *r;
	pthread_mutex_t lock;
	/* Used for known blocks: */
	size_t next_range;
	ARRAY(struct open_range *) open;
	bool stopped; /* by the user */
	/* Used for a walk: */
	bool walks;
	struct walker walker;
};

struct reader_pass *reader_pass__new(struct reader *r)
{
	struct reader_pass *p = xcalloc(1, sizeof(*p));

	p->r = r;
	pthread_mutex_init(&p->lock, NULL);
	return p;
}

void reader_pass__delete(struct reader_pass *p)
{
	if (!p)
		return;
	walker__exit(&p->walker);
	for (size_t i = 0; i < p->open.nr; i++) {
		walker__exit(&p->open.v[i]->walker);
		free(p->open.v[i]);
	}
	array__exit(&p->open);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

/* Swap a block's records into native order. */
static void block__swap(struct block *b, const struct sample_decoder *d)
{
	for (size_t pos = 0; pos < b->size;) {
		struct perf_event_header *h = (struct perf_event_header *)(void *)(b->data + pos);

		record__swap(d, h);
		pos += h->size;
	}
}

/* Read a known block. */
static int range__read(const struct reader_range *range, const struct reader *r, struct block *b,
		       struct err *err)
{
	const struct reader_segment *s = &r->segments.v[range->segment];
	ssize_t n;

	block__reserve(b, range->size);
	b->offset = range->offset;
	b->payload = range->payload;
	b->segment = range->segment;
	b->compressed = false;
	b->unpacked = 0;
	b->size = 0;
	n = file__pread_all(s->fd, b->data, range->size, range->offset);
	if (n != (ssize_t)range->size)
		return err__set(err, n < 0 ? (int)n : -EIO, "'%s': cannot read again at offset %llu: %s",
				s->path, (ull)range->offset,
				n < 0 ? err__str((int)n) : "the file has shrunk");
	b->size = range->size;
	return 1;
}

/* Count a new block for the progress line. */
static void block__step(const struct block *b, const struct reader *r)
{
	struct record rec;
	u64 nr = 0;

	if (!r->opts.progress)
		return;
	for (size_t pos = 0; block__next(b, &pos, &rec);)
		nr++;
	reader__step(r, b->segment, b->offset, nr);
}

/* Return the next known block or range of frames, NULL at the end. Called with the lock held. */
static const struct reader_range *pass__claim(struct reader_pass *p)
{
	if (p->next_range >= p->r->priv->ranges.nr)
		return NULL;
	return &p->r->priv->ranges.v[p->next_range++];
}

/* ---- ranges of frames ---- */

/* Begin to unpack a range. Called with the lock held. */
static struct open_range *pass__open(struct reader_pass *p, const struct reader_range *range)
{
	struct open_range *o = NULL;

	for (size_t i = 0; i < p->open.nr && !o; i++)
		if (!p->open.v[i]->range)
			o = p->open.v[i];
	if (!o) {
		o = xcalloc(1, sizeof(*o));
		walker__init(&o->walker, p->r, false);
		array__add(&p->open, o);
	}
	o->range = range;
	o->side_band = 0;
	walker__begin_range(&o->walker, range->segment, range->offset, range->offset + range->size);
	return o;
}

/* Return an open range that no thread unpacks at the moment, or NULL. Called with the lock held. */
static struct open_range *pass__idle(const struct reader_pass *p, const struct block *b)
{
	struct open_range *found = NULL;

	for (size_t i = 0; i < p->open.nr; i++) {
		struct open_range *o = p->open.v[i];

		if (o->range && !o->in_use && (!found || o->user == b))
			found = o;
	}
	return found;
}

/* Note what a summary says, too. */
static void open_range__note(struct open_range *o, const struct block *b)
{
	struct record rec;

	for (size_t pos = 0; block__next(b, &pos, &rec);)
		if (rec.header->type != PERF_RECORD_SAMPLE)
			o->side_band = hash__bytes(rec.header, rec.header->size, o->side_band);
}

/* Unpack the next block of an open range. Return 1; 0: it has ended; or a negative errno with err. */
static int open_range__next(struct open_range *o, const struct reader *r, struct block *b, struct err *err)
{
	int ret = walker__next(&o->walker, b, err);

	if (ret > 0 && o->range->check)
		open_range__note(o, b);
	if (!ret && o->range->check &&
	    (o->walker.failed || range_check(&o->walker.totals, o->side_band) != o->range->check))
		ret = err__set(err, -ESTALE,
			       "'%s': the summary of the compressed frame at offset %llu is wrong",
			       r->segments.v[o->range->segment].path, (ull)o->range->offset);
	else if (!ret && o->walker.failed)
		ret = err__set(err, -EIO, "'%s': cannot unpack again from offset %llu: the file has changed",
			       r->segments.v[o->range->segment].path, (ull)o->range->offset);
	return ret;
}

/* ---- all ---- */

/* Prepare before a pass's first block. Called with the lock held. */
static int pass__start(struct reader_pass *p, struct err *err)
{
	struct reader *r = p->r;
	struct record_counts counts;
	int ret = 0;

	if (!r->first_pass_done)
		ret = reader__scan(r, &(struct reader_scan_opts){ 0 }, &counts, err);
	if (ret || p->walks || !r->priv->walk_again)
		return ret;
	p->walks = true;
	walker__init(&p->walker, r, false);
	return 0;
}

/* Get the next block of the known ones. The lock is held at call and return, not in between. */
static int pass__next_known(struct reader_pass *p, struct block *b, struct err *err)
{
	const struct reader_range *range;
	struct open_range *open;
	int ret = 0;

	while (!ret) {
		p->stopped |= reader__is_stopped(p->r);
		if (p->stopped)
			return 0;
		open = pass__idle(p, b);
		range = open ? open->range : pass__claim(p);
		if (!range)
			return 0;
		if (!open && range->packed)
			open = pass__open(p, range);
		if (open)
			open->in_use = true;
		pthread_mutex_unlock(&p->lock);
		ret = open ? open_range__next(open, p->r, b, err) : range__read(range, p->r, b, err);
		pthread_mutex_lock(&p->lock);
		if (open) {
			open->in_use = false;
			open->user = b;
			open->range = ret > 0 ? range : NULL;
		}
	}
	return ret;
}

int reader_pass__next(struct reader_pass *p, struct block *b, struct err *err)
{
	const struct sample_decoder *d = NULL;
	int ret;

	pthread_mutex_lock(&p->lock);
	ret = pass__start(p, err);
	if (!ret)
		ret = p->walks ? walker__next(&p->walker, b, err) : pass__next_known(p, b, err);
	if (p->r->needs_swap)
		d = reader__decoder(p->r);
	pthread_mutex_unlock(&p->lock);
	if (ret > 0 && d)
		block__swap(b, d);
	if (ret > 0)
		block__step(b, p->r);
	return ret;
}
