/* options and suggest: what people type. */
#include "unit.h"

#include "base/command/options.h"
#include "base/text/suggest.h"

#include <errno.h>
#include <string.h>

struct args {
	bool all, children, no_inherit, group_set;
	int verbose, level;
	unsigned freq;
	u64 period;
	const char *output, *snapshot;
	char events[64], graph[64];
	bool graph_given;
};

static int add_event(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct args *a = opt->value;

	if (unset) {
		a->events[0] = '\0';
		return 0;
	}
	if (!strcmp(arg, "bad"))
		return err__set(err, -EINVAL, "no event '%s'", arg);
	if (!strcmp(arg, "worse"))
		return -EINVAL;
	strcat(strcat(a->events, arg), ";");
	return 0;
}

static int set_graph(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct args *a = opt->value;

	(void)err;
	strcpy(a->graph, unset ? "unset" : arg ? arg : "none");
	return 0;
}

/* Parses words and leaves the result in a; the remaining words are joined into rest. */
static int parse(struct args *a, struct strbuf *rest, struct err *err, unsigned flags, const char *words)
{
	const struct option options[] = {
		OPT_BOOL('a', "all-cpus", &a->all, "all cpus"),
		OPT_CALLBACK('e', "event", a, "event", "events", add_event),
		OPT_UINT('F', "freq", &a->freq, "n", "frequency"),
		OPT_U64('c', "count", &a->period, "n", "period"),
		OPT_INT(0, "level", &a->level, "n", "level"),
		OPT_U64_RANGE('r', "range", &a->period, "n", 3, 9, "range"),
		OPT_INCR('v', "verbose", &a->verbose, "more"),
		OPT_STRING('o', "output", &a->output, "file", "file"),
		OPT_STRING_OPTARG('S', "snapshot", &a->snapshot, "opts", "snapshot", "default"),
		OPT_BOOL('i', "no-inherit", &a->no_inherit, "children do not"),
		OPT_BOOL(0, "no-buildid", &a->no_inherit, "x"),
		OPT_BOOL(0, "no-buildid-cache", &a->no_inherit, "x"),
		OPT_BOOL(0, "children", &a->children, "children"),
		OPT_BOOL_INV(0, "off", &a->children, "inverse"),
		OPT_BOOL_SET(0, "group", &a->all, &a->group_set, "group"),
		OPT_CALLBACK_LASTARG('g', "graph", a, "type", "graph", set_graph, "def"),
		OPT_CALLBACK_NOARG(0, "plain", a, "plain", set_graph),
		{ .type = OPTION_BOOL, .name = "secret", .value = &a->all, .flags = OPTION_HIDDEN },
		{ .type = OPTION_BOOL, .name = "fixed", .value = &a->all, .flags = OPTION_NONEG },
		OPT_END(),
	};
	static char text[512];
	const char *argv[64] = { "cmd" };
	int argc = 1, nr;

	strcpy(text, words);
	for (char *w = strtok(text, " "); w; w = strtok(NULL, " "))
		argv[argc++] = w;
	argv[argc] = NULL;
	nr = options__parse(options, argc, argv, flags, err);
	for (int i = 0; i < nr; i++)
		strbuf__addf(rest, "%s%s", i ? " " : "", argv[i]);
	if (nr >= 0)
		assert_null(argv[nr]);
	return nr;
}

static struct args good(unsigned flags, const char *words, const char *want_rest)
{
	struct args a = { .freq = 4000 };
	struct strbuf rest = STRBUF_INIT;
	struct err err = ERR_INIT;
	int nr = parse(&a, &rest, &err, flags, words);

	if (nr < 0)
		print_error("%s: %s\n", words, err.text.buf);
	assert_true(nr >= 0);
	assert_string_equal(rest.buf, want_rest);
	strbuf__exit(&rest);
	err__exit(&err);
	return a;
}

