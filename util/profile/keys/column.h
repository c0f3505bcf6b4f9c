/*
 * The columns of a report: sort keys, which distinguish entries, and values, which are sums. Each column is
 * a row of the table in columns.c that holds everything about it; see Documentation/howto-add-a-sort-key.md.
 */
#ifndef PROFILE_COLUMN_H
#define PROFILE_COLUMN_H

#include "base/message/word_list.h"
#include "base/text/markdown.h"
#include "profile/branches/branches.h"

struct view;
struct hists;
struct hist_entry;
struct fold;
struct sample_field;
struct trace_key;

enum { COLUMN_WORDS_MAX = 4, NR_BLOCK_COLUMNS = 6 };

struct cell_style {            /* settings for all columns */
	const char *separator; /* -t; NULL: columns are padded with blanks */
	bool verbose;          /* long names */
	bool color;
	/* for people: short forms of functions' names (base/text/fold_name.h), times with units */
	bool fold_names;
	enum markup markup; /* of names */
};

struct cell { /* an entry's value in a column, to be printed */
	const struct column *column;
	struct view *v;
	const struct hists *h;
	const struct hist_entry *e;
	int width; /* of the column; for values: of one group member */
	const struct cell_style *style;
	struct strbuf *sb;
};

struct column_needs {   /* data that few keys need */
	bool ipc;       /* instructions per cycle (profile/branches/ipc.h) */
	bool map_sizes; /* sizes of mappings */
	bool parent;    /* parents of samples (-p) */
};

struct column {
	const char *name; /* in -s and -F any prefix of it is accepted */
	const char *header;
	unsigned split;          /* enum profile_split: what the profile must split rows by */
	const char *filter_name; /* "comm": redundant if this filter has a single name; NULL: none */
	bool right_aligned;      /* keys: the header, too */
	bool branch;             /* only if entries are branches */
	bool exact_ends;         /* needs the addresses of branch ends, not only their symbols */
	bool exact;              /* needs the addresses of places, not only their symbols */
	bool lines;              /* needs the source lines of places */
	bool data;               /* field is the address of data, whose place is needed */
	bool of_sample;          /* keys: a sample's entry and those of its callers have one value */
	struct column_needs needs;
	bool waits; /* only if waits were recorded */
	bool times; /* only in a time table (profile/waits/time_table.h) */

	unsigned width; /* minimum; keys are also as wide as their header */
	size_t stat;    /* values: offset in struct hist_stat */
	/*
	 * Values that are not always summed up: return what samples add to the entry; of_callees: also to
	 * those of their callers. NULL for the others.
	 */
	u64 (*sum)(const struct column *c, const struct view *v, const struct fold *f);
	bool of_callees;
	u32 nr_parts; /* values that are divided by field, which has so many values from 0 on; 0: are not */
	/* Keys: the source of the value, used by the functions below. */
	/* its value is in the extra of rows; NULL: the value is in their fields */
	const struct sample_field *field;
	u64 (*value)(const struct column *c, const struct view *v, const struct hist_entry *e);
	/* places of entries or of branch ends */
	struct branch_end (*end)(const struct view *v, const struct hist_entry *e);
	const char *(*text)(const struct column *c, const struct view *v, const struct hist_entry *e);
	const struct trace_key *trace; /* field of a tracepoint */

	/* Keys: set the words that identify equal entries, and return how many. NULL for values. */
	unsigned (*identity)(const struct column *c, const struct view *v, const struct hist_entry *e,
			     u64 *words);
	/* < 0: a is shown first. */
	int (*compare)(const struct column *c, struct view *v, const struct hist_entry *a,
		       const struct hist_entry *b);
	/* Keys: order of entries that are equal in all columns (hists.c); NULL: use compare. */
	int (*collapse)(const struct column *c, struct view *v, const struct hist_entry *a,
			const struct hist_entry *b);
	/* Keys: return the width that an entry needs; NULL: never more than width. */
	unsigned (*room)(const struct column *c, struct view *v, const struct hist_entry *e);
	/* Append the value as text, without padding at its end. */
	void (*print)(const struct cell *cell);
	/* Append the value as JSON; NULL: it is the text, or the number (profile/hists/column_json.h). */
	void (*json)(const struct cell *cell);
};

extern const struct column columns[];
/* their names, and the names of keys that only stock perf has; a beginning is enough */
extern const struct word_list column_names, column_names__of_stock;
extern const struct column block_columns[NR_BLOCK_COLUMNS]; /* of code between branches */
extern const struct column trace_field_column; /* template for the columns of tracepoint fields */

/* Does the column distinguish entries? Other columns are sums. */
static inline bool column__is_key(const struct column *c)
{
	return c->identity;
}

/* Append lead and a percentage in its colour, at least width columns wide. */
void cell_style__add_percent(const struct cell_style *s, struct strbuf *sb, double percent, const char *lead,
			     int width);
/*
 * Append a time (ns) in ms, or with its unit if the style is for people, in the colour of its share of total,
 * at least width columns wide.
 */
void cell_style__add_time(const struct cell_style *s, struct strbuf *sb, u64 ns, u64 total, int width);
/*
 * Append the name of a function from a file, folded if the style says so, without control characters; as code
 * in Markdown.
 */
void cell_style__add_name(const struct cell_style *s, struct strbuf *sb, const char *name);
/* Append other text from a file or a user, such as a path, in the same way, but not folded. */
void cell_style__add_text(const struct cell_style *s, struct strbuf *sb, const char *text);

#endif
