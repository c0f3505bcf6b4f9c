#include "record/flow/delay.h"

#include "base/text/number.h"

#include <errno.h>
#include <string.h>

enum { DELAY_MAX = 1000000000 }; /* ms */

static bool parse_ms(const char **text, u32 *ms)
{
	u64 n;

	if (!number__take(text, DELAY_MAX, &n))
		return false;
	*ms = (u32)n;
	return true;
}

/* Parse windows such as "10-20,30-40". */
static bool delay__parse_windows(struct delay *d, const char *text)
{
	for (;;) {
		u32 begin, end;

		if (!parse_ms(&text, &begin) || *text++ != '-' || !parse_ms(&text, &end) || begin >= end)
			return false;
		if (d->edges.nr && begin <= d->edges.v[d->edges.nr - 1])
			return false;
		array__add(&d->edges, begin);
		array__add(&d->edges, end);
		if (!*text)
			return true;
		if (*text++ != ',')
			return false;
	}
}

int delay__parse(struct delay *d, const char *text, struct err *err)
{
	const char *rest = text;
	u32 ms;

	delay__exit(d);
	d->is_given = strcmp(text, "0") != 0;
	if (!d->is_given || !strcmp(text, "-1"))
		return 0;
	if (parse_ms(&rest, &ms) && !*rest) {
		array__add(&d->edges, ms);
		return 0;
	}
	if (delay__parse_windows(d, text))
		return 0;
	return err__set(err, -EINVAL,
			"'%s' is neither a number of milliseconds nor -1, nor windows such as 10-20,30-40",
			text);
}

void delay__exit(struct delay *d)
{
	array__exit(&d->edges);
	d->is_given = false;
}