static void bad(const char *words, const char *want)
{
	struct args a = { 0 };
	struct strbuf rest = STRBUF_INIT;
	struct err err = ERR_INIT;

	assert_int_equal(parse(&a, &rest, &err, 0, words), -EINVAL);
	assert_string_equal(err.text.buf, want);
	assert_int_equal(err.code, -EINVAL);
	err__exit(&err);
	strbuf__exit(&rest);
}

static void values_in_every_spelling(void **state)
{
	static const char *const spellings[] = { "-F99",    "-F 99", "--freq=99", "--freq 99",
						 "--fr 99", "-aF99", "-vF 0x63" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(spellings); i++)
		assert_int_equal(good(0, spellings[i], "").freq, 99);
	assert_string_equal(good(0, "-o a -ob", "").output, "b");
	assert_string_equal(good(0, "-o -", "").output, "-");
	assert_string_equal(good(0, "--output=", "").output, "");
	assert_null(good(0, "-o x --no-output", "").output);
	assert_int_equal(good(0, "-c 18446744073709551615", "").period, UINT64_MAX);
	assert_int_equal(good(0, "--level -2147483648", "").level, INT32_MIN);
	assert_int_equal(good(0, "--level=010", "").level, 10);
	assert_int_equal(good(0, "--no-freq", "").freq, 0);
	assert_int_equal(good(0, "-vv --verbose", "").verbose, 3);
	assert_int_equal(good(0, "-vv --no-verbose", "").verbose, 0);
}

static void negation(void **state)
{
	(void)state;
	assert_true(good(0, "-i", "").no_inherit);
	assert_true(good(0, "--no-inherit", "").no_inherit);
	assert_true(good(0, "--no-inh", "").no_inherit);
	assert_false(good(0, "-i --inherit", "").no_inherit);
	assert_false(good(0, "-i --inh", "").no_inherit);
	assert_true(good(0, "--no-buildid", "").no_inherit); /* exact, although another begins with it */
	assert_true(good(0, "--children", "").children);
	assert_false(good(0, "--children --no-children", "").children);
	assert_false(good(0, "--children --no-chil", "").children);
	assert_false(good(0, "--children --off", "").children);
	assert_true(good(0, "--off --no-off", "").children);
	assert_true(good(0, "--no-group", "").group_set);
	assert_true(good(0, "--secret", "").all);
	assert_string_equal(good(0, "-e a -e b --no-event -e c", "").events, "c;");
}

static void optional_values(void **state)
{
	(void)state;
	assert_string_equal(good(0, "-S x", "x").snapshot, "default");
	assert_string_equal(good(0, "-Sx", "").snapshot, "x");
	assert_string_equal(good(0, "--snapshot=x", "").snapshot, "x");
	assert_string_equal(good(0, "--snapshot x", "x").snapshot, "default");
	assert_string_equal(good(0, "-g", "").graph, "def");
	assert_string_equal(good(0, "-g caller", "").graph, "caller");
	assert_string_equal(good(0, "-gcaller", "").graph, "caller");
	assert_string_equal(good(0, "-g -a", "").graph, "def");
	assert_string_equal(good(0, "--graph --all-cpus", "").graph, "def");
	assert_string_equal(good(0, "--no-graph", "").graph, "unset");
	assert_string_equal(good(0, "--plain x", "x").graph, "none");
}

static void remaining_words(void **state)
{
	(void)state;
	good(0, "one -a two", "one two");
	good(0, "-a -- -x -- y", "-x -- y");
	good(0, "- -a", "-");
	good(OPTIONS_STOP_AT_NON_OPTION, "-a ls -l", "ls -l");
	good(OPTIONS_STOP_AT_NON_OPTION, "-a -- ls -l", "ls -l");
	good(OPTIONS_STOP_AT_NON_OPTION, "-F 9 -- --freq", "--freq");
	assert_true(good(0, "one -a", "one").all);
	assert_false(good(OPTIONS_STOP_AT_NON_OPTION, "one -a", "one -a").all);
}

