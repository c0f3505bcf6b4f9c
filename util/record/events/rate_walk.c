#include "record/events/rate_walk.h"

#include "base/memory/hash.h"
#include "base/system/clock.h"

enum { THOUSAND = 1000 };

#define GOLDEN_SECTION 0x9e3779b97f4a7c15ull /* of 2^64; odd, so that the row comes to each number once */

s32 rate_walk__next(struct rate_walk *w)
{
	w->at += GOLDEN_SECTION;
	return (s32)((s64)w->at >> (63 - RATE_PLACE_BITS));
}

u32 rate_walk__about(const struct rate_walk *w, u32 ms)
{
	return ms - ms / 4 + (u32)(hash__u64(w->at) % (ms / 2 + 1));
}

u32 rate_spread__of(u64 freq, u64 max_freq)
{
	u64 room = RATE_SPREAD;

	if (!freq || (max_freq && freq >= max_freq))
		return 0;
	if (max_freq && max_freq < 2 * freq)
		room = MIN(room, (max_freq - freq) * THOUSAND / freq);
	return room < RATE_SPREAD_MIN ? 0 : (u32)room;
}

/* Return the rate at a place, times 2^30 * 1000 / freq. */
static u64 scaled_rate(u32 spread, s32 place)
{
	return (u64)(((s64)THOUSAND << RATE_PLACE_BITS) + (s64)spread * place);
}

u64 rate__at(u64 freq, u32 spread, s32 place)
{
	u64 rate = (u64)((unsigned __int128)freq * scaled_rate(spread, place) / THOUSAND >> RATE_PLACE_BITS);

	return MAX(rate, (u64)1);
}

u64 rate__period_at(u64 freq, u32 spread, s32 place)
{
	unsigned __int128 unit = (unsigned __int128)rate__period(freq) * THOUSAND << RATE_PLACE_BITS;
	u64 period = (u64)(unit / scaled_rate(spread, place));

	return period + (period == rate__period(freq));
}

u64 rate__period(u64 freq)
{
	return MAX((u64)NS_PER_SECOND / MAX(freq, (u64)1), (u64)1);
}
