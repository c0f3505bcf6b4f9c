/*
 * The first pass. Long runs of plain records are walked in pieces (reader_piece.h), by several threads if
 * allowed; the walker handles everything else. The thread that has the next piece in order puts it in place:
 * it updates the reader and shows the records to the caller. Only one thread at a time does so.
 */
#include "base/system/thread.h"
#include "format/read/reader_piece.h"
#include "format/read/reader_private.h"
#include "format/records/swap.h"

#include <string.h>

enum {
	THREADS_MAX = 16,           /* more are limited by memory bandwidth */
	PARALLEL_MIN = 4,           /* pieces that justify a thread */
	PACKED_MIN = 1 << 20,       /* bytes of compressed records that justify a thread */
	PLAIN_MIN = PIECE_SIZE / 2, /* bytes from the walker at once: a plain stretch may follow */
	SHORT = 8 * PIECE_SIZE,     /* a shorter stretch ... */
	SHORT_MAX = 16,             /* ... this many times, and the walker does all the rest */
	UNPACKABLE_MAX = 16,        /* the same for packed stretches */
};

struct scan {
	struct reader *r;
	const struct reader_scan_opts *opts;
	struct record_counts *counts;
	struct walker walker;     /* everything before its offset is done */
	size_t nr_events, nr_ids; /* of the evlist, when samples were last counted */
	bool recount;             /* samples may have been counted before their event was known */
	bool looks_plain;         /* a stretch of plain records may begin here */
	int nr_short;             /* stretches that were too short */
	int nr_unpackable;        /* packed stretches that the walker had to take */
};

/* ---- updating the reader ---- */

static void scan__add_events(struct scan *sc)
{
	struct record_counts *c = sc->counts;
	const struct evlist *l = &sc->r->evlist;

	sc->recount |= c->by_type[PERF_RECORD_SAMPLE] > 0; /* perhaps before their event was known */
	c->by_event = xreallocarray(c->by_event, l->evsels.nr, sizeof(*c->by_event));
	memset(c->by_event + sc->nr_events, 0, (l->evsels.nr - sc->nr_events) * sizeof(*c->by_event));
	sc->nr_events = l->evsels.nr;
	sc->nr_ids = l->id_map.nr;
}

/* Grow by_event to all events known by now. */
static inline void scan__grow_events(struct scan *sc)
{
	const struct evlist *l = &sc->r->evlist;

	if (unlikely(sc->nr_events != l->evsels.nr || sc->nr_ids != l->id_map.nr))
		scan__add_events(sc);
}

/* Report a record too short for its type as damage: what follows it is hardly a record. */
static void scan__tell_short(struct scan *sc, const struct record *rec, u32 segment)
{
	const struct perf_event_header *h = rec->header;

	reader__damage(sc->r, "'%s': offset %llu: a record of type %s and %u bytes, expected at least %u",
		       sc->r->segments.v[segment].path, (unsigned long long)rec->offset,
		       record_type__name(h->type), h->size, record_type__size_min(h->type));
}

/* Handle any native record except samples. segment: where the record is. */
static void scan__other(struct scan *sc, const struct record *rec, u32 segment, bool compressed)
{
	if (unlikely(rec->header->size < record_type__size_min(rec->header->type)))
		scan__tell_short(sc, rec, segment);
	if (rec->header->type >= RECORD_HEADER_ATTR)
		reader__gather(sc->r, rec, compressed);
	if (sc->opts->record)
		sc->opts->record(sc->opts->ctx, rec);
}

/*
 * Store a run of whole records for later passes. A stream of tiny runs is not worth the memory: later passes
 * then walk again.
 */
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
	if (last && !last->payload && !last->packed && !range->packed && last->segment == range->segment &&
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
			sc->counts->by_event[e->idx]++;
	}
	sc->counts->by_type[PERF_RECORD_SAMPLE]++;
}