static void errors_name_the_option(void **state)
{
	(void)state;
	bad("--frq 3", "unknown option '--frq'\ndid you mean '--freq'?\n-h lists all options");
	bad("--qqqq", "unknown option '--qqqq'\n-h lists all options");
	bad("--secre", "unknown option '--secre'\n-h lists all options");
	bad("-x", "unknown option '-x'\n-h lists all options");
	bad("-ax", "unknown option '-x'\n-h lists all options");
	bad("-freq", "unknown option '-freq'; did you mean '--freq' (two dashes)?");
	bad("-F", "option '-F' needs a value: <n>");
	bad("--freq", "option '--freq' needs a value: <n>");
	bad("-F x", "option '-F' expects a number from 0 to 4294967295, not 'x'");
	bad("--fre=-3", "option '--fre' expects a number from 0 to 4294967295, not '-3'");
	bad("-F 3x", "option '-F' expects a number from 0 to 4294967295, not '3x'");
	bad("--freq=", "option '--freq' expects a number from 0 to 4294967295, not ''");
	bad("-F 4294967296", "option '-F' expects a number from 0 to 4294967295, not '4294967296'");
	bad("-c 18446744073709551616",
	    "option '-c' expects a number from 0 to 18446744073709551615, not '18446744073709551616'");
	bad("--level x", "option '--level' expects a number from -2147483648 to 2147483647, not 'x'");
	bad("--level -2147483649",
	    "option '--level' expects a number from -2147483648 to 2147483647, not '-2147483649'");
	bad("-r 2", "option '-r' expects a number from 3 to 9, not '2'");
	bad("-r 10", "option '-r' expects a number from 3 to 9, not '10'");
	bad("-r x", "option '-r' expects a number from 3 to 9, not 'x'");
	assert_int_equal(good(0, "-r 3", "").period, 3);
	assert_int_equal(good(0, "-r 9", "").period, 9);
	bad("--all-cpus=1", "option '--all-cpus' takes no value");
	bad("--no-freq=1", "option '--no-freq' takes no value");
	bad("--no-fixed", "option '--no-fixed' cannot be taken back");
	bad("--no-build", "option '--no-build' is short for several: --no-buildid, --no-buildid-cache");
	bad("-e bad", "option '-e': no event 'bad'");
	bad("--event=worse", "option '--event' does not take 'worse'");
}

static void help_and_lists(void **state)
{
	static const char *const usage[] = { "perf x [<options>]", "perf x -- y", NULL };
	struct args a = { 0 };
	struct strbuf sb = STRBUF_INIT;
	const struct option options[] = {
		OPT_STRING(0, "zone", &a.output, "z", "the zone\nin two lines"),
		OPT_BOOL('A', NULL, &a.all, "upper"),
		OPT_BOOL('a', "all-cpus", &a.all, "lower"),
		OPT_STRING(0, "a-long-name", &a.output, "with a long value", "text"),
		{ .type = OPTION_BOOL, .name = "secret", .value = &a.all, .flags = OPTION_HIDDEN },
		OPT_STRING_OPTARG('S', "snap", &a.snapshot, "o", "snap", NULL),
		OPT_END(),
	};

	(void)state;
	assert_int_equal(parse(&a, &sb, NULL, 0, "-h --nonsense"), OPTIONS_HELP);
	assert_int_equal(parse(&a, &sb, NULL, 0, "-ah"), OPTIONS_HELP);
	assert_int_equal(parse(&a, &sb, NULL, 0, "--list-opts"), OPTIONS_LIST);
	assert_int_equal(parse(&a, &sb, NULL, 0, "--list-opts=all"), OPTIONS_LIST_ALL);
	options__help(options, usage, &sb);
	assert_string_equal(sb.buf, "\n Usage: perf x [<options>]\n    or: perf x -- y\n\n"
				    "    -a, --all-cpus        lower\n"
				    "    -A                    upper\n"
				    "    -S, --snap[=<o>]      snap\n"
				    "        --a-long-name <with a long value>\n"
				    "                          text\n"
				    "        --zone <z>        the zone\n"
				    "                          in two lines\n\n");
	strbuf__reset(&sb);
	options__list(options, &sb);
	assert_string_equal(sb.buf, "-a\t--all-cpus\t-\n-A\t-\t-\n-S\t--snap\t[=<o>]\n"
				    "-\t--a-long-name\t<with a long value>\n-\t--zone\t<z>\n");
	strbuf__reset(&sb);
	options__list_long(options, &sb);
	assert_string_equal(sb.buf, "--all-cpus --snap --a-long-name --zone\n");
	strbuf__exit(&sb);
}

