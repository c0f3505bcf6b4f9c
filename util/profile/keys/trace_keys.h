/*
 * Fields of tracepoints as sort keys: "trace", "trace_fields" and "[EVENT.]FIELD[/raw]" of -s and -F. A key
 * is one field of one event. It is a column in this event's report only.
 *
 *	EVENT   its name, a part of a name that matches no other tracepoint, a pattern, or %N: the N-th event
 *	FIELD   its name, or * for all
 */
#ifndef PROFILE_TRACE_KEYS_H
#define PROFILE_TRACE_KEYS_H

#include "base/message/word_list.h"
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
	u32 slot; /* index among the event's keys */
};

struct trace_keys {
	const struct evlist *evlist;
	struct trace_formats *formats; /* NULL: none */
	/* why formats are missing although there are tracepoints; NULL: they are not missing */
	const char *missing;
	bool raw;      /* print fields as raw numbers, not as the event's format says: --raw-trace */
	bool has_text; /* the text of the whole payload is needed */
	ARRAY(struct trace_key *) v;
	u32 *nr_of_event;   /* number of keys, by evsel */
	trace_spans *spans; /* parts of payloads that are needed, by evsel */
};

/*
 * Read the formats of the recording's tracepoints, to be freed with trace_formats__delete. Return NULL if
 * there are no tracepoints, or with the reason in why.
 */
struct trace_formats *reader__trace_formats(const struct reader *r, struct err *why);
/* formats and missing must live as long as k; the caller still owns them. */
void trace_keys__init(struct trace_keys *k, const struct evlist *l, struct trace_formats *formats,
		      const char *missing, bool raw);
void trace_keys__exit(struct trace_keys *k);
/* Are all events tracepoints, and is the format of at least one known? */
bool trace_keys__is_all(const struct trace_keys *k);
/*
 * Call add for the column of each key that the word of len bytes names. Return 0; -ENOENT if it names none;
 * -EINVAL with err if it may mean several events.
 */
int trace_keys__find(struct trace_keys *k, const char *word, size_t len,
		     void (*add)(void *ctx, const struct column *c), void *ctx, struct err *err);
/* Offer the names of all fields. */
void trace_keys__offer(const struct trace_keys *k, struct suggest *s);
/* Request the text of the whole payload for all tracepoints. */
void trace_keys__want_text(struct trace_keys *k);
/* Fill cuts with the parts of payloads that the keys need. Return false if they need none. */
bool trace_keys__cuts(const struct trace_keys *k, struct payload_cuts *cuts);

#endif
