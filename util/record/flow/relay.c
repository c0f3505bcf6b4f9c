#include "record/flow/relay.h"

#include "base/system/clock.h"
#include "base/system/parcel_queue.h"
#include "live/ring_order.h"
#include "record/events/levels.h"
#include "record/flow/stack_round.h"
#include "record/stacks/stack_copy.h"
#include "record/stacks/wait_rate.h"

#include <pthread.h>
#include <string.h>

enum parcel_kind {
	PARCEL_SIDE_BAND, /* begins a round; holds the side-band of all rings */
	PARCEL_RECORDS,   /* records of some rings, those of each in its order */
	PARCEL_ROUND_END,
	PARCEL_SYNTHESIZED, /* records that perf itself made, between rounds */
};

enum {
	PARCEL_SIZE = 128 << 10, /* bytes, about: fits the cache of the CPU that takes it */
	CALM_FILL = 32,          /* 64ths of the queue: up to this fill, stacks are copied whole */
	NO_ROOM_FILL = 56,       /* from this fill on, not at all */
	SMALL_COPY = 1536,       /* bytes; in between. Most chains are whole, or continue an earlier one. */
	/* 64ths of a ring: well above one half, where the ring asks to be drained */
	URGENT_FILL = 48,
	LOOK_MS = 5,
	PARCELS_LEAST = 16, /* minimum number of parcels that fit into the room */
};

/* A thread that unwinds. */
struct unwinding {
	struct relay *relay;
	struct stack_samples *samples;
	struct lazy_record record;
	struct strbuf out; /* the records of a parcel after that */
	pthread_t thread;  /* of a helper */
};

struct relay {
	struct drain d;
	u64 room; /* bytes that may wait in the queue */
	unsigned most_helpers, nr_helpers;
	struct unwinding *helpers; /* nr_helpers run; owned */
	struct unwinding own;      /* of the thread that writes: its samples are the intake's */
	struct watches *watches;   /* the thread that calls round shows them the records; NULL: none */
	struct sample_decoder decoder;
	struct parcel_queue *queue; /* NULL: the thread is not running */
	size_t parcel_size;
	pthread_t thread;
	int error;               /* atomic: the first write error */
	bool is_full;            /* atomic */
	struct ring_order order; /* of the current round; the calling thread's, like those below */
	struct parcel *parcel;   /* being filled; NULL: none */
	unsigned fill;           /* of the queue, in 64ths, when that was begun */
	u64 looked_ms;           /* when relay__look chose the level last */
	struct wait_rate waits;
	const struct off_cpu *off_cpu; /* the intake's; NULL: none */
	u8 joined[RING_RECORD_MAX];    /* a record that wraps around the end of a ring */
};

static struct relay *relay__of(const struct drain *d)
{
	return (struct relay *)(uintptr_t)d;
}

/* ---- size of copies in the queue ---- */

static u32 bytes_kept(unsigned fill, u32 copied)
{
	if (fill < CALM_FILL)
		return copied;
	return fill < NO_ROOM_FILL ? MIN(copied, (u32)SMALL_COPY) : STACK_COPY_MIN;
}

/* Choose what the kernel copies from now on. A queue that is too full is as urgent as a ring. */
static void relay__choose_level(struct relay *r)
{
	unsigned queued = parcel_queue__fill(r->queue);

	levels__choose(r->d.counters, stack_samples__depths(r->d.intake->stack_samples),
		       queued >= CALM_FILL ? URGENT_FILL : 0);
}

/* Do that again during a round over many rings, which takes long. */
static void relay__look(struct relay *r)
{
	u64 now = clock__ms();

	if (now - r->looked_ms < LOOK_MS)
		return;
	r->looked_ms = now;
	relay__choose_level(r);
}

/* ---- from rings to parcels ---- */

static void relay__copy(struct relay *r, const struct ring *ring, const struct record *rec, unsigned fill,
			struct strbuf *out)
{
	size_t start = out->len;
	struct sample s;

	if (rec->header->type != PERF_RECORD_SAMPLE || stack_round__decode(ring, &r->decoder, rec, &s)) {
		strbuf__add(out, rec->header, rec->header->size);
	} else {
		r->waits.nr += r->off_cpu && off_cpu__samples(r->off_cpu, s.evsel->idx);
		stack_copy__add_trimmed(out, rec, &s, bytes_kept(fill, (u32)s.stack_size));
	}
	ring__rename_ids_in(ring, out->buf + start, out->len - start);
}

/* Return whether some ring is nearly full. */
static bool is_urgent(const struct ring *rings, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (ring__fill(&rings[i]) >= URGENT_FILL)
			return true;
	return false;
}

/*
 * Return how full the queue is. While it is too full, have the kernel copy less, and leave records in the
 * rings, as long as these have room.
 */