/* A table with headings keeps its order in -h; the lists are sorted as always. */
static void help_by_groups(void **state)
{
	static const char *const usage[] = { "perf x", NULL };
	struct args a = { 0 };
	struct strbuf sb = STRBUF_INIT;
	const struct option options[] = {
		OPT_GROUP("What to see"),
		OPT_STRING(0, "zone", &a.output, "z", "the zone"),
		OPT_BOOL(0, "gtk", &a.all, "accepted; does nothing"),
		OPT_BOOL('a', "all-cpus", &a.all, "lower"),
		OPT_GROUP("Only accepted ones"),
		OPT_BOOL('m', "modules", &a.all, "accepted; always"),
		OPT_GROUP("Where to"),
		OPT_BOOL('A', NULL, &a.all, "upper"),
		OPT_CONFIG(OPTION_STRING, "x.output", &a.output, const char *),
		OPT_END(),
	};
	struct option_place place = options__place(options, 3, (const char *[]){ "x", "--zone", "" }, 0);

	(void)state;
	assert_ptr_equal(place.value_of, &options[1]);
	options__help(options, usage, &sb);
	assert_string_equal(sb.buf, "\n Usage: perf x\n"
				    "\n What to see:\n"
				    "        --zone <z>        the zone\n"
				    "    -a, --all-cpus        lower\n"
				    "\n Where to:\n"
				    "    -A                    upper\n"
				    "\n Without effect, for scripts of stock perf:\n"
				    "    -m, --modules         accepted; always\n"
				    "        --gtk             accepted; does nothing\n\n");
	strbuf__reset(&sb);
	options__list_long(options, &sb);
	assert_string_equal(sb.buf, "--all-cpus --modules --gtk --zone\n");
	strbuf__reset(&sb);
	options__complete(options, "--", &sb);
	assert_string_equal(sb.buf, "--zone\tthe zone\n--gtk\taccepted; does nothing\n--all-cpus\tlower\n"
				    "--modules\taccepted; always\n");
	strbuf__exit(&sb);
}

static void distances(void **state)
{
	(void)state;
	assert_int_equal(suggest__distance("", "", 3), 0);
	assert_int_equal(suggest__distance("abc", "abc", 3), 0);
	assert_int_equal(suggest__distance("abc", "ab", 3), 1);
	assert_int_equal(suggest__distance("abc", "abxc", 3), 1);
	assert_int_equal(suggest__distance("abc", "axc", 3), 1);
	assert_int_equal(suggest__distance("recrod", "record", 3), 1);
	assert_int_equal(suggest__distance("kitten", "sitting", 3), 3);
	assert_int_equal(suggest__distance("kitten", "sitting", 2), 3);
	assert_int_equal(suggest__distance("", "abcdefgh", 3), 4);
}

static void suggestions(void **state)
{
	static const char *const names[] = { "cycles",     "cpu-cycles",   "cpu-clock",
					     "task-clock", "instructions", "cycles" };
	struct strbuf sb = STRBUF_INIT;
	struct suggest s;

	(void)state;
	suggest__init(&s, "", "cpu-cylces");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		suggest__offer(&s, names[i]);
	suggest__add_to(&s, &sb);
	assert_string_equal(sb.buf, "'cpu-cycles'");
	strbuf__reset(&sb);

	suggest__init(&s, "-", "cpu-");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		suggest__offer(&s, names[i]);
	suggest__add_to(&s, &sb);
	assert_string_equal(sb.buf, "'-cpu-cycles' or '-cpu-clock'");
	strbuf__reset(&sb);

	suggest__init(&s, "", "zzz");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		suggest__offer(&s, names[i]);
	suggest__add_to(&s, &sb);
	assert_string_equal(sb.buf, "");

	suggest__init(&s, "", "aaaa");
	for (const char *const *n =
		     (const char *const[]){ "aaab", "aaac", "aaad", "aaae", "aaaf", "aaaa", NULL };
	     *n; n++)
		suggest__offer(&s, *n);
	assert_int_equal(s.nr, SUGGEST_MAX);
	assert_string_equal(s.best[0].name, "aaaa");
	assert_string_equal(s.best[3].name, "aaad");
	strbuf__exit(&sb);
}

