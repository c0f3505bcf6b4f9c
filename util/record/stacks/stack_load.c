#include "record/stacks/stack_load.h"

#include <string.h>

enum {
	HIGH_FILL = 48, /* 64ths */
	VERY_HIGH_FILL = 60,
	EFFECT_MS = 20,     /* time until a new level shows in the fill */
	PATIENCE_MS = 2000, /* time before the level goes down, longer each time that it was too short */
	PATIENCE_GROWS = 4,
	PATIENCE_MAX_MS = 60000,
	/* bytes; the sizes that are opened besides the one that was asked for */
	DEEP_COPY = 60 << 10, /* most of what fits into a record */
	MEDIUM_COPY = 4608,   /* for stacks of 4 KiB */
	SMALL_COPY = 1536,
	SLOW_PART = 8,
	SLOW_PART_MAX = 64,
	COPIES_LEAST = 4,       /* that a ring must hold */
	COPIES_ENOUGH = 64,     /* that last long enough, where the rate is unknown */
	RECORD_REST = 512,      /* bytes of a record besides its stack, about */
	HOLD_LEAST_MS = 20,     /* time that a ring must last, if smaller copies can make it */
	HOLD_SLOW_MS = 50,      /* ... at the lowest frequency, which is chosen for that */
	SURE_BYTES = 128 << 20, /* per second and CPU, that the recorder can take; more must be tried */
	HOLD_WELL_MS = 1250,    /* copies are not made smaller in rings that last so long */
	DEPTH_SLACK = 64,       /* bytes that unwinding reads beyond the last frame's stack pointer */
	/* The level follows the stacks: */
	CUT_LEAST = 8,    /* chains cut off, before copies grow */
	CUT_SHARE = 128,  /* ... and at least one in so many */
	CALM_SHARE = 512, /* copies shrink if at most one in so many chains would be longer */
	WINDOW = 4096,    /* chains that are looked at together, before copies shrink */
	GROWN_MS = 10000, /* time after they grew before copies shrink */
};

/* ---- levels ---- */

static void stack_levels__add(struct stack_levels *l, u32 copy, u32 part)
{
	l->v[l->nr++] = (struct stack_level){ copy, part };
}

void stack_levels__fill(struct stack_levels *l, u32 asked, bool may_grow)
{
	static const u32 smaller[] = { MEDIUM_COPY, SMALL_COPY };

	*l = (struct stack_levels){ .asked = asked, .most = may_grow ? MAX(asked, (u32)DEEP_COPY) : asked };
	if (l->most > asked)
		stack_levels__add(l, l->most, 1);
	l->start = l->nr;
	stack_levels__add(l, asked, 1);
	for (size_t i = 0; i < ARRAY_SIZE(smaller); i++)
		if (smaller[i] <= asked / 4 * 3)
			stack_levels__add(l, smaller[i], 1);
	stack_levels__add(l, l->v[l->nr - 1].copy, SLOW_PART);
}

void stack_levels__fit(struct stack_levels *l, u64 ring)
{
	while (l->nr > 1 && (u64)l->v[0].copy * COPIES_LEAST > ring) {
		l->start -= l->start > 0;
		l->nr--;
		memmove(l->v, l->v + 1, l->nr * sizeof(*l->v));
	}
}

/* Return whether a ring of that many bytes lasts for some time. rate: as in struct stack_load_facts. */
static bool lasts(const struct stack_level *l, u64 ring, u64 rate, u64 ms)
{
	u64 nr = ring / (l->copy + RECORD_REST);

	return rate ? nr * 1000 >= rate / l->part * ms : nr >= COPIES_ENOUGH;
}

u64 stack_levels__rate(u32 copy, u64 ring)
{
	if ((u64)copy * COPIES_LEAST > ring)
		return 0;
	return copy ? ring / (copy + RECORD_REST) * 1000 / HOLD_LEAST_MS : UINT64_MAX;
}