static unsigned relay__await_room(struct relay *r, const struct ring *rings, size_t nr)
{
	unsigned fill;

	while ((fill = parcel_queue__fill(r->queue)) >= CALM_FILL) {
		relay__choose_level(r);
		if (is_urgent(rings, nr))
			break;
		parcel_queue__wait(r->queue);
	}
	return fill;
}

/* Put the parcel in work, if there is one, into the queue. */
static void relay__send(struct relay *r)
{
	if (r->parcel)
		parcel_queue__put(r->queue, r->parcel, false);
	r->parcel = NULL;
}

/* A parcel holds records of several rings: on many CPUs, each ring has few. */
static void relay__ring(struct relay *r, struct ring *ring, const struct ring *rings, size_t nr)
{
	struct ring_cursor c;
	struct record rec;
	u64 given_back = 0;

	affinity__follow(r->d.affinity, ring->cpu);
	ring_cursor__init(&c, ring, r->joined);
	c.keeps_ids = true;
	while ((rec.header = ring_cursor__next(&c))) {
		if (!r->parcel) {
			relay__look(r);
			r->fill = relay__await_room(r, rings, nr);
			r->parcel = parcel_queue__fresh(r->queue, PARCEL_RECORDS);
			r->parcel->state = r->nr_helpers ? PARCEL_WAITS : PARCEL_PLAIN;
		}
		if (r->watches && rec.header->type != PERF_RECORD_SAMPLE)
			watches__see(r->watches, rec.header);
		relay__copy(r, ring, &rec, r->fill, &r->parcel->bytes);
		if (r->parcel->bytes.len < r->parcel_size)
			continue;
		ring__give_back(ring, c.passed - given_back);
		given_back = c.passed;
		relay__send(r);
	}
	ring__end(ring);
}

/* Copy little of the stacks of waits while they are many, or while even the smallest copies are too many. */
static void relay__choose_wait_copies(struct relay *r)
{
	struct counters *c = r->d.counters;

	if (r->off_cpu && c->armed)
		counters__use_small_waits(c, wait_rate__is_high(&r->waits, clock__ms()) ||
						     c->levels.v[c->level].part > 1);
}

static int relay__round(struct drain *d)
{
	struct relay *r = relay__of(d);
	struct ring *rings = d->counters->rings.v;
	size_t nr = d->counters->rings.nr;
	struct parcel *b = parcel__new(PARCEL_SIDE_BAND);

	relay__choose_level(r);
	stack_round__begin(d->counters, &b->bytes);
	b->state = PARCEL_BARRIER; /* it changes the address spaces */
	parcel_queue__put(r->queue, b, false);
	ring_order__make(&r->order, rings, nr);
	for (size_t i = 0; i < r->order.rings.nr; i++)
		relay__ring(r, r->order.rings.v[i], rings, nr);
	relay__send(r);
	relay__choose_wait_copies(r);
	parcel_queue__put(r->queue, parcel__new(PARCEL_ROUND_END), true);
	return __atomic_load_n(&r->error, __ATOMIC_RELAXED);
}

static int relay__add(struct drain *d, const void *records, size_t size)
{
	struct parcel *b = parcel__new(PARCEL_SYNTHESIZED);

	b->state = PARCEL_BARRIER; /* it may change the address spaces */
	strbuf__add(&b->bytes, records, size);
	parcel_queue__put(relay__of(d)->queue, b, false);
	return 0;
}

static bool relay__is_full(const struct drain *d)
{
	return __atomic_load_n(&relay__of(d)->is_full, __ATOMIC_RELAXED);
}

/* ---- unwinding ahead ---- */

/* Replace the samples in a parcel by those for the file. */
static void unwinding__prepare(struct unwinding *u, struct parcel *b)
{
	struct perf_event_header *h;
	struct strbuf before = b->bytes;

	strbuf__reset(&u->out);
	for (size_t at = 0; at < b->bytes.len; at += h->size) {
		h = (void *)(b->bytes.buf + at);
		lazy_record__set(&u->record, h);
		if (h->type != PERF_RECORD_SAMPLE || stack_samples__take(u->samples, &u->record))
			strbuf__add(&u->out, u->record.header, u->record.header->size);
	}
	b->bytes = u->out;
	u->out = before;
}

static void *unwinding__run(void *arg)
{
	struct unwinding *u = arg;
	struct parcel *b;

	while ((b = parcel_queue__help(u->relay->queue))) {
		if (!u->samples)
			u->samples = stack_samples__share(u->relay->d.intake->stack_samples);
		unwinding__prepare(u, b);
		parcel_queue__prepared(u->relay->queue, b, true);
	}
	return NULL;
}

static void unwinding__init(struct unwinding *u, struct relay *r)
{
	*u = (struct unwinding){ .relay = r, .out = STRBUF_INIT };
	lazy_record__init(&u->record, &r->d.intake->decoder);
}

