#include "base/command/options.h"

#include "base/command/config.h"
#include "base/memory/mem.h"
#include "base/message/called_name.h"
#include "base/message/word_list.h"
#include "base/text/number.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct parse {
	const struct option *opts;
	const char **argv;
	int argc;
	int pos; /* of the next word */
	struct err *err;
};

/* An option as it was typed. */
struct given {
	const struct option *opt;
	const char *dashes, *name; /* "--" "freq" or "-" "F": for messages */
	int name_len;
	const char *attached; /* value in the same word, NULL: none */
	bool unset;
};

static int given__fail(const struct given *g, struct err *err, const char *text, const char *what)
{
	return err__set(err, -EINVAL, "option '%s%.*s' %s%s", g->dashes, g->name_len, g->name, text, what);
}

static bool option__has_arg(const struct option *opt)
{
	switch (opt->type) {
	case OPTION_INT:
	case OPTION_UINT:
	case OPTION_U64:
	case OPTION_STRING:
		return true;
	case OPTION_CALLBACK:
		return !(opt->flags & OPTION_NOARG);
	default:
		return false;
	}
}

/* The value that goes with the option, taking the next word if need be; *arg NULL: none. */
static int parse__arg(struct parse *p, const struct given *g, const char **arg)
{
	const struct option *opt = g->opt;
	const char *next = p->pos < p->argc ? p->argv[p->pos] : NULL;

	*arg = g->attached;
	if (g->attached || g->unset || !option__has_arg(opt))
		return 0;
	if ((opt->flags & OPTION_OPTARG) || ((opt->flags & OPTION_LASTARG) && (!next || next[0] == '-')) ||
	    ((opt->flags & OPTION_LASTNUM) && (!next || !isdigit((unsigned char)next[0])))) {
		*arg = opt->defval;
		return 0;
	}
	if (!next) {
		struct strbuf what = STRBUF_INIT;
		int ret;

		strbuf__addf(&what, "<%s>", opt->arg ? opt->arg : "value");
		ret = given__fail(g, p->err, "needs a value: ", what.buf);
		strbuf__exit(&what);
		return ret;
	}
	p->pos++;
	*arg = next;
	return 0;
}

/* A whole number, decimal or 0x-hexadecimal, nothing around it. */
static int parse_integer(const char *text, bool may_be_negative, u64 max, u64 *value, bool *negative)
{
	char *end;
	int base;

	*negative = *text == '-';
	if (*negative) {
		if (!may_be_negative)
			return -EINVAL;
		text++;
	}
	if (*text < '0' || *text > '9')
		return -EINVAL;
	base = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
	errno = 0;
	*value = strtoull(text, &end, base);
	if (*end)
		return -EINVAL;
	return errno || *value > max + *negative ? -EINVAL : 0;
}

static int given__set_number(const struct given *g, const char *arg, struct err *err)
{
	const struct option *opt = g->opt;
	bool is_int = opt->type == OPTION_INT, negative = false;
	u64 x = 0, max = is_int                     ? INT_MAX
			 : opt->type == OPTION_UINT ? UINT_MAX
			 : opt->most                ? opt->most
						    : UINT64_MAX;
	struct strbuf what = STRBUF_INIT;
	int ret = 0;

	if (arg && (parse_integer(arg, is_int, max, &x, &negative) || x < opt->least)) {
		strbuf__addf(&what, "expects a number from %lld to %llu, not '%s'",
			     is_int ? (long long)INT_MIN : (long long)opt->least, (unsigned long long)max,
			     arg);
		ret = given__fail(g, err, what.buf, "");
	} else if (is_int) {
		*(int *)opt->value = (int)(negative ? -(s64)x : (s64)x);
	} else if (opt->type == OPTION_UINT) {
		*(unsigned *)opt->value = (unsigned)x;
	} else {
		*(u64 *)opt->value = x;
	}
	strbuf__exit(&what);
	return ret;
}

