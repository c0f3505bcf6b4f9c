#include "record/flow/stack_round.h"

#include "record/stacks/shared_stacks.h"

static void gather_side_band(const struct ring *ring, struct strbuf *out)
{
	const struct perf_event_header *h;
	u8 joined[RING_RECORD_MAX];
	struct ring_cursor c;

	ring_cursor__init(&c, ring, joined);
	while ((h = ring_cursor__next(&c)))
		if (shared_stacks__is_side_band(h->type))
			strbuf__add(out, h, h->size);
}

void stack_round__begin(struct counters *c, struct strbuf *side_band)
{
	counters__begin_round(c);
	for (size_t i = 0; i < c->rings.nr; i++)
		gather_side_band(&c->rings.v[i], side_band);
}
