/* Shared by the files of the -e parser. */
#ifndef EVENT_PARSE_PRIVATE_H
#define EVENT_PARSE_PRIVATE_H

#include "base/memory/arena.h"
#include "base/message/word_list.h"
#include "event/evsel/event_request.h"
#include "event/parse/parse.h"
#include "event/pmu/pmu.h"

enum { MODIFIERS_MAX = 13 };

/* A part of the text. */
struct word {
	const char *p;
	size_t len;
};

struct parser {
	const char *text, *p;
	struct err *err;
	const struct parse_opts *opts;
	/* events read so far; they are added to the list when all of the text has been parsed */
	struct evlist out;
	struct pmus pmus;
	bool has_pmus;       /* the PMUs were read */
	bool pfm_only;       /* all names are libpfm4's */
	struct strbuf mount; /* mount point of tracefs, once found */
	/* The event being read: */
	size_t first;         /* index of its first evsel */
	struct word head;     /* if it means several events: the text that each evsel's own name replaces */
	bool had_terms;       /* /.../ was read: modifiers may follow without a colon */
	bool head_in_slashes; /* the evsels are named "PMU/event", without the closing slash yet */
	char *own_name;       /* from the term name=; NULL: none; owned */
};

/* ---- parse.c ---- */

/*
 * Fill err: the message, then the text with the word marked. A word of length 0 marks a position. The format
 * must end where the quoted word is to follow. Return -EINVAL.
 */
int parser__fail(struct parser *ps, struct word at, const char *fmt, ...) PRINTF(3, 4);
/* As parser__fail, with another code than -EINVAL. */
int parser__fail_with(struct parser *ps, int code, struct word at, const char *fmt, ...) PRINTF(4, 5);
/* Add "did you mean ...?" with the names offered by offer() for the word. */
typedef void (*parse_offer_fn)(void *ctx, struct suggest *s, struct arena *names);
void parser__suggest(struct parser *ps, struct word at, parse_offer_fn offer, void *ctx);

/* Return the word's index in the list, or -EINVAL with err. */
int parser__choose(struct parser *ps, const struct word_list *l, struct word at);

bool is_blank(char c);
/* Return the text up to the end of a name: one of ",:/{}", a blank, or the end. */
struct word parser__word(const struct parser *ps);
bool word__is(struct word w, const char *text);
char *word__dup(struct word w);
/*
 * Parse all of the word as a number: hexadecimal with 0x, else in the base (010 is ten in base 10, as in
 * stock perf). Return 0, -EINVAL or -ERANGE.
 */
int word__number(struct word w, unsigned base, u64 *value);
/* Parse all of the word as a number. what: the noun for the message ("an address"). */
int parser__number(struct parser *ps, struct word w, const char *what, u64 *value);
struct pmus *parser__pmus(struct parser *ps);
/* Add an evsel of this type to the event being read, with an attr of defaults for events. */
struct evsel *parser__add(struct parser *ps, u32 type, u64 config);

/* ---- parse_modifiers.c ---- */

/*
 * Apply the modifier letters in w to the evsels from ps->first on. of_group: add them to each member's own
 * modifiers.
 */
int parser__modifiers(struct parser *ps, struct word w, bool of_group);
bool is_modifiers(struct word w);

/* ---- parse_terms.c ---- */

/* A term, "term" or "term=value"; the value may be quoted. */
struct term {
	struct word name, value;
	bool has_value;
};
typedef ARRAY(struct term) term_array;

/* Read the terms after a '/', and skip the next '/'. */
int parser__read_terms(struct parser *ps, term_array *terms);
/*
 * If t is a term that any event may have, such as period, apply it to the evsels from first on, store the
 * result in *ret and return true.
 */
bool parser__apply_term(struct parser *ps, const struct term *t, size_t first, int *ret);
/* Read and apply the terms of an event without a PMU. */
int parser__terms(struct parser *ps);
void offer_terms(void *ctx, struct suggest *s, struct arena *names);
/* Return the value of t as a number; 1 if it has none. */
int parser__term_number(struct parser *ps, const struct term *t, u64 *value);

/* ---- parse_pmu.c ---- */

/* Parse PMU/terms/. Return -ENOENT without a message if there is no such PMU. */
int parser__pmu_event(struct parser *ps);
/* Fail with "no event and no PMU is called 'x'". */
int parser__unknown_pmu(struct parser *ps, struct word w);
/* Add the events of this name that PMUs list in sysfs. -ENOENT: there are none. */
int parser__pmu_alias(struct parser *ps, struct word name);
/*
 * On a machine with several kinds of cores, add the same hardware, cache or raw event for each of them;
 * -ENOENT otherwise.
 */
int parser__for_each_core(struct parser *ps, struct word name, u32 type, u64 config);
void offer_pmu_events(struct parser *ps, struct suggest *s, struct arena *names);
void pmu__apply_config(struct evsel *e, const u64 words[PMU_CONFIG_WORDS]);

/* ---- parse_tracepoint.c ---- */

/* Parse SYSTEM:NAME. Return -ENOENT without a message if there is no such system. */
int parser__tracepoint(struct parser *ps);
/* Fail with "no system 'x', and no event either". */
int parser__no_system(struct parser *ps);

/* ---- parse_watch.c ---- */

int parser__watch(struct parser *ps);  /* at "mem:" */
int parser__uprobe(struct parser *ps); /* at "uprobe:" */
int parser__kprobe(struct parser *ps); /* at "kprobe:" */

/* ---- parse_pfm.c ---- */

/*
 * Parse the rest of this event, up to a comma or brace, as a libpfm4 name. -ENOENT: libpfm4 does not know
 * it.
 */
int parser__pfm(struct parser *ps);

#endif
