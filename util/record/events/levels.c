#include "record/events/levels.h"

#include "base/system/clock.h"

#include <string.h>

enum { SLOW_WORTH = 20 }; /* tell a lower frequency that was used for one in so many milliseconds */

static void use(struct counters *c, unsigned level)
{
	u64 now = clock__ms();

	if (c->level_since)
		c->level_ms[c->level] += now - c->level_since;
	c->level_since = now;
	counters__use_level(c, level);
}

void levels__choose(struct counters *c, const struct stack_depths *depths, unsigned fill)
{
	struct stack_load_facts f = {
		.levels = &c->levels,
		.depths = depths,
		.ring = c->rings.nr ? c->rings.v[0].size : 0,
		.rate = c->rate,
		.now_ms = clock__ms(),
	};

	if (!c->levels.nr || !c->armed)
		return;
	for (size_t i = 0; i < c->rings.nr; i++)
		f.fill = MAX(f.fill, ring__fill(&c->rings.v[i]));
	f.is_queue = fill >= f.fill;
	f.fill = MAX(f.fill, fill);
	use(c, stack_load__see(&c->load, &f));
}

void levels__begin_file(struct counters *c)
{
	memset(c->level_ms, 0, sizeof(c->level_ms));
}

struct levels_used levels__used(const struct counters *c)
{
	const struct stack_levels *l = &c->levels;
	u64 nr = MAX(c->nr_rates, 1u); /* -F is the rate of each event */
	struct levels_used u = { .rate = c->rate / nr, .ring = c->rings.nr ? c->rings.v[0].size : 0 };
	u64 longest = 0;

	if (!l->nr)
		return u;
	u.asked = l->asked;
	u.wanted = c->load.wanted;
	u.was_queue = c->load.by_queue > c->load.by_rings;
	u.wanted_rate = stack_levels__rate(u.wanted, u.ring) / nr;
	for (unsigned i = 0; i < l->nr; i++) {
		u.ms += c->level_ms[i];
		if (l->v[i].part > 1) {
			u.slow_ms += c->level_ms[i];
			u.slow_rate = u.rate / l->v[i].part;
		}
		if (c->level_ms[i] < longest)
			continue;
		longest = c->level_ms[i];
		u.copy = l->v[i].copy;
	}
	return u;
}

void levels_used__tell(const struct levels_used *u, struct strbuf *out)
{
	bool was_slow = u->slow_rate && u->slow_ms * SLOW_WORTH >= u->ms && u->slow_ms;

	if (u->copy > u->asked)
		strbuf__addf(out, "Copied %u bytes of each stack, as %u are too few\n", u->copy, u->asked);
	else if (u->wanted && u->wanted_rate && u->wanted_rate < u->rate)
		strbuf__addf(
			out,
			"Copied %u bytes of each stack: some are deeper, and a ring of %lluK has room for "
			"%u with -F %llu\n",
			u->copy, (unsigned long long)u->ring >> 10, u->wanted,
			(unsigned long long)u->wanted_rate);
	if (was_slow)
		strbuf__addf(out,
			     "Sampled at %llu Hz for %.1f of %.1f s, as %s had no room for more: type -F "
			     "%llu\n",
			     (unsigned long long)u->slow_rate, (double)u->slow_ms / 1000,
			     (double)u->ms / 1000,
			     u->was_queue ? "the queue of stacks to be unwound" : "the ring buffers",
			     (unsigned long long)u->slow_rate);
}
