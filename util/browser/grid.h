/*
 * A screen as cells, without a terminal: what the browser draws into, what a terminal shows, what tests
 * compare.
 *
 * Text is UTF-8 from anywhere. It never leaves the width that it may take, and no character of it acts on a
 * terminal: control and format characters (of writing direction, too), bytes that are not UTF-8, and what
 * the locale cannot show become escapes such as \x1b and \u202e.
 */
#ifndef BROWSER_GRID_H
#define BROWSER_GRID_H

#include "base/text/strbuf.h"

enum style { /* the meaning of a cell; terminals choose colours */
	     STYLE_TEXT,
	     STYLE_DIM,
	     STYLE_BOLD,
	     STYLE_BAR,    /* lines at the top and the bottom */
	     STYLE_HEADER, /* of columns */
	     STYLE_HOT,    /* large shares */
	     STYLE_WARM,   /* small ones */
	     STYLE_FOUND,  /* the text searched for */
	     STYLE_WAIT,
	     STYLE_FLAME, /* NR_FLAMES shades of blocks */
	     NR_FLAMES = 6,
	     STYLE_WORSE = STYLE_FLAME + NR_FLAMES, /* blocks: how something changed; NR_STRENGTHS of each */
	     NR_STRENGTHS = 4,
	     STYLE_BETTER = STYLE_WORSE + NR_STRENGTHS,
	     STYLE_MOVED = STYLE_BETTER + NR_STRENGTHS,
	     STYLE_EVEN,
	     NR_STYLES,
	     STYLE_SELECTED = 0x80, /* with any of them */
};

enum { CELL_MARKS = 2 }; /* combining characters kept in a cell */

struct grid_cell {
	u32 c;                 /* 0: the right half of the wide character before */
	u32 marks[CELL_MARKS]; /* 0: none */
	u32 style;
};

struct grid {
	unsigned rows, columns;
	bool is_ascii;           /* for what the browser draws itself: no other characters */
	struct grid_cell *cells; /* row by row */
};

/* Does the locale have UTF-8? Ask after setlocale(). */
bool grid__locale_is_utf8(void);
void grid__resize(struct grid *g, unsigned rows, unsigned columns); /* and clear it */
void grid__exit(struct grid *g);
void grid__clear(struct grid *g);

/*
 * Draw n bytes of text into one row, in at most width columns from column on; what is outside of the grid
 * is cut. If text does not fit, the last column of it is a mark that says so. Return the columns taken.
 */
unsigned grid__text(struct grid *g, unsigned row, unsigned column, unsigned width, u32 style,
		    const char *text, size_t n);
/* Draw a whole string, with blanks up to the width. */
void grid__field(struct grid *g, unsigned row, unsigned column, unsigned width, u32 style, const char *text);
/* As grid__field, for text made with a format. */
void grid__print(struct grid *g, unsigned row, unsigned column, unsigned width, u32 style, const char *fmt,
		 ...) PRINTF(6, 7);
/* Add STYLE_SELECTED to a part of a row. */
void grid__select(struct grid *g, unsigned row, unsigned column, unsigned width);
/* Return the columns that a string takes. */
unsigned grid__width(const char *text);

static inline struct grid_cell *grid__cell(const struct grid *g, unsigned row, unsigned column)
{
	return &g->cells[(size_t)row * g->columns + column];
}

/* Append a cell as UTF-8; nothing for the right half of a wide character. */
void grid_cell__add(const struct grid_cell *c, struct strbuf *sb);

/* A part of a grid to draw into. */
struct area {
	struct grid *grid;
	unsigned row, column, rows, columns;
};

#endif
