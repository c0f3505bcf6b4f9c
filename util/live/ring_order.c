#include "live/ring_order.h"

#include <stdlib.h>

void ring_order__exit(struct ring_order *o)
{
	array__exit(&o->rings);
}

static u64 nr_waiting(const struct ring *r)
{
	return r->head - r->tail;
}

/* Compare by the filled share, since sizes may differ; equal ones stay in CPU order. */
static int by_fill(const void *left, const void *right)
{
	const struct ring *a = *(struct ring *const *)left, *b = *(struct ring *const *)right;
	double x = (double)nr_waiting(a) / (double)a->size, y = (double)nr_waiting(b) / (double)b->size;

	if (x > y || x < y)
		return x > y ? -1 : 1;
	return (a > b) - (a < b);
}

void ring_order__make(struct ring_order *o, struct ring *rings, size_t nr)
{
	o->rings.nr = 0;
	for (size_t i = 0; i < nr; i++)
		if (rings[i].size && nr_waiting(&rings[i]))
			array__add(&o->rings, &rings[i]);
	if (o->rings.nr > 1)
		qsort(o->rings.v, o->rings.nr, sizeof(*o->rings.v), by_fill);
}
