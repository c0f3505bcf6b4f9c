#include "record/flow/stack_round.h"

#include "record/stacks/shared_stacks.h"

#include <string.h>

static void gather_side_band(const struct ring *ring, struct strbuf *out)
{
	const struct perf_event_header *h;
	u8 joined[RING_RECORD_MAX];
	struct ring_cursor c;

	ring_cursor__init(&c, ring, joined);
	c.keeps_ids = true;
	while ((h = ring_cursor__next(&c))) {
		size_t start = out->len;

		if (!shared_stacks__is_side_band(h->type))
			continue;
		strbuf__add(out, h, h->size);
		ring__rename_ids_in(ring, out->buf + start, out->len - start);
	}
}

int stack_round__decode(const struct ring *ring, const struct sample_decoder *d, const struct record *r,
			struct sample *s)
{
	struct evsel *e = NULL;
	u64 id;

	if (r->header->size >= sizeof(*r->header) + sizeof(id)) {
		memcpy(&id, r->header + 1, sizeof(id));
		if (ring__present_id(ring, id) != id)
			e = evlist__by_id(d->evlist, ring__present_id(ring, id));
	}
	return e ? sample__decode_as(d, e, r, s) : sample__decode(d, r, s);
}

void stack_round__begin(struct counters *c, struct strbuf *side_band)
{
	counters__begin_round(c);
	for (size_t i = 0; i < c->rings.nr; i++)
		gather_side_band(&c->rings.v[i], side_band);
}
