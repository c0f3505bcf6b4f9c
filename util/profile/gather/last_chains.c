#include "profile/gather/last_chains.h"

#include <linux/perf_event.h>
#include <string.h>

void last_chains__exit(struct last_chains *c)
{
	for (size_t i = 0; i < c->v.nr; i++)
		array__exit(&c->v.v[i].words);
	array__exit(&c->v);
	hash_table__exit(&c->by_tid);
}

static struct last_chain *last_chains__of(struct last_chains *c, u32 pid, u32 tid)
{
	struct last_chain *last;
	u32 i;

	hash_table__for_each (&c->by_tid, hash__u64(tid), i)
		if (c->v.v[i].tid == tid && c->v.v[i].pid == pid)
			return &c->v.v[i];
	hash_table__insert(&c->by_tid, hash__u64(tid), (u32)c->v.nr);
	last = array__push(&c->v);
	*last = (struct last_chain){ .pid = pid, .tid = tid };
	return last;
}

void last_chains__see(struct last_chains *c, struct sample *s)
{
	struct last_chain *last = last_chains__of(c, s->pid, s->tid);

	if (!(s->evsel->attr.sample_type & PERF_SAMPLE_CALLCHAIN)) {
		s->callchain = last->words.v;
		s->nr_callchain = last->words.nr;
		return;
	}
	array__reserve(&last->words, s->nr_callchain);
	if (s->nr_callchain)
		memcpy(last->words.v, s->callchain, s->nr_callchain * sizeof(u64));
	last->words.nr = s->nr_callchain;
}
