/* An annotated function as text: stock perf's --stdio, and --stdio2, which draws jumps as arrows. */
#ifndef UI_ANNOTATE_TEXT_H
#define UI_ANNOTATE_TEXT_H

#include "profile/annotate/annotated.h"
#include "profile/annotate/source_files.h"

struct annotate_style {
	bool arrows;            /* --stdio2 */
	bool raw;               /* bytes of instructions */
	bool no_source;         /* leave out source lines */
	bool no_insns;          /* leave out instructions: source lines with their sums, file by file */
	bool samples, period;   /* numbers of samples, or sums of periods, in place of percentages */
	bool hits;              /* percentages are of samples, not of periods */
	bool global;            /* percentages are of all samples, not of the function's */
	bool full_paths, lines; /* -P; -l: a summary by source line above */
	bool color;
	bool quiet;       /* nothing but the table */
	bool tells_newer; /* which sources changed after the build, also if quiet */
};

struct annotate_row {     /* a line of the text */
	u32 insn;         /* its instruction, or the one that it is above; ANNOTATED_NONE: none */
	bool is_insn;     /* it is the line of the instruction */
	const char *file; /* of a source line, as in the debug information; NULL: it is none */
	u32 number;       /* of the source line */
	u32 part;         /* for the caller, if it shows several functions; 0 */
	double percent;   /* of the first event; negative: the line has no cost */
};
typedef ARRAY(struct annotate_row) annotate_rows;
/*
 * Append the function with a column for each of nr events (indexes). sources: gets the source files; NULL:
 * none. rows: gets a row for each line; NULL: not wanted.
 */
void annotate_text__add(struct strbuf *out, struct hot_code *h, const struct annotated *a, const u32 *events,
			u32 nr, const struct annotate_style *style, struct source_files *sources,
			annotate_rows *rows);
/* Return the column of three blanks that follow the costs of an instruction's line. */
unsigned annotate_text__margin(const struct annotate_style *style, u32 nr_events);
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
