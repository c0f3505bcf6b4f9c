/* perf push: send recordings to servers that keep profiles. */
#include "builtin.h"

#include "base/message/msg.h"
#include "builtin-push.h"

#include <stdlib.h>

int push__add_text(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	ARRAY(char *) *list = opt->value;

	(void)err;
	if (unset)
		list->nr = 0;
	else
		array__add(list, xstrdup(arg));
	return 0;
}

static int push_all(struct push_args *a, int nr, const char **files)
{
	struct err err = ERR_INIT;
	int failed = 0;

	if (push_args__finalize(a, &err)) {
		error__print(&err);
		err__exit(&err);
		return EXIT_USAGE;
	}
	for (int i = 0; i < nr; i++) {
		int ret = push__file(a, files[i], &err);

		if (ret < 0) {
			error__print(&err);
			failed++;
		} else if (ret == PUSH_KNOWN) {
			info("'%s' was there already: ClickHouse got nothing", files[i]);
		} else if (!a->dry_run) {
			info("'%s' was sent", files[i]);
		}
		err__exit(&err);
		err = (struct err)ERR_INIT;
	}
	if (failed && nr > 1)
		error__say("%d of %d recordings were not sent", failed, nr);
	return failed ? 1 : 0;
}

int cmd_push(int argc, const char **argv)
{
	static const char *const usage[] = { "perf push [<options>] [<recording>...]", NULL };
	struct push_args a = { .export = { .max_stack = 1024 }, .http = { .timeout = 60, .retries = 5 } };
	struct symbolize_opts *sym = &a.export.symbols_of;
	const char *usual[] = { NULL };
	int verbose = 0;
	const struct option options[] = {
		PUSH_SERVER_OPTIONS(a),
		OPT_STRING('e', "event", &a.export.filter.events, "event[,event...]",
			   "send samples of these events only"),
		OPT_STRING('c', "comms", &a.export.filter.comms, "comm[,comm...]",
			   "send samples of threads with these names only"),
		OPT_CALLBACK(
			0, "symfs", sym, "folder[,layout]",
			"look for binaries below this folder; layout flat: without the folders they were\n"
			"recorded in",
			perf__parse_symfs),

		OPT_GROUP("Attempts and messages"),
		OPT_BOOL(0, "dry-run", &a.dry_run, "print what would be sent, and send nothing"),
		OPT_UINT(0, "retries", &a.http.retries, "n",
			 "further attempts after failures that may pass (5)"),
		OPT_INCR('v', "verbose", &verbose, "say more: each attempt"),

		OPT_END(),
	};
	int nr = perf__parse_options(options, usage, 0, argc, argv), ret;
	char *buildid_dir;

	if (nr < 0)
		return -nr;
	msg__set_level(verbose);
	usual[0] = perf__default_input();
	buildid_dir = perf__buildid_dir();
	sym->buildid_dir = buildid_dir;
	ret = push_all(&a, nr ? nr : 1, nr ? argv : usual);
	push_args__exit(&a);
	free(buildid_dir);
	return ret;
}
