/*
 * Parts of rows, for sort keys whose values hardly repeat, such as the time: a row is found as without the
 * key, and its samples are divided into parts. A sample counts for the newest part of its row, or for a new
 * one, so that nothing is looked up but its value, which is often that of the sample before; a row may have
 * several parts with the same value.
 */
#ifndef PROFILE_ROW_PARTS_H
#define PROFILE_ROW_PARTS_H

#include "profile/rows/rows.h"

struct row_part {
	struct row_part *before;              /* list of the parts with the same value */
	u64 period, first_time, first_offset; /* as in struct row */
	u32 first_thread, first_pid, first_tid;
	u32 nr;  /* samples */
	u32 row; /* index in the table of rows */
};

struct row_value { /* the extra of samples: row_parts.nr_words words */
	struct row_part *newest, *oldest;
};

struct row_newest { /* the newest part of a row; NULL: it has none */
	struct row_part *part;
	u32 value; /* of the part, which itself is seldom in the cache */
};

struct row_parts {
	struct arena arena; /* of parts */
	size_t nr;          /* parts */
	u32 nr_words;       /* of each value */
	ARRAY(struct row_value) values;
	u64_array words; /* of the values, one after the other */
	struct hash_table by_words;
	u32 last;                        /* value of the sample before */
	ARRAY(struct row_newest) newest; /* by row */
};

/* Count a sample for a row. extra: the sample's, with the same number of words each time. */
void row_parts__count(struct row_parts *p, u32 row, const struct row_extra *extra,
		      const struct row_sample *s);
/*
 * Move the parts of another worker to p. numbers: the new index of each of its rows by the old one. All that
 * is left of from is its arena, which must live as long as p.
 */
void row_parts__merge(struct row_parts *p, struct row_parts *from, const u32 *numbers);
void row_parts__exit(struct row_parts *p);

/* Return the words of a value. */
static inline struct row_extra row_parts__extra(const struct row_parts *p, size_t value)
{
	return (struct row_extra){ p->words.v + value * p->nr_words, p->nr_words };
}

#endif