void stack_levels__slow_down(struct stack_levels *l, u64 ring, u64 rate)
{
	struct stack_level *slowest = &l->v[l->nr - 1];

	while (slowest->part > 1 && slowest->part < SLOW_PART_MAX &&
	       !lasts(slowest, ring, rate, HOLD_SLOW_MS))
		slowest->part *= 2;
}

/* Return the index of the level that the stacks are taken to need at first. */
static unsigned stack_levels__first(const struct stack_levels *l, u64 ring, u64 rate)
{
	unsigned first = l->start;

	while (l->most > l->asked && first + 1 < l->nr && !lasts(&l->v[first], ring, rate, HOLD_LEAST_MS))
		first++;
	return first;
}

static void stack_levels__remove(struct stack_levels *l, unsigned i)
{
	if (!i && l->v[0].copy > l->v[1].copy)
		l->next = l->v[0].copy;
	l->start -= l->start > i;
	l->nr--;
	memmove(l->v + i, l->v + i + 1, (l->nr - i) * sizeof(*l->v));
}

void stack_levels__keep(struct stack_levels *l, unsigned most, u64 ring, u64 rate)
{
	unsigned first = stack_levels__first(l, ring, rate);

	for (; first && !lasts(&l->v[0], ring, rate, HOLD_LEAST_MS); first--)
		stack_levels__remove(l, 0);
	for (; first && l->nr > most; first--)
		stack_levels__remove(l, 0);
	while (l->nr > most && l->nr > first + 2)
		stack_levels__remove(l, l->nr - 2);
	if (l->nr > most)
		l->nr = most;
}

/* ---- depths ---- */

static void count(u64 *counts, u64 bytes)
{
	u64 i = (bytes + STACK_DEPTH_UNIT - 1) / STACK_DEPTH_UNIT;

	if (i <= STACK_DEPTHS)
		__atomic_fetch_add(&counts[i], 1, __ATOMIC_RELAXED);
}

void stack_depths__add_whole(struct stack_depths *d, u64 bytes)
{
	if (bytes < UINT64_MAX - DEPTH_SLACK)
		count(d->whole, bytes + DEPTH_SLACK);
}

void stack_depths__add_cut(struct stack_depths *d, u64 copy)
{
	count(d->cut, copy);
}

/* Return how many were counted from index first on, since the last decision. */
static u64 since(const u64 *counts, const u64 *seen, size_t first)
{
	u64 nr = 0;

	for (size_t i = first; i <= STACK_DEPTHS; i++)
		nr += __atomic_load_n(&counts[i], __ATOMIC_RELAXED) - seen[i];
	return nr;
}

u64 stack_depths__total(const struct stack_depths *d)
{
	static const u64 nothing[STACK_DEPTHS + 1];

	return since(d->whole, nothing, 0) + since(d->cut, nothing, 0);
}

static void stack_load__decided(struct stack_load *l, const struct stack_depths *d)
{
	for (size_t i = 0; i <= STACK_DEPTHS; i++) {
		l->seen.whole[i] = __atomic_load_n(&d->whole[i], __ATOMIC_RELAXED);
		l->seen.cut[i] = __atomic_load_n(&d->cut[i], __ATOMIC_RELAXED);
	}
}

/* ---- the choice ---- */

/* Return whether enough chains are cut off by copies of the current level that larger ones are worth it. */
static bool stack_load__needs_more(const struct stack_load *l, const struct stack_load_facts *f, u64 all)
{
	size_t i = (f->levels->v[l->level].copy + STACK_DEPTH_UNIT - 1) / STACK_DEPTH_UNIT;
	u64 cut = __atomic_load_n(&f->depths->cut[i], __ATOMIC_RELAXED) - l->seen.cut[i];

	return l->level == l->need && cut >= CUT_LEAST && cut * CUT_SHARE >= all;
}

