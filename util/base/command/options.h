/*
 * Command line options. One static table per command gives parsing, the -h text, --no-X,
 * abbreviations and the list that a test holds against the man page:
 *
 * 	struct record_args args = { .freq = 4000 };
 * 	const struct option options[] = {
 * 		OPT_BOOL('a', "all-cpus", &args.all_cpus, "collect from all CPUs"),
 * 		OPT_UINT('F', "freq", &args.freq, "n", "samples a second"),
 * 		OPT_STRING('o', "output", &args.output, "file", "output file name"),
 * 		OPT_CALLBACK('e', "event", &args, "event", "event selector", parse_event),
 * 		OPT_END(),
 * 	};
 *
 * A long table has groups: OPT_GROUP("What to record"), then its options, the most used first.
 *
 * Users may type, as in stock perf: -F99, -F 99, --freq=99, --freq 99, --fre 99 (any unambiguous
 * abbreviation), -ag (a cluster of short ones), -agF99, --no-all-cpus, and "--", which ends the options. An
 * option whose long name starts with "no-" is taken back by the name without it: --inherit for "no-inherit".
 * The last of several equal options holds.
 *
 * Commands use perf__parse_options() of builtin.h, which also prints; the functions here print nothing.
 */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include "base/message/err.h"

enum option_type {
	OPTION_END,
	OPTION_GROUP,    /* no option: help is the heading, in -h, of those that follow */
	OPTION_BOOL,     /* bool: true; --no-X: false */
	OPTION_BOOL_INV, /* bool: false; --no-X: true */
	OPTION_INCR,     /* int: one more each time; --no-X: 0 */
	OPTION_BITS,     /* u64: set_to is set in it; --no-X: is taken out */
	OPTION_INT,      /* int */
	OPTION_UINT,     /* unsigned */
	OPTION_U64,      /* u64 */
	OPTION_STRING,   /* const char *, pointing into argv; --no-X: NULL */
	OPTION_CALLBACK, /* whatever callback does */
};

enum option_flags {
	OPTION_OPTARG = 1 << 0, /* value only when attached: -xVALUE, --long=VALUE; defval otherwise */
	OPTION_NOARG = 1 << 1,  /* callback without a value */
	OPTION_NONEG = 1 << 2,  /* no --no-X */
	OPTION_HIDDEN = 1 << 3, /* works, but is not in -h and needs no place in the man page */
	OPTION_LASTARG =
		1
		<< 4, /* a detached value may be missing: at the end or before another option; defval then */
	OPTION_LASTNUM = 1 << 5, /* the same, also before a word that does not begin with a digit */
};

struct option;
/*
 * arg: the value; NULL when unset (--no-X), for OPTION_NOARG, and for a missing one without defval. Returns 0
 * or a negative errno. On failure err should name the expected form, e.g. err__set(err, -EINVAL, "'%s' is not
 * a size", arg); the option's name is put in front.
 */
typedef int option_callback(const struct option *opt, const char *arg, bool unset, struct err *err);

struct option {
	enum option_type type;
	char shrt;        /* 0: none */
	const char *name; /* long name, NULL: none */
	void *value;      /* of the type's kind; for a callback its own data */
	const char *arg;  /* name of the value in the -h text, without <> */
	const char *help; /* may have several lines */
	option_callback *callback;
	unsigned flags;     /* enum option_flags */
	const char *defval; /* the value used when none is given (OPTARG, LASTARG); parsed like a given one */
	unsigned set_to;    /* OPTION_BITS */
	u64 least, most;    /* OPTION_U64: the range; most 0: no limit */
	bool *given;        /* if not NULL: set to true when the option, or its --no- form, is given */
};

#define OPT_END()                  \
	{                          \
		.type = OPTION_END \
	}
/*
 * The heading of the options that follow, in -h: what they are for, without a colon. A table has none, or
 * begins with one.
 */
#define OPT_GROUP(heading)                              \
	{                                               \
		.type = OPTION_GROUP, .help = (heading) \
	}
/* All options have a short name, a long name and a help text; special fields follow. */
#define OPT_(s, l, h, ...)                                         \
	{                                                          \
		.shrt = (s), .name = (l), .help = (h), __VA_ARGS__ \
	}
#define OPT_TYPED_(t, v, want) .type = (t), .value = (1 ? (v) : (want *)0)
#define OPT_BOOL(s, l, v, h) OPT_(s, l, h, OPT_TYPED_(OPTION_BOOL, v, bool))
#define OPT_BOOL_INV(s, l, v, h) OPT_(s, l, h, OPT_TYPED_(OPTION_BOOL_INV, v, bool))
/* Also notes in *set_ that the option was given. */
#define OPT_BOOL_SET(s, l, v, set_, h) OPT_(s, l, h, OPT_TYPED_(OPTION_BOOL, v, bool), .given = (set_))
#define OPT_INCR(s, l, v, h) OPT_(s, l, h, OPT_TYPED_(OPTION_INCR, v, int))
#define OPT_BITS(s, l, v, x, h) OPT_(s, l, h, OPT_TYPED_(OPTION_BITS, v, u64), .set_to = (x))
#define OPT_INT(s, l, v, a, h) OPT_(s, l, h, OPT_TYPED_(OPTION_INT, v, int), .arg = (a))
#define OPT_UINT(s, l, v, a, h) OPT_(s, l, h, OPT_TYPED_(OPTION_UINT, v, unsigned), .arg = (a))
#define OPT_U64(s, l, v, a, h) OPT_(s, l, h, OPT_TYPED_(OPTION_U64, v, u64), .arg = (a))
#define OPT_U64_RANGE(s, l, v, a, least_, most_, h) \
	OPT_(s, l, h, OPT_TYPED_(OPTION_U64, v, u64), .arg = (a), .least = (least_), .most = (most_))
