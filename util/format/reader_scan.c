/* The first pass: what is learnt from the records, and what later passes need to know of where they are. */
#include "format/reader_private.h"
#include "format/swap.h"

#include <errno.h>
#include <string.h>

struct scan {
	struct reader *r;
	const struct reader_scan_opts *opts;
	struct reader_census *census;
	struct walker walker;       /* everything before its offset is done */
	struct reader_ahead *ahead; /* the walker runs on its own from here to the end */
	size_t nr_events, nr_ids;   /* of the evlist, when samples were counted last */
	bool recount;               /* samples may have been counted before their event was known */
};

/* ---- what is learnt ---- */

static void scan__add_events(struct scan *sc)
{
	struct reader_census *c = sc->census;
	const struct evlist *l = &sc->r->evlist;

	sc->recount |= c->by_type[PERF_RECORD_SAMPLE] > 0; /* before their event was known, perhaps */
	c->by_event = xreallocarray(c->by_event, l->evsels.nr, sizeof(*c->by_event));
	memset(c->by_event + sc->nr_events, 0, (l->evsels.nr - sc->nr_events) * sizeof(*c->by_event));
	sc->nr_events = l->evsels.nr;
	sc->nr_ids = l->id_map.nr;
}

/* by_event for all events there are by now. */
static inline void scan__grow_events(struct scan *sc)
{
	const struct evlist *l = &sc->r->evlist;

	if (unlikely(sc->nr_events != l->evsels.nr || sc->nr_ids != l->id_map.nr))
		scan__add_events(sc);
}

/* Any record but a sample, native. */
static void scan__other(struct scan *sc, const struct record *rec, bool compressed)
{
	if (rec->header->type >= RECORD_HEADER_ATTR)
		reader__gather(sc->r, rec, compressed);
	if (sc->opts->record)
		sc->opts->record(sc->opts->ctx, rec);
}

/* Notes a run of whole records for later passes. Thousands of tiny ones are nonsense and not worth more than
 * the bytes themselves. */
static void scan__remember(struct scan *sc, const struct reader_range *range)
{
	struct reader_private *priv = sc->r->priv;
	struct reader_range *last = priv->ranges.nr ? &priv->ranges.v[priv->ranges.nr - 1] : NULL;

	if (!range->size)
		return;
	if (priv->walk_again) {
		array__exit(&priv->ranges);
		return;
	}
	if (last && !last->payload && last->segment == range->segment &&
	    last->offset + last->size == range->offset && !(last->size & 7) &&
	    last->size + range->size <= BLOCK_SIZE) {
		last->size += range->size;
		last->payload = range->payload;
		return;
	}
	array__add(&priv->ranges, *range);
	priv->walk_again = priv->ranges.nr * sizeof(*priv->ranges.v) > BLOCK_SIZE + range->offset / 8;
}

/* ---- one block after the other ---- */

static void scan__sample(struct scan *sc, const struct record *rec)
{
	const struct evsel *e;

	if (sc->opts->count_per_event) {
		scan__grow_events(sc);
		e = sample_decoder__evsel(reader__decoder(sc->r), rec);
		if (e)
			sc->census->by_event[e->idx]++;
	}
	sc->census->by_type[PERF_RECORD_SAMPLE]++;
}

static void scan__record(struct scan *sc, const struct record *rec, bool compressed)
{
	struct reader_census *c = sc->census;
	u32 type = rec->header->type;

	if (type < RECORD_TYPE_MAX && record_type__name(type))
		c->by_type[type]++;
	else
		c->nr_unknown++;
	scan__other(sc, rec, compressed);
}

/* Each record may matter to how the next one is read. */
static void scan__block(struct scan *sc, struct block *b)
{
	struct reader *r = sc->r;
	struct record rec;

	for (size_t pos = 0; pos < b->size;) {
		if (unlikely(r->needs_swap))
			record__swap(reader__decoder(r), b->data + pos);
		block__next(b, &pos, &rec);
		sc->census->nr_records++;
		if (likely(rec.header->type == PERF_RECORD_SAMPLE))
			scan__sample(sc, &rec);
		else
			scan__record(sc, &rec, b->compressed);
	}
	if (b->compressed)
		r->priv->walk_again = true;
	scan__remember(sc, &(struct reader_range){ b->offset, b->payload, (u32)b->size, b->segment });
}

/* ---- the whole ---- */

static int scan__next_block(struct scan *sc, struct block *b, struct err *err)
{
	struct reader *r = sc->r;

	/* What has to be waited for, and what has to be decompressed, is done next to the rest. */
	if (!sc->ahead && r->opts.nr_threads > 1 && (r->priv->stream || sc->walker.unzstd))
		sc->ahead = reader_ahead__new(&sc->walker);
	return sc->ahead ? reader_ahead__next(sc->ahead, b, err) : walker__next(&sc->walker, b, err);
}

static int scan__run(struct scan *sc, struct err *err)
{
	struct block b = BLOCK_INIT;
	int ret;

	while ((ret = scan__next_block(sc, &b, err)) > 0)
		scan__block(sc, &b);
	block__exit(&b);
	return ret;
}

/* By looking at all samples, now that all events are known. */
static int scan__recount(struct scan *sc, struct err *err)
{
	struct reader_pass *pass = reader_pass__new(sc->r);
	struct block b = BLOCK_INIT;
	struct record rec;
	int ret;

	scan__grow_events(sc);
	memset(sc->census->by_event, 0, sc->nr_events * sizeof(*sc->census->by_event));
	while ((ret = reader_pass__next(pass, &b, err)) > 0) {
		for (size_t pos = 0; block__next(&b, &pos, &rec);) {
			const struct evsel *e = rec.header->type == PERF_RECORD_SAMPLE
							? sample_decoder__evsel(reader__decoder(sc->r), &rec)
							: NULL;

			if (e)
				sc->census->by_event[e->idx]++;
		}
	}
	block__exit(&b);
	reader_pass__delete(pass);
	return ret;
}

int reader__scan(struct reader *r, const struct reader_scan_opts *opts, struct reader_census *census,
		 struct err *err)
{
	struct scan sc = { .r = r, .opts = opts, .census = census };
	int ret;

	*census = (struct reader_census){ 0 };
	r->priv->ranges.nr = 0;
	walker__init(&sc.walker, r, true);
	ret = scan__run(&sc, err);
	reader_ahead__delete(sc.ahead);
	r->nr_compressed = sc.walker.nr_compressed;
	r->nr_compressed2 = sc.walker.nr_compressed2;
	r->is_compressed = r->nr_compressed || r->nr_compressed2;
	walker__exit(&sc.walker);
	if (ret)
		return ret;
	if (r->priv->stream)
		r->file_size = reader_stream__size(r->priv->stream);
	reader_stream__delete(r->priv->stream);
	r->priv->stream = NULL;
	r->first_pass_done = true;
	reader__gather_end(r);
	if (sc.opts->count_per_event)
		scan__grow_events(&sc);
	return sc.recount ? scan__recount(&sc, err) : 0;
}
