#include "export/export_order.h"

#include "base/memory/mem.h"
#include "export/labels.h"

#include <stdlib.h>
#include <string.h>

/* ---- by_thread ---- */

static u32 *thread_buckets(const struct export *x, u32 *nr)
{
	const struct row_use *uses = x->uses.v;
	u32 *buckets = xcalloc(x->uses.nr + 1, sizeof(*buckets));

	for (size_t i = 0; i < x->uses.nr; i++)
		buckets[i] = uses[i].thread == NOT_EXPORTED
				     ? STREAM_NO_BUCKET
				     : uses[i].thread * x->nr_tracks + x->events.v[uses[i].event].track;
	*nr = (u32)x->threads.nr * x->nr_tracks;
	return buckets;
}

/* ---- by_stack ---- */

struct group {               /* rows that are exported as equal samples */
	u32 process, origin; /* process: the first thread with its pid */
	u32 event, stack;
	u32 thread, cpu;  /* 0 if they are no labels */
	const char *comm; /* NULL if it is not a label; equal names have equal addresses */
};

struct groups {
	ARRAY(struct group) v; /* in the order of their first rows */
	struct hash_table table;
	ARRAY(u32) process_of_thread;
};

/* List the processes, which get the names of their first threads. */
static void groups__list_processes(struct groups *g, const struct export *x)
{
	struct hash_table by_pid = HASH_TABLE_INIT;
	u32 k;

	for (u32 i = 0; i < x->threads.nr; i++) {
		u64 hash = hash__u64(x->threads.v[i].pid);
		u32 process = i;

		hash_table__for_each (&by_pid, hash, k)
			if (x->threads.v[k].pid == x->threads.v[i].pid)
				process = k;
		if (process == i)
			hash_table__insert(&by_pid, hash, i);
		array__add(&g->process_of_thread, process);
	}
	hash_table__exit(&by_pid);
}

static u32 groups__add(struct groups *g, const struct export *x, const struct row_use *use)
{
	struct group group;
	u64 hash;
	u32 i;

	memset(&group, 0, sizeof(group)); /* compared as bytes */
	group.process = g->process_of_thread.v[use->thread];
	group.event = use->event;
	group.stack = use->stack;
	group.thread = x->labels & 1u << LABEL_TID ? use->thread : 0;
	group.comm = x->labels & 1u << LABEL_COMM ? x->use_words.v[use->words].comm : NULL;
	group.cpu = x->by_cpu ? use->cpu : 0;
	group.origin = x->use_words.v[use->words].origin;
	hash = hash__add((u64)group.process << 32 | group.event, (u64)group.stack << 32 | group.thread);
	hash = hash__add(hash__add(hash, group.cpu), (uintptr_t)group.comm);
	hash = hash__add(hash, group.origin);
	hash_table__for_each (&g->table, hash, i)
		if (!memcmp(&g->v.v[i], &group, sizeof(group)))
			return i;
	i = (u32)g->v.nr;
	hash_table__insert(&g->table, hash, i);
	array__add(&g->v, group);
	return i;
}

static int group__compare(const void *a, const void *b, void *ctx)
{
	const u32 *i = a, *k = b;
	const struct groups *g = ctx;
	const struct group *x = &g->v.v[*i], *y = &g->v.v[*k];

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->origin != y->origin)
		return x->origin < y->origin ? -1 : 1;
	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	return *i < *k ? -1 : *i > *k;
}

static u32 *stack_buckets(const struct export *x, u32 *nr)
{
	const struct row_use *uses = x->uses.v;
	struct groups g = { .table = HASH_TABLE_INIT };
	u32 *buckets = xcalloc(x->uses.nr + 1, sizeof(*buckets)), *order, *number;

	groups__list_processes(&g, x);
	for (size_t i = 0; i < x->uses.nr; i++)
		buckets[i] = uses[i].thread == NOT_EXPORTED ? STREAM_NO_BUCKET : groups__add(&g, x, &uses[i]);
	*nr = (u32)g.v.nr;
	order = xcalloc(*nr + 1, sizeof(*order));
	number = xcalloc(*nr + 1, sizeof(*number));
	for (u32 i = 0; i < *nr; i++)
		order[i] = i;
	qsort_r(order, *nr, sizeof(*order), group__compare, &g);
	for (u32 i = 0; i < *nr; i++)
		number[order[i]] = i;
	for (size_t i = 0; i < x->uses.nr; i++)
		if (buckets[i] != STREAM_NO_BUCKET)
			buckets[i] = number[buckets[i]];
	free(order);
	free(number);
	array__exit(&g.v);
	array__exit(&g.process_of_thread);
	hash_table__exit(&g.table);
	return buckets;
}

u32 *export_order__buckets(const struct export *x, u32 *nr)
{
	return x->format->by_stack ? stack_buckets(x, nr) : thread_buckets(x, nr);
}
