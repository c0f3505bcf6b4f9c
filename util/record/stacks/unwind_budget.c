#include "record/stacks/unwind_budget.h"

#include "base/memory/hash.h"

enum {
	UNWIND_INTERVAL = 500000,         /* ns between two stacks, in the mean */
	UNWIND_CREDIT = 50 * 1000 * 1000, /* ns that may be saved up */
};

bool unwind_budget__take(struct unwind_budget *b, u64 time)
{
	bool is_next_ring = !b->before || time < b->before;
	u64 since = is_next_ring ? b->round_start : b->before;

	b->nr_rings += is_next_ring;
	b->before = time;
	b->newest = MAX(b->newest, time);
	b->credit += (time - MIN(time, since)) / MAX(b->nr_rings_before, 1u);
	b->credit = MIN(b->credit, (u64)UNWIND_CREDIT);
	if (b->credit < b->cost)
		return false;
	b->credit -= b->cost;
	/* Varies, so that of two threads that run in turn it is not always the same that is unwound. */
	b->random = hash__u64(b->random + 1);
	b->cost = UNWIND_INTERVAL / 2 + b->random % UNWIND_INTERVAL;
	return true;
}

void unwind_budget__end_round(struct unwind_budget *b)
{
	b->round_start = b->newest;
	b->before = 0;
	b->nr_rings_before = b->nr_rings;
	b->nr_rings = 0;
}
