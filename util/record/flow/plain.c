/* The plain drain: one thread passes records from the rings to the intake. Also handles --overwrite. */
#include "live/flight_ring.h"
#include "live/ring_order.h"
#include "record/flow/drain.h"
#include "record/flow/stack_round.h"

struct plain_drain {
	struct drain d;
	struct ring_order order;
	struct strbuf scratch; /* content of a ring, in one piece */
	struct strbuf ordered; /* content of a flight ring, oldest record first */
	struct strbuf side_band;
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

static void plain_drain__begin_stack_round(struct plain_drain *p)
{
	strbuf__reset(&p->side_band);
	stack_round__begin(p->d.counters, &p->side_band);
	stack_samples__begin_round(p->d.intake->stack_samples, p->side_band.buf, p->side_band.len);
}

static int plain_drain__round(struct drain *d)
{
	struct plain_drain *p = plain_drain__of(d);
	struct counters *c = d->counters;
	int ret = 0;

	if (d->intake->stack_samples)
		plain_drain__begin_stack_round(p);
	else
		counters__begin_round(c);
	intake__begin_round(d->intake);
	ring_order__make(&p->order, c->rings.v, c->rings.nr);
	for (size_t i = 0; !ret && i < p->order.rings.nr; i++)
		ret = plain_drain__take(p, p->order.rings.v[i]);
	return ret ? ret : intake__end_round(d->intake);
}

/*
 * Write the new records of each flight ring, in time order. Older records have been overwritten. After a
 * ring is copied, and before its stacks are unwound, drain the rings of the side-band, so that it covers all
 * of these records.
 */
static int plain_drain__snapshot(struct drain *d)
{
	struct plain_drain *p = plain_drain__of(d);
	struct counters *c = d->counters;
	int ret = 0;

	for (size_t i = 0; !ret && i < c->flight_rings.nr; i++) {
		strbuf__reset(&p->ordered);
		ret = flight_ring__take(&c->flight_rings.v[i], &p->scratch, &p->ordered);
		if (!ret)
			ret = plain_drain__round(d);
		if (!ret)
			ret = intake__take(d->intake, p->ordered.buf, p->ordered.len);
	}
	return ret ? ret : intake__mark_round(d->intake);
}

static int plain_drain__add(struct drain *d, const void *records, size_t size)
{
	if (d->intake->stack_samples)
		stack_samples__see(d->intake->stack_samples, records, size);
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
	strbuf__exit(&p->ordered);
	strbuf__exit(&p->side_band);
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
	strbuf__init(&p->ordered);
	strbuf__init(&p->side_band);
	return &p->d;
}
