/* The browser of a comparison of recordings: its screens show rows and call trees of struct comparison. */
#ifndef BROWSER_COMPARE_BROWSER_H
#define BROWSER_COMPARE_BROWSER_H

#include "base/memory/mem.h"
#include "browser/browser.h"
#include "profile/compare/comparison.h"
#include "ui/diff.h"

extern const struct screen compare_table_screen, compare_info_screen;

struct compare_browser {
	struct browser b;
	const struct comparison *c;
	struct cell_style style; /* of names */
	u32 function;            /* the row of b.function */
	struct strbuf name;      /* scratch: the last name that was asked for */
};

static inline struct compare_browser *compare_of(const struct browser *b)
{
	return container_of(b, struct compare_browser, b);
}

/* Show a finished comparison, which has kept stacks, until the user leaves: diff_args.browse. */
int compare_browser__run(const struct comparison *c, const struct diff_args *a, struct err *err);
/* Return the style for a verdict: blocks of colour, stronger for changes that are surely larger. */
u32 style_of_change(const struct evidence_row *row, enum verdict v);
/* Return the style of the largest change with this verdict, for a legend. */
u32 style_of_verdict(enum verdict v);

#endif
