/*
 * Fields of tracepoints as sort keys: "trace", "trace_fields" and "[EVENT.]FIELD[/raw]" of -s and -F. A key
 * is of one field of one event, and a column that only this event's report has.
 *
 *	EVENT   its name, a part of it that no other tracepoint's name has, a pattern, or %N: the N-th event
 *	FIELD   its name, or * for all
 */
#ifndef PROFILE_TRACE_KEYS_H
#define PROFILE_TRACE_KEYS_H

#include "event/evsel/evsel.h"
#include "event/tracepoint/trace_format.h"
#include "profile/keys/column.h"
#include "profile/gather/profile.h"

struct trace_key {
	struct column column; /* trace_field_column, with the field's name and header */
	u32 event;            /* idx of the evsel */
	struct trace_event *format;
	size_t field;
	bool raw;
	u32 slot; /* of the event's keys, from 0 */
};

struct trace_keys {
	const struct evlist *evlist;
	struct trace_formats *formats; /* NULL: none */
	const char *missing;           /* why there are none, though there are tracepoints; NULL: there are */
	bool raw;                      /* no field as its event's format shows it: --raw-trace */
	bool has_text;                 /* the whole text was asked for */
	ARRAY(struct trace_key *) v;
	u32 *nr_of_event;   /* keys, by evsel */
	trace_spans *spans; /* by evsel */
};

/* The formats and missing stay the caller's. */
void trace_keys__init(struct trace_keys *k, const struct evlist *l, struct trace_formats *formats,
		      const char *missing, bool raw);
void trace_keys__exit(struct trace_keys *k);
/* Whether there are events, all of them tracepoints, and some whose format is known. */
bool trace_keys__is_all(const struct trace_keys *k);
/*
 * Calls add for the column of each key that a word of len bytes names. 0; -ENOENT when it names none; -EINVAL
 * with err when it could mean several events.
 */
int trace_keys__find(struct trace_keys *k, const char *word, size_t len,
		     void (*add)(void *ctx, const struct column *c), void *ctx, struct err *err);
/* The text of the whole payload is wanted of every tracepoint. */
void trace_keys__want_text(struct trace_keys *k);
/* What of payloads the keys need; false: nothing. */
bool trace_keys__cuts(const struct trace_keys *k, struct payload_cuts *cuts);

#endif
