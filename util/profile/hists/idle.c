#include "profile/hists/idle.h"

#include "profile/hists/hists.h"

void idle__exit(struct idle *idle)
{
	array__exit(&idle->threads);
	hash_table__exit(&idle->by_tid);
}

static struct thread_time *idle__thread(const struct idle *idle, u32 tid)
{
	u32 i;

	hash_table__for_each (&idle->by_tid, hash__u64(tid), i)
		if (idle->threads.v[i].tid == tid)
			return &idle->threads.v[i];
	return NULL;
}

void idle__count(struct idle *idle, u32 tid, u64 ns)
{
	struct thread_time *t = idle__thread(idle, tid);

	if (!t) {
		hash_table__insert(&idle->by_tid, hash__u64(tid), (u32)idle->threads.nr);
		t = array__push(&idle->threads);
		*t = (struct thread_time){ .tid = tid };
	}
	t->ns += ns;
}

u64 idle__of_thread(const struct idle *idle, u32 tid)
{
	const struct thread_time *t = idle__thread(idle, tid);

	return t ? t->ns : 0;
}

bool wait__is_idle(enum wait_kind kind, u64 nr, u64 ns, u64 thread_ns)
{
	if (kind == WAIT_JOIN || kind == WAIT_CHILD || kind == WAIT_NOTHING)
		return true;
	if (kind == WAIT_SLEEP && nr < IDLE_SLEEPS)
		return false;
	return ns >= thread_ns / 2;
}

/* The waits of a thread at one place with the same callers. */
struct spot {
	u32 tid, place, chain;
	u64 ns, nr;
};

struct spots {
	ARRAY(struct spot) v;
	struct hash_table table;
	u32 *of_fold; /* by fold: index in v + 1; 0: such waits are never idle */
};

static u32 spots__find(struct spots *s, const struct fold *f, u32 tid)
{
	u64 hash = hash__add(hash__add(tid, f->place), f->chain);
	u32 i;

	hash_table__for_each (&s->table, hash, i) {
		const struct spot *old = &s->v.v[i];

		if (old->tid == tid && old->place == f->place && old->chain == f->chain)
			return i;
	}
	i = (u32)s->v.nr;
	hash_table__insert(&s->table, hash, i);
	array__add(&s->v, ((struct spot){ .tid = tid, .place = f->place, .chain = f->chain }));
	return i;
}

static void spots__collect(struct spots *s, const struct view *v)
{
	s->of_fold = xcalloc(v->folds.nr + 1, sizeof(*s->of_fold));
	for (size_t i = 0; i < v->folds.nr; i++) {
		const struct fold *f = &v->folds.v[i];
		struct spot *spot;

		if (!wait_kind__may_be_idle(places__get(&v->places, f->place)->wait))
			continue;
		s->of_fold[i] = spots__find(s, f, fold__kind(v, f)->tid) + 1;
		spot = &s->v.v[s->of_fold[i] - 1];
		spot->ns += f->period;
		spot->nr += f->nr;
	}
}

static bool spot__is_idle(const struct spot *s, const struct view *v, const struct idle *idle)
{
	return wait__is_idle(places__get(&v->places, s->place)->wait, s->nr, s->ns,
			     idle__of_thread(idle, s->tid));
}

void fold__mark_idle(struct fold *f, struct view *v)
{
	const struct chain_opts *opts = &v->opts.chain;

	f->place = places__waiting(&v->places, f->place, places__get(&v->places, f->place)->wait, true);
	if (f->chain)
		f->chain = chains__with_leaf(&v->chains, &v->places, f->chain, opts, f->place);
}

void view__mark_idle(struct view *v, const struct idle *idle,
		     bool (*is_in_sums)(struct view *v, const struct fold *f))
{
	struct spots spots = { .of_fold = NULL };
	size_t nr = 0;

	spots__collect(&spots, v);
	for (size_t i = 0; i < v->folds.nr; i++) {
		struct fold *f = &v->folds.v[i];

		if (spots.of_fold[i] && spot__is_idle(&spots.v.v[spots.of_fold[i] - 1], v, idle))
			fold__mark_idle(f, v);
		if (places__get(&v->places, f->place)->is_idle) {
			v->idle_ns += is_in_sums(v, f) ? f->period : 0;
			if (v->opts.waits.no_idle)
				continue;
		}
		if (v->opts.chain.history)
			v->histories.v[nr] = v->histories.v[i];
		v->folds.v[nr++] = *f;
	}
	v->folds.nr = nr;
	array__exit(&spots.v);
	hash_table__exit(&spots.table);
	free(spots.of_fold);
}
