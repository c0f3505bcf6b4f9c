/*
 * The browser: screens over one selection. A kind of browser, such as the one for a recording
 * (report_browser.h), has a table of its screens and of its keys. Screens draw into a grid and get keys; only
 * browser.c knows the terminal. A screen is a file with a struct screen; to add one, write the file and a
 * line in the table of its kind.
 *
 * 	make:	what is browsed was counted again, for other filters or another event
 * 	draw:	what is seen of it
 * 	press:	a key that is in none of the tables of keys; the mouse
 */
#ifndef BROWSER_BROWSER_H
#define BROWSER_BROWSER_H

#include "base/memory/array.h"
#include "base/message/err.h"
#include "browser/grid.h"
#include "browser/list.h"
#include "browser/terminal.h"
#include "profile/hists/stack_tree.h"
#include "ui/report_args.h"

#include <regex.h>

struct browser;

struct key_row { /* a key, what it does, and how help and menu call it; the table ends with key 0 */
	u32 key;
	const char *name;
	const char *text; /* NULL: another key for the row before */
	void (*run)(struct browser *b, void *state);
};

struct subject { /* the selected thing; pointers are valid until the view is counted again */
	bool has_place;
	u32 place;        /* a function, by a number that the kind of browser knows */
	const char *comm; /* NULL: nothing */
	const char *lock; /* as --lock takes it; NULL: none */
	u32 pid, tid, cpu, last_cpu;
	bool has_pid, has_tid, has_cpu;
};

struct screen {
	const char *name; /* of the view */
	/* returns what the title says instead of the name; NULL: the name */
	const char *(*title)(const struct browser *b);
	u32 key;          /* shows it from anywhere; 0: none */
	const char *text; /* for help */
	const char *hint; /* keys of it, for the line at the bottom; NULL: those of the kind of browser */
	const struct key_row *keys;
	size_t state_size;
	void (*make)(struct browser *b, void *state);
	void (*draw)(struct browser *b, void *state, const struct area *a);
	bool (*press)(struct browser *b, void *state, const struct terminal_event *event);
	/* no key is waiting: do what can wait. Returns true if that is to be drawn; NULL: there is nothing */
	bool (*idle)(struct browser *b, void *state);
	void (*get_subject)(struct browser *b, void *state,
			    struct subject *s); /* NULL: nothing is selected */
	/* select b->function, which was selected in the screen before; NULL: nothing can be selected */
	void (*choose)(struct browser *b, void *state);
	/* the view will change while it is shown: note the selection, for make; NULL: nothing is kept */
	void (*keep)(struct browser *b, void *state);
	void (*end)(void *state); /* free; state may be zeroed */
};

enum { SCREENS_MAX = 9, BACK_MAX = 16 };

struct shown_function { /* the one that screens about one function show */
	u32 place;
	u64 total, nr_total; /* as in struct call_node: with what it calls */
	u64 self, nr_self;   /* itself */
};

struct tree_kind { /* call trees for the flame graph and callers */
	/* Make the tree of all, or of the function that is shown; the caller exits it. */
	void (*make)(struct browser *b, struct stack_tree *t, bool of_function, enum stack_tree_kind kind);
	/* Find the function that is shown. Return false if nothing has it any more. */
	bool (*find_function)(struct browser *b, struct shown_function *f);
	/* Append a period and number of samples, as a column of constant width. Return its style. */
	u32 (*add_cost)(struct browser *b, struct strbuf *sb, u64 period, u64 nr);
	/* Append the name of a place in a tree, with notes such as how deep its recursion is. */
	void (*add_node_name)(struct browser *b, const struct call_node *n, u32 i, struct strbuf *sb);
	/* Append the name of a place as screens show it, with what marks it. */
	void (*add_name)(struct browser *b, u32 place, struct strbuf *sb);
	/* Append a remark about a function beside its cost in the tree; NULL: there are none. */
	void (*add_remark)(struct browser *b, u32 place, struct strbuf *sb);
	u32 (*box_style)(struct browser *b, u32 place, const char *name);
	const char *(*why_empty)(struct browser *b); /* message instead of a tree without boxes */
};

struct browser_kind { /* a kind of data to browse */
	/* as help and menu list them, then NULL; the browser begins with the first */
	const struct screen *const *screens;
	const struct key_row *keys;       /* in all screens */
	const char *hint;                 /* keys of views, for the line at the bottom */
	void (*begin)(struct browser *b); /* the terminal is there */
	void (*add_title)(struct browser *b, struct strbuf *sb);
	/* Return the name of a function (subject.place), valid until the next call. */
	const char *(*name)(struct browser *b, u32 place);
	/* A function becomes the one that screens about one function show: note more than its name. */
	void (*take_function)(struct browser *b, u32 place);
	const struct tree_kind *trees;

	/* for data that changes while it is shown; NULL: it does not */
	const struct key_row *live_keys; /* before all others */
	bool (*wait)(struct browser *b); /* wait for a key, or do something else: may there be a key? */
	void (*draw_bottom)(struct browser *b); /* draw the state of the recording */
};

