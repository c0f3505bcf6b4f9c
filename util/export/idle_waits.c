#include "export/idle_waits.h"

#include "profile/hists/idle.h"

struct wait_sum { /* of a thread's waits with one stack */
	u32 tid, stack;
	u64 ns, nr;
};

struct wait_sums_of_rows {
	ARRAY(struct wait_sum) v;
	struct hash_table table;
	struct idle idle; /* the times of threads */
};

static const struct export_event *event_of(const struct export *x, u32 row)
{
	return &x->events.v[x->uses.v[row].event];
}

static enum wait_kind kind_of(const struct export *x, u32 stack)
{
	return places__get(&x->stacks.places, x->stacks.v.v[stack].place)->wait;
}

static struct wait_sum *wait_sum__of(struct wait_sums_of_rows *s, u32 tid, u32 stack)
{
	u64 hash = hash__u64((u64)tid << 32 | stack);
	u32 i;

	hash_table__for_each (&s->table, hash, i)
		if (s->v.v[i].tid == tid && s->v.v[i].stack == stack)
			return &s->v.v[i];
	hash_table__insert(&s->table, hash, (u32)s->v.nr);
	array__add(&s->v, ((struct wait_sum){ .tid = tid, .stack = stack }));
	return &s->v.v[s->v.nr - 1];
}

/* Add up the times of threads, and their waits that may be idle. */
static void add_up(struct wait_sums_of_rows *s, const struct export *x)
{
	for (u32 i = 0; i < x->uses.nr; i++) {
		const struct row_use *use = &x->uses.v[i];
		const struct row *row = row_table__get(x->rows, i);
		struct wait_sum *sum;

		if (use->thread == NOT_EXPORTED || !event_of(x, i)->is_time)
			continue;
		idle__count(&s->idle, row->key.tid, row->period);
		if (!wait_kind__may_be_idle(kind_of(x, use->stack)))
			continue;
		sum = wait_sum__of(s, row->key.tid, use->stack);
		sum->ns += row->period;
		sum->nr += row->nr;
	}
}

static bool is_idle(struct wait_sums_of_rows *s, const struct export *x, u32 row)
{
	u32 stack = x->uses.v[row].stack, tid = row_table__get(x->rows, row)->key.tid;
	enum wait_kind kind = kind_of(x, stack);
	const struct wait_sum *sum;

	if (event_of(x, row)->kind != SAMPLE_WAITING)
		return event_of(x, row)->is_time && !tid;
	if (!wait_kind__may_be_idle(kind))
		return false;
	sum = wait_sum__of(s, tid, stack);
	return wait__is_idle(kind, sum->nr, sum->ns, idle__of_thread(&s->idle, tid));
}

void idle_waits__mark(struct export *x)
{
	struct wait_sums_of_rows s = { { 0 } };
	bool has_waits = false;

	for (size_t i = 0; i < x->events.nr; i++)
		has_waits |= x->events.v[i].kind == SAMPLE_WAITING;
	if (!has_waits)
		return;
	add_up(&s, x);
	for (u32 i = 0; i < x->uses.nr; i++)
		if (x->uses.v[i].thread != NOT_EXPORTED && x->uses.v[i].stack && is_idle(&s, x, i))
			x->uses.v[i].stack = stacks__idle(&x->stacks, x->uses.v[i].stack);
	array__exit(&s.v);
	hash_table__exit(&s.table);
	idle__exit(&s.idle);
}
