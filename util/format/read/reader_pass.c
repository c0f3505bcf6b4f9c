/*
 * Passes after the first. For plain records the first pass noted where blocks begin: a thread claims a block
 * under the lock and reads outside it. A stream with compressed records (or of very small blocks) is walked
 * again by each pass: threads take turns. (A separate thread for decompression was slower by a sixth: the
 * data is in the cache of the CPU that decompressed it.)
 */
#include "base/system/file.h"
#include "format/read/reader_private.h"
#include "format/records/swap.h"

#include <errno.h>

typedef unsigned long long ull;

struct reader_pass {
	struct reader *r;
	pthread_mutex_t lock;
	/* Used for known blocks: */
	size_t next_range;
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
	if (p->walks)
		walker__exit(&p->walker);
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

/* Return the next known block, NULL at the end. Called with the lock held. */
static const struct reader_range *pass__claim(struct reader_pass *p, struct block *b)
{
	p->stopped |= reader__is_stopped(p->r);
	if (p->stopped || p->next_range >= p->r->priv->ranges.nr)
		return NULL;
	b->seq = p->next_range;
	return &p->r->priv->ranges.v[p->next_range++];
}

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

int reader_pass__next(struct reader_pass *p, struct block *b, struct err *err)
{
	const struct reader_range *range = NULL;
	const struct sample_decoder *d = NULL;
	int ret;

	pthread_mutex_lock(&p->lock);
	ret = pass__start(p, err);
	if (!ret && p->walks)
		ret = walker__next(&p->walker, b, err);
	else if (!ret)
		range = pass__claim(p, b);
	if (p->r->needs_swap)
		d = reader__decoder(p->r);
	pthread_mutex_unlock(&p->lock);
	if (range)
		ret = range__read(range, p->r, b, err);
	if (ret > 0 && d)
		block__swap(b, d);
	if (ret > 0 && range)
		reader__step(p->r, range->segment, range->offset, range->nr_records);
	else if (ret > 0)
		block__step(b, p->r);
	return ret;
}