static void scan__record(struct scan *sc, const struct record *rec, const struct block *b)
{
	struct record_counts *c = sc->counts;
	u32 type = rec->header->type;

	if (type < RECORD_TYPE_MAX && record_type__name(type))
		c->by_type[type]++;
	else
		c->nr_unknown++;
	scan__other(sc, rec, b->segment, b->compressed);
}

/* Each record may change how the next one is read. */
static void scan__block(struct scan *sc, struct block *b)
{
	struct reader_range range = {
		.offset = b->offset, .payload = b->payload, .size = (u32)b->size, .segment = b->segment
	};
	struct reader *r = sc->r;
	struct record rec;

	for (size_t pos = 0; pos < b->size; range.nr_records++) {
		if (unlikely(r->needs_swap))
			record__swap(reader__decoder(r), b->data + pos);
		block__next(b, &pos, &rec);
		if (likely(rec.header->type == PERF_RECORD_SAMPLE))
			scan__sample(sc, &rec);
		else
			scan__record(sc, &rec, b);
	}
	sc->counts->nr_records += range.nr_records;
	if (b->compressed)
		r->priv->walk_again = true;
	scan__remember(sc, &range);
	reader__step(r, b->segment, b->offset, range.nr_records);
	if (sc->opts->run)
		sc->opts->run(sc->opts->ctx, b);
}

/* ---- pieces in parallel ---- */

enum slot_state {
	SLOT_FREE,
	SLOT_TAKEN, /* being walked */
	SLOT_DONE,  /* waiting for its turn */
};

struct stretch { /* plain records, as far as known, in one segment */
	struct scan *sc;
	bool packed;     /* pieces are ranges of whole frames, not of plain records */
	bool summarizes; /* ... which are not unpacked if there is a summary */
	struct piece_source source;
	pthread_mutex_t lock;
	pthread_cond_t changed; /* any of the fields below */
	struct {
		enum slot_state state;
		struct piece piece;
	} * slots; /* piece n is in slot n % nr_slots */
	u64 nr_slots;
	u64 next;        /* file offset of the piece to be handed out next */
	u64 nr_handed;   /* number of the next piece to be handed out */
	u64 turn;        /* number of the piece to be put in place next */
	bool is_placing; /* a thread is putting pieces in place */
	bool sparse;     /* records are large here */
	bool over;
	int ret;
	struct err *err;

	/* Used only by the thread that puts pieces in place: */
	u64 at;     /* end of the pieces in place */
	bool large; /* the last piece had large records */

	/* Counting by event reads the evlist while another thread may add events. */
	pthread_rwlock_t events;
};

struct stretch_worker { /* state of a thread that unpacks pieces */
	struct walker walker;
	struct block block;
	struct frame_summary summary;
};

static void stretch__walk(struct stretch *st, struct piece *p, bool known, struct stretch_worker *w)
{
	pthread_rwlock_rdlock(&st->events);
	if (st->packed) {
		if (!st->summarizes || !piece__summarize(p, &st->source, &w->summary))
			piece__unpack(p, &st->source, &w->walker, st->sc->walker.segment, &w->block);
	} else if (known) {
		piece__walk(p, &st->source, MAX(st->at, p->offset));
	} else {
		piece__guess(p, &st->source);
	}
	pthread_rwlock_unlock(&st->events);
}

static void stretch__show_kept(struct stretch *st, const struct piece *p)
{
	for (size_t i = 0; i < p->kept.nr; i++) {
		struct record rec = {
			.header =
				(const struct perf_event_header *)(const void *)(p->data + p->kept.v[i].pos),
			.offset = p->kept.v[i].offset,
		};

		scan__other(st->sc, &rec, st->sc->walker.segment, st->packed);
	}
}

static void stretch__add_counts(struct stretch *st, const struct piece *p)
{
	struct record_counts *c = st->sc->counts;

	c->nr_records += p->nr_records;
	c->nr_unknown += p->nr_unknown;
	for (u32 i = 0; i < RECORD_TYPE_MAX; i++)
		*(record_type__name(i) ? &c->by_type[i] : &c->nr_unknown) += p->by_type[i];
	for (size_t i = 0; st->source.decoder && i < p->by_event.nr; i++)
		c->by_event[i] += p->by_event.v[i];
}

