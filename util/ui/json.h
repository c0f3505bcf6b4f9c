/*
 * The report as one JSON document, for programs: Documentation/report-schema.json describes it. A change that
 * takes something away, or gives it another meaning, raises its version.
 */
#ifndef UI_JSON_H
#define UI_JSON_H

#include "ui/stdio/report_ui.h"

#include <stdio.h>

enum { REPORT_JSON_VERSION = 1 };

struct json_ui {
	struct report_ui ui; /* the callbacks */
	FILE *out;
	const char *time_text; /* argument of --time, or NULL */
	u32 print_limit;       /* branches per node; 0: all */
	struct strbuf text;    /* not written yet */
	struct call_trees trees;
	bool has_table; /* a table was written */
	u32 nr_open;    /* rows that are not closed: the last one, and those above it in a hierarchy */
};

/* Append the beginning of the document: the recording, with the argument of --time, or NULL. */
void json__add_recording(struct strbuf *sb, const struct reader *r, const char *time_text);
/* Append its end: how much of the recording p has. v: what counts samples without a symbol, or NULL. */
void json__add_completeness(struct strbuf *sb, const struct profile *p, const struct view *v);

void json_ui__init(struct json_ui *j, FILE *out, const char *time_text, u32 print_limit);
void json_ui__exit(struct json_ui *j);

#endif