static int given__call(const struct given *g, const char *arg, struct err *err)
{
	struct err why = ERR_INIT;
	int ret = g->opt->callback(g->opt, arg, g->unset, &why);

	if (ret < 0 && why.text.len) {
		err__prefix(&why, "option '%s%.*s'", g->dashes, g->name_len, g->name);
		err__set(err, ret, "%s", why.text.buf);
	} else if (ret < 0) {
		err__set(err, ret, "option '%s%.*s' does not take '%s'", g->dashes, g->name_len, g->name,
			 arg ? arg : "");
	}
	err__exit(&why);
	return ret < 0 ? -EINVAL : 0;
}

static int parse__apply(struct parse *p, const struct given *g)
{
	const struct option *opt = g->opt;
	const char *arg;
	int ret;

	if (g->unset && (opt->flags & OPTION_NONEG))
		return given__fail(g, p->err, "cannot be taken back", "");
	if (g->attached && (g->unset || !option__has_arg(opt)))
		return given__fail(g, p->err, "takes no value", "");
	ret = parse__arg(p, g, &arg);
	if (ret)
		return ret;
	if (opt->given)
		*opt->given = true;
	switch (opt->type) {
	case OPTION_BOOL:
		*(bool *)opt->value = !g->unset;
		return 0;
	case OPTION_BOOL_INV:
		*(bool *)opt->value = g->unset;
		return 0;
	case OPTION_INCR:
		*(int *)opt->value = g->unset ? 0 : *(int *)opt->value + 1;
		return 0;
	case OPTION_BITS:
		*(u64 *)opt->value &= ~(u64)opt->set_to;
		*(u64 *)opt->value |= g->unset ? 0 : opt->set_to;
		return 0;
	case OPTION_STRING:
		*(const char **)opt->value = arg;
		return 0;
	case OPTION_CALLBACK:
		return given__call(g, arg, p->err);
	default:
		return given__set_number(g, arg, p->err);
	}
}

/* ---- finding the option ---- */

static bool begins(const char *s, const char *start, size_t len)
{
	return !strncmp(s, start, len);
}

static bool equals(const char *s, const char *name, size_t len)
{
	return begins(s, name, len) && !s[len];
}

/* How well a typed name of len letters fits an option: smaller is better. */
enum fit { FIT_EXACT, FIT_EXACT_NO, FIT_START, FIT_START_NO, FIT_NONE };

static enum fit option__fit(const struct option *opt, const char *name, size_t len)
{
	const char *own = opt->name;
	bool start = !(opt->flags & OPTION_HIDDEN);

	if (!own)
		return FIT_NONE;
	if (equals(own, name, len))
		return FIT_EXACT;
	if (begins(own, "no-", 3)) {
		if (equals(own + 3, name, len))
			return FIT_EXACT_NO;
		if (start && begins(own + 3, name, len))
			return begins(own, name, len) ? FIT_START : FIT_START_NO;
	} else if (len > 3 && begins(name, "no-", 3)) {
		if (equals(own, name + 3, len - 3))
			return FIT_EXACT_NO;
		if (start && begins(own, name + 3, len - 3))
			return FIT_START_NO;
	}
	return start && begins(own, name, len) ? FIT_START : FIT_NONE;
}

static int options__unknown_long(const struct option *opts, const char *name, size_t len, struct err *err)
{
	char *word = xasprintf("%.*s", (int)len, name);
	struct suggest s;
	int ret;

	suggest__init(&s, "--", word);
	for (const struct option *o = opts; o->type != OPTION_END; o++)
		if (o->name && !(o->flags & OPTION_HIDDEN))
			suggest__offer(&s, o->name);
	ret = err__unknown(err, "option", &s, "-h lists all options");
	free(word);
	return ret;
}

static int options__ambiguous(const struct option *opts, const char *name, size_t len, enum fit fit,
			      struct err *err)
{
	struct strbuf names = STRBUF_INIT;
	int ret;

