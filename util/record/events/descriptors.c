#include "record/events/descriptors.h"

#include "record/stacks/stack_load.h"

enum {
	FEW_PAIRS = 128, /* of CPUs and threads: each may have all variants */
	FEW_CPUS = 4,
};

u64 descriptors__total(const struct descriptors *d, unsigned levels, bool small)
{
	u64 each = d->events + d->tracking + d->with_levels * (levels - 1) + (small ? d->with_small : 0);

	return each * d->pairs + d->rest;
}

struct variants_most variants_most__of(const struct descriptors *d, const struct target *t, u64 limit)
{
	struct variants_most most = { .levels = STACK_LEVELS_MAX, .small = true };
	u64 all = (d->events + 1) * 3 / 2 * d->pairs + d->rest;

	if (!t->tids.nr)
		return most;
	if (d->pairs <= FEW_PAIRS && t->cpus.nr <= FEW_CPUS)
		all = limit;
	all = MIN(all, limit);
	while (most.levels > 1 && descriptors__total(d, most.levels, most.small) > all)
		most.levels--;
	most.small = descriptors__total(d, most.levels, true) <= all;
	return most;
}
