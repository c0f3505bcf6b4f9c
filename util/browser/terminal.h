/*
 * The terminal of the browser: ncursesw, loaded when used. No other file uses curses; the terminal shows a
 * grid. One terminal at a time.
 */
#ifndef BROWSER_TERMINAL_H
#define BROWSER_TERMINAL_H

#include "base/message/err.h"
#include "browser/grid.h"

enum { /* keys that are not characters (those are their code points) */
       KEY_OF_TERMINAL = 0x110000,
       TERM_UP,
       TERM_DOWN,
       TERM_LEFT,
       TERM_RIGHT,
       TERM_PAGE_UP,
       TERM_PAGE_DOWN,
       TERM_HOME,
       TERM_END,
       TERM_BACKSPACE,
       TERM_DELETE,
       TERM_BACKTAB,
       TERM_F1,
       TERM_RESIZE,  /* the size has changed, or the screen is lost */
       TERM_PRESS,   /* the mouse's first button, at row and column */
       TERM_DRAG,    /* the same, moved while it is pressed */
       TERM_RELEASE, /* the same */
       TERM_NONE,    /* nothing came in time */
       TERM_GONE,    /* the terminal does not exist any more */
};

enum { TERM_TAB = '\t', TERM_ENTER = '\n', TERM_ESC = 27 };

struct terminal_event {
	u32 key;
	unsigned row, column; /* of the mouse */
};

/*
 * Can the terminal that out is be used? Return 0, or -ENOTSUP with err: the library is missing, or terminfo
 * does not know the terminal or that it could move its cursor. Nothing is written to it.
 */
int terminal__check(int out, struct err *err);
/*
 * Take over the terminal: keys come from in, and the screen is written to out. Return 0, or a negative errno
 * with err: -ENOTSUP if the library or the description of the terminal is missing. Until terminal__close(), a
 * signal that ends the program restores the terminal first.
 */
int terminal__open(int in, int out, bool use_mouse, struct err *err);
void terminal__close(void);
void terminal__size(unsigned *rows, unsigned *columns);
/*
 * Choose the colours of a style: "COLOR, COLOR" of text and background, such as "red, default". To be
 * called while the terminal is open. Return false if a colour is unknown.
 */
bool terminal__set_color(enum style style, const char *text);
/* Show the grid, whose size is that of the terminal. */
void terminal__show(const struct grid *g);
/*
 * Wait until there may be a key, or fd can be read; fd -1: wait for a key only. Return true in the second
 * case.
 */
bool terminal__wait(int fd);
/* Wait for a key for at most timeout ms; negative: without limit. */
struct terminal_event terminal__read(int timeout);
/* While counter is set, Ctrl-C is not a key but counts up there, to end work. NULL: it is a key again. */
void terminal__count_interrupts(int *counter);
/* Ask the terminal to put text into the clipboard (OSC 52). */
void terminal__copy(const char *text);

#endif
