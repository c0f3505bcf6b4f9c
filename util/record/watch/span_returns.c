#include "record/watch/span_returns.h"

#include "base/memory/hash.h"
#include "format/records/sample.h"
#include "unwind/unwind.h"

#include <string.h>

enum { DEPTH_MOST = 1024, PAGE_OFFSET = 0xfff };

struct replaced {
	u64 sp, address;
};

struct returns_thread {
	u32 tid;
	ARRAY(struct replaced) v; /* the innermost last */
};

struct span_returns {
	struct sample_decoder decoder;
	struct hash_table by_tid;
	ARRAY(struct returns_thread) threads;
};

struct span_returns *span_returns__new(const struct evlist *kernel)
{
	struct span_returns *s = xcalloc(1, sizeof(*s));

	sample_decoder__init(&s->decoder, kernel);
	return s;
}

void span_returns__delete(struct span_returns *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->threads.nr; i++)
		array__exit(&s->threads.v[i].v);
	array__exit(&s->threads);
	hash_table__exit(&s->by_tid);
	sample_decoder__exit(&s->decoder);
	free(s);
}

static struct returns_thread *span_returns__find(struct span_returns *s, u32 tid)
{
	u32 i;

	hash_table__for_each (&s->by_tid, hash__u64(tid), i)
		if (s->threads.v[i].tid == tid)
			return &s->threads.v[i];
	return NULL;
}

void span_returns__add(struct span_returns *s, u32 tid, u64 sp, u64 address)
{
	struct returns_thread *t = span_returns__find(s, tid);

	if (!t) {
		hash_table__insert(&s->by_tid, hash__u64(tid), (u32)s->threads.nr);
		array__add(&s->threads, ((struct returns_thread){ .tid = tid }));
		t = &s->threads.v[s->threads.nr - 1];
	}
	while (t->v.nr && t->v.v[t->v.nr - 1].sp <= sp)
		t->v.nr--; /* it has returned */
	if (t->v.nr < DEPTH_MOST)
		array__add(&t->v, ((struct replaced){ sp, address }));
}

void span_returns__end_thread(struct span_returns *s, u32 tid)
{
	struct returns_thread *t = span_returns__find(s, tid);

	if (t)
		t->v.nr = 0;
}

/* The trampoline is at the beginning of a page; a function that has returned has left any other word there. */
static void mend_slot(u8 *slot, u64 address)
{
	u64 word;

	memcpy(&word, slot, sizeof(word));
	if (word && !(word & PAGE_OFFSET))
		memcpy(slot, &address, sizeof(address));
}

void span_returns__mend(struct span_returns *s, struct perf_event_header *h)
{
	const struct unwind_arch *arch = unwind_arch__own();
	const struct record r = { .header = h };
	const struct returns_thread *t;
	struct sample sample;
	u64 mask, sp;
	u8 *stack;

	if (sample__decode(&s->decoder, &r, &sample) || !sample.user_stack || !sample.user_regs)
		return;
	t = span_returns__find(s, sample.tid);
	mask = sample.evsel->attr.sample_regs_user;
	if (!t || !arch || !(mask >> unwind_arch__perf_sp(arch) & 1))
		return;
	sp = sample.user_regs[__builtin_popcountll(mask & ((1ull << unwind_arch__perf_sp(arch)) - 1))];
	stack = (u8 *)h + ((const u8 *)sample.user_stack - (const u8 *)h);
	for (size_t i = t->v.nr; i-- > 0;) {
		u64 at = t->v.v[i].sp - sp; /* wraps around if the function has returned */

		if (sample.stack_dyn_size >= sizeof(u64) && at <= sample.stack_dyn_size - sizeof(u64))
			mend_slot(stack + at, t->v.v[i].address);
	}
}
