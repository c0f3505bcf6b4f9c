/* The table of spans (report --span) as text, at most 80 columns wide. */
#ifndef UI_SPAN_TEXT_H
#define UI_SPAN_TEXT_H

#include "profile/causes/span_table.h"

struct span_text_opts {
	const char *path; /* of the recording */
	const char *name; /* of the spans; NULL: the recording has no others */
	bool quiet;       /* no comments */
	bool is_screen;   /* names are shortened */
};

/* Append the table. m: of the recording. */
void span_text__add(const struct span_table *t, const struct machine *m, const struct span_text_opts *o,
		    struct strbuf *sb);

#endif