	for (const struct option *o = opts; o->type != OPTION_END; o++)
		if (option__fit(o, name, len) == fit)
			strbuf__addf(&names, "%s--%s", names.len ? ", " : "", o->name);
	ret = err__set(err, -EINVAL, "option '--%.*s' is short for several: %s", (int)len, name, names.buf);
	strbuf__exit(&names);
	return ret;
}

/* The option that fits best, or NULL. *best: how well; *nr: how many fit as well. */
static const struct option *options__find_long(const struct option *opts, const char *name, size_t len,
					       enum fit *best, unsigned *nr)
{
	const struct option *found = NULL;

	*best = FIT_NONE;
	*nr = 0;
	for (const struct option *o = opts; o->type != OPTION_END; o++) {
		enum fit fit = option__fit(o, name, len);

		if (fit > *best || fit == FIT_NONE)
			continue;
		*nr = fit < *best ? 1 : *nr + 1;
		if (fit < *best)
			found = o;
		*best = fit;
	}
	return found;
}

static int parse__long(struct parse *p, const char *name)
{
	const char *value = strchr(name, '=');
	size_t len = value ? (size_t)(value - name) : strlen(name);
	struct given g = {
		.dashes = "--", .name = name, .name_len = (int)len, .attached = value ? value + 1 : NULL
	};
	enum fit best;
	unsigned nr;

	g.opt = options__find_long(p->opts, name, len, &best, &nr);
	if (!g.opt)
		return options__unknown_long(p->opts, name, len, p->err);
	if (nr > 1 && best >= FIT_START)
		return options__ambiguous(p->opts, name, len, best, p->err);
	g.unset = best == FIT_EXACT_NO || best == FIT_START_NO;
	return parse__apply(p, &g);
}

static const struct option *options__find_short(const struct option *opts, char c)
{
	for (const struct option *o = opts; o->type != OPTION_END; o++)
		if (o->shrt && o->shrt == c)
			return o;
	return NULL;
}

/* A word with one dash: a cluster of short options, the last of which may have a value. */
static int parse__shorts(struct parse *p, const char *letters)
{
	const struct option *o;

	/* "-freq" for "--freq" */
	for (o = p->opts; o->type != OPTION_END; o++)
		if (o->name && strlen(letters) > 2 && !strcmp(o->name, letters))
			return err__set(p->err, -EINVAL,
					"unknown option '-%s'; did you mean '--%s' (two dashes)?", letters,
					letters);
	for (; *letters; letters++) {
		struct given g = { .dashes = "-", .name = letters, .name_len = 1 };
		int ret;

		if (*letters == 'h' && !options__find_short(p->opts, 'h'))
			return OPTIONS_HELP;
		g.opt = options__find_short(p->opts, *letters);
		if (!g.opt)
			return err__unknown(
				p->err, "option",
				&(struct suggest){ .prefix = "-", .word = (char[]){ *letters, 0 } },
				"-h lists all options");
		if (letters[1] && option__has_arg(g.opt))
			g.attached = letters + 1;
		ret = parse__apply(p, &g);
		if (ret)
			return ret;
		if (g.attached)
			break;
	}
	return 0;
}

int options__parse(const struct option *opts, int argc, const char **argv, unsigned flags, struct err *err)
{
	struct parse p = { .opts = opts, .argv = argv, .argc = argc, .pos = 1, .err = err };
	int nr = 0;

	while (p.pos < argc) {
		const char *word = argv[p.pos];
		int ret;

		if (word[0] != '-' || !word[1]) {
			if (flags & OPTIONS_STOP_AT_NON_OPTION)
				break;
			argv[nr++] = word;
			p.pos++;
			continue;
		}
		p.pos++;
		if (!strcmp(word, "--"))
			break;
		if (!strcmp(word, "--list-opts"))
			return OPTIONS_LIST;
		if (!strcmp(word, "--list-opts=all"))
			return OPTIONS_LIST_ALL;
		ret = word[1] == '-' ? parse__long(&p, word + 2) : parse__shorts(&p, word + 1);
		if (ret)
			return ret;
	}
	while (p.pos < argc)
		argv[nr++] = argv[p.pos++];
	argv[nr] = NULL;
	return nr;
}

