/* perf inject: write a recording again, with build-ids, names, code or what jitdumps have. */
#include "builtin.h"

#include "base/message/msg.h"
#include "inject/inject.h"
#include "profile/embed/embed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct inject_args {
	const char *input;
	struct inject_opts opts;
	bool embed, embed_source, no_embed;
	int verbose;
};

/* Store in the copy what the binaries of this machine have, or else what the original stores. */
static int embed(const struct inject_args *args, const struct session *original, struct err *err)
{
	char *cache = perf__buildid_dir();
	const struct embed_opts opts = { .buildid_dir = cache,
					 .stored = original->reader,
					 .with_source = args->embed_source };
	struct embed_result stored;
	int ret = embed__store(args->opts.output, &opts, &stored, err);

	if (!ret)
		embed_result__tell(&stored);
	free(cache);
	return ret;
}

static int check_embedding(struct inject_args *args, struct err *err)
{
	bool to_file = strcmp(args->opts.output, "-") != 0;

	/* The files that --jit writes are in no package: the copy must not depend on them. */
	args->embed |= args->embed_source || (args->opts.jit && to_file && !args->no_embed);
	args->opts.drops_names = args->embed;
	args->opts.drops_code = args->embed || args->no_embed;
	if (args->embed && args->no_embed)
		return err__set(err, -EINVAL, "--no-embed takes out what --embed stores: use one of them");
	if (args->embed && !to_file)
		return err__set(err, -EINVAL,
				"--embed needs a file, which has names and code at its end: use -o FILE");
	return 0;
}

static int inject(struct inject_args *args)
{
	const struct session_opts session = { .samples_follow = args->opts.build_ids };
	struct err err = ERR_INIT;
	struct session *s = NULL;
	struct injected done;
	int ret = session__open(&s, args->input, &session, &err);

	if (!ret)
		ret = inject__run(s, &args->opts, &done, &err);
	if (!ret && args->embed)
		ret = embed(args, s, &err);
	if (!ret)
		debug(MSG_VERBOSE, "inject", "%zu build-ids, %zu functions; %zu binaries without a build-id",
		      done.nr_build_ids, done.nr_functions, done.nr_without_id);
	if (!ret && args->opts.jit && !done.nr_functions)
		warning("no process of '%s' has mapped a jitdump with code: the copy has nothing more",
			args->input);
	ret = ret ? error__print(&err) : session__tell_damage(s);
	session__delete(s);
	err__exit(&err);
	return ret ? 1 : 0;
}

int cmd_inject(int argc, const char **argv)
{
	static const char *const usage[] = { "perf inject [<options>] [<file>]", NULL };
	struct inject_args args = { .opts = { .output = "-" } };
	struct err err = ERR_INIT;
	const struct option options[] = {
		OPT_BOOL('b', "build-ids", &args.opts.build_ids,
			 "add the build-ids of binaries that samples or their call chains were in"),
		OPT_BOOL(0, "buildid-all", &args.opts.build_ids_all, "add the build-ids of all binaries"),
		OPT_STRING(0, "known-build-ids", &args.opts.known_ids, "id path[,id path...]",
			   "build-ids of paths; or file://NAME with one on each line"),
		OPT_BOOL('j', "jit", &args.opts.jit,
			 "write ELF files and map records for the code in jitdumps; their names are stored, "
			 "as with --embed"),
		OPT_BOOL(0, "embed", &args.embed,
			 "store the names and the code of functions, as perf record does"),
		OPT_BOOL(0, "embed-source", &args.embed_source, "also store the source lines of that code"),
		OPT_BOOL(0, "no-embed", &args.no_embed, "leave out the code and the source that are stored"),
		OPT_STRING('i', "input", &args.input, "file", "recording to read (default: standard input)"),
		OPT_STRING('o', "output", &args.opts.output, "file",
			   "where to write (default: standard output)"),
		OPT_BOOL('f', "force", &args.opts.any_owner,
			 "take jitdumps of other users, or that were replaced"),
		OPT_INCR('v', "verbose", &args.verbose, "say more"),
		OPT_END(),
	};
	int nr = perf__parse_options(options, usage, 0, argc, argv);

	if (nr < 0)
		return -nr;
	if (perf__take_input("perf inject", nr, argv, &args.input))
		return EXIT_USAGE;
	if (!args.input)
		args.input = "-";
	if (args.opts.known_ids && !args.opts.build_ids && !args.opts.build_ids_all)
		args.opts.build_ids = true;
	msg__set_level(args.verbose);
	if (check_embedding(&args, &err)) {
		error__print(&err);
		err__exit(&err);
		return EXIT_USAGE;
	}
	return inject(&args);
}
