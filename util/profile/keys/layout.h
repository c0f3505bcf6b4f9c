/*
 * -s and -F, as stock perf understands them, become a layout: which columns are shown (fields) and
 * in which order entries are compared (sorts).
 */
#ifndef PROFILE_LAYOUT_H
#define PROFILE_LAYOUT_H

#include "base/memory/array.h"
#include "base/message/err.h"
#include "profile/keys/column.h"

struct trace_keys;

struct layout_field {
	const struct column *column;
	const char *header;
	unsigned user_width; /* -w; 0: none */
	bool elided;         /* has the same value everywhere: neither shown nor sorted by */
};

struct layout {
	ARRAY(struct layout_field) fields;
	ARRAY(const struct column *) sorts;
	char *sort_order;     /* as completed: "comm,dso,symbol"; NULL when only -F was given */
	bool has_field_order; /* -F was given */
	unsigned split;       /* enum profile_split that its columns need */
	bool lines;           /* its columns need the source lines of places */
	sample_words words;   /* that its columns need */
};

struct layout_opts {
	const char *sort;   /* -s, NULL: not given */
	const char *fields; /* -F */
	/*
	 * What the recording's tracepoints have; it gets the keys that are asked for, and must live as long.
	 */
	struct trace_keys *traces;
	bool branches;        /* entries are branches */
	bool children;        /* with a column of children's overhead */
	bool samples, period; /* -n, --show-total-period */
};

/* 0, or -EINVAL with err. */
int layout__parse(struct layout *l, const struct layout_opts *opts, struct err *err);
void layout__exit(struct layout *l);
/* "5,6,30": widths of the fields in order; 0: as wide as needed. */
int layout__set_widths(struct layout *l, const char *text, struct err *err);
bool layout__sorts_by(const struct layout *l, const char *name);
/* Marks the fields of a filter list of one name; all of them together are kept. */
void layout__elide(struct layout *l, bool (*is_single)(const char *filter_name, void *ctx), void *ctx);

#endif