int options__set(const struct option *opts, const char *name, const char *value, struct err *err)
{
	const struct option *o = opts;
	struct parse p = { .err = err };
	struct given g;

	while (o->type != OPTION_END && (!o->name || strcmp(o->name, name)))
		o++;
	if (o->type == OPTION_END)
		return -ENOENT;
	g = (struct given){ .opt = o, .dashes = "", .name = name, .name_len = (int)strlen(name) };
	if (option__has_arg(o)) {
		g.attached = value;
	} else {
		int is_on = config__bool(value);

		if (is_on < 0)
			return given__fail(&g, err, "expects true or false", "");
		g.unset = !is_on;
	}
	return parse__apply(&p, &g);
}

/* ---- completion ---- */

/*
 * The option of a word that begins with '-', whose value is attached or missing; NULL: it takes none.
 * *attached: where the value begins in the word, or 0.
 */
static const struct option *options__of_word(const struct option *opts, const char *word, size_t *attached)
{
	const struct option *o = NULL;
	enum fit best;
	unsigned nr;

	*attached = 0;
	if (word[1] == '-') {
		size_t len = strcspn(word + 2, "=");

		o = options__find_long(opts, word + 2, len, &best, &nr);
		if (!o || best == FIT_EXACT_NO || best == FIT_START_NO)
			return NULL;
		*attached = word[2 + len] ? 2 + len + 1 : 0;
		return option__has_arg(o) ? o : NULL;
	}
	for (size_t i = 1; word[i]; i++) {
		o = options__find_short(opts, word[i]);
		if (!o || !option__has_arg(o))
			continue;
		*attached = word[i + 1] ? i + 1 : 0;
		return o;
	}
	return NULL;
}

/* Is next the value of o, which has none attached? */
static bool option__takes(const struct option *o, const char *next)
{
	if (o->flags & OPTION_OPTARG)
		return false;
	if (o->flags & OPTION_LASTARG)
		return *next != '-';
	return !(o->flags & OPTION_LASTNUM) || isdigit((unsigned char)*next);
}

struct option_place options__place(const struct option *opts, int argc, const char **argv, unsigned flags)
{
	struct option_place place = { 0 };
	const char *last = argv[argc - 1];
	const struct option *o;
	size_t attached;

	for (int i = 1; i < argc - 1; i++) {
		const char *word = argv[i];

		place.no_option = place.no_option || !strcmp(word, "--");
		if (flags & OPTIONS_STOP_AT_NON_OPTION && (*word != '-' || place.no_option)) {
			place.other = place.no_option && *word == '-' ? i + 1 : i;
			place.no_option = true;
			return place;
		}
		if (place.no_option || *word != '-')
			continue;
		o = options__of_word(opts, word, &attached);
		if (!o || attached || !option__takes(o, argv[i + 1]))
			continue;
		if (++i == argc - 1) {
			place.value_of = o;
			return place;
		}
	}
	if (!place.no_option && *last == '-') {
		o = options__of_word(opts, last, &attached);
		place.value_of = attached ? o : NULL;
		place.start = attached;
	} else if (flags & OPTIONS_STOP_AT_NON_OPTION) {
		place.other = argc - 1;
	}
	return place;
}

/* "--name\thelp" */
static void option__add_word(const struct option *o, const char *dashes, const char *name, struct strbuf *sb)
{
	const char *help = o->help ? o->help : "";

	strbuf__addf(sb, "%s%s\t%.*s\n", dashes, name, (int)strcspn(help, "\n"), help);
}

