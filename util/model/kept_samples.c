#include "model/kept_samples.h"

enum {
	PIECE_SIZE = 64 << 10, /* bytes, about: one thread's portion */
	ALWAYS_KEPT = 256 << 10,
	KEPT_MAX = 8 << 20,
	KEPT_SHARE = 4, /* keep at most one in so many bytes of the stream */
};

void kept_samples__exit(struct kept_samples *k)
{
	arena__exit(&k->arena);
	array__exit(&k->pieces);
}

void kept_samples__give_up(struct kept_samples *k)
{
	kept_samples__exit(k);
	k->given_up = true;
}

static void kept_samples__add_sample(struct kept_samples *k, const struct perf_event_header *h)
{
	struct kept_piece *last = k->pieces.nr ? &k->pieces.v[k->pieces.nr - 1] : NULL;
	u8 *copy = arena__memdup(&k->arena, h, h->size);

	if (!last || last->data + last->size != copy || last->size >= PIECE_SIZE) {
		last = array__push(&k->pieces);
		*last = (struct kept_piece){ .data = copy, .offset = k->bytes };
	}
	last->size += h->size;
	k->bytes += h->size;
}

void kept_samples__add(struct kept_samples *k, const struct block *b)
{
	struct record r;
	size_t pos = 0;

	if (k->given_up)
		return;
	if (!b) {
		kept_samples__give_up(k);
		return;
	}
	k->nr_read += b->size;
	k->arena.grows = k->bytes > ALWAYS_KEPT;
	while (block__next(b, &pos, &r)) {
		if (r.header->type != PERF_RECORD_SAMPLE)
			continue;
		/* Do not keep unaligned records: pass 2 reads them again. */
		if (r.header->size % 8 || k->bytes > KEPT_MAX ||
		    (k->bytes > ALWAYS_KEPT && k->bytes > k->nr_read / KEPT_SHARE)) {
			kept_samples__give_up(k);
			return;
		}
		kept_samples__add_sample(k, r.header);
	}
}
