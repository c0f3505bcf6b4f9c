/*
 * What tracepoints carried, as reports show it: distinct payloads have an id, and with it their text and the
 * values of the fields that are asked for. Each is made once.
 *
 * Numbers are told apart and ordered by their value, the largest first, whatever they look like; texts and
 * arrays by what is shown.
 */
#ifndef PROFILE_TRACES_H
#define PROFILE_TRACES_H

#include "base/memory/arena.h"
#include "base/memory/strpool.h"
#include "model/session.h"
#include "profile/gather/rows.h"
#include "profile/keys/trace_keys.h"

enum { TRACE_NONE = 0 }; /* id: no payload, or none of a known format */

struct trace_value {
	bool is_number;
	u64 number;
	u32 text;  /* id in the strings */
	u32 width; /* of the text */
};

struct trace {
	u32 event;
	u32 text; /* id in the strings */
	size_t size;
	const void *payload;
	struct trace_value *values; /* by slot of the event's keys */
};

struct traces {
	struct session *session;
	const struct trace_keys *keys; /* NULL: nothing is asked for */
	ARRAY(struct trace) v;
	struct hash_table by_payload;
	struct strpool strings;
	struct arena arena;
};

void traces__init(struct traces *t, struct session *s, const struct trace_keys *keys);
void traces__exit(struct traces *t);
/* The id of what the row's samples carried. */
u32 traces__of_row(struct traces *t, const struct row *row);
/* Its whole text; "N/A" for TRACE_NONE. */
const char *traces__text(const struct traces *t, u32 trace);
/* The value of a key; NULL when the trace is of another event. */
const struct trace_value *traces__value(const struct traces *t, const struct trace_key *key, u32 trace);
/* The least width of the key's column. */
unsigned trace_key__width(const struct trace_key *key);

static inline const char *traces__str(const struct traces *t, u32 text)
{
	return strpool__get(&t->strings, text);
}

#endif
