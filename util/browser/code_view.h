/* The screen of a function's code: what it shows (code.c), and where jumps and calls lead (code_go.c). */
#ifndef BROWSER_CODE_VIEW_H
#define BROWSER_CODE_VIEW_H

#include "browser/report_browser.h"
#include "ui/annotate/annotate_text.h"

struct code_spot { /* a line of a function's code, in any mode of the screen */
	bool is_set;
	u32 part;      /* index of the annotated function */
	u32 offset;    /* of the instruction, or of the one that the line is above */
	bool is_insn;  /* the line of the instruction */
	u32 number;    /* of the source line; 0: it is none */
	unsigned down; /* its row on the screen */
};

struct code_place { /* a line of the code of a function */
	char *name;
	const struct symbol *code; /* NULL: unresolved */
	u32 dso_name, binary;
	bool inlined;
	struct code_spot spot;
};

struct code_view {
	struct text_lines lines;
	annotate_rows rows; /* of the lines */
	struct annotate_style style;
	u32 function;          /* b->function_generation that they are of; 0: none */
	u32 went;              /* b->function_generation that Enter or Backspace led to */
	struct code_spot kept; /* the selected line before what is browsed was counted again */
	u32 kept_function;     /* b->function_generation that it is of */
	struct profile profile;
	bool has_profile;
	/* of the function: */
	bool has_code;
	char *inlined;             /* its name, if its code is in other functions; NULL: it is not */
	struct hot_code hot;       /* if has_code */
	struct source_files files; /* if has_code */
	ARRAY(struct annotated) parts;
	ARRAY(u32) events;             /* those with samples */
	bool has_no_samples;           /* in the function itself */
	ARRAY(struct code_place) back; /* where Backspace leads, the last one first */
};

/* Make the lines of the function that is shown, and select one; spot: that line, or NULL. */
void code__list(struct browser *b, struct code_view *c, const struct code_spot *spot);
/* Return the row of an instruction of a part; SIZE_MAX: it is not shown. */
size_t code__row_of(const struct code_view *c, u32 part, u32 insn);
struct code_spot code__spot(const struct code_view *c);
/* Select a line; not set: the hottest. */
void code__select(struct code_view *c, const struct code_spot *spot);
/* Return the instruction of the selected line and set *part; NULL: it is not the line of an instruction. */
const struct annotated_insn *code__insn(const struct code_view *c, u32 *part);

/* Keys: follow a jump or a call, and return from it. */
void code__follow(struct browser *b, void *state);
void code__return(struct browser *b, void *state);
/* Forget where Backspace leads. */
void code__forget_places(struct code_view *c);

#endif