/* Go to larger copies, or note that there is no room. */
static void stack_load__grow(struct stack_load *l, const struct stack_load_facts *f)
{
	const struct stack_level *more = l->need ? &f->levels->v[l->need - 1] : NULL;

	l->grown_ms = f->now_ms;
	if (more && lasts(more, f->ring, f->rate, HOLD_LEAST_MS))
		l->need--;
	else if (more || f->levels->v[0].copy < f->levels->most)
		l->wanted = more ? more->copy : f->levels->next ? f->levels->next : f->levels->most;
}

/* Return whether copies of a level are long enough for nearly all chains. */
static bool stack_load__suffices(const struct stack_load *l, const struct stack_load_facts *f, unsigned level,
				 u64 all)
{
	size_t beyond = f->levels->v[level].copy / STACK_DEPTH_UNIT + 1;

	return (since(f->depths->whole, l->seen.whole, beyond) + since(f->depths->cut, l->seen.cut, 0)) *
		       CALM_SHARE <=
	       all;
}

/* Follow the stacks: larger copies where chains are cut off, smaller ones where a ring would last longer. */
static void stack_load__follow_need(struct stack_load *l, const struct stack_load_facts *f)
{
	u64 all = since(f->depths->whole, l->seen.whole, 0) + since(f->depths->cut, l->seen.cut, 0);
	const struct stack_levels *levels = f->levels;

	if (stack_load__needs_more(l, f, all)) {
		stack_load__grow(l, f);
	} else if (all >= WINDOW && (!l->grown_ms || f->now_ms - l->grown_ms >= GROWN_MS)) {
		while (l->need + 1 < levels->nr && levels->v[l->need + 1].part == 1 &&
		       !lasts(&levels->v[l->need], f->ring, f->rate, HOLD_WELL_MS) &&
		       stack_load__suffices(l, f, l->need + 1, all))
			l->need++;
	} else if (all < WINDOW) {
		return;
	}
	stack_load__decided(l, f->depths);
}

static u64 bytes_per_second(const struct stack_level *l, u64 rate)
{
	return rate / l->part * (l->copy + RECORD_REST);
}

unsigned stack_load__begin(struct stack_load *l, const struct stack_levels *levels, u64 ring, u64 rate,
			   u64 now_ms)
{
	unsigned first = stack_levels__first(levels, ring, rate);

	*l = (struct stack_load){ .need = first, .level = first, .patience_ms = PATIENCE_MS };
	while (l->level + 1 < levels->nr && bytes_per_second(&levels->v[l->level], rate) > SURE_BYTES) {
		l->level++;
		l->changed_ms = now_ms;
	}
	return l->level;
}

static void stack_load__rise(struct stack_load *l, const struct stack_load_facts *f)
{
	unsigned most = f->levels->nr - 1;

	if (l->level == most) {
		l->changed_ms = f->now_ms;
		return;
	}
	if (f->fill < VERY_HIGH_FILL && l->changed_ms && f->now_ms - l->changed_ms < EFFECT_MS)
		return;
	if (l->level == l->need && l->changed_ms)
		l->patience_ms = MIN(PATIENCE_GROWS * l->patience_ms, (u32)PATIENCE_MAX_MS);
	l->level = f->fill >= VERY_HIGH_FILL ? most : l->level + 1;
	l->changed_ms = f->now_ms;
	if (l->level == most)
		(*(f->is_queue ? &l->by_queue : &l->by_rings))++;
}

unsigned stack_load__see(struct stack_load *l, const struct stack_load_facts *f)
{
	unsigned need = l->need;

	stack_load__follow_need(l, f);
	if (l->level == need || l->level < l->need)
		l->level = l->need;
	if (f->fill >= HIGH_FILL) {
		stack_load__rise(l, f);
	} else if (l->level > l->need && f->now_ms - l->changed_ms >= l->patience_ms) {
		l->level--;
		l->changed_ms = f->now_ms;
	}
	return l->level;
}
