#include "record/stacks/wait_rate.h"

enum {
	HIGH = 4000,    /* switches per second */
	LOW = 1000,     /* the same, to return */
	BURST = 400,    /* switches in a short time that are not called a rate */
	CALM_MS = 2000, /* the rate must be low for this long */
};

bool wait_rate__is_high(struct wait_rate *w, u64 now_ms)
{
	u64 ms = now_ms - w->since_ms;

	if (!w->since_ms)
		ms = 0;
	if (!w->is_high && w->nr > BURST && w->nr * 1000 > ms * HIGH)
		w->is_high = true;
	else if (w->is_high && ms < CALM_MS)
		return true;
	else if (w->is_high)
		w->is_high = w->nr * 1000 > ms * LOW;
	w->nr = 0;
	w->since_ms = now_ms;
	return w->is_high;
}