#define OPT_STRING(s, l, v, a, h) OPT_(s, l, h, OPT_TYPED_(OPTION_STRING, v, const char *), .arg = (a))
/* The value is optional and must be attached; def when it is missing. */
#define OPT_STRING_OPTARG(s, l, v, a, h, def)                                                         \
	OPT_(s, l, h, OPT_TYPED_(OPTION_STRING, v, const char *), .arg = (a), .flags = OPTION_OPTARG, \
	     .defval = (def))
#define OPT_CALLBACK_(s, l, v, h, fn, ...) \
	OPT_(s, l, h, .type = OPTION_CALLBACK, .value = (v), .callback = (fn), __VA_ARGS__)
#define OPT_CALLBACK(s, l, v, a, h, fn) OPT_CALLBACK_(s, l, v, h, fn, .arg = (a))
#define OPT_CALLBACK_NOARG(s, l, v, h, fn) OPT_CALLBACK_(s, l, v, h, fn, .flags = OPTION_NOARG)
#define OPT_CALLBACK_OPTARG(s, l, v, a, h, fn, def) \
	OPT_CALLBACK_(s, l, v, h, fn, .arg = (a), .flags = OPTION_OPTARG, .defval = (def))
/* As `perf report -g [caller]`: the next word is the value unless it is missing or starts with '-'. */
#define OPT_CALLBACK_LASTARG(s, l, v, a, h, fn, def) \
	OPT_CALLBACK_(s, l, v, h, fn, .arg = (a), .flags = OPTION_LASTARG, .defval = (def))
/* The next word is the value if it begins with a digit. */
#define OPT_CALLBACK_LASTNUM(s, l, v, a, h, fn) \
	OPT_CALLBACK_(s, l, v, h, fn, .arg = (a), .flags = OPTION_LASTNUM)

/* Parse "0.5" or "0.5%", 0 or more, for callbacks. Return 0, or -EINVAL with err. */
int option__parse_percent(const char *text, double *percent, struct err *err);

/*
 * A key of configuration files, beside the option that it is the default of: OPT_CONFIG(OPTION_BOOL,
 * "report.children", &args.children, bool). perf__parse_options applies it before the command line.
 */
#define OPT_CONFIG(t, key, v, want) OPT_(0, key, "", OPT_TYPED_(t, v, want), .flags = OPTION_HIDDEN)
#define OPT_CONFIG_CALLBACK(key, v, fn) OPT_CALLBACK_(0, key, v, "", fn, .flags = OPTION_HIDDEN)

enum options_parse_flags {
	OPTIONS_STOP_AT_NON_OPTION = 1 << 0, /* the first other word ends the options: `perf record ls -l` */
};

enum {
	OPTIONS_HELP = -1000, /* -h was given */
	OPTIONS_LIST,         /* --list-opts: the long options on one line, for shell completion */
	OPTIONS_LIST_ALL,     /* --list-opts=all: options__list, for tests */
};

/*
 * Parses argv[1...argc-1]. Returns the number of words that are no options, moved in order to
 * the front of argv (from argv[0]) and followed by a NULL; or -EINVAL with the reason in err;
 * or one of OPTIONS_HELP and its neighbours, when nothing after that word was parsed.
 * argv must have room for argc + 1 pointers, as main's has.
 */
int options__parse(const struct option *opts, int argc, const char **argv, unsigned flags, struct err *err);

/*
 * Set the option with exactly this long name, as --name=value does; for options without a value, value is a
 * boolean (config.h). value must live as long as the options' targets. Return 0, -ENOENT: there is no such
 * option, or -EINVAL with the reason in err.
 */
int options__set(const struct option *opts, const char *name, const char *value, struct err *err);

/* Position of the last word of an unfinished command line, for completion. */
struct option_place {
	const struct option
		*value_of; /* the word is, or ends with, the value of this option; NULL: it is not */
	size_t start;      /* of the value in the word: 8 in --input=perf.data */
	bool no_option;    /* the word cannot be an option: it comes after "--" */
	int other;         /* with OPTIONS_STOP_AT_NON_OPTION: the first other word, if any; else 0 */
};
/* Find it in argv[1...argc-1]. Nothing is set, and words that are wrong are passed over. */
struct option_place options__place(const struct option *opts, int argc, const char **argv, unsigned flags);
/*
 * Append the options that begin with word, with "\t" and their help after each name, one a line: long ones;
 * short ones if word is "-".
 */
void options__complete(const struct option *opts, const char *word, struct strbuf *sb);
/* Append the words that a callback takes in place of the end of value, one a line: none if it has no list. */
void option__list_words(const struct option *opt, const char *value, struct strbuf *sb);

/*
 * Append the -h text: options that have an effect, then those whose help begins with "accepted". With
 * headings (OPT_GROUP), options are in the order of the table; without, short ones first, by letter. usage:
 * lines such as "perf record [<options>] [<command>]", NULL-terminated.
 */
void options__help(const struct option *opts, const char *const *usage, struct strbuf *sb);
/* Append "--all-cpus --freq ...", as stock's --list-opts prints. */
void options__list_long(const struct option *opts, struct strbuf *sb);
/*
 * Append one line per option that is not hidden, with tabs between: short ("-a" or "-"), long ("--all-cpus"
 * or "-"), value ("<n>", "[<n>]", "[=<n>]" or "-").
 */
void options__list(const struct option *opts, struct strbuf *sb);

#endif
