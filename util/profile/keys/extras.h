/*
 * Extras: the data by which sort keys split rows (struct row_extra). First come words of samples, which yield
 * the values of fields that columns need (struct column), then the payload of a tracepoint: its size and the
 * bytes that are needed. Equal values and payloads have one id; their text is made once.
 *
 * Numbers in tracepoints are identified and sorted by value, the largest first, however they are printed;
 * texts and arrays by the text shown.
 */
#ifndef PROFILE_EXTRAS_H
#define PROFILE_EXTRAS_H

#include "base/memory/arena.h"
#include "base/memory/strpool.h"
#include "format/records/sample_field.h"
#include "model/session.h"
#include "profile/rows/rows.h"
#include "profile/keys/trace_keys.h"

enum { EXTRA_NONE = 0 }; /* id: the row has no extra */

struct trace_value {
	bool is_number;
	u64 number;
	u32 text;  /* id in extras.strings */
	u32 width; /* of the text */
};

struct extra {
	u32 event, nr_words;
	const u64 *words; /* the values of extras.values, then the payload */
	u32 text;         /* id in extras.strings: the whole payload as text; "N/A" without a payload */
	/* of the payload, by slot of the event's keys; NULL without a payload */
	struct trace_value *values;
};

struct extras {
	struct session *session;
	const sample_words *words; /* stored in each row */
	/* fields whose values are made of these; by field: which of them it is, + 1; 0: none */
	const sample_values *values; /* NULL: the words themselves */
	size_t nr_values;
	u8 value_of_field[SAMPLE_FIELDS];
	const struct trace_keys *keys; /* NULL: no tracepoint keys */
	ARRAY(struct extra) v;
	struct hash_table by_words;
	u32 last; /* looked up last, for a row with these words: often the next is the same */
	u64_array last_row, scratch;
	struct strpool strings;
	struct arena arena;
};

/* Set up extras. words, values: as in struct extras; they must live as long as x. */
void extras__init(struct extras *x, struct session *s, const sample_words *words, const sample_values *values,
		  const struct trace_keys *keys);
void extras__exit(struct extras *x);
/* Return the id of the extra of a row of an event. */
u32 extras__of_row(struct extras *x, u32 event, const struct row *row);
/* Return the value of a field, or 0 if the row has none. */
static inline u64 extras__field(const struct extras *x, const struct sample_field *f, u32 extra)
{
	u8 i = x->value_of_field[f - sample_fields];

	return i && extra != EXTRA_NONE ? x->v.v[extra].words[i - 1] : 0;
}

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
