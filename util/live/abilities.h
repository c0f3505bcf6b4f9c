/*
 * Kinds of recordings, and whether this user can make them on this machine now. Each is tried by opening a
 * counter and closing it again. The facts decide if that would need another user's process.
 */
#ifndef LIVE_ABILITIES_H
#define LIVE_ABILITIES_H

#include "live/checks.h"

struct ability {
	const char *name; /* one word */
	const char *what; /* for people, a noun phrase */
	/*
	 * Try it: return 0, or a negative errno with *q describing what failed, for checks__explain. q->attr
	 * may point to attr.
	 */
	int (*try)(const struct facts *f, struct perf_event_attr *attr, struct failure *q);
};

size_t abilities__nr(void);
const struct ability *abilities__get(size_t i);
/*
 * Try it: return 0 with *blocker NULL, or the negative errno with *blocker naming the check that explains it
 * in *out.
 */
int ability__try(const struct ability *a, const struct facts *f, const char **blocker, struct finding *out);

#endif
