#include "browser/terminal.h"

#include "base/system/library.h"
#include "base/text/strbuf.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#if HAVE_NCURSESW
#define NCURSES_NOMACROS
#define NCURSES_WIDECHAR 1
#include <curses.h>

/* term.h has these; its macros are named columns, lines and so on. */
int setupterm(const char *term, int fd, int *error);
char *tigetstr(const char *name);
int tigetnum(const char *name);
void *set_curterm(void *terminal);
int del_curterm(void *terminal);

#define INFO_FUNCTIONS(F) F(setupterm) F(tigetstr) F(tigetnum) F(set_curterm) F(del_curterm)
#define SCREEN_FUNCTIONS(F) F(newterm) F(delscreen) F(endwin) F(newwin) F(wclear) F(getmaxx) F(getmaxy)
#define DRAW_FUNCTIONS(F) F(wmove) F(waddnwstr) F(wattr_set) F(wnoutrefresh) F(doupdate) F(curs_set)
#define COLOR_FUNCTIONS(F) F(start_color) F(use_default_colors) F(init_pair)
#define MODE_FUNCTIONS(F) F(cbreak) F(raw) F(noraw) F(noecho) F(nonl) F(keypad) F(wtimeout)
#define KEY_FUNCTIONS(F) F(set_escdelay) F(intrflush) F(wget_wch) F(mousemask) F(mouseinterval) F(getmouse)
#define CURSES_FUNCTIONS(F) \
	INFO_FUNCTIONS(F)   \
	SCREEN_FUNCTIONS(F) DRAW_FUNCTIONS(F) COLOR_FUNCTIONS(F) MODE_FUNCTIONS(F) KEY_FUNCTIONS(F)
LIBRARY(curses, "libncursesw.so.6", "libncursesw6", CURSES_FUNCTIONS);

/* Capabilities that restore the terminal when a signal ends the program; the text is made beforehand. */
static const char *const restoring[] = { "sgr0", "cnorm", "rmkx", "rmcup" };
static const int fatal[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTERM, SIGHUP, SIGQUIT };

static struct {
	SCREEN *screen; /* NULL: not open */
	WINDOW *window;
	FILE *in, *out;
	int in_fd, out_fd;
	bool has_color, has_mouse, is_pressed;
	struct termios modes; /* those of before */
	bool has_modes;
	char reset[256]; /* the strings of restoring, one after the other */
	size_t reset_size;
	struct sigaction before[ARRAY_SIZE(fatal)];
	struct grid shown; /* what the terminal shows */
	wchar_t *text;     /* scratch: a row */
} term;

/* ---- colours ---- */

