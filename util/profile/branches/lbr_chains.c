#include "profile/branches/lbr_chains.h"

enum {
	RING_STEP = 8,    /* rings of all processors have a multiple of so many entries */
	CALLS_MAX = 1024, /* to remember of a thread */
};

void lbr_chains__exit(struct lbr_chains *c)
{
	for (size_t i = 0; i < c->threads.nr; i++)
		array__exit(&c->threads.v[i].calls);
	array__exit(&c->threads);
	array__exit(&c->branches);
	array__exit(&c->scratch);
	hash_table__exit(&c->by_tid);
}

static struct lbr_thread *lbr_chains__thread(struct lbr_chains *c, u32 pid, u32 tid)
{
	struct lbr_thread *t;
	u32 i;

	hash_table__for_each (&c->by_tid, hash__u64(tid), i)
		if (c->threads.v[i].tid == tid && c->threads.v[i].pid == pid)
			return &c->threads.v[i];
	hash_table__insert(&c->by_tid, hash__u64(tid), (u32)c->threads.nr);
	t = array__push(&c->threads);
	*t = (struct lbr_thread){ .pid = pid, .tid = tid };
	return t;
}

static bool lbr_call__equals(const struct lbr_call *a, const struct lbr_call *b)
{
	return a->from == b->from && a->to == b->to;
}

/*
 * Return where the oldest of the sample's calls is among those of the thread, or their number if it is not
 * there. The calls before it must be the same, too, up to the newest that both know.
 */
static size_t lbr_thread__find(const struct lbr_thread *t, const struct lbr_call *calls, size_t nr,
			       u64 hw_idx)
{
	for (size_t i = 0; i < t->calls.nr; i++) {
		size_t same = 0;

		if ((t->hw_idx - i - (hw_idx - (nr - 1))) % RING_STEP)
			continue;
		while (same <= i && same < nr &&
		       lbr_call__equals(&t->calls.v[i - same], &calls[nr - 1 - same]))
			same++;
		if (same)
			return i;
	}
	return t->calls.nr;
}

/* Append the callers of the sample's oldest call to its calls, as far as the thread's samples had them. */
static void lbr_chains__stitch(struct lbr_chains *c, const struct sample *s)
{
	struct lbr_thread *t = lbr_chains__thread(c, s->pid, s->tid);
	size_t nr = c->scratch.nr, at = nr ? lbr_thread__find(t, c->scratch.v, nr, s->hw_idx) : t->calls.nr;

	for (size_t i = at + 1; i < t->calls.nr && c->scratch.nr < CALLS_MAX; i++)
		array__add(&c->scratch, t->calls.v[i]);
	t->hw_idx = s->hw_idx;
	t->calls.nr = 0;
	for (size_t i = 0; i < c->scratch.nr; i++)
		array__add(&t->calls, c->scratch.v[i]);
}

void lbr_chains__complete(struct lbr_chains *c, struct sample *s)
{
	if (!evsel__has_lbr_chains(s->evsel) || !s->has_hw_idx)
		return;
	c->scratch.nr = 0;
	for (u64 i = 0; i < s->nr_branches; i++)
		array__add(&c->scratch, ((struct lbr_call){ s->branches[3 * i], s->branches[3 * i + 1] }));
	lbr_chains__stitch(c, s);
	c->branches.nr = 0;
	for (size_t i = 0; i < c->scratch.nr; i++) {
		array__add(&c->branches, c->scratch.v[i].from);
		array__add(&c->branches, c->scratch.v[i].to);
		array__add(&c->branches, 0);
	}
	s->branches = c->branches.v;
	s->nr_branches = c->scratch.nr;
}
