/*
 * The columns of a report: sort keys, by which entries differ, and values, which are sums. One column is
 * one row of the table in columns.c, with all that is known of it; Documentation/howto-add-a-sort-key.md.
 */
#ifndef PROFILE_COLUMN_H
#define PROFILE_COLUMN_H

#include "base/text/strbuf.h"
#include "profile/gather/branches.h"

struct view;
struct hists;
struct hist_entry;
struct trace_key;

enum { COLUMN_WORDS_MAX = 4 };

struct cell_style {            /* of all columns */
	const char *separator; /* -t; NULL: columns are padded with blanks */
	bool verbose;          /* long names */
	bool color;
};

struct cell { /* an entry's value in a column, on its way to the text */
	const struct column *column;
	struct view *v;
	const struct hists *h;
	const struct hist_entry *e;
	int width; /* of the column; values: of one member of the group */
	const struct cell_style *style;
	struct strbuf *sb;
};

struct column {
	const char *name; /* for -s and -F: any beginning of it will do */
	const char *header;
	unsigned split; /* enum profile_split that the profile needs */
	const char *
		filter_name; /* "comm": the list that makes it superfluous when it has one name; NULL: none */
	bool branch;         /* only where entries are branches */
	bool lines;          /* needs the source lines of places */

	unsigned width; /* at least; keys are also as wide as their header */
	size_t stat;    /* values: the field of struct hist_stat */
	/* Keys: where they come from, for the functions below. */
	sample_word word; /* of samples, behind their row's chain; NULL: of what rows always have */
	u64 (*value)(const struct column *c, const struct view *v, const struct hist_entry *e);
	struct branch_end (*end)(const struct view *v, const struct hist_entry *e); /* entries: their place */
	const char *(*text)(const struct column *c, const struct view *v, const struct hist_entry *e);
	const struct trace_key *trace; /* a field of a tracepoint */

	/* Keys: the words that equal entries have in common; NULL: a value. Returns how many. */
	unsigned (*identity)(const struct column *c, const struct view *v, const struct hist_entry *e,
			     u64 *words);
	/* Below 0: a is shown first. */
	int (*compare)(const struct column *c, struct view *v, const struct hist_entry *a,
		       const struct hist_entry *b);
	/* Keys: the order of entries that compare equal in all columns (hists.c); NULL: compare says it. */
	int (*collapse)(const struct column *c, struct view *v, const struct hist_entry *a,
			const struct hist_entry *b);
	/* Keys: the width that an entry needs; NULL: no more than that. */
	unsigned (*room)(const struct column *c, struct view *v, const struct hist_entry *e);
	/* Adds the value as text, not padded at its end. */
	void (*print)(const struct cell *cell);
};

extern const struct column columns[];
extern const size_t columns__nr;
extern const char *const columns__of_stock[];  /* names of those that only stock perf has; NULL at the end */
extern const struct column trace_field_column; /* what columns of fields of tracepoints have in common */

/* Whether entries are told apart by it; other columns are sums. */
static inline bool column__is_key(const struct column *c)
{
	return c->identity;
}

/* A percentage in its colour, behind lead and at least so wide. */
void cell_style__add_percent(const struct cell_style *s, struct strbuf *sb, double percent, const char *lead,
			     int width);

#endif
