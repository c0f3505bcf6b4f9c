#include "record/stacks/known_stacks.h"

#include "base/memory/mem.h"

#include <string.h>

enum { FUNCTION_MAX = 16 << 10 }; /* bytes; addresses closer than this may be in the same function */

void known_stacks__exit(struct known_stacks *k)
{
	for (size_t i = 0; i < ARRAY_SIZE(k->threads); i++) {
		for (size_t j = 0; k->threads[i] && j < KNOWN_STACKS_EACH; j++)
			free(k->threads[i]->v[j].frames);
		free(k->threads[i]);
	}
}

/* Return the bytes of stack from the leaf to the outermost frame. */
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
		t->nr--; /* replace the shallowest chain: deeper ones are more useful */
	known_stack__set(&t->v[t->nr++], ips, sps, nr);
}

/*
 * Return the index of the first caller of the frame, or 0. Stack pointers grow from the leaf on; several
 * frames may have the same one.
 */
static unsigned known_stack__behind_frame(const struct known_stack *s, const struct cut_stack *cut)
{
	const u64 *sps = s->frames, *ips = s->frames + s->nr;

	for (unsigned i = 0; i + 1 < s->nr; i++)
		if (sps[i] == cut->sps[cut->nr - 1] && ips[i] == cut->ips[cut->nr - 1])
			return i + 1;
	return 0;
}

/* As above, but compare by function and the caller's stack pointer. */
static unsigned known_stack__behind_function(const struct known_stack *s, const struct cut_stack *cut)
{
	const u64 *sps = s->frames, *ips = s->frames + s->nr, ip = cut->ips[cut->nr - 1];

	for (unsigned i = 1; i < s->nr; i++)
		if (sps[i] == cut->next_sp && ips[i - 1] - ip + FUNCTION_MAX < 2 * FUNCTION_MAX)
			return i;
	return 0;
}

unsigned known_stacks__callers(const struct known_stacks *k, const struct cut_stack *cut, unsigned max)
{
	static unsigned (*const ways[])(const struct known_stack *s,
					const struct cut_stack *cut) = { known_stack__behind_frame,
									 known_stack__behind_function };
	const struct known_thread *t = k->threads[cut->tid % KNOWN_STACKS_THREADS];
	unsigned nr_known = t && t->tid == cut->tid && cut->nr ? t->nr : 0;

	for (size_t way = 0; way < ARRAY_SIZE(ways); way++) {
		for (unsigned i = nr_known; i-- > 0;) {
			const struct known_stack *s = &t->v[i];
			unsigned from = ways[way](s, cut), more;

			if (!from)
				continue;
			more = MIN(s->nr - from, max - cut->nr);
			memcpy(cut->sps + cut->nr, s->frames + from, more * sizeof(*cut->sps));
			memcpy(cut->ips + cut->nr, s->frames + s->nr + from, more * sizeof(*cut->ips));
			return more;
		}
	}
	return 0;
}
