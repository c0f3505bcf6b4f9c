/*
 * The entries of several views side by side, for perf diff: entries whose sort keys have the same text are
 * one row. Binaries differ from recording to recording, so addresses do not count. Views are added one
 * after the other, and may be freed afterwards.
 *
 * 	side_by_side__init(&s, 2);
 * 	side_by_side__add(&s, 0, &old_view, &style);
 * 	side_by_side__add(&s, 1, &new_view, &style);
 * 	... s.tables.v[0].rows ...
 *
 * Option -c cycles adds views of code between branches (view_opts.blocks), too. A block is the same in two
 * recordings if it has the same place in a function with the same texts.
 */
#ifndef PROFILE_SIDE_BY_SIDE_H
#define PROFILE_SIDE_BY_SIDE_H

#include "base/memory/arena.h"
#include "profile/hists/hists.h"

struct side_cell { /* values of a row in one recording */
	u64 period;
	bool is_there;
};

struct side_row {
	const char *key;         /* identifies the row: the texts of all keys */
	const char **texts;      /* by column, as shown: control characters are masked */
	struct side_cell *cells; /* by recording */
	bool has_symbol;         /* its function is known */
	bool is_shown;           /* scratch for the view */
};

struct block_cycles { /* values of a block in one recording */
	bool is_there;
	u64 nr, cycles; /* times it ran, the sum of all its cycles */
	const struct cycles_count *counts;
	size_t nr_counts; /* 0 unless view_opts.block_cycles */
};

struct side_block {
	struct side_row *row;       /* its function, which samples may not be in */
	u64 start, end;             /* of the first and the last instruction: offsets in the function */
	const char *range;          /* as the last recording shows it; masked */
	struct block_cycles *cells; /* by recording */
};

struct side_column { /* a sort key */
	const struct column *column;
	const char *header;
	unsigned width; /* of the header; scratch for the view */
	bool right_aligned;
};

struct side_table { /* of an event */
	const char *event;
	struct perf_event_attr attr;
	u64 *totals;       /* by recording: 100% */
	bool *has_samples; /* by recording */
	ARRAY(struct side_column) columns;
	ARRAY(struct side_row *) rows;
	ARRAY(struct side_block) blocks;
	struct hash_table by_key, by_block;
};

struct side_by_side {
	u32 nr; /* recordings */
	struct arena arena;
	ARRAY(struct side_table) tables; /* in the order of the first recording's events */
	struct strbuf scratch;
};

void side_by_side__init(struct side_by_side *s, u32 nr);
/*
 * Add the entries of v that are not filtered, as recording i. Recordings come in order. A later one adds no
 * tables for events that the first one lacks.
 */
void side_by_side__add(struct side_by_side *s, u32 i, struct view *v, const struct cell_style *style);
/*
 * Add the blocks of v, which is of recording i, whose samples were added. The sort keys must be dso and
 * symbol, or symbol alone.
 */
void side_by_side__add_blocks(struct side_by_side *s, u32 i, struct view *v);
void side_by_side__exit(struct side_by_side *s);

#endif
