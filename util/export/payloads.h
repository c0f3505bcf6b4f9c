/* Fields of tracepoints as recorded, for formats with EXPORT_PAYLOADS. */
#ifndef EXPORT_PAYLOADS_H
#define EXPORT_PAYLOADS_H

#include "profile/keys/extras.h"

struct payloads {
	struct trace_formats *formats; /* NULL: no tracepoints, or nothing is known of them */
	struct trace_keys keys;        /* all fields */
	struct payload_cuts cuts;
	bool has_fields;
	struct extras extras;
};

/* Set up the payloads. words: the other words by which rows are split. */
void payloads__init(struct payloads *p, struct session *s, const sample_words *words);
void payloads__exit(struct payloads *p);
/*
 * Return the value of the next field of a row's tracepoint, and set *name; or NULL at the end. *at: 0 first.
 * Its text is that of p->extras.
 */
const struct trace_value *payloads__next(struct payloads *p, const struct row *row, size_t *at,
					 const char **name);

#endif