struct choice { /* a line of a menu */
	char *text;
	void (*run)(struct browser *b, u32 arg);
	u32 arg;
};

struct prompt {            /* a line that is typed at the bottom */
	const char *label; /* NULL: there is none */
	struct strbuf text;
	void (*typed)(struct browser *b, const char *text); /* after each key; may be NULL */
	void (*done)(struct browser *b, const char *text);  /* after Enter; NULL: Esc */
};

struct pattern {       /* of names */
	regex_t regex; /* if is_set */
	bool is_set;
};

struct browser {
	const struct browser_kind *kind;
	struct grid grid;
	const struct screen *screen, *back[BACK_MAX]; /* back: those before it */
	unsigned nr_back;
	void *states[SCREENS_MAX];
	u32 made[SCREENS_MAX]; /* the generation that the state was made for; 0: never */
	u32 generation;
	char *function;          /* the function that screens about one function show; NULL: none yet */
	u32 function_generation; /* changes with it */
	struct pattern find;
	u32 find_generation;
	struct prompt prompt;
	ARRAY(struct choice) menu; /* not empty: it is open */
	const char *menu_title;
	struct list menu_list;
	struct strbuf message;
	bool is_over;
	struct err *err;
	int ret;
};

/*
 * Can a browser be shown? takes_input: standard input is a recording, so that keys come from the terminal
 * itself. Say why not, and what happens instead, if the terminal cannot be used, or if the user asked for a
 * browser and there is no terminal.
 */
bool browser__has_terminal(bool takes_input, bool asked, const char *instead);
/*
 * Show the data of b->kind until the user leaves. b has only its kind set; exit it with browser__exit().
 * Return 0 or a negative errno with err.
 */
int browser__run(struct browser *b, const struct browser_args *a, struct err *err);
void browser__exit(struct browser *b);
void browser__draw(struct browser *b); /* now, before something that takes long */
/* Say something in the line at the bottom, until the next key. */
void browser__say(struct browser *b, const char *fmt, ...) PRINTF(2, 3);
void browser__show(struct browser *b, const struct screen *s); /* as a key of it does */
void *browser__state(struct browser *b, const struct screen *s);
/* Does the name match the text searched for? False without a search. */
bool browser__finds(const struct browser *b, const char *name);
/* Ask for a line of text. */
void browser__ask(struct browser *b, const char *label, void (*typed)(struct browser *, const char *),
		  void (*done)(struct browser *, const char *));
void browser__open_menu(struct browser *b, const char *title);
void browser__add_choice(struct browser *b, void (*run)(struct browser *, u32), u32 arg, const char *fmt, ...)
	PRINTF(4, 5);
void browser__get_subject(struct browser *b, struct subject *s);
/* Make the selected function, if one is selected, the one that screens about one function show. */
void browser__take_function(struct browser *b);

/* Keys of all browsers, for their tables. */
void browser__search(struct browser *b, void *state);
void browser__copy_name(struct browser *b, void *state);
void browser__open_key_menu(struct browser *b, void *state);
void browser__show_help(struct browser *b, void *state);
void browser__go_back(struct browser *b, void *state);
void browser__leave(struct browser *b, void *state);
#define BROWSER_KEYS                                                                                  \
	{ 'm', "m", "menu", browser__open_key_menu }, { '?', "?", "all keys", browser__show_help },   \
		{ 'h', NULL, NULL, browser__show_help }, { TERM_F1, NULL, NULL, browser__show_help }, \
		{ TERM_ESC, "Esc", "back", browser__go_back }, { 'q', "q", "leave", browser__leave }, \
	{                                                                                             \
		3, NULL, NULL, browser__leave                                                         \
	} /* Ctrl-C */

/* Screens of any kind. */
extern const struct screen callers_screen, flame_screen, help_screen;

/*
 * Return the character that boxes of a style begin with, which stands for their colour on terminals without
 * colours.
 */
char flame__sign(u32 style);

/* A part of the text of a screen: lines with styles (text.c). */
struct text_line {
	size_t at;
	u32 size, style;
};
struct text_lines {
	struct strbuf text;
	ARRAY(struct text_line) v;
	struct list list;
	unsigned shift; /* columns scrolled off to the left */
};
void text_lines__exit(struct text_lines *t);
void text_lines__reset(struct text_lines *t);
void text_lines__add(struct text_lines *t, u32 style, const char *fmt, ...) PRINTF(3, 4);
/* Add all lines of a text. style_of: chooses the style of a line; NULL: plain. */
void text_lines__add_all(struct text_lines *t, const char *text,
			 u32 (*style_of)(const char *line, size_t size));
/* Draw the lines, with matches of the search marked. select: draw the line at list.at as selected. */
void text_lines__draw(struct text_lines *t, struct browser *b, const struct area *a, bool select);
bool text_lines__press(struct text_lines *t, struct browser *b, u32 key);
/* Move the page of a text without a selected line, as a key says. */
bool text_lines__page(struct text_lines *t, struct browser *b, u32 key);

#endif
