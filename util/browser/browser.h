/*
 * The browser: screens over one recording, one selection and one stack of filters. A screen is a file with
 * a struct screen; to add one, write the file and a line in the table in screens.c. Screens draw into a
 * grid and get keys; only browser.c knows the terminal.
 *
 *	make:	the recording was counted again, for other filters or another event
 *	draw:	what is seen of it
 *	press:	a key that is in neither table of keys; the mouse
 */
#ifndef BROWSER_BROWSER_H
#define BROWSER_BROWSER_H

#include "browser/grid.h"
#include "browser/list.h"
#include "browser/terminal.h"
#include "browser/zoom.h"
#include "ui/report.h"

#include <regex.h>

struct browser;

struct key_row { /* a key, what it does, and how help and menu call it; the table ends with key 0 */
	u32 key;
	const char *name;
	const char *text;
	void (*run)(struct browser *b, void *state);
};

struct subject { /* what is selected; pointers are valid until the recording is counted again */
	bool has_place;
	u32 place;
	const char *comm; /* NULL: nothing */
	u32 pid, tid, cpu;
	bool has_pid, has_tid, has_cpu;
};

struct screen {
	const char *name; /* of the view */
	u32 key;          /* shows it from anywhere; 0: none */
	const char *text; /* for help */
	const struct key_row *keys;
	size_t state_size;
	void (*make)(struct browser *b, void *state);
	void (*draw)(struct browser *b, void *state, const struct area *a);
	bool (*press)(struct browser *b, void *state, const struct terminal_event *event);
	void (*get_subject)(struct browser *b, void *state,
			    struct subject *s); /* NULL: nothing is selected */
	/* the view will change while it is shown: note what is selected, for make; NULL: nothing is kept */
	void (*keep)(struct browser *b, void *state);
	void (*end)(void *state); /* free; state may be zeroed */
};

enum { NR_SCREENS = 8, BACK_MAX = 16, CHOICES_MAX = 64 };
extern const struct screen *const screens[NR_SCREENS];
extern const struct screen table_screen, callers_screen, flame_screen, times_screen, threads_screen,
	code_screen, info_screen, help_screen;
extern const struct key_row browser_keys[]; /* of all screens */
extern const struct key_row live_keys[];    /* before all others, while a recording goes on (live.c) */

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
	struct report_screen *in;
	struct report_args args; /* of the last pass, if it was another one */
	struct grid grid;
	const struct screen *screen, *back[BACK_MAX]; /* back: those before it */
	unsigned nr_back;
	void *states[NR_SCREENS];
	u32 made[NR_SCREENS]; /* the generation that the state was made for; 0: never */
	u32 generation;
	struct zooms zooms;
	struct pattern stacks; /* of the filter by a function in stacks */
	u32 event;             /* index of the hists that are shown */
	bool by_children, verbose;
	double percent_limit;
	/* the function that screens about one function show */
	char *function;
	u32 function_generation;            /* changes with it */
	u32 function_dso;                   /* its dso_name in places */
	const struct symbol *function_code; /* the symbol with its code; NULL: unresolved */
	struct pattern find;
	u32 find_generation;
	struct prompt prompt;
	ARRAY(struct choice) menu; /* not empty: it is open */
	const char *menu_title;
	struct name_list recordings; /* that a menu offers */
	struct list menu_list;
	struct strbuf message;
	bool is_over;
	struct err *err;
	int ret;
};

static inline struct view *browser__view(const struct browser *b)
{
	return &b->in->view;
}

static inline const struct hists *browser__hists(const struct browser *b)
{
	return &b->in->view.hists.v[b->event];
}

static inline u64 browser__total(const struct browser *b)
{
	return hists__total(&b->in->view, browser__hists(b), 0);
}

