#include "record/events/vary.h"

#include "base/memory/hash.h"
#include "base/system/clock.h"
#include "event/evsel/event_request.h"
#include "format/records/sampling_mark.h"
#include "live/perf_clock.h"
#include "record/events/rate_walk.h"

#include <string.h>
#include <sys/ioctl.h>

enum {
	STEP_MS = 100,          /* change rates about so often ... */
	STEP_SAMPLES = 200,     /* ... but a counter only after so many samples */
	MS_PER_COUNTER = 1,     /* ... and not more counters than this: a change takes 2 us */
	BEGIN_PART = 5,         /* of the range of rates is for the first one: it may be the only one */
	CPUS_MOST = 8,          /* on which a thread is thought to run between two changes */
	IDLE_STEPS = 5,         /* wait for so many steps when nothing runs */
	STARTER_STEPS = 10,     /* the counters of a command change after so many steps at the latest */
	CHANGES_KEPT = 64,      /* samples may wait in the rings and for the unwinder */
	CLOCK_AGAIN_MS = 10000, /* compare the samples' clock with ours again */
	CPU_NONE = -2,
};

/* How an event is sampled. */
struct varied {
	u32 spread;     /* thousandths; 0: the event does not vary */
	bool is_clock;  /* samples tell the first period for ever */
	bool is_cgroup; /* counted on whole CPUs, but only of some tasks */
	bool has_id;    /* samples begin with the id of their counter, or of what it was inherited from */
	u16 tid_at;     /* offset in a sample, in bytes */
	u16 period_at;  /* the same of the period */
	u32 nr_levels;
	u64 freqs[STACK_LEVELS_MAX];   /* Hz */
	u64 periods[STACK_LEVELS_MAX]; /* ns; what samples tell */
};

struct change {
	u64 since; /* ns of the samples' clock */
	s32 place; /* see rate_walk.h */
};

/*
 * Counters that change together: those of one thread or control group on one CPU, or if samples do not
 * tell the counter, on all CPUs; or those of a whole CPU.
 */
struct vary_group {
	int tid, cpu; /* of the counter that was added last; cpu CPU_NONE: none */
	u32 evsel;
	bool is_always; /* sampled all the time */
	ARRAY(u32) counters;
	u32 nr_cpus;
	u64 nr_samples; /* that have not paid for a change; with __atomic */
	u64 changed_ms;
	s32 first_place;
	u64 nr_changes;         /* with __atomic */
	struct change *changes; /* a ring of CHANGES_KEPT; NULL before the first one */
};

/* Finds the group of a sample: the id of its counter, or else its thread. */
struct vary_key {
	u64 key;
	u32 group;
};

struct vary {
	const struct counters *counters;
	struct vary_opts opts;
	struct varied *events; /* by evsel idx */
	ARRAY(struct vary_group) groups;
	ARRAY(struct vary_key) keys;
	struct hash_table by_key;
	bool has_one_thread; /* all groups are of it */
	struct rate_walk walk;
	u32 step_ms;
	u64 due_ms;      /* of the next step */
	u64 compared_ms; /* when clock_ahead was found out; 0: not yet */
	u64 clock_ahead; /* of the samples' clock, before CLOCK_MONOTONIC_RAW; ns, modulo 2^64 */
	bool knows_clock;
};

/* ---- what varies ---- */

static bool is_clock(const struct perf_event_attr *a)
{
	return a->type == PERF_TYPE_SOFTWARE &&
	       (a->config == PERF_COUNT_SW_CPU_CLOCK || a->config == PERF_COUNT_SW_TASK_CLOCK);
}

/* Other software events, tracepoints and breakpoints are no clocks: the kernel counts occurrences. */
static bool may_vary(const struct evsel *e)
{
	const u64 needed = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD;
	const struct perf_event_attr *a = &e->attr;

	return a->freq && a->sample_freq && (a->sample_type & needed) == needed &&
	       (is_clock(a) || (a->type != PERF_TYPE_SOFTWARE && a->type != PERF_TYPE_TRACEPOINT &&
				a->type != PERF_TYPE_BREAKPOINT));
}

/* Return the offset in samples of what follows these fields, of one word each. */
static u16 offset_after(u64 sample_type, u64 fields)
{
	return (u16)(sizeof(struct perf_event_header) +
		     sizeof(u64) * (unsigned)__builtin_popcountll(sample_type & fields));
}

static const struct counter *counters__first_of(const struct counters *c, u32 evsel)
{
	for (size_t i = 0; i < c->v.nr; i++)
		if (c->v.v[i].evsel == evsel)
			return &c->v.v[i];
	return NULL;
}

