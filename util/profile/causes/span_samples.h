/*
 * The samples that tell what passed in spans that are compared: their waits, with who ended them, the
 * samples on the CPU in them, and what the holders of locks did meanwhile. Stacks are rows. Private to
 * causes.c.
 */
#ifndef PROFILE_SPAN_SAMPLES_H
#define PROFILE_SPAN_SAMPLES_H

#include "profile/causes/span_groups.h"
#include "profile/causes/span_times.h"
#include "profile/rows/rows.h"

enum { ITEM_READY = UINT32_MAX, ITEM_ON_CPU = UINT32_MAX - 1 }; /* instead of a wait */
enum { NO_WAIT = UINT32_MAX, NO_ROW = UINT32_MAX };

struct span_item { /* time in a span, but for that on the CPU */
	u32 span;  /* index in span_groups.v */
	u32 wait;  /* index in lines.waits, or ITEM_READY */
	u32 ended; /* the wait whose end says who let the lock go; NO_WAIT: nobody is known */
	u64 ns;
};

struct span_run { /* a sample on the CPU in a span */
	u32 span, number;
};

struct holder_item { /* what the holder of a lock did while the item's thread waited */
	u32 item;    /* index in items */
	u32 wait;    /* of the holder, or ITEM_READY, or ITEM_ON_CPU */
	u32 number;  /* of ITEM_ON_CPU: a sample of the holder; NO_ROW: there is none */
	u64 ns;
};

struct span_samples {
	ARRAY(struct span_item) items; /* in the order of span, as runs */
	ARRAY(struct span_run) runs;
	ARRAY(struct holder_item) holders;
	ARRAY(u64) on_cpu; /* ns, by index in span_groups.v */
	struct row_table rows;
	u32 *row_of;  /* by number of the sample: index in rows; NO_ROW: not wanted */
	u32 *periods; /* of samples on the CPU, by number */
};

/*
 * Find the samples of the spans in g, of set. Return 0, or a negative errno with err. Exit x in any case.
 */
int span_samples__read(struct span_samples *x, struct session *s, const struct span_times *times,
		       const struct span_set *set, const struct span_groups *g, struct err *err);
void span_samples__exit(struct span_samples *x);

/* Return the row of a wait, or of the sample in which it was ended; NO_ROW: there is none. */
u32 span_samples__wait_row(const struct span_samples *x, const struct span_times *t, u32 wait);
u32 span_samples__ended_row(const struct span_samples *x, const struct span_times *t, u32 wait);

#endif
