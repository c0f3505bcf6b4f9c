/* An annotated function as text: stock perf's --stdio, and --stdio2, which draws jumps as arrows. */
#ifndef UI_ANNOTATE_TEXT_H
#define UI_ANNOTATE_TEXT_H

#include "profile/annotate/annotated.h"
#include "profile/annotate/source_files.h"

struct annotate_style {
	bool arrows;            /* --stdio2 */
	bool raw;               /* bytes of instructions */
	bool no_source;         /* leave out source lines */
	bool samples, period;   /* numbers of samples, or sums of periods, in place of percentages */
	bool hits;              /* percentages are of samples, not of periods */
	bool global;            /* percentages are of all samples, not of the function's */
	bool full_paths, lines; /* -P; -l: a summary by source line above */
	bool files;             /* name the file and the line where the file of the source changes */
	bool color;
	bool quiet; /* nothing but the table */
};

/*
 * Append the function with a column for each of nr events (indexes). sources: gets the source files; NULL:
 * none.
 */
void annotate_text__add(struct strbuf *out, struct hot_code *h, const struct annotated *a, const u32 *events,
			u32 nr, const struct annotate_style *style, struct source_files *sources);
/*
 * Append how much is in an inlined function, h->inlined, which functions it was inlined into, and with
 * style->lines its lines. v: annotated functions of h, for each the code of h->inlined in it.
 */
void annotate_text__add_inlined(struct strbuf *out, struct hot_code *h, const struct annotated *v, size_t nr,
				u32 event, const struct annotate_style *style);
/* Return the part that an event's cost of a function, an instruction or a line is, in per cent. */
double annotate__percent(const struct hot_code *h, const struct hot_function *f, u32 event,
			 const struct code_cost *cost, const struct annotate_style *style);

#endif
