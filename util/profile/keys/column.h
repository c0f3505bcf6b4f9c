/*
 * The columns of a report: sort keys, which make entries differ, and values. One table row each in
 * columns.c; a new key or value is a new row there, and nothing else.
 */
#ifndef PROFILE_COLUMN_H
#define PROFILE_COLUMN_H

#include "base/memory/types.h"

struct view;
struct hists;
struct hist_entry;
struct trace_key;

enum { COLUMN_WORDS_MAX = 4 };

struct column {
	const char *name; /* for -s and -F: any beginning of it will do */
	const char *header;
	unsigned width; /* at least; keys: the header's length when 0 */
	unsigned split; /* enum profile_split that the profile needs */
	const char *
		filter_name; /* "comm": the list that makes it superfluous when it has one name; NULL: none */
	bool unsupported;    /* known to stock perf only */
	bool branch;         /* only where entries are branches */
	bool lines;          /* needs the source lines of places */
	/* Keys: the words that equal entries have in common; NULL: a value. Returns how many. */
	unsigned (*identity)(const struct view *v, const struct hist_entry *e, u64 *words);
	/* Below 0: a is shown first. Keys also have an order for entries that compare equal in all (see
	 * hists.c). */
	int (*compare)(struct view *v, const struct hist_entry *a, const struct hist_entry *b);
	int (*collapse)(struct view *v, const struct hist_entry *a, const struct hist_entry *b);
	/* Keys: room that an entry needs. */
	unsigned (*room)(struct view *v, const struct hist_entry *e);
	/* A field of a tracepoint, which has none of these functions but those of traces.h. */
	const struct trace_key *trace;
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
	COLUMN_TRACE,
	COLUMN_SRCLINE,
	COLUMN_SRCFILE,
	COLUMN_SRCLINE_FROM,
	COLUMN_SRCLINE_TO,
	COLUMN_NR_IDS, /* columns that only stock has follow */
};
extern const struct column columns[];
extern const size_t columns__nr;

/* Whether entries are told apart by it; other columns are sums. */
static inline bool column__is_key(const struct column *c)
{
	return c->identity || c->trace;
}

#endif