/* Show a recording until the user leaves: report_args.browse. */
int browser__run(struct report_screen *in, struct err *err);
/* Say something in the line at the bottom, until the next key. */
void browser__say(struct browser *b, const char *fmt, ...) PRINTF(2, 3);
void browser__show(struct browser *b, const struct screen *s); /* as a key of it does */
void *browser__state(struct browser *b, const struct screen *s);
/* Does the name match what is searched for? false: nothing is searched for. */
bool browser__finds(const struct browser *b, const char *name);
/* Ask for a line of text. */
void browser__ask(struct browser *b, const char *label, void (*typed)(struct browser *, const char *),
		  void (*done)(struct browser *, const char *));
void browser__open_menu(struct browser *b, const char *title);
void browser__add_choice(struct browser *b, void (*run)(struct browser *, u32), u32 arg, const char *fmt, ...)
	PRINTF(4, 5);
void browser__get_subject(struct browser *b, struct subject *s);
/* What is selected, if it is a function, becomes the one that screens about one function show. */
void browser__take_function(struct browser *b);
/* Return the entry of that function with the largest share, or NULL. */
const struct hist_entry *browser__function_entry(struct browser *b);
/* Put a filter on the others, or take the last one away, and count again. */
void browser__zoom(struct browser *b, enum zoom_kind kind, const char *text);
void browser__zoom_time(struct browser *b, u64 start, u64 end);
void browser__unzoom(struct browser *b);
/* The view has changed: screens are made again. */
void browser__changed(struct browser *b);
void browser__recount(struct browser *b); /* something else changed in view.opts or the layout */
/*
 * Another pass over the samples that the filters by CPU and time leave: without callers, split by thread
 * and by what split (enum profile_split) says. from, step: as in profile_opts; 0: rows have addresses.
 * Return 0 or a negative errno with b->err.
 */
int browser__collect_flat(struct browser *b, unsigned split, u64 from, u64 step, struct profile *p);
/* Do the filters keep the samples of this thread? */
bool browser__wants_thread(struct browser *b, const struct row_key *key);
/* Append the command that prints what is shown as text. */
void browser__command_line(const struct browser *b, struct strbuf *sb);
/* Return the name of a place, as the text report has it; valid until the next call. */
const char *browser__name(struct browser *b, u32 place);
/* Append the name of a place in a call tree, and how deep its recursion is. */
void browser__add_node_name(struct browser *b, const struct call_node *n, u32 i, struct strbuf *sb);
/* A style for a share (0 ... 1) of all. */
u32 style_of_share(double share);

/*
 * The filters that are not of this recording alone go with the user to the next one (report_screen.next).
 */
void browser__carry_filters(struct browser *b);

/*
 * live.c, for a recording that goes on: wait for a key or for samples, and take these. May there be a key?
 */
bool live__wait(struct browser *b);
/* What is shown must stay as it is: freeze it. */
void live__hold(struct browser *b);

/* A part of the text of a screen: lines with styles (text.c). */
struct text_line {
	size_t at;
	u32 size, style;
};
struct text_lines {
	struct strbuf text;
	ARRAY(struct text_line) v;
	struct list list;
	unsigned shift; /* columns that are scrolled away to the left */
};
void text_lines__exit(struct text_lines *t);
void text_lines__reset(struct text_lines *t);
void text_lines__add(struct text_lines *t, u32 style, const char *fmt, ...) PRINTF(3, 4);
/* Add all lines of a text. style_of: chooses the style of a line; NULL: plain. */
void text_lines__add_all(struct text_lines *t, const char *text,
			 u32 (*style_of)(const char *line, size_t size));
/* Draw them; what is searched for is marked. select: the line at list.at is drawn as selected. */
void text_lines__draw(struct text_lines *t, struct browser *b, const struct area *a, bool select);
bool text_lines__press(struct text_lines *t, struct browser *b, u32 key);
/* The same for a text without a selected line: keys move the page. */
bool text_lines__page(struct text_lines *t, struct browser *b, u32 key);

#endif