/* Count samples by the events known by now. */
static void stretch__learn_events(struct stretch *st)
{
	struct scan *sc = st->sc;

	if (sc->opts->count_per_event)
		scan__grow_events(sc);
	st->source.nr_events = sc->nr_events;
	st->source.decoder = sc->nr_events ? reader__decoder(sc->r) : NULL;
}

/* Place a piece that has new events; their samples may follow at once. */
static void stretch__place_events(struct stretch *st, struct piece *p)
{
	struct scan *sc = st->sc;
	size_t nr_events = sc->nr_events, nr_ids = sc->nr_ids;

	pthread_rwlock_wrlock(&st->events);
	stretch__show_kept(st, p);
	stretch__learn_events(st);
	pthread_rwlock_unlock(&st->events);
	if (st->source.decoder)
		piece__walk(p, &st->source, st->at);
	/*
	 * Other pieces may have been walked already, except after a pipe's first piece, for which all wait.
	 */
	if (st->turn || !sc->r->is_pipe)
		sc->recount |= nr_events != sc->nr_events || nr_ids != sc->nr_ids;
}

static void stretch__show_run(const struct stretch *st, const struct piece *p)
{
	const struct reader_scan_opts *opts = st->sc->opts;
	const struct block b = {
		.data = st->packed ? p->data : p->data + (st->at - p->offset),
		.size = st->packed ? p->size : (size_t)(p->end - st->at),
		.offset = st->at,
		.compressed = st->packed,
		.segment = st->sc->walker.segment,
	};

	opts->run(opts->ctx, p->filled ? &b : NULL);
}

/* Put a piece in place. Return false if the stretch ends with it. */
static bool stretch__place(struct stretch *st, struct piece *p)
{
	struct scan *sc = st->sc;
	struct reader_range range;

	if (st->at >= p->limit) /* one record is larger than what is left of this piece */
		return true;
	if (st->packed && (p->stuck || !walker__add_totals(&sc->walker, &p->totals)))
		return false; /* the walker takes this piece, and reports what is wrong */
	if (p->first != st->at && !piece__drop_front(p, &st->source, st->at))
		piece__walk(p, &st->source, st->at);
	if (!p->ret && p->by_type[RECORD_HEADER_ATTR])
		stretch__place_events(st, p);
	else
		stretch__show_kept(st, p);
	stretch__add_counts(st, p);
	if (p->ret) {
		st->ret = err__set(st->err, p->ret, "'%s': cannot read at offset %llu: %s",
				   sc->r->segments.v[sc->walker.segment].path, (unsigned long long)p->end,
				   err__str(p->ret));
		return false;
	}
	range = (struct reader_range){ .offset = st->at,
				       .size = (u32)(p->end - st->at),
				       .nr_records = (u32)p->nr_records,
				       .segment = sc->walker.segment,
				       .packed = st->packed,
				       .check = st->packed ? p->check : 0 };
	scan__remember(sc, &range);
	reader__step(sc->r, range.segment, p->end, range.nr_records);
	if (sc->opts->run)
		stretch__show_run(st, p);
	st->large = p->nr_records && (p->end - st->at) / p->nr_records >= PIECE_SPARSE;
	st->at = p->end;
	return !p->stuck && !reader__is_stopped(sc->r);
}

/* Put the finished pieces in place, unless another thread does so. The lock is held at call and return. */
static void stretch__place_ready(struct stretch *st)
{
	if (st->is_placing)
		return;
	st->is_placing = true;
	while (!st->over && st->slots[st->turn % st->nr_slots].state == SLOT_DONE) {
		struct piece *p = &st->slots[st->turn % st->nr_slots].piece;
		bool goes_on;

		pthread_mutex_unlock(&st->lock);
		goes_on = stretch__place(st, p);
		pthread_mutex_lock(&st->lock);
		st->sparse = st->large;
		st->over = !goes_on;
		st->slots[st->turn++ % st->nr_slots].state = SLOT_FREE;
		pthread_cond_broadcast(&st->changed);
	}
	st->is_placing = false;
}

