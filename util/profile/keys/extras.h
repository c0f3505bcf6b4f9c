/*
 * What rows have behind their chains, because sort keys ask for it: first the words that columns take from
 * samples (struct column), then what a tracepoint carried: its size, and its bytes as far as they are needed.
 * Distinct ones have an id; what is shown of them is made once.
 *
 * Of tracepoints, numbers are told apart and ordered by their value, the largest first, whatever they look
 * like; texts and arrays by what is shown.
 */
#ifndef PROFILE_EXTRAS_H
#define PROFILE_EXTRAS_H

#include "base/memory/arena.h"
#include "base/memory/strpool.h"
#include "model/session.h"
#include "profile/gather/rows.h"
#include "profile/keys/trace_keys.h"

enum { EXTRA_NONE = 0 }; /* id: the row has no more than its chain */

struct trace_value {
	bool is_number;
	u64 number;
	u32 text;  /* id in the strings */
	u32 width; /* of the text */
};

struct extra {
	u32 event, nr_words;
	const u64 *words;
	u32 text;                   /* id in the strings, of the whole payload; without one "N/A" */
	struct trace_value *values; /* of the payload, by slot of the event's keys; NULL without one */
};

struct extras {
	struct session *session;
	const sample_words *words;     /* that each row has */
	const struct trace_keys *keys; /* NULL: nothing of tracepoints is asked for */
	ARRAY(struct extra) v;
	struct hash_table by_words;
	struct strpool strings;
	struct arena arena;
};

void extras__init(struct extras *x, struct session *s, const sample_words *words,
		  const struct trace_keys *keys);
void extras__exit(struct extras *x);
/* The id of what a row has behind its chain. The row must live as long. */
u32 extras__of_row(struct extras *x, const struct row *row);
/* The word of a column; 0 in a row that has none. */
u64 extras__word(const struct extras *x, sample_word word, u32 extra);
/* The value of a tracepoint's key; NULL when the payload is another event's. */
const struct trace_value *extras__value(const struct extras *x, const struct trace_key *key, u32 extra);
/* The least width of the key's column. */
unsigned trace_key__width(const struct trace_key *key);

static inline const char *extras__str(const struct extras *x, u32 text)
{
	return strpool__get(&x->strings, text);
}

#endif