static struct option_place place_of(unsigned flags, int argc, const char **argv)
{
	static struct args a;
	static const struct option options[] = {
		OPT_BOOL('a', "all-cpus", &a.all, "all cpus"),
		OPT_STRING('o', "output", &a.output, "file", "file"),
		OPT_STRING_OPTARG('S', "snapshot", &a.snapshot, "opts", "snapshot", "default"),
		OPT_CALLBACK_LASTARG('g', "graph", &a, "mode", "graph", set_graph, "d"),
		OPT_END(),
	};
	struct option_place place = options__place(options, argc, argv, flags);

	return place;
}

static void places_of_unfinished_words(void **state)
{
	static const struct {
		const char *words[5];
		unsigned flags;
		bool value, no_option;
		size_t start;
		int other;
	} rows[] = {
		{ { "x", "" }, 0, false, false, 0, 0 },
		{ { "x", "-" }, 0, false, false, 0, 0 },
		{ { "x", "-o", "f" }, 0, true, false, 0, 0 },
		{ { "x", "-of" }, 0, true, false, 2, 0 },
		{ { "x", "-aof" }, 0, true, false, 3, 0 },
		{ { "x", "-ao", "" }, 0, true, false, 0, 0 },
		{ { "x", "--output=f" }, 0, true, false, 9, 0 },
		{ { "x", "--out", "" }, 0, true, false, 0, 0 },
		{ { "x", "--no-output", "f" }, 0, false, false, 0, 0 },
		{ { "x", "-o", "g", "f" }, 0, false, false, 0, 0 },
		{ { "x", "-S", "f" }, 0, false, false, 0, 0 },
		{ { "x", "--snapshot=" }, 0, true, false, 11, 0 },
		{ { "x", "-g", "-o" }, 0, false, false, 0, 0 },
		{ { "x", "-g", "-o", "f" }, 0, true, false, 0, 0 },
		{ { "x", "--", "-o" }, 0, false, true, 0, 0 },
		{ { "x", "ls", "-o", "f" }, 0, true, false, 0, 0 },
		{ { "x", "ls", "-o", "f" }, OPTIONS_STOP_AT_NON_OPTION, false, true, 0, 1 },
		{ { "x", "-a", "ls" }, OPTIONS_STOP_AT_NON_OPTION, false, false, 0, 2 },
		{ { "x", "--nonsense", "--", "ls" }, OPTIONS_STOP_AT_NON_OPTION, false, true, 0, 3 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *words[ARRAY_SIZE(rows[i].words) + 1] = { NULL };
		struct option_place place;
		int argc = 0;

		for (; argc < (int)ARRAY_SIZE(rows[i].words) && rows[i].words[argc]; argc++)
			words[argc] = rows[i].words[argc];
		place = place_of(rows[i].flags, argc, words);
		assert_int_equal(place.value_of != NULL, rows[i].value);
		assert_int_equal(place.no_option, rows[i].no_option);
		assert_int_equal(place.start, rows[i].start);
		assert_int_equal(place.other, rows[i].other);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_in_every_spelling),
		cmocka_unit_test(negation),
		cmocka_unit_test(optional_values),
		cmocka_unit_test(remaining_words),
		cmocka_unit_test(errors_name_the_option),
		cmocka_unit_test(help_and_lists),
		cmocka_unit_test(help_by_groups),
		cmocka_unit_test(distances),
		cmocka_unit_test(suggestions),
		cmocka_unit_test(places_of_unfinished_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