/*
 * Return the next piece, or NULL. known: all pieces before it are in place. The lock is held at call and
 * return.
 */
static struct piece *stretch__hand_out(struct stretch *st, u64 *nr, bool *known)
{
	struct piece *p;
	u64 limit;

	for (;;) {
		if (st->over || st->next >= st->source.end)
			return NULL;
		/* In a pipe's stream, wait for the first piece: it has the events. */
		if (st->slots[st->nr_handed % st->nr_slots].state == SLOT_FREE &&
		    (st->turn || !st->nr_handed || !st->sc->r->is_pipe))
			break;
		pthread_cond_wait(&st->changed, &st->lock);
	}
	limit = st->packed ? frames__find_end(&st->sc->r->segments.v[st->sc->walker.segment], st->next)
			   : MIN(st->next + PIECE_SIZE, st->source.end);
	if (!limit) {
		st->source.end = st->next; /* the walker takes the rest */
		return NULL;
	}
	*known = st->turn == st->nr_handed && !st->is_placing;
	*nr = st->nr_handed++;
	st->slots[*nr % st->nr_slots].state = SLOT_TAKEN;
	p = &st->slots[*nr % st->nr_slots].piece;
	piece__start(p, st->next, limit, st->sparse);
	st->next = limit;
	return p;
}

static void *stretch__work(void *arg)
{
	struct stretch_worker w = { .block = BLOCK_INIT, .summary = FRAME_SUMMARY_INIT };
	struct stretch *st = arg;
	struct piece *p;
	bool known;
	u64 nr;

	walker__init(&w.walker, st->sc->r, false);
	pthread_mutex_lock(&st->lock);
	while ((p = stretch__hand_out(st, &nr, &known))) {
		pthread_mutex_unlock(&st->lock);
		stretch__walk(st, p, known, &w);
		pthread_mutex_lock(&st->lock);
		st->slots[nr % st->nr_slots].state = SLOT_DONE;
		stretch__place_ready(st);
	}
	pthread_mutex_unlock(&st->lock);
	walker__exit(&w.walker);
	block__exit(&w.block);
	frame_summary__exit(&w.summary);
	return NULL;
}

