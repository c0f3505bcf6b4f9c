/*
 * Parts of rows, for sort keys whose values hardly repeat, such as the time: a row is found as without the
 * key, and its samples are divided into parts. A sample counts for the newest part of its row, or for a new
 * one, so that nothing is looked up; a row may have several parts with the same value.
 */
#ifndef PROFILE_ROW_PARTS_H
#define PROFILE_ROW_PARTS_H

#include "profile/gather/rows.h"

struct row_part {
	u64 period, first_time, first_offset; /* as in struct row */
	u32 first_thread, first_pid, first_tid;
	u32 nr;      /* samples */
	u32 row;     /* index in the table of rows */
	u32 unused;  /* words are aligned */
	u64 words[]; /* row_parts.nr_words: the extra */
};

struct row_parts {
	u64_array v;          /* the parts, one after the other */
	u32 nr_words;         /* of the extra of each */
	ARRAY(size_t) newest; /* by row: where its newest part begins in v, + 1; 0: it has none */
};

/* extra: of the sample, as many words for each. */
void row_parts__count(struct row_parts *p, u32 row, const struct row_extra *extra,
		      const struct row_sample *s);
/* Free what counting needed. numbers: the new index of each row by its old one; NULL: the same. */
void row_parts__end(struct row_parts *p, const u32 *numbers);
void row_parts__exit(struct row_parts *p);

/* Return the part that begins at a position in p->v, and go on to the next; NULL: there is none. */
const struct row_part *row_parts__next(const struct row_parts *p, size_t *pos);

#endif
