/* perf agent: record always, and send it to a server. */
#include "builtin.h"

#include "agent/agent.h"
#include "base/message/msg.h"
#include "builtin-push.h"
#include "live/cgroups.h"
#include "record/options/attr_args.h"
#include "record/options/buffer_opts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

enum { FREQUENCY = 49, INTERVAL = 60, SPOOL_MB = 256 };

static struct agent_args args = {
	.push = { .export = { .max_stack = 1024 }, .http = { .timeout = 60, .retries = 1 } },
	.interval = INTERVAL,
	.spool = { .size = (u64)SPOOL_MB << 20 },
};
static int verbose;

static int parse_keep(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	bool *drops_newest = opt->value;

	*drops_newest = !unset && !strcmp(arg, "oldest");
	if (!unset && !*drops_newest && strcmp(arg, "newest") != 0)
		return err__set(err, -EINVAL, "'%s' is neither newest nor oldest", arg);
	return 0;
}

static const struct option agent_options[] = {
	OPT_GROUP("What to record"),
	OPT_CALLBACK('e', "event", &args.record, "event", "what to sample, such as cycles",
		     record_args__event),
	OPT_CALLBACK('F', "freq", &args.record.opts.attrs, "freq", "samples a second (49)", attr_args__freq),
	OPT_CALLBACK_NOARG('g', NULL, &args.record.opts.attrs,
			   "record call chains (default; --no-call-graph)", attr_args__call_graph),
	OPT_CALLBACK(0, "call-graph", &args.record.opts.attrs, "mode",
		     "call chains: auto (default), fp, dwarf or lbr, as of perf record",
		     attr_args__call_graph),
	OPT_BOOL('a', "all-cpus", &args.record.opts.target.system_wide, "record all CPUs (default)"),
	OPT_STRING('C', "cpu", &args.record.opts.target.cpus, "list",
		   "record these CPUs only, such as 0-3,8"),
	OPT_STRING('p', "pid", &args.record.opts.target.pids, "pid", "record these processes"),
	OPT_STRING('u', "uid", &args.record.opts.target.user, "user", "record the processes of this user"),
	OPT_CALLBACK('G', "cgroup", &args.record.events, "name",
		     "count only tasks of this control group, for the events before it", event_args__cgroup),
	OPT_BOOL(0, "all-cgroups", &args.record.opts.attrs.side_band.cgroups,
		 "know which cgroup each sample is of, for its labels (default)"),
	OPT_CALLBACK('m', "mmap-pages", &args.record.opts.pages, "pages",
		     "size of each ring buffer, in pages or as 1M", ring_pages__parse),
	PUSH_SERVER_OPTIONS(args.push),

	OPT_GROUP("Slices"),
	OPT_UINT(0, "interval", &args.interval, "seconds",
		 "length of a slice, which is sent as a whole (60)"),
	OPT_STRING(0, "spool", &args.spool.folder, "folder",
		   "keep slices here until they are sent (STATE_DIRECTORY, which systemd sets)"),
	OPT_CALLBACK(0, "spool-size", &args.spool.size, "size", "largest size of the spool (256M)",
		     max_size__parse),
	OPT_CALLBACK(0, "spool-keep", &args.spool.drops_newest, "newest|oldest",
		     "what stays when the spool is full (newest)", parse_keep),

	OPT_GROUP("Messages"),
	OPT_STRING(0, "figures", &args.figures, "file",
		   "write the agent's own figures here, for node_exporter"),
	OPT_INCR('v', "verbose", &verbose, "say more: each attempt to send"),

	OPT_END(),
};

/* Are there control groups? They label the samples; else the names of processes do. */
static bool has_cgroups(void)
{
	struct strbuf mount = STRBUF_INIT;
	struct err err = ERR_INIT;
	bool has = !cgroups__mount(&mount, &err);

	strbuf__exit(&mount);
	err__exit(&err);
	return has;
}

static bool has_target(const struct target_opts *t)
{
	return t->system_wide || t->pids || t->user || t->cpus;
}

/* The label arch, unless it is given. */
static void add_arch(struct push_args *push)
{
	struct utsname uts;

	if (!push_args__label(push, "arch") && !uname(&uts))
		array__add(&push->labels, xasprintf("arch=%s", uts.machine));
}

static int finalize(struct err *err)
{
	struct record_args *r = &args.record;
	const struct push_args *p = &args.push;
	int ret;

	if (!args.interval)
		return err__set(err, -EINVAL, "--interval 0: the shortest slice is a second");
	if (!args.spool.folder)
		args.spool.folder = getenv("STATE_DIRECTORY");
	if (!args.spool.folder)
		return err__set(err, -EINVAL, "no folder for what waits to be sent: --spool FOLDER");
	if (!!p->pyroscope + !!p->otlp + !!p->clickhouse > 1)
		return err__set(err, -EINVAL, "an agent sends to one server: start one for each");
	ret = push_args__finalize(&args.push, err);
	if (ret)
		return ret;
	add_arch(&args.push);
	r->opts.output = "slices";
	r->no_embed = true;
	r->opts.attrs.side_band.ids_from_files = true; /* an agent always runs beside others */
	r->opts.target.system_wide |= !has_target(&r->opts.target);
	return record_args__finalize(r, false, err);
}

int cmd_agent(int argc, const char **argv)
{
	static const char *const usage[] = { "perf agent [<options>]", NULL };
	char *buildid_dir = perf__buildid_dir();
	struct record_args *r = &args.record;
	const char *words[] = { "perf", "agent" }; /* keep tokens and servers out of the recording */
	struct err err = ERR_INIT;
	int nr, ret = 0;

	record_args__init(r);
	r->opts.attrs.side_band.cgroups = has_cgroups();
	r->opts.attrs.rate.freq = FREQUENCY;
	r->opts.host = (struct host_features_opts){ .version = perf__version, .argv = words, .argc = 2 };
	args.push.export.symbols_of.buildid_dir = buildid_dir;
	attr_args__call_graph(&(struct option){ .value = &r->opts.attrs }, NULL, false, &err);
	nr = perf__parse_options(agent_options, usage, 0, argc, argv);
	msg__set_level(verbose);
	if (nr > 0)
		error__say("perf agent runs no command: perf record does");
	if (nr) {
		ret = nr < 0 ? -nr : EXIT_USAGE;
	} else if (finalize(&err)) {
		error__print(&err);
		ret = EXIT_USAGE;
	} else if (agent__run(&args, &err)) {
		error__print(&err);
		ret = 1;
	}
	err__exit(&err);
	push_args__exit(&args.push);
	record_args__exit(r);
	free(buildid_dir);
	return ret;
}
