/* The comparison of spans (diff --span) as text and as JSON. */
#ifndef UI_SPAN_DIFF_VIEW_H
#define UI_SPAN_DIFF_VIEW_H

#include "profile/causes/span_compare.h"

enum { SPAN_DIFF_JSON_VERSION = 1 };

struct span_diff_opts {
	const char *name;         /* of the spans */
	const char *const *paths; /* of the recordings, the old ones first */
	u32 nr_old, nr_files;
	bool quiet;       /* only the rows */
	unsigned columns; /* of the terminal, to which names are shortened; 0: they are whole */
};

void span_diff_view__add(const struct span_compare *c, const struct span_diff_opts *o, struct strbuf *sb);
/* Append one document, which Documentation/diff-spans-schema.json describes. */
void span_diff_view__add_json(const struct span_compare *c, const struct span_diff_opts *o,
			      struct strbuf *sb);
/* Return the name of one of span_compare.changes: "p99.9", "mean". */
const char *span_change__name(u32 change);

#endif
