/*
 * Data after the chains of rows, needed by sort keys: first the words that columns take from samples (struct
 * column), then the payload of a tracepoint: its size and the bytes that are needed. Distinct data has an
 * id; its text is made once.
 *
 * Numbers in tracepoints are identified and sorted by value, the largest first, however they are printed;
 * texts and arrays by the text shown.
 */
#ifndef PROFILE_EXTRAS_H
#define PROFILE_EXTRAS_H

#include "base/memory/arena.h"
#include "base/memory/strpool.h"
#include "model/session.h"
#include "profile/gather/rows.h"
#include "profile/keys/trace_keys.h"

enum { EXTRA_NONE = 0 }; /* id: the row has nothing after its chain */

struct trace_value {
	bool is_number;
	u64 number;
	u32 text;  /* id in extras.strings */
	u32 width; /* of the text */
};

struct extra {
	u32 event, nr_words;
	const u64 *words;
	u32 text; /* id in extras.strings: the whole payload as text; "N/A" without a payload */
	/* of the payload, by slot of the event's keys; NULL without a payload */
	struct trace_value *values;
};

struct extras {
	struct session *session;
	const sample_words *words;     /* stored in each row */
	const struct trace_keys *keys; /* NULL: no tracepoint keys */
	ARRAY(struct extra) v;
	struct hash_table by_words;
	struct strpool strings;
	struct arena arena;
};

void extras__init(struct extras *x, struct session *s, const sample_words *words,
		  const struct trace_keys *keys);
void extras__exit(struct extras *x);
/* Return the id of what a row has after its chain. */
u32 extras__of_row(struct extras *x, const struct row *row);
/* Return the word of a column, or 0 if the row has none. */
u64 extras__word(const struct extras *x, sample_word word, u32 extra);
/* Return the value of a tracepoint's key, or NULL if the payload is another event's. */
const struct trace_value *extras__value(const struct extras *x, const struct trace_key *key, u32 extra);
/* Append a value as JSON: a number that is shown as one is a number, others are texts; NULL is null. */
void trace_value__add_json(const struct trace_value *value, const struct extras *x, struct strbuf *sb);
/* Return the minimum width of the key's column. */
unsigned trace_key__width(const struct trace_key *key);

static inline const char *extras__str(const struct extras *x, u32 text)
{
	return strpool__get(&x->strings, text);
}

#endif