static void varied__init(struct varied *e, const struct evsel *of, const struct counters *c, u64 max_freq)
{
	const u64 before_tid = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP;
	const u64 before_period = before_tid | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
				  PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU;
	const struct counter *n = counters__first_of(c, of->idx);
	const struct stack_level whole = { .part = 1 };
	const struct stack_level *levels = n && n->has_levels ? c->levels.v : &whole;

	e->spread = rate_spread__of(of->attr.sample_freq, max_freq);
	e->is_clock = is_clock(&of->attr);
	e->is_cgroup = of->request->cgroup;
	e->has_id = of->attr.sample_type & PERF_SAMPLE_IDENTIFIER;
	e->tid_at = (u16)(offset_after(of->attr.sample_type, before_tid) + sizeof(u32)); /* after the pid */
	e->period_at = offset_after(of->attr.sample_type, before_period);
	e->nr_levels = levels == &whole ? 1 : c->levels.nr;
	for (u32 i = 0; i < e->nr_levels; i++) {
		e->freqs[i] = MAX(of->attr.sample_freq / MAX(levels[i].part, 1u), (u64)1);
		e->periods[i] = rate__period(e->freqs[i]);
	}
}

/* Set the rate of a counter. Return whether the kernel accepts it. */
static bool vary__set(const struct vary *v, const struct counter *n, s32 place)
{
	const struct varied *e = &v->events[n->evsel];
	u64 freq = e->freqs[n->has_levels ? n->level : 0];
	u64 value = e->is_clock ? rate__period_at(freq, e->spread, place) : rate__at(freq, e->spread, place);

	return !ioctl(n->fd, PERF_EVENT_IOC_PERIOD, &value);
}

/* ---- groups ---- */

static struct vary_group *vary__last(const struct vary *v)
{
	return &v->groups.v[v->groups.nr - 1];
}

static bool vary__begins_group(const struct vary *v, const struct counter *n)
{
	const struct varied *e = &v->events[n->evsel];

	return !v->groups.nr || vary__last(v)->tid != n->tid || (e->has_id && vary__last(v)->cpu != n->cpu) ||
	       (vary__last(v)->evsel != n->evsel &&
		(e->is_cgroup || v->events[vary__last(v)->evsel].is_cgroup));
}

/* The counters of a group follow each other. */
static void vary__add_counter(struct vary *v, u32 index)
{
	const struct counter *n = &v->counters->v.v[index];
	const struct varied *e = &v->events[n->evsel];
	u64 key = e->has_id ? n->id : (u64)(u32)n->tid;

	if (vary__begins_group(v, n))
		array__add(&v->groups, ((struct vary_group){ .tid = n->tid,
							     .cpu = CPU_NONE,
							     .evsel = n->evsel,
							     .is_always = n->tid < 0 && !e->is_cgroup }));
	vary__last(v)->nr_cpus += vary__last(v)->cpu != n->cpu;
	vary__last(v)->cpu = n->cpu;
	array__add(&vary__last(v)->counters, index);
	hash_table__insert(&v->by_key, hash__u64(key), (u32)v->keys.nr);
	array__add(&v->keys, ((struct vary_key){ key, (u32)v->groups.nr - 1 }));
}

/*
 * Return the group of the counter that made a sample, or that this counter was inherited from. If samples
 * have no ids, there is one group, or threads inherit nothing, so that a thread's samples are of its own
 * counters.
 */
static struct vary_group *vary__find(const struct vary *v, const struct varied *e,
				     const struct perf_event_header *h)
{
	const u8 *sample = (const u8 *)h;
	u64 key = 0;
	u32 i;

	if (v->groups.nr == 1)
		return &v->groups.v[0];
	if (e->has_id)
		memcpy(&key, sample + sizeof(*h), sizeof(u64));
	else
		key = *(const u32 *)(const void *)(sample + e->tid_at);
	hash_table__for_each (&v->by_key, hash__u64(key), i)
		if (v->keys.v[i].key == key)
			return &v->groups.v[v->keys.v[i].group];
	return NULL;
}

static void group__add_change(struct vary_group *g, u64 since, s32 place)
{
	struct change *c;

	if (!g->changes)
		g->changes = xcalloc(CHANGES_KEPT, sizeof(*g->changes));
	c = &g->changes[g->nr_changes % CHANGES_KEPT];
	__atomic_store_n(&c->since, since, __ATOMIC_RELAXED);
	__atomic_store_n(&c->place, place, __ATOMIC_RELAXED);
	__atomic_store_n(&g->nr_changes, g->nr_changes + 1, __ATOMIC_RELEASE);
}

