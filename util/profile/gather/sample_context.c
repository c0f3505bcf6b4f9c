#include "profile/gather/sample_context.h"

#include "base/memory/hash.h"

#include <linux/perf_event.h>

enum { CGROUP_NAMESPACE = 6 }; /* index in NAMESPACES records */

struct switch_record { /* a thread starts or stops to run */
	u64 time;
	u32 tid;
	bool runs;
};
typedef ARRAY(struct switch_record) switch_list;

static void context__add_namespace(struct sample_context *c, const struct session *s, const struct record *r)
{
	struct namespaces_record n;
	u64 time;

	if (!record__namespaces(r, &n) || n.nr <= CGROUP_NAMESPACE)
		return;
	sample_decoder__trailer(&s->decoder, r, &time);
	array__add(&c->namespaces,
		   ((struct namespace_step){ .tid = n.tid,
					     .time = time,
					     .cgroup = n.link_info[2 * CGROUP_NAMESPACE] << 32 |
						       (u32)n.link_info[2 * CGROUP_NAMESPACE + 1] }));
}

static void add_switch(switch_list *switches, const struct session *s, const struct record *r)
{
	struct task_record exit;
	struct sample_id id;

	if (!sample_id__decode(&s->reader->evlist, r, &id))
		return;
	/* the kernel writes no last switch of a thread that ends */
	if (r->header->type == PERF_RECORD_EXIT)
		id.tid = record__task(r, &exit) ? exit.tid : 0;
	if (id.tid) /* 0: the CPU is idle */
		array__add(switches, ((struct switch_record){
					     .time = id.time,
					     .tid = id.tid,
					     .runs = r->header->type != PERF_RECORD_EXIT &&
						     !(r->header->misc & PERF_RECORD_MISC_SWITCH_OUT) }));
}

static int compare_switches(const void *x, const void *y)
{
	const struct switch_record *a = x, *b = y;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return (int)a->runs - (int)b->runs;
}

static int compare_namespaces(const void *x, const void *y)
{
	const struct namespace_step *a = x, *b = y;

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return a->time < b->time ? -1 : a->time > b->time;
}

struct running { /* the threads that run */
	struct hash_table by_tid;
	ARRAY(struct switch_record) v; /* the last switch of each thread */
};

static struct switch_record *running__of(struct running *r, const struct switch_record *s)
{
	u64 hash = hash__u64(s->tid);
	u32 i;

	hash_table__for_each (&r->by_tid, hash, i)
		if (r->v.v[i].tid == s->tid)
			return &r->v.v[i];
	hash_table__insert(&r->by_tid, hash, (u32)r->v.nr);
	/* a thread whose first record says that it stops ran before */
	array__add(&r->v, ((struct switch_record){ .tid = s->tid, .runs = !s->runs }));
	return &r->v.v[r->v.nr - 1];
}

/* Count threads that run: at least 1, at most one on each CPU. */
static void context__count_threads(struct sample_context *c, switch_list *switches, u32 nr_cpus)
{
	struct running running = { .by_tid = HASH_TABLE_INIT };
	u32 nr = 0;

	qsort(switches->v, switches->nr, sizeof(*switches->v), compare_switches);
	array__reserve(&c->parallelism, switches->nr);
	for (size_t i = 0; i < switches->nr; i++)
		(void)running__of(&running, &switches->v[i]);
	for (size_t i = 0; i < running.v.nr; i++)
		nr += running.v.v[i].runs;
	for (size_t i = 0; i < switches->nr; i++) {
		const struct switch_record *s = &switches->v[i];
		struct switch_record *last = running__of(&running, s);

		nr += (u32)s->runs - (u32)last->runs;
		last->runs = s->runs;
		array__add(&c->parallelism,
			   ((struct parallelism_step){ s->time, MIN(MAX(nr, 1u), nr_cpus) }));
	}
	hash_table__exit(&running.by_tid);
	array__exit(&running.v);
}

static bool is_switch(u32 type)
{
	return type == PERF_RECORD_SWITCH || type == PERF_RECORD_SWITCH_CPU_WIDE || type == PERF_RECORD_EXIT;
}

int sample_context__read(struct sample_context *c, struct session *s, struct err *err)
{
	struct reader_pass *pass = reader_pass__new(s->reader);
	u32 nr_cpus = features__nr_cpus(s->reader);
	switch_list switches = { .v = NULL };
	struct block block = BLOCK_INIT;
	struct record r;
	int ret;

	while ((ret = reader_pass__next(pass, &block, err)) > 0) {
		size_t pos = 0;

		while (block__next(&block, &pos, &r)) {
			if (is_switch(r.header->type))
				add_switch(&switches, s, &r);
			else if (r.header->type == PERF_RECORD_NAMESPACES)
				context__add_namespace(c, s, &r);
		}
	}
	block__exit(&block);
	reader_pass__delete(pass);
	if (c->namespaces.nr)
		qsort(c->namespaces.v, c->namespaces.nr, sizeof(*c->namespaces.v), compare_namespaces);
	if (switches.nr)
		context__count_threads(c, &switches, nr_cpus ? nr_cpus : UINT32_MAX);
	array__exit(&switches);
	return ret;
}

void sample_context__exit(struct sample_context *c)
{
	array__exit(&c->parallelism);
	array__exit(&c->namespaces);
	wakers__exit(&c->wakers);
	locks__exit(&c->locks);
}

/* Is a time between steps i - 1 and i? */
static bool context__is_before_step(const struct sample_context *c, size_t i, u64 time)
{
	return (!i || c->parallelism.v[i - 1].time <= time) &&
	       (i == c->parallelism.nr || c->parallelism.v[i].time > time);
}

static u32 context__parallelism(const struct sample_context *c, size_t *step, u64 time)
{
	size_t low = *step, high = c->parallelism.nr;

	if (context__is_before_step(c, low, time))
		return low ? c->parallelism.v[low - 1].nr : 1;
	for (low = 0; low < high;) {
		size_t mid = (low + high) / 2;

		if (c->parallelism.v[mid].time <= time)
			low = mid + 1;
		else
			high = mid;
	}
	*step = low;
	return low ? c->parallelism.v[low - 1].nr : 1;
}

static u64 context__namespace(const struct sample_context *c, u32 tid, u64 time)
{
	const struct namespace_step at = { .tid = tid, .time = time };
	size_t low = 0, high = c->namespaces.nr;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (compare_namespaces(&c->namespaces.v[mid], &at) <= 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low && c->namespaces.v[low - 1].tid == tid ? c->namespaces.v[low - 1].cgroup : 0;
}

void sample_context__fill(const struct sample_context *c, size_t *step, struct sample *s)
{
	const struct lock_wait *wait;

	s->parallelism = context__parallelism(c, step, s->time);
	s->cgroup_ns = context__namespace(c, s->tid, s->time);
	s->waker = wakers__of(&c->wakers, s);
	s->lock = s->holder = 0;
	if (c->locks.v.nr && (wait = locks__find(&c->locks, s))) {
		s->lock = wait->lock;
		s->holder = wait->holder;
	}
}