static const struct {
	short color, color_256; /* of the text; -1: the terminal's own */
	short back, back_256;
	attr_t attributes; /* without colours, NO_COLOR: these alone */
} looks[NR_STYLES] = {
	[STYLE_TEXT] = { -1, -1, -1, -1, A_NORMAL },
	[STYLE_DIM] = { -1, 244, -1, -1, A_DIM },
	[STYLE_BOLD] = { -1, -1, -1, -1, A_BOLD },
	[STYLE_BAR] = { COLOR_BLACK, 255, COLOR_CYAN, 24, A_REVERSE },
	[STYLE_HEADER] = { -1, -1, -1, -1, A_BOLD | A_UNDERLINE },
	[STYLE_HOT] = { COLOR_RED, 203, -1, -1, A_BOLD },
	[STYLE_WARM] = { COLOR_GREEN, 113, -1, -1, A_NORMAL },
	[STYLE_FOUND] = { COLOR_BLACK, 16, COLOR_YELLOW, 220, A_REVERSE },
	[STYLE_WAIT] = { COLOR_BLUE, 69, -1, -1, A_DIM },
	[STYLE_FLAME + 0] = { COLOR_BLACK, 16, COLOR_RED, 209, A_REVERSE },
	[STYLE_FLAME + 1] = { COLOR_BLACK, 16, COLOR_YELLOW, 215, A_REVERSE | A_DIM },
	[STYLE_FLAME + 2] = { COLOR_BLACK, 16, COLOR_RED, 180, A_REVERSE },
	[STYLE_FLAME + 3] = { COLOR_BLACK, 16, COLOR_YELLOW, 221, A_REVERSE | A_DIM },
	[STYLE_FLAME + 4] = { COLOR_BLACK, 16, COLOR_CYAN, 110, A_REVERSE },
	[STYLE_FLAME + 5] = { COLOR_BLACK, 16, COLOR_GREEN, 150, A_REVERSE | A_DIM },
	[STYLE_WORSE + 0] = { COLOR_BLACK, 16, COLOR_RED, 223, A_REVERSE },
	[STYLE_WORSE + 1] = { COLOR_BLACK, 16, COLOR_RED, 216, A_REVERSE },
	[STYLE_WORSE + 2] = { COLOR_BLACK, 16, COLOR_RED, 209, A_REVERSE },
	[STYLE_WORSE + 3] = { COLOR_BLACK, 16, COLOR_RED, 202, A_REVERSE },
	[STYLE_BETTER + 0] = { COLOR_BLACK, 16, COLOR_CYAN, 153, A_REVERSE },
	[STYLE_BETTER + 1] = { COLOR_BLACK, 16, COLOR_CYAN, 111, A_REVERSE },
	[STYLE_BETTER + 2] = { COLOR_BLACK, 16, COLOR_CYAN, 75, A_REVERSE },
	[STYLE_BETTER + 3] = { COLOR_BLACK, 16, COLOR_CYAN, 33, A_REVERSE },
	[STYLE_MOVED] = { COLOR_BLACK, 16, COLOR_YELLOW, 221, A_REVERSE },
	[STYLE_EVEN] = { COLOR_BLACK, 16, COLOR_WHITE, 248, A_NORMAL },
};

static void terminal__make_colors(void)
{
	const char *no_color = getenv("NO_COLOR");
	int nr = curses.tigetnum("colors");

	term.has_color = !(no_color && *no_color) && nr >= 8;
	if (!term.has_color)
		return;
	curses.start_color();
	curses.use_default_colors();
	for (short i = 0; i < NR_STYLES; i++)
		curses.init_pair((short)(i + 1), nr >= 256 ? looks[i].color_256 : looks[i].color,
				 nr >= 256 ? looks[i].back_256 : looks[i].back);
}

/* Return the number of a colour, -1 for the terminal's own, or -2 for no colour. */
static short color_of(const char *name, size_t size)
{
	static const char *const names[] = { "default", "black",   "red",  "green", "yellow",
					     "blue",    "magenta", "cyan", "white" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strlen(names[i]) == size && !strncasecmp(names[i], name, size))
			return (short)((int)i - 1);
	return -2;
}

bool terminal__set_color(enum style style, const char *text)
{
	const char *back = text + strcspn(text, ",");
	short color = color_of(text, (size_t)(back - text)), behind = -1;

	back += strspn(back, ", ");
	if (*back)
		behind = color_of(back, strlen(back));
	if (color < -1 || behind < -1)
		return false;
	if (term.has_color)
		curses.init_pair((short)(style + 1), color, behind);
	return true;
}

static void terminal__set_style(u32 style)
{
	bool selected = style & STYLE_SELECTED;
	u32 look = style & ~(u32)STYLE_SELECTED;
	attr_t a = looks[look].attributes;

	if (term.has_color && look >= STYLE_BAR && look != STYLE_HEADER)
		a &= A_BOLD;
	if (selected)
		a ^= A_REVERSE;
	curses.wattr_set(term.window, a, term.has_color ? (short)(look + 1) : 0, NULL);
}

/* ---- the end ---- */

static void terminal__write_reset(void)
{
	ssize_t n = write(term.out_fd, term.reset, term.reset_size);

	(void)n;
	if (term.has_modes)
		tcsetattr(term.in_fd, TCSANOW, &term.modes);
}

/* Only what a signal handler may do. */
static void restore_and_die(int sig)
{
	terminal__write_reset();
	signal(sig, SIG_DFL);
	raise(sig);
}