static void stretch__threads(struct stretch *st, unsigned nr)
{
	pthread_t threads[THREADS_MAX];
	unsigned started = 0;

	while (started + 1 < nr && !thread__start(&threads[started], stretch__work, st))
		started++;
	stretch__work(st);
	for (unsigned i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
}

/* Do samples have times? If not, the position of each record is needed, which a summary does not have. */
static bool reader__has_times(const struct reader *r)
{
	return evlist__sample_type_all(&r->evlist) & PERF_SAMPLE_TIME && evlist__sample_id_all(&r->evlist);
}

/*
 * Walk in pieces, packed or plain ones, from the walker's place, as far as possible. Return 0 or a negative
 * errno with err.
 */
static int scan__pieces(struct scan *sc, bool packed, unsigned nr_threads, struct err *err)
{
	struct reader *r = sc->r;
	const struct reader_segment *s = &r->segments.v[sc->walker.segment];
	struct stretch st = {
		.sc = sc,
		.packed = packed,
		.summarizes = r->opts.trusts_summaries && reader__has_times(r),
		.source = { .fd = s->fd, .end = s->end },
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.changed = PTHREAD_COND_INITIALIZER,
		.events = PTHREAD_RWLOCK_INITIALIZER,
		.nr_slots = nr_threads > 1 ? 2 * nr_threads : 1,
		.next = sc->walker.offset,
		.at = sc->walker.offset,
		.err = err,
	};

	st.slots = xcalloc(st.nr_slots, sizeof(*st.slots));
	stretch__learn_events(&st);
	stretch__threads(&st, nr_threads);
	for (u64 i = 0; i < st.nr_slots; i++)
		piece__exit(&st.slots[i].piece);
	free(st.slots);
	sc->nr_short += !packed && st.at - sc->walker.offset < SHORT;
	sc->nr_unpackable += packed && st.at == sc->walker.offset;
	walker__move(&sc->walker, st.at);
	if (r->stopped)
		walker__cut(&sc->walker);
	return st.ret;
}

/* How many threads, including this one, may share size bytes in parts? */
static unsigned scan__share(const struct scan *sc, u64 size, u64 part)
{
	return (unsigned)MIN(size / part + 1,
			     (u64)MAX(1u, MIN(sc->r->opts.nr_threads, (unsigned)THREADS_MAX)));
}

/* How many threads, including this one, may walk the next part in pieces? 0: the walker does it. */
static unsigned scan__nr_threads(const struct scan *sc)
{
	const struct reader *r = sc->r;
	const struct walker *w = &sc->walker;

	if (w->segment >= r->segments.nr || r->needs_swap || r->priv->stream || w->unpacker.stream ||
	    !sc->looks_plain || sc->nr_short >= SHORT_MAX || w->offset >= r->segments.v[w->segment].end)
		return 0;
	return scan__share(sc, r->segments.v[w->segment].end - w->offset, (u64)PIECE_SIZE * PARALLEL_MIN);
}

/* How many threads may unpack the next part? 0: none of it can be unpacked apart from the rest. */
static unsigned scan__nr_unpackers(struct scan *sc)
{
	const struct reader *r = sc->r;
	struct walker *w = &sc->walker;

	if (r->needs_swap || r->priv->stream || sc->nr_unpackable >= UNPACKABLE_MAX ||
	    !walker__is_between_frames(w) || !frames__find_end(&r->segments.v[w->segment], w->offset))
		return 0;
	return scan__share(sc, r->segments.v[w->segment].end - w->offset, PACKED_MIN);
}

/* ---- the whole ---- */

static int scan__run(struct scan *sc, struct err *err)
{
	struct block b = BLOCK_INIT;
	int ret = 1;

	while (ret > 0) {
		unsigned nr = scan__nr_threads(sc);

		if (nr)
			ret = scan__pieces(sc, false, nr, err);
		nr = ret >= 0 ? scan__nr_unpackers(sc) : 0;
		if (nr)
			ret = scan__pieces(sc, true, nr, err);
		if (ret >= 0)
			ret = walker__next(&sc->walker, &b, err);
		if (ret > 0)
			scan__block(sc, &b);
		sc->looks_plain = b.size >= PLAIN_MIN;
	}
	block__exit(&b);
	return ret;
}

/* Count all samples again, now that all events are known. */
static int scan__recount(struct scan *sc, struct err *err)
{
	struct reader_pass *pass = reader_pass__new(sc->r);
	struct block b = BLOCK_INIT;
	struct record rec;
	int ret;

	scan__grow_events(sc);
	memset(sc->counts->by_event, 0, sc->nr_events * sizeof(*sc->counts->by_event));
	while ((ret = reader_pass__next(pass, &b, err)) > 0) {
		for (size_t pos = 0; block__next(&b, &pos, &rec);) {
			const struct evsel *e = rec.header->type == PERF_RECORD_SAMPLE
							? sample_decoder__evsel(reader__decoder(sc->r), &rec)
							: NULL;

			if (e)
				sc->counts->by_event[e->idx]++;
		}
	}
	block__exit(&b);
	reader_pass__delete(pass);
	return ret;
}

int reader__scan(struct reader *r, const struct reader_scan_opts *opts, struct record_counts *counts,
		 struct err *err)
{
	struct scan sc = { .r = r, .opts = opts, .counts = counts, .looks_plain = true };
	int ret;

	*counts = (struct record_counts){ 0 };
	progress__begin(r->opts.progress, reader__size(r), "reading %s",
			strcmp(r->path, "-") ? r->path : "standard input");
	walker__init(&sc.walker, r, true);
	ret = scan__run(&sc, err);
	r->nr_compressed = sc.walker.totals.nr_compressed;
	r->nr_compressed2 = sc.walker.totals.nr_compressed2;
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