void options__complete(const struct option *opts, const char *word, struct strbuf *sb)
{
	bool no = begins(word, "--no-", 5);

	for (const struct option *o = opts; o->type != OPTION_END; o++) {
		if (o->flags & OPTION_HIDDEN)
			continue;
		if (o->shrt && !word[1])
			option__add_word(o, "-", (char[]){ o->shrt, 0 }, sb);
		if (o->name && begins("--", word, MIN(strlen(word), 2)) &&
		    (strlen(word) < 2 || begins(o->name, word + 2, strlen(word + 2))))
			option__add_word(o, "--", o->name, sb);
		else if (o->name && no && !(o->flags & OPTION_NONEG) &&
			 begins(o->name, word + 5, strlen(word + 5)))
			option__add_word(o, "--no-", o->name, sb);
	}
}

void option__list_words(const struct option *opt, const char *value, struct strbuf *sb)
{
	/* The callback's own message for a word that is in no list has the list. */
	static const char in_no_list[] = "=";
	struct err err = { .text = STRBUF_INIT, .words = sb };
	const char *comma = strrchr(value, ',');
	char *text = xasprintf("%.*s%s", comma ? (int)(comma + 1 - value) : 0, value, in_no_list);

	if (opt->type == OPTION_CALLBACK)
		opt->callback(opt, text, false, &err);
	err__exit(&err);
	free(text);
}

/* ---- the -h text and the lists ---- */

/* Short ones first, by letter, a before A; then the long ones. */
static int option__compare(const struct option *a, const struct option *b)
{
	if (!a->shrt != !b->shrt)
		return a->shrt ? -1 : 1;
	if (a->shrt) {
		int d = tolower((unsigned char)a->shrt) - tolower((unsigned char)b->shrt);

		return d ? d : b->shrt - a->shrt;
	}
	return strcmp(a->name, b->name);
}

static int compare_rows(const void *a, const void *b)
{
	return option__compare(*(const struct option *const *)a, *(const struct option *const *)b);
}

static void option__add_arg(const struct option *opt, struct strbuf *sb, const char *before)
{
	const char *arg = opt->arg ? opt->arg : "value";

	if (!option__has_arg(opt))
		return;
	if (opt->flags & OPTION_OPTARG)
		strbuf__addf(sb, opt->name ? "[=<%s>]" : "[<%s>]", arg);
	else if (opt->flags & (OPTION_LASTARG | OPTION_LASTNUM))
		strbuf__addf(sb, "%s[<%s>]", before, arg);
	else
		strbuf__addf(sb, "%s<%s>", before, arg);
}

static void option__add_help(const struct option *opt, struct strbuf *sb)
{
	enum { TEXT_COLUMN = 26 };
	size_t start = sb->len, width;
	const char *line = opt->help ? opt->help : "";

	strbuf__addstr(sb, "    ");
	if (opt->shrt)
		strbuf__addf(sb, "-%c%s", opt->shrt, opt->name ? ", " : "");
	else
		strbuf__addstr(sb, "    ");
	if (opt->name)
		strbuf__addf(sb, "--%s", opt->name);
	option__add_arg(opt, sb, " ");
	width = sb->len - start;
	if (width > TEXT_COLUMN - 2) {
		strbuf__addch(sb, '\n');
		width = 0;
	}
	for (;;) {
		size_t len = strcspn(line, "\n");

		strbuf__addchars(sb, ' ', len ? TEXT_COLUMN - width : 0);
		strbuf__add(sb, line, len);
		strbuf__addch(sb, '\n');
		if (!line[len])
			break;
		line += len + 1;
		width = 0;
	}
}

static bool option__is_listed(const struct option *opt)
{
	return opt->type != OPTION_GROUP && !(opt->flags & OPTION_HIDDEN);
}

/* Call fn for the options that are not hidden, sorted. */
static void options__for_each(const struct option *opts, struct strbuf *sb,
			      void (*fn)(const struct option *opt, struct strbuf *sb))
{
	const struct option **rows;
	size_t nr = 0;

	while (opts[nr].type != OPTION_END)
		nr++;
	rows = xcalloc(nr + 1, sizeof(*rows));
	for (nr = 0; opts->type != OPTION_END; opts++)
		if (option__is_listed(opts))
			rows[nr++] = opts;
	qsort(rows, nr, sizeof(*rows), compare_rows);
	for (size_t i = 0; i < nr; i++)
		fn(rows[i], sb);
	free(rows);
}