/* Return the place at a time; that of the oldest change that is known if all are younger. */
static s32 group__place(const struct vary_group *g, u64 time)
{
	u64 nr = __atomic_load_n(&g->nr_changes, __ATOMIC_ACQUIRE);
	/* the recorder may write the slot after the newest now */
	u64 oldest = nr >= CHANGES_KEPT ? nr - CHANGES_KEPT + 1 : 0;
	s32 place = g->first_place;

	while (nr-- > oldest) {
		const struct change *c = &g->changes[nr % CHANGES_KEPT];

		if (oldest || __atomic_load_n(&c->since, __ATOMIC_RELAXED) <= time)
			place = __atomic_load_n(&c->place, __ATOMIC_RELAXED);
		if (__atomic_load_n(&c->since, __ATOMIC_RELAXED) <= time)
			break;
	}
	return place;
}

/* The counter samples for its level at the rate of the attr, which its samples tell. */
void vary__set_again(void *vary, const struct counter *n)
{
	struct vary *v = vary;
	const struct varied *e = &v->events[n->evsel];
	u64 key = e->has_id ? n->id : (u64)(u32)n->tid;
	u32 i;

	if (!e->spread)
		return;
	hash_table__for_each (&v->by_key, hash__u64(key), i) {
		const struct vary_group *g = &v->groups.v[v->keys.v[i].group];

		if (v->keys.v[i].key != key)
			continue;
		vary__set(v, n, group__place(g, UINT64_MAX));
		return;
	}
}

static void vary__begin_group(struct vary *v, struct vary_group *g)
{
	g->changed_ms = clock__ms();
	g->first_place = rate_walk__next(&v->walk) / BEGIN_PART;
	for (size_t i = 0; i < g->counters.nr; i++)
		vary__set(v, &v->counters->v.v[g->counters.v[i]], g->first_place);
}

/* ---- time ---- */

static u64 clock_now(clockid_t clock)
{
	struct timespec t;

	return clock_gettime(clock, &t) ? 0 : timespec__ns(&t);
}

/* Only records tell the kernel's clock. It runs as evenly as the raw one. */
static void vary__compare_clocks(struct vary *v, u64 now_ms)
{
	u64 time;

	if (v->opts.use_clockid || (v->compared_ms && now_ms - v->compared_ms < CLOCK_AGAIN_MS))
		return;
	time = perf_clock__now();
	v->knows_clock = time;
	v->clock_ahead = time - clock_now(CLOCK_MONOTONIC_RAW);
	v->compared_ms = now_ms;
}

static u64 vary__now(const struct vary *v)
{
	if (v->opts.use_clockid)
		return clock_now(v->opts.clockid);
	return clock_now(CLOCK_MONOTONIC_RAW) + v->clock_ahead;
}

/* ---- the public functions ---- */

/* Does the kernel let the rate of this event be changed? */
static bool vary__is_accepted(const struct vary *v, u32 evsel)
{
	const struct counter *n = counters__first_of(v->counters, evsel);

	return n && vary__set(v, n, 0);
}

/* Choose the events. Return the lowest frequency that they begin with, or 0 if there are none. */
static u64 vary__add_events(struct vary *v, struct evlist *l)
{
	u64 lowest = 0;

	for (u32 i = 0; i < l->evsels.nr; i++) {
		struct evsel *e = l->evsels.v[i];

		if (!may_vary(e))
			continue;
		varied__init(&v->events[i], e, v->counters, v->opts.max_freq);
		if (!v->events[i].spread || !vary__is_accepted(v, i)) {
			v->events[i].spread = 0;
			continue;
		}
		attr__mark_varied(&e->attr);
		lowest = lowest ? MIN(lowest, v->events[i].freqs[0]) : v->events[i].freqs[0];
	}
	return lowest;
}

struct vary *vary__new(const struct counters *c, struct evlist *l, const struct vary_opts *opts)
{
	struct vary *v = xcalloc(1, sizeof(*v));
	u64 lowest;

