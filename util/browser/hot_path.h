/*
 * The hot path of a row of the table: the callers through which most of its samples came, what it calls most,
 * and the line of the user's own code that leads there. So a function of a library leads to the code that
 * somebody can change.
 */
#ifndef BROWSER_HOT_PATH_H
#define BROWSER_HOT_PATH_H

#include "browser/report_browser.h"
#include "profile/annotate/source_files.h"

enum { HOT_PATH_LINES = 2 }; /* of the screen */

struct hot_path {
	/* the same samples with source lines, callers last; made when it is first needed */
	struct view lines;
	struct profile profile;
	struct source_files files;
	u32 lines_generation; /* of the browser; 0: not made */
	/* of the last row: */
	const struct hist_entry *e;
	u32 generation;
	ARRAY(u32) path; /* places of the browser's view, the row's function first, then its callers */
	u32 callee;      /* what it calls most; PLACE_NONE: nothing that takes half of its time */
	u32 own;         /* place in lines: the innermost own code; PLACE_NONE: none, or not known */
	u64 own_period;  /* samples with this function on their stacks */
};

void hot_path__exit(struct hot_path *p); /* a zeroed one, too */
/* Is it known for this row? */
bool hot_path__knows(const struct hot_path *p, const struct browser *b, const struct hist_entry *e);
/* Find it for a row of the browser's table. That may take as long as reading the recording did. */
void hot_path__find(struct hot_path *p, struct browser *b, const struct hist_entry *e);
/* Show the own code that leads to this row. Return false if that is not known. */
bool hot_path__go(struct hot_path *p, struct browser *b, const struct hist_entry *e);
/* Draw it, HOT_PATH_LINES lines. Nothing is drawn if it is not known for this row. */
void hot_path__draw(struct hot_path *p, struct browser *b, const struct hist_entry *e, const struct area *a);

#endif
