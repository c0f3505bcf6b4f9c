/* What the files of the -e parser share. */
#ifndef EVENT_PARSE_PRIVATE_H
#define EVENT_PARSE_PRIVATE_H

#include "base/memory/arena.h"
#include "base/text/suggest.h"
#include "event/evsel/event_request.h"
#include "event/parse/parse.h"
#include "event/pmu/pmu.h"

enum { MODIFIERS_MAX = 13 };

/* A piece of the text. */
struct word {
	const char *p;
	size_t len;
};

struct parser {
	const char *text, *p;
	struct err *err;
	const struct parse_opts *opts;
	struct evlist out; /* what was read so far: all of the text must be right before anything is added */
	struct pmus pmus;
	bool has_pmus;       /* they were read */
	bool pfm_only;       /* all names are libpfm4's */
	struct strbuf mount; /* of tracefs, once found */
	/* Of the present event: */
	size_t first;         /* its evsels begin here */
	struct word head;     /* where it stands for several: what each evsel's own name replaces */
	bool had_terms;       /* /.../ was read: modifiers may follow without a colon */
	bool head_in_slashes; /* the evsels are named "PMU/event", and the slash is still to be closed */
	char *own_name;       /* by the term name=; NULL: none; owned */
};

/* ---- parse.c ---- */

/*
 * Fills err: the message, then the text with the word marked. A word of no length marks its place. Returns
 * -EINVAL. The message ends where the word would follow in quotes.
 */
int parser__fail(struct parser *ps, struct word at, const char *fmt, ...) PRINTF(3, 4);
/* The same with another code than -EINVAL. */
int parser__fail_with(struct parser *ps, int code, struct word at, const char *fmt, ...) PRINTF(4, 5);
/* "did you mean ...?", from the names offered by offer() for the word. */
typedef void (*parse_offer_fn)(void *ctx, struct suggest *s, struct arena *names);
void parser__suggest(struct parser *ps, struct word at, parse_offer_fn offer, void *ctx);

bool is_blank(char c);
/* Up to what ends a name: one of ",:/{}", a blank, or the end. */
struct word parser__word(const struct parser *ps);
bool word__is(struct word w, const char *text);
char *word__dup(struct word w);
/*
 * A number, hexadecimal with 0x, else in the base (010 is ten in base 10, as in stock perf); all of the word.
 * -EINVAL, -ERANGE.
 */
int word__number(struct word w, unsigned base, u64 *value);
/* All of word as a number; what: what was expected ("an address"). */
int parser__number(struct parser *ps, struct word w, const char *what, u64 *value);
struct pmus *parser__pmus(struct parser *ps);
/* Adds an evsel of this type to the present event. Its attr has the defaults of events. */
struct evsel *parser__add(struct parser *ps, u32 type, u64 config);

/* ---- parse_modifiers.c ---- */

/* The letters of w, for the evsels from ps->first on. of_group: they come on top of the members' own. */
int parser__modifiers(struct parser *ps, struct word w, bool of_group);
bool is_modifiers(struct word w);

/* ---- parse_terms.c ---- */

/* One of term, term=value; a value may be quoted. */
struct term {
	struct word name, value;
	bool has_value;
};
typedef ARRAY(struct term) term_array;

/* At '/': reads the terms up to the next '/', which is passed. */
int parser__read_terms(struct parser *ps, term_array *terms);
/* Whether t is a term of every event, such as period; then *ret says how it went for the evsels from first
 * on. */
bool parser__apply_term(struct parser *ps, const struct term *t, size_t first, int *ret);
/* Reads and applies terms for an event of no PMU. */
int parser__terms(struct parser *ps);
void offer_terms(void *ctx, struct suggest *s, struct arena *names);
/* The value of t as a number, 1 when it has none. */
int parser__term_number(struct parser *ps, const struct term *t, u64 *value);

/* ---- parse_pmu.c ---- */

/* At PMU/terms/. -ENOENT without a message when there is no such PMU. */
int parser__pmu_event(struct parser *ps);
/* "no event and no PMU is called 'x'" */
int parser__unknown_pmu(struct parser *ps, struct word w);
/* Adds the events of this name that PMUs list in sysfs; -ENOENT: none does. */
int parser__pmu_alias(struct parser *ps, struct word name);
/* Where there are several kinds of cores: the same hardware, cache or raw event for each of them; -ENOENT
 * else. */
int parser__for_each_core(struct parser *ps, struct word name, u32 type, u64 config);
void offer_pmu_events(struct parser *ps, struct suggest *s, struct arena *names);
void pmu__apply_config(struct evsel *e, const u64 words[PMU_CONFIG_WORDS]);

/* ---- parse_tracepoint.c ---- */

/* At SYSTEM:NAME. -ENOENT without a message when there is no such system. */
int parser__tracepoint(struct parser *ps);
/* "no system 'x', and no event either" */
int parser__no_system(struct parser *ps);

/* ---- parse_watch.c ---- */

int parser__watch(struct parser *ps);  /* at "mem:" */
int parser__uprobe(struct parser *ps); /* at "uprobe:" */
int parser__kprobe(struct parser *ps); /* at "kprobe:" */

/* ---- parse_pfm.c ---- */

/* The rest of this event, up to a comma or brace, as libpfm4 knows it. -ENOENT: it does not. */
int parser__pfm(struct parser *ps);

#endif
