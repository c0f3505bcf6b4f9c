/*
 * What this user can record on this machine now: one table of kinds of recordings, each tried by opening a
 * counter for it and closing it again, or, where that would need somebody else's process, concluded from the
 * facts.
 */
#ifndef LIVE_ABILITIES_H
#define LIVE_ABILITIES_H

#include "live/checks.h"

struct ability {
	const char *name; /* one word */
	const char *what; /* for people */
	/* 0, or a negative errno with *q saying what failed, for checks__explain. attr is where q->attr may
	 * point. */
	int (*try)(const struct facts *f, struct perf_event_attr *attr, struct failure *q);
};

size_t abilities__nr(void);
const struct ability *abilities__get(size_t i);
/* Tries it. 0 with *blocker NULL; or the negative errno, *blocker naming the check that explains it in *out.
 */
int ability__try(const struct ability *a, const struct facts *f, const char **blocker, struct finding *out);

#endif
