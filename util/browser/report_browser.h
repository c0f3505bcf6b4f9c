/*
 * The browser of a recording: its screens have one recording, one selection and one stack of filters. The
 * recording may continue while it is shown (live.c).
 */
#ifndef BROWSER_REPORT_BROWSER_H
#define BROWSER_REPORT_BROWSER_H

#include "base/memory/mem.h"
#include "browser/browser.h"
#include "browser/zoom.h"
#include "ui/report.h"

#include <stdio.h>

extern const struct screen *const report_screens[];
extern const struct screen table_screen, times_screen, spans_screen, threads_screen, code_screen, info_screen;
extern const struct key_row report_keys[];
extern const struct key_row live_keys[]; /* while a recording continues (live.c) */

struct spans_of_event {
	struct span_set set;
	u64 fast, slow; /* ns: durations of the fast ones up to this, of the slow ones from this on */
};

struct span_sets { /* all spans of a recording */
	ARRAY(struct spans_of_event) v;
	bool is_read;
};

struct report_browser {
	struct browser b;
	struct report_screen *in;
	struct report_args args; /* of the last pass, if it was another one */
	struct zooms zooms;
	struct pattern stacks;       /* of the filter by a function in stacks */
	u32 event;                   /* index of the hists that are shown */
	u32 rows;                    /* what a row of the table is: index in row_kinds */
	struct weights_args weights; /* what the samples stand for */
	struct span_sets spans;      /* for browser__spans */
	bool by_children, verbose;
	double percent_limit;
	u32 function_dso;                   /* of b.function: its dso_name in places */
	const struct symbol *function_code; /* the symbol with its code; NULL: unresolved */
	u32 function_binary;                /* idx of the dso with its code */
	bool function_inlined;              /* its code is in other functions, wherever it was inlined */
	u32 code_line;                      /* line that its code is to be shown at; 0: the hottest */
	char *code_file;                    /* of that line, without folders; NULL: any */
	struct name_list recordings;        /* that a menu offers */
};

/* Show the code of a function of another view of the session, at its line. */
void browser__show_code(struct browser *b, struct places *places, u32 place);
/* A function becomes the one that screens about one function show. */
void browser__take_place(struct browser *b, const struct place *p);
/* Return what the rows of the table are, for people. */
const char *browser__rows(const struct browser *b);
/* Make rows of something else; read the recording for it. */
void browser__next_rows(struct browser *b);
/*
 * Go on from the samples' own time to that which others lost to holders of locks, to the critical path, and
 * back; read the recording for it.
 */
void browser__next_times(struct browser *b);

/* Let samples stand for what options say; read the recording for it. */
void browser__count_weights(struct browser *b, const struct weights_args *weights);

static inline struct report_browser *report_of(const struct browser *b)
{
	return container_of(b, struct report_browser, b);
}

static inline struct view *browser__view(const struct browser *b)
{
	return &report_of(b)->in->view;
}

static inline const struct hists *browser__hists(const struct browser *b)
{
	return &report_of(b)->in->view.hists.v[report_of(b)->event];
}

static inline u64 browser__total(const struct browser *b)
{
	return hists__total(&report_of(b)->in->view, browser__hists(b), 0);
}

/* All functions below are for browsers of a recording only. */

/* Show a recording until the user leaves: report_args.browse. */
int report_browser__run(struct report_screen *in, struct err *err);
/* Put a filter on the others, or take the last one away, and count again. */
void browser__zoom(struct browser *b, enum zoom_kind kind, const char *text);
void browser__zoom_time(struct browser *b, u64 start, u64 end);
void browser__unzoom(struct browser *b);
/* Make the screens again, after the view has changed. */
void browser__changed(struct browser *b);
void browser__recount(struct browser *b); /* something else changed in view.opts or the layout */
/*
 * Pass over the samples that the filters by CPU and time leave, without callers, split by thread and by the
 * fields in split (enum profile_split). from, step: as in profile_opts; 0: rows have addresses. Return 0 or a
 * negative errno with b->err.
 */
int browser__collect_flat(struct browser *b, unsigned split, u64 from, u64 step, struct profile *p);
/* Do the filters keep the samples of this thread? */
bool browser__wants_thread(struct browser *b, const struct row_key *key);
enum { BROWSER_NAME_MAX = 64 }; /* bytes of the name of a file that is written */
/*
 * Create a file that is not there yet, BEGINNING.0 or the next number, for those who may read the recording.
 * Return NULL and say why if there is none.
 */
FILE *browser__create_text(struct browser *b, const char *beginning, char name[BROWSER_NAME_MAX]);
/* Close it, and say what was written. */
void browser__end_text(struct browser *b, FILE *out, const char *name, const char *what);
/* Add what all screens can write to the open menu. */
void browser__add_exports(struct browser *b);
/* Append the options that say what samples stand for. */
void browser__add_weights(const struct browser *b, struct strbuf *sb);
/* Append the command that prints the view as text. */
void browser__command_line(const struct browser *b, struct strbuf *sb);
/* Return the name of a place, as the text report has it; valid until the next call. */
const char *browser__name(struct browser *b, u32 place);
/* Append the name of a place in a call tree, and how deep its recursion is. */
void browser__add_node_name(struct browser *b, const struct call_node *n, u32 i, struct strbuf *sb);
/* Return the style for a share (0 ... 1) of all. */
u32 style_of_share(double share);

/* ---- spans.c ---- */

/* Return the spans of the recording, which are read at the first call; none: it has none. */
const struct span_sets *browser__spans(struct browser *b);
void span_sets__exit(struct span_sets *s);
/* Do the filters keep the span? */
bool browser__wants_span(struct browser *b, const struct span_set *set, const struct span *span);
/* Return the last name of a thread, as row_key.comm. */
u32 browser__thread_comm(struct browser *b, u32 tid);
/* As a key: let the user choose the spans that count. */
void browser__choose_spans(struct browser *b, void *state);

/* Keep the filters that also apply to the next recording (report_screen.next). */
void browser__carry_filters(struct browser *b);

/*
 * live.c, for a recording that continues: wait for a key or for samples, and take these. Return whether there
 * may be a key.
 */
bool live__wait(struct browser *b);
/* Freeze the view, so that it stays as it is. */
void live__hold(struct browser *b);

#endif
