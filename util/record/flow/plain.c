/* The plain drain: one thread passes records from the rings to the intake. Also handles --overwrite. */
#include "live/ring_order.h"
#include "record/flow/drain.h"
#include "record/flow/flight.h"

struct plain_drain {
	struct drain d;
	struct ring_order order;
	struct strbuf scratch; /* content of a ring, in one piece */
	struct flight flight;
};

static struct plain_drain *plain_drain__of(struct drain *d)
{
	return (struct plain_drain *)d;
}

static int plain_drain__take(struct plain_drain *p, struct ring *ring)
{
	affinity__follow(p->d.affinity, ring->cpu);
	return ring__take(ring, &p->scratch) ? intake__take(p->d.intake, p->scratch.buf, p->scratch.len) : 0;
}

static int plain_drain__round(struct drain *d)
{
	struct plain_drain *p = plain_drain__of(d);
	struct counters *c = d->counters;
	int ret = 0;

	counters__begin_round(c);
	intake__begin_round(d->intake);
	ring_order__make(&p->order, c->rings.v, c->rings.nr);
	for (size_t i = 0; !ret && i < p->order.rings.nr; i++)
		ret = plain_drain__take(p, p->order.rings.v[i]);
	return ret ? ret : intake__end_round(d->intake);
}

static int plain_drain__snapshot(struct drain *d)
{
	int ret = flight__take(&plain_drain__of(d)->flight, d->counters, d->intake);

	if (!ret)
		ret = plain_drain__round(d);
	return ret ? ret : intake__mark_round(d->intake);
}

static int plain_drain__add(struct drain *d, const void *records, size_t size)
{
	return intake__take_synthesized(d->intake, records, size);
}

static bool plain_drain__is_full(const struct drain *d)
{
	return intake__is_full(d->intake);
}

static void plain_drain__delete(struct drain *d)
{
	struct plain_drain *p = plain_drain__of(d);

	ring_order__exit(&p->order);
	strbuf__exit(&p->scratch);
	flight__exit(&p->flight);
	free(p);
}

static const struct drain_ops plain_ops = {
	.round = plain_drain__round,
	.add = plain_drain__add,
	.is_full = plain_drain__is_full,
	.delete = plain_drain__delete,
};

static const struct drain_ops flight_ops = {
	.round = plain_drain__round,
	.snapshot = plain_drain__snapshot,
	.add = plain_drain__add,
	.is_full = plain_drain__is_full,
	.delete = plain_drain__delete,
};

struct drain *plain_drain__new(const struct drain *from)
{
	struct plain_drain *p = xcalloc(1, sizeof(*p));
	bool overwrites = from->counters->flight_rings.nr > 0;

	p->d = *from;
	p->d.ops = overwrites ? &flight_ops : &plain_ops;
	p->d.intake->is_long_round = overwrites; /* the snapshot writes the round mark */
	strbuf__init(&p->scratch);
	p->flight = (struct flight){ .copy = STRBUF_INIT, .ordered = STRBUF_INIT };
	return &p->d;
}
