#include "record/watch/probed_stacks.h"

#include "base/memory/hash.h"
#include "format/records/sample.h"
#include "unwind/unwind.h"

#include <string.h>

enum { DEPTH_MOST = 1024, PAGE_OFFSET = 0xfff };

struct replaced {
	u64 sp, address;
};

struct probed_thread {
	u32 tid;
	u64 ip;                   /* of the last probe */
	ARRAY(struct replaced) v; /* the innermost last */
};

struct probed_stacks {
	struct sample_decoder decoder;
	struct hash_table by_tid;
	ARRAY(struct probed_thread) threads;
	u64_array pages; /* addresses of pages of instructions; most processes have the same one */
};

struct probed_stacks *probed_stacks__new(const struct evlist *l)
{
	struct probed_stacks *s = xcalloc(1, sizeof(*s));

	sample_decoder__init(&s->decoder, l);
	return s;
}

void probed_stacks__delete(struct probed_stacks *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->threads.nr; i++)
		array__exit(&s->threads.v[i].v);
	array__exit(&s->threads);
	array__exit(&s->pages);
	hash_table__exit(&s->by_tid);
	sample_decoder__exit(&s->decoder);
	free(s);
}

static struct probed_thread *probed_stacks__find(struct probed_stacks *s, u32 tid)
{
	u32 i;

	hash_table__for_each (&s->by_tid, hash__u64(tid), i)
		if (s->threads.v[i].tid == tid)
			return &s->threads.v[i];
	return NULL;
}

static struct probed_thread *probed_stacks__thread(struct probed_stacks *s, u32 tid)
{
	struct probed_thread *t = probed_stacks__find(s, tid);

	if (t)
		return t;
	hash_table__insert(&s->by_tid, hash__u64(tid), (u32)s->threads.nr);
	array__add(&s->threads, ((struct probed_thread){ .tid = tid }));
	return &s->threads.v[s->threads.nr - 1];
}

void probed_stacks__see_probe(struct probed_stacks *s, u32 tid, u64 ip)
{
	probed_stacks__thread(s, tid)->ip = ip;
}

void probed_stacks__see_map(struct probed_stacks *s, const struct perf_event_header *h)
{
	enum { PAGES_MOST = 64 };
	const struct record r = { .header = h };
	struct mmap_record m;

	if (!record__mmap(&r, &m) || strcmp(m.filename, "[uprobes]") != 0 || s->pages.nr == PAGES_MOST)
		return;
	for (size_t i = 0; i < s->pages.nr; i++)
		if (s->pages.v[i] == m.start)
			return;
	array__add(&s->pages, m.start);
}

void probed_stacks__add_return(struct probed_stacks *s, u32 tid, u64 sp, u64 address)
{
	struct probed_thread *t = probed_stacks__thread(s, tid);

	while (t->v.nr && t->v.v[t->v.nr - 1].sp <= sp)
		t->v.nr--; /* it has returned */
	if (t->v.nr < DEPTH_MOST)
		array__add(&t->v, ((struct replaced){ sp, address }));
}

void probed_stacks__end_thread(struct probed_stacks *s, u32 tid)
{
	struct probed_thread *t = probed_stacks__find(s, tid);

	if (t)
		t->v.nr = 0;
}

/* The trampoline is at the beginning of a page; where a function has returned, there is any other word. */
static void mend_slot(u8 *slot, u64 address)
{
	u64 word;

	memcpy(&word, slot, sizeof(word));
	if (word && !(word & PAGE_OFFSET))
		memcpy(slot, &address, sizeof(address));
}

/* Return the address of the instruction whose copy is executed at ip, or ip. */
static u64 original_ip(const struct probed_stacks *s, const struct probed_thread *t, u64 ip)
{
	enum { SLOT = 128 }; /* bytes, on x86; elsewhere a copy is one word */

	for (size_t i = 0; t->ip && i < s->pages.nr; i++)
		if (ip - s->pages.v[i] <= PAGE_OFFSET)
			return t->ip + ip % SLOT;
	return ip;
}

void probed_stacks__mend(struct probed_stacks *s, struct lazy_record *lazy)
{
	const struct unwind_arch *arch = unwind_arch__own();
	struct perf_event_header *h = lazy->header;
	const struct record r = { .header = h };
	const struct sample_id *id = lazy_record__id(lazy);
	const struct probed_thread *t = id ? probed_stacks__find(s, id->tid) : NULL;
	struct sample sample;
	u64 needed, mask, *regs, sp;
	u8 *stack;

	if (!t || !arch || sample__decode(&s->decoder, &r, &sample) || !sample.user_stack ||
	    !sample.user_regs)
		return;
	mask = sample.evsel->attr.sample_regs_user;
	needed = 1ull << unwind_arch__perf_sp(arch) | 1ull << arch->perf_ip;
	if ((mask & needed) != needed)
		return;
	regs = (u64 *)(void *)((u8 *)h + ((const u8 *)sample.user_regs - (const u8 *)h));
	regs += __builtin_popcountll(mask & ((1ull << arch->perf_ip) - 1));
	*regs = original_ip(s, t, *regs);
	sp = sample.user_regs[__builtin_popcountll(mask & ((1ull << unwind_arch__perf_sp(arch)) - 1))];
	stack = (u8 *)h + ((const u8 *)sample.user_stack - (const u8 *)h);
	for (size_t i = t->v.nr; i-- > 0;) {
		u64 at = t->v.v[i].sp - sp; /* wraps around if the function has returned */

		if (sample.stack_dyn_size >= sizeof(u64) && at <= sample.stack_dyn_size - sizeof(u64))
			mend_slot(stack + at, t->v.v[i].address);
	}
}
