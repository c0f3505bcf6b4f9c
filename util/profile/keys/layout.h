/*
 * The layout of a report, parsed from -s and -F as stock perf does: the columns to show (fields), and the
 * order in which entries are compared (sorts).
 */
#ifndef PROFILE_LAYOUT_H
#define PROFILE_LAYOUT_H

#include "base/memory/array.h"
#include "base/message/err.h"
#include "profile/keys/column.h"
#include "profile/keys/sample_filter.h"

struct trace_keys;

struct layout_field {
	const struct column *column;
	const char *header;
	unsigned user_width; /* -w; 0: none */
	bool elided;         /* its filter list has a single name: neither shown nor sorted by */
	bool no_times;       /* not shown in a time table */
};

struct layout {
	u64 sample_type; /* as in struct layout_opts */
	ARRAY(struct layout_field) fields;
	ARRAY(const struct column *) sorts;
	ARRAY(const struct column *) joined; /* on one level with the key before: {comm,dso} */
	char *sort_order;     /* complete list, such as "comm,dso,symbol"; NULL: only -F was given */
	bool has_field_order; /* -F was given */
	unsigned split;       /* enum profile_split: what its columns need rows split by */
	bool exact_ends;      /* its columns need the addresses of branch ends */
	bool exact;           /* its columns need the addresses of places */
	bool lines;           /* its columns need the source lines of places */
	bool ipc;             /* its columns need instructions per cycle */
	bool map_sizes;       /* its columns need the sizes of mappings */
	bool parent;          /* its columns need the parents of samples */
	bool context;         /* its columns need what other records say: gather/sample_context.h */
	bool waits;           /* its columns need the kinds of waits */
	bool times;           /* it has columns of a time table */
	ARRAY(const struct column *) sums; /* its columns with .sum */
	/* its columns that are divided, and how many parts they have together */
	ARRAY(const struct column *) divided;
	u32 nr_parts;
	sample_values values; /* fields of samples whose values its columns need */
	sample_words words;   /* words that these are made of */
	const struct sample_field
		*data; /* of values, the address of data whose place they need; NULL: none */
};

struct layout_opts {
	u64 sample_type;    /* bits that any of the recording's events have */
	const char *sort;   /* -s, NULL: not given */
	const char *fields; /* -F */
	/*
	 * Keys of the recording's tracepoints. Keys that -s and -F name are added to it; it must live as
	 * long as the layout.
	 */
	struct trace_keys *traces;
	bool branches;        /* entries are branches */
	bool history;         /* call chains begin with branches: other defaults */
	bool blocks;          /* entries are code between branches: -s and -F do not count */
	bool functions;       /* the default is one row for a function, of all threads */
	bool mem_mode;        /* entries are memory accesses: other defaults */
	bool children;        /* show a column of children's overhead */
	bool cpu_utilization; /* --show-cpu-utilization */
	bool samples, period; /* -n, --show-total-period */
	bool latency;         /* --latency */
	bool parent;          /* -p: the default shows the parent, too */
	bool parallelism;     /* --parallelism */
	bool locks;           /* --lock */
	bool waits;           /* the recording has waits */
	bool weighted; /* samples have weights: the default is threads, by name or, with equal_names, tid */
	bool equal_names;
	bool times, on_cpu; /* unless -F says otherwise show a time table; with time on the CPU */
};

extern const char default_mem_sort[];

/* Parse the options. Return 0, or -EINVAL with err. */
int layout__parse(struct layout *l, const struct layout_opts *opts, struct err *err);
void layout__exit(struct layout *l);
/* Parse "5,6,30": widths of the fields in order; 0: as wide as needed. */
int layout__set_widths(struct layout *l, const char *text, struct err *err);
/* Do its columns need this field of samples? */
bool layout__has_value(const struct layout *l, const struct sample_field *f);
/* Is the key on one level of a hierarchy with the key before it? */
bool layout__is_joined(const struct layout *l, const struct column *c);
/* Return which of all parts is the first one of a column. */
u32 layout__first_part(const struct layout *l, const struct column *c);
bool layout__sorts_by(const struct layout *l, const char *name);
/*
 * Sort by what entries take themselves first, or by that with their callees; the other comes next. Return
 * false if the layout does not have both.
 */
bool layout__sort_by_self(struct layout *l, bool self);
/* Elide the keys whose filter list has a single name, unless those are all keys. */
void layout__elide(struct layout *l, const struct sample_filter *filter);

#endif