/*
 * ncurses asks for clicks only; these terminals report a mouse that moves while its button is pressed, too.
 */
#define DRAG_ON "\033[?1002h"
#define DRAG_OFF "\033[?1002l"

static void terminal__write(const char *text)
{
	ssize_t n = write(term.out_fd, text, strlen(text));

	(void)n;
}

static void terminal__catch_signals(void)
{
	if (term.has_mouse) {
		strcpy(term.reset, DRAG_OFF "\033[?1006l\033[?1000l");
		term.reset_size = strlen(term.reset);
	}
	for (size_t i = 0; i < ARRAY_SIZE(restoring); i++) {
		const char *s = curses.tigetstr(restoring[i]);
		size_t size = s && s != (char *)-1 ? strlen(s) : 0;

		if (term.reset_size + size < sizeof(term.reset)) {
			memcpy(term.reset + term.reset_size, s ? s : "", size);
			term.reset_size += size;
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(fatal); i++) {
		struct sigaction act = { .sa_handler = restore_and_die,
					 .sa_flags = SA_RESETHAND | SA_NODEFER };

		sigaction(fatal[i], &act, &term.before[i]);
	}
}

/* ---- open and close ---- */

int terminal__check(int out, struct err *err)
{
	const char *name = getenv("TERM"), *move;
	int error = 0, ret = library__load(&curses_library, err);
	bool can_move;

	if (ret)
		return ret;
	if (curses.setupterm(NULL, out, &error))
		return err__set(err, -ENOTSUP, "terminfo does not know the terminal '%s'", name ? name : "");
	move = curses.tigetstr("cup");
	can_move = move && move != (char *)-1;
	curses.del_curterm(curses.set_curterm(NULL));
	if (!can_move)
		return err__set(err, -ENOTSUP, "the terminal '%s' cannot move its cursor", name ? name : "");
	return 0;
}

static int terminal__start(bool use_mouse, struct err *err)
{
	const char *name = getenv("TERM");
	int ret = terminal__check(term.out_fd, err);

	if (ret)
		return ret;
	term.screen = curses.newterm(NULL, term.out, term.in);
	term.window = term.screen ? curses.newwin(0, 0, 0, 0) : NULL;
	if (!term.window)
		return err__set(err, -ENOTSUP, "curses cannot use the terminal '%s'", name ? name : "");
	terminal__make_colors();
	curses.raw();
	curses.noecho();
	curses.nonl();
	curses.intrflush(term.window, FALSE);
	curses.keypad(term.window, TRUE);
	curses.set_escdelay(25);
	curses.curs_set(0);
	if (use_mouse) {
		curses.mouseinterval(0);
		term.has_mouse =
			curses.mousemask(BUTTON1_PRESSED | BUTTON1_CLICKED | BUTTON1_RELEASED |
						 BUTTON4_PRESSED | BUTTON5_PRESSED | REPORT_MOUSE_POSITION,
					 NULL) != 0;
	}
	if (term.has_mouse)
		terminal__write(DRAG_ON);
	terminal__catch_signals();
	return 0;
}

static void terminal__close_files(void)
{
	if (term.in)
		fclose(term.in);
	if (term.out)
		fclose(term.out);
	term.in = term.out = NULL;
}

int terminal__open(int in, int out, bool use_mouse, struct err *err)
{
	int ret = library__load(&curses_library, err);

	if (ret)
		return ret;
	term.in_fd = in;
	term.out_fd = out;
	term.has_modes = !tcgetattr(in, &term.modes);
	term.in = fdopen(dup(in), "r");
	term.out = fdopen(dup(out), "w");
	if (!term.in || !term.out)
		ret = err__set(err, -errno, "terminal: %s", strerror(errno));
	if (!ret)
		ret = terminal__start(use_mouse, err);
	if (ret)
		terminal__close_files();
	return ret;
}

void terminal__close(void)
{
	if (!term.screen)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(fatal); i++)
		sigaction(fatal[i], &term.before[i], NULL);
	if (term.has_mouse) {
		terminal__write(DRAG_OFF);
		curses.mousemask(0, NULL);
	}
	curses.endwin();
	curses.delscreen(term.screen);
	terminal__close_files();
	grid__exit(&term.shown);
	free(term.text);
	memset(&term, 0, sizeof(term));
}