/* Start as many helpers as there may be. Without them, stacks are unwound, too. */
static void relay__start_helpers(struct relay *r)
{
	r->helpers = xcalloc(r->most_helpers, sizeof(*r->helpers));
	parcel_queue__set_helpers(r->queue, r->most_helpers);
	for (r->nr_helpers = 0; r->nr_helpers < r->most_helpers; r->nr_helpers++) {
		struct unwinding *u = &r->helpers[r->nr_helpers];

		unwinding__init(u, r);
		if (pthread_create(&u->thread, NULL, unwinding__run, u))
			return;
	}
}

/* End the helpers, after __close, and add what they counted to the intake's. */
static void relay__end_helpers(struct relay *r)
{
	for (unsigned i = 0; i < r->nr_helpers; i++) {
		struct unwinding *u = &r->helpers[i];

		pthread_join(u->thread, NULL);
		if (u->samples)
			stack_samples__add_stats(r->d.intake->stack_samples, u->samples);
		stack_samples__delete(u->samples);
		strbuf__exit(&u->out);
	}
	free(r->helpers);
	r->helpers = NULL;
	r->nr_helpers = 0;
}

/* ---- the thread: from parcels to the file ---- */

static int relay__pass(struct relay *r, struct parcel *b)
{
	struct intake *in = r->d.intake;

	switch ((enum parcel_kind)b->kind) {
	case PARCEL_SIDE_BAND:
		stack_samples__begin_round(in->stack_samples, b->bytes.buf, b->bytes.len);
		intake__begin_round(in);
		return 0;
	case PARCEL_RECORDS:
		return (b->state == PARCEL_PREPARED ? intake__take_unwound : intake__take)(in, b->bytes.buf,
											   b->bytes.len);
	case PARCEL_ROUND_END:
		return intake__end_round(in);
	case PARCEL_SYNTHESIZED:
		stack_samples__see(in->stack_samples, b->bytes.buf, b->bytes.len);
		return intake__take_synthesized(in, b->bytes.buf, b->bytes.len);
	}
	return 0;
}

static void *relay__run(void *arg)
{
	struct relay *r = arg;
	struct parcel *b;
	int ret = 0;

	while ((b = parcel_queue__take(r->queue))) {
		if (b->state == PARCEL_IN_WORK) { /* not its turn: a helper is not yet ready */
			unwinding__prepare(&r->own, b);
			parcel_queue__prepared(r->queue, b, false);
			continue;
		}
		if (!ret && !__atomic_load_n(&r->is_full, __ATOMIC_RELAXED))
			ret = relay__pass(r, b);
		if (ret)
			__atomic_store_n(&r->error, ret, __ATOMIC_RELAXED);
		if (!ret && b->kind == PARCEL_ROUND_END && intake__is_full(r->d.intake))
			__atomic_store_n(&r->is_full, true, __ATOMIC_RELAXED);
		parcel_queue__done(r->queue, b);
	}
	return NULL;
}

/* ---- life ---- */

static int relay__start(struct drain *d, struct err *err)
{
	struct relay *r = relay__of(d);
	int ret;

	r->error = 0;
	r->is_full = false;
	r->queue = parcel_queue__new(r->room);
	unwinding__init(&r->own, r);
	r->own.samples = d->intake->stack_samples;
	ret = pthread_create(&r->thread, NULL, relay__run, r);
	if (!ret && r->most_helpers)
		relay__start_helpers(r);
	if (!ret)
		return 0;
	parcel_queue__delete(r->queue);
	r->queue = NULL;
	return err__set(err, -ret, "cannot start a thread to unwind stacks: %s", err__str(-ret));
}

static int relay__finish(struct drain *d)
{
	struct relay *r = relay__of(d);

	if (r->queue) {
		parcel_queue__close(r->queue);
		pthread_join(r->thread, NULL);
		relay__end_helpers(r);
		strbuf__exit(&r->own.out);
		parcel_queue__delete(r->queue);
		r->queue = NULL;
	}
	return r->error;
}

static void relay__delete(struct drain *d)
{
	struct relay *r = relay__of(d);

	relay__finish(d);
	sample_decoder__exit(&r->decoder);
	ring_order__exit(&r->order);
	free(r);
}

static const struct drain_ops relay_ops = {
	.start = relay__start,
	.round = relay__round,
	.add = relay__add,
	.is_full = relay__is_full,
	.finish = relay__finish,
	.delete = relay__delete,
};

struct drain *relay__new(const struct drain *from, const struct relay_opts *opts)
{
	struct relay *r = xcalloc(1, sizeof(*r));

	r->d = *from;
	r->d.ops = &relay_ops;
	r->room = opts->room;
	r->most_helpers = intake__may_unwind_before(from->intake) ? opts->helpers : 0;
	r->watches = from->intake->watches;
	from->intake->watches = NULL;
	r->parcel_size = MIN((u64)PARCEL_SIZE, opts->room / PARCELS_LEAST);
	sample_decoder__init(&r->decoder, opts->kernel_events);
	r->off_cpu = from->intake->off_cpu;
	return &r->d;
}
