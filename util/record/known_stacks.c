#include "record/known_stacks.h"

#include "base/mem.h"

#include <string.h>

void known_stacks__exit(struct known_stacks *k)
{
	for (size_t i = 0; i < ARRAY_SIZE(k->threads); i++) {
		for (size_t j = 0; k->threads[i] && j < KNOWN_STACKS_EACH; j++)
			free(k->threads[i]->v[j].frames);
		free(k->threads[i]);
	}
}

/* Bytes of stack from the leaf to the outermost frame. */
static u64 depth(const u64 *sps, unsigned nr)
{
	return sps[nr - 1] - sps[0];
}

static void known_stack__set(struct known_stack *s, const u64 *ips, const u64 *sps, unsigned nr)
{
	if (s->alloc < nr) {
		s->alloc = nr + nr / 4;
		s->frames = xreallocarray(s->frames, 2 * s->alloc, sizeof(*s->frames));
	}
	s->nr = nr;
	memcpy(s->frames, sps, nr * sizeof(*sps));
	memcpy(s->frames + nr, ips, nr * sizeof(*ips));
}

void known_stacks__remember(struct known_stacks *k, u32 tid, const u64 *ips, const u64 *sps, unsigned nr)
{
	struct known_thread **slot = &k->threads[tid % KNOWN_STACKS_THREADS], *t;

	if (!nr)
		return;
	if (!*slot)
		*slot = xcalloc(1, sizeof(**slot));
	t = *slot;
	if (t->tid != tid) {
		t->tid = tid;
		t->nr = 0;
	}
	while (t->nr && depth(t->v[t->nr - 1].frames, t->v[t->nr - 1].nr) <= depth(sps, nr))
		t->nr--;
	if (t->nr == KNOWN_STACKS_EACH)
		t->nr--; /* the deeper ones are of more use than this one */
	known_stack__set(&t->v[t->nr++], ips, sps, nr);
}

/* The frame's index, or s->nr. Stack pointers grow from the leaf on; several frames may have the same. */
static unsigned known_stack__find(const struct known_stack *s, u64 ip, u64 sp)
{
	const u64 *sps = s->frames, *ips = s->frames + s->nr;

	for (unsigned i = 0; i < s->nr; i++)
		if (sps[i] == sp && ips[i] == ip)
			return i;
	return s->nr;
}

unsigned known_stacks__callers(const struct known_stacks *k, u32 tid, u64 *ips, u64 *sps, unsigned nr, unsigned max)
{
	const struct known_thread *t = k->threads[tid % KNOWN_STACKS_THREADS];

	for (unsigned i = t && t->tid == tid && nr ? t->nr : 0; i-- > 0;) {
		const struct known_stack *s = &t->v[i];
		unsigned at = known_stack__find(s, ips[nr - 1], sps[nr - 1]), more;

		if (at == s->nr)
			continue;
		more = MIN(s->nr - at - 1, max - nr);
		memcpy(sps + nr, s->frames + at + 1, more * sizeof(*sps));
		memcpy(ips + nr, s->frames + s->nr + at + 1, more * sizeof(*ips));
		return more;
	}
	return 0;
}