/* ---- showing ---- */

void terminal__size(unsigned *rows, unsigned *columns)
{
	*rows = (unsigned)MAX(curses.getmaxy(term.window), 1);
	*columns = (unsigned)MAX(curses.getmaxx(term.window), 1);
}

/* Append a cell as wide characters. */
static size_t cell__wide(const struct grid_cell *c, wchar_t *text)
{
	size_t n = 0;

	if (!c->c)
		return 0;
	text[n++] = (wchar_t)c->c;
	for (size_t i = 0; i < CELL_MARKS && c->marks[i]; i++)
		text[n++] = (wchar_t)c->marks[i];
	return n;
}

static void terminal__show_row(const struct grid *g, unsigned row)
{
	const struct grid_cell *cells = grid__cell(g, row, 0);

	for (unsigned from = 0, to; from < g->columns; from = to) {
		size_t n = 0;

		for (to = from; to < g->columns && cells[to].style == cells[from].style; to++)
			n += cell__wide(&cells[to], term.text + n);
		terminal__set_style(cells[from].style);
		curses.wmove(term.window, (int)row, (int)from);
		curses.waddnwstr(term.window, term.text, (int)n);
	}
}

void terminal__show(const struct grid *g)
{
	size_t size = g->columns * sizeof(*g->cells);

	if (term.shown.rows != g->rows || term.shown.columns != g->columns) {
		grid__resize(&term.shown, g->rows, g->columns);
		memset(term.shown.cells, 0xff, g->rows * size);
		term.text = xreallocarray(term.text, g->columns, (CELL_MARKS + 1) * sizeof(*term.text));
		curses.wclear(term.window);
	}
	for (unsigned row = 0; row < g->rows; row++) {
		if (!memcmp(grid__cell(g, row, 0), grid__cell(&term.shown, row, 0), size))
			continue;
		terminal__show_row(g, row);
		memcpy(grid__cell(&term.shown, row, 0), grid__cell(g, row, 0), size);
	}
	curses.wnoutrefresh(term.window);
	curses.doupdate();
}

/* ---- keys ---- */

static int *interrupts;

static void count_interrupt(int sig)
{
	(void)sig;
	__atomic_fetch_add(interrupts, 1, __ATOMIC_RELAXED);
}

void terminal__count_interrupts(int *counter)
{
	static struct sigaction before;
	const struct sigaction count = { .sa_handler = count_interrupt, .sa_flags = SA_RESTART };

	interrupts = counter ? counter : interrupts;
	if (counter) {
		sigaction(SIGINT, &count, &before);
		curses.noraw();
		curses.cbreak();
	} else {
		curses.raw();
		sigaction(SIGINT, &before, NULL);
	}
}

/* Ctrl-Z: leave the screen to the shell until it continues the program. */
static u32 suspend(void)
{
	curses.endwin();
	kill(0, SIGTSTP);
	term.shown.rows = 0; /* all is to be shown again */
	return TERM_RESIZE;
}

static const struct {
	int curses;
	u32 key;
} keys[] = {
	{ KEY_UP, TERM_UP },       { KEY_DOWN, TERM_DOWN },     { KEY_LEFT, TERM_LEFT },
	{ KEY_RIGHT, TERM_RIGHT }, { KEY_PPAGE, TERM_PAGE_UP }, { KEY_NPAGE, TERM_PAGE_DOWN },
	{ KEY_HOME, TERM_HOME },   { KEY_END, TERM_END },       { KEY_BACKSPACE, TERM_BACKSPACE },
	{ KEY_DC, TERM_DELETE },   { KEY_BTAB, TERM_BACKTAB },  { KEY_F(1), TERM_F1 },
	{ KEY_ENTER, TERM_ENTER }, { KEY_RESIZE, TERM_RESIZE },
};