/* A list of more lines begins with where to read on. */
enum { OPTIONS_OF_A_SCREEN = 20 };

/* Options that do nothing are there for scripts that give them to stock perf. */
static bool option__is_accepted_only(const struct option *opt)
{
	return opt->help && begins(opt->help, "accepted", strlen("accepted"));
}

static void option__add_effective(const struct option *opt, struct strbuf *sb)
{
	if (!option__is_accepted_only(opt))
		option__add_help(opt, sb);
}

static void option__add_accepted(const struct option *opt, struct strbuf *sb)
{
	if (option__is_accepted_only(opt))
		option__add_help(opt, sb);
}

static void add_heading(const char *heading, struct strbuf *sb)
{
	strbuf__addf(sb, "\n %s:\n", heading);
}

/* Append the options that have an effect, each group of them under its heading. */
static void options__add_groups(const struct option *opts, struct strbuf *sb)
{
	const char *heading = NULL;

	for (const struct option *o = opts; o->type != OPTION_END; o++) {
		if (o->type == OPTION_GROUP)
			heading = o->help;
		if (!option__is_listed(o) || option__is_accepted_only(o))
			continue;
		if (heading)
			add_heading(heading, sb);
		heading = NULL;
		option__add_help(o, sb);
	}
}

static void options__add_effective(const struct option *opts, struct strbuf *sb)
{
	if (opts->type == OPTION_GROUP) {
		options__add_groups(opts, sb);
		return;
	}
	strbuf__addch(sb, '\n');
	options__for_each(opts, sb, option__add_effective);
}

void options__help(const struct option *opts, const char *const *usage, struct strbuf *sb)
{
	struct strbuf effective = STRBUF_INIT, accepted = STRBUF_INIT;
	size_t lines = 0;

	options__add_effective(opts, &effective);
	options__for_each(opts, &accepted, option__add_accepted);
	for (size_t i = 0; i < effective.len; i++)
		lines += effective.buf[i] == '\n';
	for (int i = 0; usage[i]; i++) {
		strbuf__addstr(sb, i ? "    or: " : "\n Usage: ");
		called_name__add(usage[i], sb);
		strbuf__addch(sb, '\n');
	}
	if (lines > OPTIONS_OF_A_SCREEN)
		strbuf__addf(sb, "\n '%s help COMMAND' says more about each option, and has examples.\n",
			     called_name());
	strbuf__add(sb, effective.buf, effective.len);
	if (accepted.len)
		add_heading("Without effect, for scripts of stock perf", sb);
	strbuf__add(sb, accepted.buf, accepted.len);
	strbuf__addch(sb, '\n');
	strbuf__exit(&effective);
	strbuf__exit(&accepted);
}

static void option__add_long(const struct option *opt, struct strbuf *sb)
{
	if (opt->name)
		strbuf__addf(sb, "%s--%s", sb->len ? " " : "", opt->name);
}

void options__list_long(const struct option *opts, struct strbuf *sb)
{
	options__for_each(opts, sb, option__add_long);
	strbuf__addch(sb, '\n');
}

static void option__add_row(const struct option *opt, struct strbuf *sb)
{
	if (opt->shrt)
		strbuf__addf(sb, "-%c\t", opt->shrt);
	else
		strbuf__addstr(sb, "-\t");
	strbuf__addf(sb, "%s%s\t", opt->name ? "--" : "-", opt->name ? opt->name : "");
	if (option__has_arg(opt))
		option__add_arg(opt, sb, "");
	else
		strbuf__addch(sb, '-');
	strbuf__addch(sb, '\n');
}

void options__list(const struct option *opts, struct strbuf *sb)
{
	options__for_each(opts, sb, option__add_row);
}

int option__parse_percent(const char *text, double *percent, struct err *err)
{
	return number__parse_percent(text, percent)
		       ? 0
		       : err__set(err, -EINVAL, "'%s' is not a percentage such as 0.5", text);
}
