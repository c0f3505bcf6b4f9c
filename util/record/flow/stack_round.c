#include "record/flow/stack_round.h"

#include "base/system/clock.h"
#include "record/stacks/shared_stacks.h"

static void adapt_stack_sizes(struct counters *c, struct stack_load *load)
{
	unsigned fill = 0;

	for (size_t i = 0; i < c->rings.nr; i++)
		fill = MAX(fill, ring__fill(&c->rings.v[i]));
	if (c->nr_sizes > 1 && c->armed)
		counters__use_size(c, stack_load__see(load, fill, c->nr_sizes - 1, clock__ms()));
}

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

void stack_round__begin(struct counters *c, struct stack_load *load, struct strbuf *side_band)
{
	counters__begin_round(c);
	if (load)
		adapt_stack_sizes(c, load);
	for (size_t i = 0; i < c->rings.nr; i++)
		gather_side_band(&c->rings.v[i], side_band);
}