static u32 mouse_key(struct terminal_event *event)
{
	MEVENT m;

	if (curses.getmouse(&m) != OK)
		return TERM_NONE;
	event->row = (unsigned)MAX(m.y, 0);
	event->column = (unsigned)MAX(m.x, 0);
	if (m.bstate & BUTTON4_PRESSED)
		return TERM_UP;
	if (m.bstate & BUTTON5_PRESSED)
		return TERM_DOWN;
	if (m.bstate & (BUTTON1_PRESSED | BUTTON1_CLICKED)) {
		term.is_pressed = m.bstate & BUTTON1_PRESSED;
		return TERM_PRESS;
	}
	if (m.bstate & BUTTON1_RELEASED) {
		term.is_pressed = false;
		return TERM_RELEASE;
	}
	return term.is_pressed ? TERM_DRAG : TERM_NONE;
}

static u32 curses_key(wint_t c, struct terminal_event *event)
{
	if (c == KEY_MOUSE)
		return mouse_key(event);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if ((wint_t)keys[i].curses == c)
			return keys[i].key;
	return TERM_NONE;
}

static u32 character_key(wint_t c)
{
	enum { CTRL_H = 8, CTRL_L = 12, CTRL_Z = 26, DEL = 127 };

	switch (c) {
	case '\r':
		return TERM_ENTER;
	case DEL:
	case CTRL_H:
		return TERM_BACKSPACE;
	case CTRL_L:
		term.shown.rows = 0;
		return TERM_RESIZE;
	case CTRL_Z:
		return suspend();
	default:
		return (u32)c;
	}
}

bool terminal__wait(int fd)
{
	struct pollfd p[2] = { { .fd = term.in_fd, .events = POLLIN }, { .fd = fd, .events = POLLIN } };

	return poll(p, ARRAY_SIZE(p), -1) > 0 && !p[0].revents && p[1].revents;
}

struct terminal_event terminal__read(int timeout)
{
	struct terminal_event event = { .key = TERM_NONE };
	wint_t c = 0;
	int ret;

	curses.wtimeout(term.window, timeout);
	errno = 0;
	ret = curses.wget_wch(term.window, &c);
	if (ret == KEY_CODE_YES)
		event.key = curses_key(c, &event);
	else if (ret == OK)
		event.key = character_key(c);
	else if (timeout < 0 && errno != EINTR)
		event.key = TERM_GONE;
	return event;
}

void terminal__copy(const char *text)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	struct strbuf out = STRBUF_INIT;
	size_t size = MIN(strlen(text), 4096);
	ssize_t n;

	strbuf__addstr(&out, "\033]52;c;");
	for (size_t i = 0; i < size; i += 3) {
		u32 bits = 0;

		for (size_t k = 0; k < 3; k++)
			bits = bits << 8 | (i + k < size ? (unsigned char)text[i + k] : 0);
		for (size_t k = 0; k < 4; k++)
			strbuf__addch(&out, i + k > size ? '=' : digits[bits >> (18 - 6 * k) & 63]);
	}
	strbuf__addch(&out, '\a');
	n = write(term.out_fd, out.buf, out.len);
	(void)n;
	strbuf__exit(&out);
}
#else
LIBRARY_ABSENT(curses, "libncursesw", "libncurses-dev");

int terminal__check(int out, struct err *err)
{
	(void)out;
	return library__load(&curses_library, err);
}

int terminal__open(int in, int out, bool use_mouse, struct err *err)
{
	(void)in;
	(void)out;
	(void)use_mouse;
	return library__load(&curses_library, err);
}

void terminal__close(void)
{
}

void terminal__size(unsigned *rows, unsigned *columns)
{
	*rows = *columns = 0;
}

bool terminal__set_color(enum style style, const char *text)
{
	(void)style;
	(void)text;
	return true;
}

void terminal__show(const struct grid *g)
{
	(void)g;
}

bool terminal__wait(int fd)
{
	(void)fd;
	return false;
}

struct terminal_event terminal__read(int timeout)
{
	(void)timeout;
	return (struct terminal_event){ .key = TERM_GONE };
}

void terminal__count_interrupts(int *counter)
{
	(void)counter;
}

void terminal__copy(const char *text)
{
	(void)text;
}
#endif