	v->counters = c;
	v->opts = *opts;
	v->walk.at = hash__u64(opts->seed);
	v->knows_clock = opts->use_clockid;
	v->events = xcalloc(l->evsels.nr + 1, sizeof(*v->events));
	lowest = vary__add_events(v, l);
	for (u32 i = 0; i < c->v.nr; i++)
		if (v->events[c->v.v[i].evsel].spread)
			vary__add_counter(v, i);
	if (!v->groups.nr) {
		vary__delete(v);
		return NULL;
	}
	v->step_ms = (u32)MAX(MAX((u64)STEP_MS, (u64)STEP_SAMPLES * 1000 / lowest), c->v.nr * MS_PER_COUNTER);
	for (size_t i = 0; i < v->groups.nr; i++)
		vary__begin_group(v, &v->groups.v[i]);
	v->has_one_thread = v->groups.v[0].tid >= 0;
	for (size_t i = 1; i < v->groups.nr; i++)
		v->has_one_thread &= v->groups.v[i].tid == v->groups.v[0].tid;
	v->due_ms = clock__ms() + v->step_ms;
	return v;
}

void vary__delete(struct vary *v)
{
	if (!v)
		return;
	for (size_t i = 0; i < v->groups.nr; i++) {
		array__exit(&v->groups.v[i].counters);
		free(v->groups.v[i].changes);
	}
	array__exit(&v->groups);
	array__exit(&v->keys);
	hash_table__exit(&v->by_key);
	free(v->events);
	free(v);
}

/*
 * Take from the samples of g those that a change costs. Samples are seen when the rings are drained, so
 * they pay for several changes.
 */
static bool group__pay(struct vary_group *g)
{
	u64 price = (u64)STEP_SAMPLES * MIN(g->nr_cpus, (u32)CPUS_MOST);
	u64 has = __atomic_load_n(&g->nr_samples, __ATOMIC_RELAXED);

	if (has < price)
		return false;
	__atomic_fetch_sub(&g->nr_samples, price, __ATOMIC_RELAXED);
	return true;
}

/*
 * If only one thread has counters of its own, it may be a shell or make: then
 * those that it starts get different rates.
 */
static bool vary__is_due(const struct vary *v, struct vary_group *g, u64 now_ms)
{
	return g->is_always || group__pay(g) ||
	       (v->has_one_thread && now_ms - g->changed_ms >= (u64)STARTER_STEPS * v->step_ms);
}

static void vary__change(struct vary *v, struct vary_group *g, u64 now_ms)
{
	s32 place = rate_walk__next(&v->walk);

	g->changed_ms = now_ms;
	for (size_t i = 0; i < g->counters.nr; i++)
		vary__set(v, &v->counters->v.v[g->counters.v[i]], place);
	group__add_change(g, vary__now(v), place);
}

void vary__step(struct vary *v)
{
	u64 now = clock__ms();
	bool changed = false;

	if (!v || v->opts.keeps_rate || now < v->due_ms)
		return;
	vary__compare_clocks(v, now);
	for (size_t i = 0; v->knows_clock && i < v->groups.nr; i++) {
		if (!vary__is_due(v, &v->groups.v[i], now))
			continue;
		vary__change(v, &v->groups.v[i], now);
		changed = true;
	}
	v->due_ms = now + (u64)rate_walk__about(&v->walk, v->step_ms) * (changed ? 1 : IDLE_STEPS);
}

u64 vary__timeout(const struct vary *v, u64 most)
{
	u64 now = clock__ms();

	if (!v || v->opts.keeps_rate)
		return most;
	return v->due_ms <= now ? 0 : MIN(v->due_ms - now, most);
}

static void group__count(struct vary_group *g)
{
	if (!g->is_always)
		__atomic_fetch_add(&g->nr_samples, 1, __ATOMIC_RELAXED);
}

void vary__correct(struct vary *v, struct lazy_record *r)
{
	const struct evsel *of = lazy_record__evsel(r);
	const struct varied *e = of && v->events[of->idx].spread ? &v->events[of->idx] : NULL;
	const struct sample_id *id = e ? lazy_record__id(r) : NULL;
	struct vary_group *g;
	u64 period;

	if (!id || r->header->size < e->period_at + sizeof(period))
		return;
	g = vary__find(v, e, r->header);
	if (!g)
		return;
	memcpy(&period, (u8 *)r->header + e->period_at, sizeof(period));
	if (!e->is_clock && (g->tid < 0 || (int)id->tid == g->tid))
		group__count(g);
	for (u32 i = 0; e->is_clock && i < e->nr_levels; i++) {
		if (period != e->periods[i])
			continue;
		period = rate__period_at(e->freqs[i], e->spread, group__place(g, id->time));
		memcpy((u8 *)r->header + e->period_at, &period, sizeof(period));
		group__count(g);
		return;
	}
}
