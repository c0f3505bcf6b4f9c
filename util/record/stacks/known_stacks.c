#include "record/stacks/known_stacks.h"

#include "base/memory/hash.h"
#include "base/memory/mem.h"

#include <string.h>

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

/* ---- forks ---- */

static size_t fork_slot(u64 sp, u64 ip)
{
	return hash__add(sp, ip) % KNOWN_STACKS_FORKS;
}

static bool known_thread__is_fork(const struct known_thread *t, u64 sp, u64 ip)
{
	const struct known_fork *f = &t->forks[fork_slot(sp, ip)];

	return f->sp == sp && f->ip == ip;
}

/* A chain, from the leaf on. */
struct frames {
	const u64 *ips, *sps;
	unsigned nr;
};

static struct frames known_stack__frames(const struct known_stack *s)
{
	return (struct frames){ .ips = s->frames + s->nr, .sps = s->frames, .nr = s->nr };
}

/* Compare frames, counted from the outermost on. */
static bool is_same_frame(const struct frames *a, unsigned i, const struct frames *b, unsigned k)
{
	return a->sps[a->nr - 1 - i] == b->sps[b->nr - 1 - k] &&
	       a->ips[a->nr - 1 - i] == b->ips[b->nr - 1 - k];
}

/* Note the frames that both chains have, with different callers. */
static void known_thread__note_forks(struct known_thread *t, const struct frames *a, const struct frames *b)
{
	unsigned i = 0, k;

	while (i < a->nr && i < b->nr && is_same_frame(a, i, b, i))
		i++;
	for (k = i; i < a->nr && k < b->nr;) {
		u64 sp = a->sps[a->nr - 1 - i], other = b->sps[b->nr - 1 - k], ip = a->ips[a->nr - 1 - i];

		if (is_same_frame(a, i, b, k) && !(i && k && is_same_frame(a, i - 1, b, k - 1)))
			t->forks[fork_slot(sp, ip)] = (struct known_fork){ sp, ip };
		i += sp >= other;
		k += sp <= other;
	}
}

/* ---- chains ---- */

void known_stacks__remember(struct known_stacks *k, u32 tid, const u64 *ips, const u64 *sps, unsigned nr)
{
	struct known_thread **slot = &k->threads[tid % KNOWN_STACKS_THREADS], *t;
	const struct frames new = { .ips = ips, .sps = sps, .nr = nr };

	if (!nr)
		return;
	if (!*slot)
		*slot = xcalloc(1, sizeof(**slot));
	t = *slot;
	if (t->tid != tid) {
		t->tid = tid;
		t->nr = 0;
		memset(t->forks, 0, sizeof(t->forks));
	}
	for (unsigned i = 0; i < t->nr; i++) {
		struct frames known = known_stack__frames(&t->v[i]);

		known_thread__note_forks(t, &known, &new);
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

/* As above, of a frame that a signal interrupted. */
static unsigned known_stack__behind_function(const struct known_stack *s, const struct cut_stack *cut)
{
	const u64 *sps = s->frames, *ips = s->frames + s->nr;

	for (unsigned i = 1; cut->next_sp && i < s->nr; i++)
		if (sps[i] == cut->next_sp &&
		    cut->is_one_function(cut->ctx, cut->ips[cut->nr - 1], ips[i - 1]))
			return i;
	return 0;
}

unsigned known_stacks__callers(const struct known_stacks *k, const struct cut_stack *cut, unsigned max,
			       bool *is_whole)
{
	const struct known_thread *t = k->threads[cut->tid % KNOWN_STACKS_THREADS];
	unsigned nr_known = t && t->tid == cut->tid && cut->nr ? t->nr : 0, at = cut->nr, from = 0;
	const struct known_stack *s = NULL;

	*is_whole = false;
	while (!from && nr_known--) {
		s = &t->v[nr_known];
		from = known_stack__behind_frame(s, cut);
		if (!from)
			from = known_stack__behind_function(s, cut);
	}
	if (!from)
		return 0;
	for (; from < s->nr && at < max && !known_thread__is_fork(t, cut->sps[at - 1], cut->ips[at - 1]);
	     from++) {
		cut->sps[at] = s->frames[from];
		cut->ips[at++] = s->frames[s->nr + from];
	}
	*is_whole = from == s->nr;
	return at - cut->nr;
}
