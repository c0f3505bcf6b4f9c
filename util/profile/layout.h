/*
 * The columns of a report: sort keys, which make entries differ, and values. One table row each in
 * columns.c; a new key or value is a new row there, and nothing else.
 *
 * -s and -F, as stock perf understands them, become a layout: which columns are shown (fields) and
 * in which order entries are compared (sorts).
 */
#ifndef PROFILE_LAYOUT_H
#define PROFILE_LAYOUT_H

#include "base/array.h"
#include "base/err.h"

struct view;
struct hists;
struct hist_entry;
struct layout_field;

enum { COLUMN_WORDS_MAX = 3 };

struct column {
	const char *name;   /* for -s and -F: any beginning of it will do */
	const char *header;
	unsigned width; /* at least; keys: the header's length when 0 */
	unsigned split;	/* enum profile_split that the profile needs */
	const char *filter_name; /* "comm": the list that makes it superfluous when it has one name; NULL: none */
	bool unsupported; /* known to stock perf only */
	bool branch;	  /* only where entries are branches */
	/* Keys: the words that equal entries have in common; NULL: a value. Returns how many. */
	unsigned (*identity)(const struct view *v, const struct hist_entry *e, u64 *words);
	/* Below 0: a is shown first. Keys also have an order for entries that compare equal in all (see hists.c). */
	int (*compare)(struct view *v, const struct hist_entry *a, const struct hist_entry *b);
	int (*collapse)(struct view *v, const struct hist_entry *a, const struct hist_entry *b);
	/* Keys: room that an entry needs. */
	unsigned (*room)(struct view *v, const struct hist_entry *e);
};

/* The columns that others speak of by name. */
enum column_id {
	COLUMN_PID,
	COLUMN_COMM,
	COLUMN_DSO,
	COLUMN_SYMBOL,
	COLUMN_CPU,
	COLUMN_OVERHEAD,
	COLUMN_OVERHEAD_CHILDREN,
	COLUMN_SAMPLE,
	COLUMN_PERIOD,
	COLUMN_TID,
	COLUMN_DSO_FROM,
	COLUMN_DSO_TO,
	COLUMN_SYMBOL_FROM,
	COLUMN_SYMBOL_TO,
	COLUMN_MISPREDICT,
	COLUMN_ABORT,
	COLUMN_IN_TX,
	COLUMN_CYCLES,
	COLUMN_NR_IDS, /* columns that only stock has follow */
};
extern const struct column columns[];
extern const size_t columns__nr;

struct layout_field {
	const struct column *column;
	const char *header;
	unsigned user_width; /* -w; 0: none */
	bool elided;	     /* has the same value everywhere: neither shown nor sorted by */
};

struct layout {
	ARRAY(struct layout_field) fields;
	ARRAY(const struct column *) sorts;
	char *sort_order; /* as completed: "comm,dso,symbol"; NULL when only -F was given */
	bool has_field_order; /* -F was given */
	unsigned split;	  /* enum profile_split that its columns need */
};

struct layout_opts {
	const char *sort;    /* -s, NULL: not given */
	const char *fields;  /* -F */
	bool branches;	     /* entries are branches */
	bool children;	     /* with a column of children's overhead */
	bool samples, period; /* -n, --show-total-period */
};

/* 0, or -EINVAL with err. */
int layout__parse(struct layout *l, const struct layout_opts *opts, struct err *err);
void layout__exit(struct layout *l);
/* "5,6,30": widths of the fields in order; 0: as wide as needed. */
int layout__set_widths(struct layout *l, const char *text, struct err *err);
bool layout__sorts_by(const struct layout *l, enum column_id id);
/* Marks the fields of a filter list of one name; all of them together are kept. */
void layout__elide(struct layout *l, bool (*is_single)(const char *filter_name, void *ctx), void *ctx);

#endif
