/* perf data convert: write a recording as JSON, as stock perf does. */
#include "builtin.h"

#include "base/command/stock_perf.h"
#include "base/message/called_name.h"
#include "base/message/msg.h"
#include "export/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Say what writes the common trace format. Return the exit status. */
static int no_ctf(const char *input, const char *output)
{
	struct strbuf line = STRBUF_INIT;
	struct err err = ERR_INIT;

	err__set(&err, -EOPNOTSUPP, "this perf does not write CTF; perf export lists what it writes");
	if (stock_perf__find("data", &line)) {
		strbuf__addstr(&line, " data convert --to-ctf ");
		strbuf__add_shell_word(&line, output);
		strbuf__addstr(&line, " -i ");
		strbuf__add_shell_word(&line, input);
		err__advise(&err, "the perf of the kernel sources does: %s", line.buf);
	}
	error__print(&err);
	err__exit(&err);
	strbuf__exit(&line);
	return 1;
}

static bool is_there(const char *path)
{
	struct stat st;

	return !stat(path, &st) && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
}

static int convert(struct export_args *a)
{
	char *buildid_dir = perf__buildid_dir();
	int ret;

	a->format = "linux-perf-json";
	a->symbols_of.buildid_dir = buildid_dir;
	a->symbols_of.no_made_up_names = true;
	mem__keep_freed();
	ret = export__run(a);
	free(buildid_dir);
	return ret;
}

int cmd_data(int argc, const char **argv)
{
	static const char *const usage[] = { "perf data convert --to-json <file> [<options>]", NULL };
	struct export_args a = { .max_stack = 1024 };
	const char *ctf = NULL;
	bool force = false, all = false, tod = false;
	int verbose = 0, nr;
	const struct option options[] = {
		OPT_STRING('i', "input", &a.input, "file",
			   "recording to read (default: perf.data; - is standard input)"),
		OPT_STRING(0, "to-json", &a.output, "file", "write JSON into this file"),
		OPT_STRING(0, "to-ctf", &ctf, "folder",
			   "not here: stock perf writes the common trace format"),
		OPT_BOOL('f', "force", &force, "overwrite the file"),
		OPT_BOOL(0, "all", &all, "not with JSON, which has samples only"),
		OPT_BOOL(0, "tod", &tod, "not with JSON, whose times are those of the recording"),
		OPT_INCR('v', "verbose", &verbose, "say more: why symbols are missing"),
		OPT_END(),
	};

	nr = perf__parse_options(options, usage, 0, argc, argv);
	if (nr < 0)
		return -nr;
	msg__set_level(verbose);
	if (!nr) {
		perf__parse_options(options, usage, 0, 2, (const char *[]){ "data", "-h", NULL });
		return EXIT_USAGE;
	}
	if (strcmp(argv[0], "convert") || nr > 1) {
		error__say("perf data %s: unknown word; type %s data convert --to-json FILE",
			   argv[nr > 1 ? 1 : 0], called_name());
		return EXIT_USAGE;
	}
	a.input = a.input && *a.input ? a.input : perf__default_input();
	if (ctf && a.output)
		error__say("--to-json and --to-ctf exclude each other");
	else if (ctf)
		return no_ctf(a.input, ctf);
	else if (!a.output)
		error__say("name the output: --to-json FILE");
	else if (all || tod)
		error__say("--%s is not for JSON", all ? "all" : "tod");
	else if (!force && is_there(a.output))
		error__say("'%s' exists; --force overwrites it", a.output);
	else
		return convert(&a);
	return 1;
}
