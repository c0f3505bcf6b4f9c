/* perf record: run a command, or watch running processes, and write a profile. */
#include "builtin.h"

#include "base/message/called_name.h"
#include "base/message/msg.h"
#include "base/system/file.h"
#include "binary/elf/kept_files.h"
#include "format/file/labels.h"
#include "live/limits.h"
#include "profile/change/repository.h"
#include "profile/embed/embed.h"
#include "record/options/attr_args.h"
#include "record/options/buffer_opts.h"
#include "record/options/flight_span.h"
#include "record/record_args.h"
#include "record/summary.h"
#include "record/target/remote_python.h"
#include "record/target/runtimes.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct repeat_args { /* --repeat */
	u64 nr;
	const char *other; /* program to alternate with; NULL: none */
};

static void embed_names(const struct record_args *args, struct recorder_result *r, const char *cache)
{
	const struct recorder_opts *opts = &args->opts;
	const struct embed_job job = {
		.paths = r->files.names.nr ? r->files.names.v : (char *const[]){ (char *)opts->output },
		.nr = MAX(r->files.names.nr, 1),
		.bytes = r->bytes,
		.side_band = r->side_band,
		.priority = r->priority_before,
		.opts = { .buildid_dir = cache,
			  .kept = r->kept,
			  .nr_threads = (unsigned)limits__nr_cpus(),
			  .chains = &r->chains,
			  .with_source = args->embed_source },
	};

	embed__all(&job);
}

/* --label commit: find the commit that is checked out where the program is, or else here. */
static int add_commit(struct record_args *args, char *const *argv, struct err *err)
{
	struct repository r = { 0 };
	struct strbuf label = STRBUF_INIT;
	char *program = NULL, *slash;
	int ret = -ENOENT;

	if (argv && !command__find(argv[0], &program) && (slash = strrchr(program, '/'))) {
		*slash = '\0';
		ret = repository__open(&r, slash > program ? program : "/", err);
	}
	if (ret) {
		err__exit(err);
		repository__close(&r);
		ret = repository__open(&r, NULL, err);
	}
	strbuf__addstr(&label, LABEL_COMMIT "=");
	if (!ret)
		ret = repository__find_commit(&r, "HEAD", &label, err);
	if (!ret)
		ret = labels__add(&args->opts.host.labels, label.buf, err);
	strbuf__exit(&label);
	repository__close(&r);
	free(program);
	return ret;
}

static int record(struct record_args *args, char *const *argv, const char *cache)
{
	struct remote_pythons *pythons = NULL;
	struct recorder_result result;
	struct err err = ERR_INIT;
	int ret;

	if (args->asks_pythons && remote_pythons__start(&pythons, &args->opts.target, &err)) {
		error__print(&err);
		err__exit(&err);
		return EXIT_USAGE;
	}
	ret = recorder__run(&args->events.list, argv, &args->opts, &result, &err);
	remote_pythons__stop(pythons);
	if (ret == -ENOENT && argv && args->opts.attrs.chains.is_on && attr_args__is_chain_mode(argv[0]))
		err__advise(&err, "to choose how call chains are recorded: --call-graph %s", argv[0]);
	if (ret && !result.failure_told)
		error__print(&err);
	else if (!ret)
		recorder_result__tell(&result, &args->opts, args->verbose);
	if (!ret && result.wants_names)
		embed_names(args, &result, cache);
	if (!ret)
		recorder_result__tell_chains(&result.chains, &args->opts, args->sets_runtimes);
	runtimes__clean();
	err__exit(&err);
	left_files__exit(&result.files);
	kept_files__delete(result.kept);
	losses__exit(&result.losses);
	strbuf__exit(&result.spans);
	unwind_stats__exit(&result.chains);
	if (!ret && result.interrupted) {
		/* Die of the same signal, so that the parent sees it. */
		signal(result.signo, SIG_DFL);
		raise(result.signo);
	}
	if (ret)
		return result.exit_status ? result.exit_status : 1;
	return result.exit_status;
}

/* An option behind the command is the command's: say so where the person may have meant this one. */
static void tell_misplaced(const struct record_args *args, char *const *argv)
{
	char *const *last = argv;

	if (!argv || !argv[1] || args->opts.attrs.chains.is_on)
		return;
	while (last[1])
		last++;
	if (!strcmp(*last, "-g") || !strncmp(*last, "--call-graph", strlen("--call-graph")))
		info("'%s' goes to '%s'; for call chains: %s record -g %s", *last, argv[0], called_name(),
		     argv[0]);
}

static int run(struct record_args *args, char *const *argv, const char *cache)
{
	struct err err = ERR_INIT;

	msg__set_level(args->quiet ? MSG_QUIET : args->verbose);
	if (!(args->finds_commit && add_commit(args, argv, &err)) &&
	    !record_args__finalize(args, argv != NULL, &err)) {
		tell_misplaced(args, argv);
		return args->dry_run ? 0 : record(args, argv, cache);
	}
	error__print(&err);
	err__exit(&err);
	runtimes__clean();
	return EXIT_USAGE;
}

/* ---- --repeat: runs for perf diff, a file each ---- */

static int check_repeat(const struct record_args *args, const struct repeat_args *repeat, char *const *argv)
{
	const char *output = args->opts.output;
	struct stat st;

	if (repeat->other && !repeat->nr)
		error__say("--repeat-with needs --repeat N, the number of runs");
	else if (!argv)
		error__say("--repeat needs a command to run");
	else if (args->opts.switch_output.is_on || args->timestamp_filename ||
		 (output && !strcmp(output, "-")))
		error__say("--repeat writes a file for each run: not with --switch-output, "
			   "--timestamp-filename or -o -");
	else if (output && !stat(output, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		error__say("--repeat writes several files, but '%s' is not a regular file", output);
	else
		return 0;
	return EXIT_USAGE;
}

static char *name_run(const char *output, const struct repeat_args *repeat, unsigned side, u64 nr)
{
	return xasprintf("%s%s.%llu", output,
			 !repeat->other ? ""
			 : side         ? ".new"
					: ".old",
			 (unsigned long long)nr);
}

/* Refuse to record if a file of an earlier series would look like a run of this one: "perf.data.old.*". */
static int check_earlier_runs(const char *output, const struct repeat_args *repeat)
{
	int ret = 0;

	for (unsigned side = 0; side < 2 && !ret; side++) {
		char *file = name_run(output, repeat, side, repeat->nr + 1);

		if (!access(file, F_OK)) {
			error__say("'%s' is of an earlier --repeat and would be compared, too: remove it, "
				   "or name other files with -o",
				   file);
			ret = EXIT_USAGE;
		}
		free(file);
	}
	return ret;
}

/* Record a run in a process of its own, as if it was the only one. Return as waitpid(), or -1. */
static int record_in_child(struct record_args *args, char *const *argv, const char *cache, const char *output)
{
	pid_t parent = getpid(), pid = fork();
	int status;

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() != parent)
			_exit(1);
		signal(SIGINT, SIG_DFL);
		signal(SIGQUIT, SIG_DFL);
		unlink(output); /* of an earlier series: do not keep it as FILE.old */
		args->opts.output = output;
		exit(run(args, argv, cache));
	}
	if (pid < 0) {
		error__say("cannot start a process for the next run: %s", strerror(errno));
		return -1;
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return status;
}

/*
 * Did a run end by itself and leave its file, so that the next one may begin? *ret gets the first exit status
 * that is not 0.
 */
static bool is_recorded(int status, const char *file, int *ret)
{
	bool is_there = !access(file, F_OK);
	int code = status == -1 ? 1 : WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);

	if (!*ret)
		*ret = code ? code : !is_there;
	return is_there && status != -1 && WIFEXITED(status);
}

/*
 * Record runs of the command; with another program in turns (old, new, new, old ...), so that what changes on
 * the machine meanwhile concerns both. Stop when a run is interrupted or leaves no file.
 */
static int repeat_runs(struct record_args *args, const struct repeat_args *repeat, char **argv,
		       const char *cache)
{
	const char *output = args->opts.output ? args->opts.output : "perf.data";
	unsigned nr_sides = repeat->other ? 2 : 1;
	int ret = check_repeat(args, repeat, argv);
	char *programs[] = { argv ? argv[0] : NULL, (char *)repeat->other };
	bool goes_on;

	if (!ret)
		ret = check_earlier_runs(output, repeat);
	if (ret)
		return ret;
	goes_on = true;
	signal(SIGINT, SIG_IGN); /* it is for the run */
	signal(SIGQUIT, SIG_IGN);
	for (u64 i = 0; i < repeat->nr * nr_sides && goes_on; i++) {
		u64 round = i / nr_sides;
		unsigned side = nr_sides == 2 ? (i ^ round) & 1 : 0;
		char *file = name_run(output, repeat, side, round + 1);

		argv[0] = programs[side];
		goes_on = is_recorded(record_in_child(args, argv, cache, file), file, &ret);
		args->opts.is_told = true;
		free(file);
	}
	if (goes_on && repeat->other && !args->quiet)
		info("compare them: %s diff %s.old.* -- %s.new.*", called_name(), output, output);
	return ret;
}

static int list_registers(void)
{
	struct strbuf names = STRBUF_INIT;

	attr_args__add_reg_names(&names);
	printf("available registers: %s\n", names.buf);
	strbuf__exit(&names);
	return 0;
}

int cmd_record(int argc, const char **argv)
{
	static const char *const usage[] = { "perf record [<options>] [<command>]",
					     "perf record [<options>] -- <command> [<options>]", NULL };
	struct record_args args;
	struct repeat_args repeat = { 0 };
	struct attr_opts *attrs = &args.opts.attrs;
	struct field_opts *fields = &attrs->fields;
	struct side_band_opts *side_band = &attrs->side_band;
	struct target_opts *target = &args.opts.target;
	const struct option options[] = {
		OPT_GROUP("What to record"),
		OPT_CALLBACK('e', "event", &args, "event", "what to sample, such as cycles:u,page-faults",
			     record_args__event),
		OPT_CALLBACK_NOARG('g', NULL, attrs, "record call chains", attr_args__call_graph),
		OPT_CALLBACK(0, "call-graph", attrs, "mode",
			     "record call chains:\n"
			     "auto[,SIZE]: unwound while recording; fp: frame pointers\n"
			     "dwarf[,SIZE]: stack copies; lbr: the processor's branch stack; no: none",
			     attr_args__call_graph),
		OPT_CALLBACK_OPTARG(0, "off-cpu", &args, "locks",
				    "also record where threads wait, and for how long;\n"
				    "=locks: for which locks, and who ended each wait, too",
				    record_args__off_cpu, NULL),
		OPT_UINT(0, "off-cpu-thresh", &args.opts.off_cpu_thresh, "ms",
			 "add up waits shorter than this (default 1)"),
		OPT_CALLBACK(
			0, "span", &args, "function",
			"also record each call of this function, with --off-cpu=locks -g where allowed;\n"
			"BINARY:FUNCTION; 'BEGIN..END': from one function or event to another",
			record_args__span),
		OPT_CALLBACK_OPTARG(0, "runtimes", &args, "list",
				    "tell language runtimes of the command to give their functions names:\n"
				    "dotnet erlang julia mono node php python (default: all)",
				    record_args__runtimes, NULL),
		OPT_CALLBACK(0, "pfm-events", &args.events, "event",
			     "what to sample, by the vendors' names (libpfm4)", event_args__pfm_event),
		OPT_CALLBACK(0, "filter", &args.events, "filter",
			     "drop samples of the last -e that do not match", event_args__filter),
		OPT_BOOL(0, "all-user", &attrs->all_user, "leave out the kernel, for all events"),
		OPT_BOOL(0, "all-kernel", &attrs->all_kernel, "leave out user space, for all events"),
		OPT_BOOL(0, "kernel-callchains", &attrs->chains.no_user, "call chains of the kernel only"),
		OPT_BOOL(0, "user-callchains", &attrs->chains.no_kernel, "call chains of user space only"),
		OPT_BOOL(0, "group", &args.group, "count all events as one group"),
		OPT_CALLBACK_NOARG('b', "branch-any", attrs, "record the branches that were taken last",
				   attr_args__branches),
		OPT_CALLBACK('j', "branch-filter", attrs, "kinds",
			     "record branches of these kinds, such as any_call,u", attr_args__branches),
		OPT_BOOL(0, "exclude-perf", &args.opts.exclude_self, "leave out samples of perf itself"),

		OPT_GROUP("Of which programs, processes, CPUs"),
		OPT_BOOL('a', "all-cpus", &target->system_wide, "record everything on all CPUs"),
		OPT_STRING('p', "pid", &target->pids, "pid", "record these processes"),
		OPT_STRING('t', "tid", &target->tids, "tid", "record these threads"),
		OPT_STRING('u', "uid", &target->user, "user", "record the processes of this user"),
		OPT_STRING('C', "cpu", &target->cpus, "list", "record on these CPUs only, such as 0-3,8"),
		OPT_CALLBACK('G', "cgroup", &args.events, "name",
			     "count only tasks of this control group, for the events before it",
			     event_args__cgroup),
		OPT_BOOL('i', "no-inherit", &attrs->no_inherit, "leave out child processes and new threads"),
		OPT_BOOL(0, "per-thread", &target->per_thread, "a ring buffer per thread, not per CPU"),

		OPT_GROUP("How often, and when"),
		OPT_CALLBACK('F', "freq", attrs, "freq or 'max'", "samples a second (4000)", attr_args__freq),
		OPT_U64_RANGE('c', "count", &attrs->rate.period, "n", 1, INT64_MAX, "sample every n events"),
		OPT_BOOL(0, "fixed-rate", &attrs->rate.fixed,
			 "sample at equal distances, which may be in step with the program"),
		OPT_BOOL(0, "strict-freq", &attrs->rate.strict_freq,
			 "fail if the kernel does not allow the frequency"),
		OPT_BOOL('n', "no-samples", &attrs->rate.no_samples, "do not sample"),
		OPT_CALLBACK('D', "delay", &args, "ms",
			     "wait before sampling; -1: start with events off; 10-20,30-40: windows",
			     record_args__delay),
		OPT_U64_RANGE(0, "repeat", &repeat.nr, "n", 0, UINT32_MAX,
			      "run the command n times, into FILE.1, FILE.2 ... (for perf diff)"),
		OPT_STRING(0, "repeat-with", &repeat.other, "program",
			   "with --repeat, take turns with this program: into FILE.old.1, FILE.new.1 ..."),
		OPT_STRING(0, "control", &args.opts.control, "fd:ctl[,ack] or fifo:ctl[,ack]",
			   "take commands: enable, disable, evlist, snapshot, stop, ping"),

		OPT_GROUP("Where to"),
		OPT_STRING('o', "output", &args.opts.output, "file",
			   "where to write (perf.data; - is standard output)"),
		OPT_CALLBACK_OPTARG('z', "compression-level", &args.opts.compression, "n",
				    "compress records: 1 (fast) to 22 (small), 0: not at all",
				    compression__parse, "1"),
		OPT_CALLBACK(0, "max-size", &args.opts.max_size, "size", "end the recording at this size",
			     max_size__parse),
		OPT_CALLBACK_OPTARG(
			0, "overwrite", attrs, "time",
			"keep only the newest records in the ring buffers, write them on request;\n"
			"of this time, such as 30s, or as many as -m has room for",
			flight_span__parse, ""),
		OPT_CALLBACK_OPTARG(0, "switch-output", &args, "signal or size or time",
				    "begin a new file on SIGUSR2, at a size (10M) or after a time (5m)",
				    record_args__switch_output, "signal"),
		OPT_CALLBACK(0, "switch-output-event", &args, "event",
			     "begin a new file when this event occurs", record_args__switch_event),
		OPT_UINT(0, "switch-max-files", &args.opts.switch_output.max_files, "n",
			 "keep the newest n of these files"),
		OPT_BOOL(0, "timestamp-filename", &args.timestamp_filename,
			 "append date and time to the file's name"),

		OPT_GROUP("What else each sample has"),
		OPT_BOOL('d', "data", &fields->addresses, "record the addresses of accessed data"),
		OPT_BITS('W', "weight", &fields->bits, SAMPLE_WEIGHT_STRUCT,
			 "record the weight of samples: latency, for events that have one"),
		OPT_BOOL('P', "period", &fields->period, "record the period of each sample"),
		OPT_BOOL(0, "sample-cpu", &fields->cpu, "record the CPU of each sample"),
		OPT_BOOL('T', "timestamp", &args.unused, "record the time of each sample (always done)"),
		OPT_BOOL('R', "raw-samples", &fields->raw, "record raw data of the events"),
		OPT_BOOL(0, "running-time", &fields->running_time,
			 "record how long the events of :S groups were counting"),
		OPT_BITS(0, "sample-identifier", &fields->bits, PERF_SAMPLE_IDENTIFIER,
			 "record the id of the event with each sample"),
		OPT_BITS(0, "sample-mem-info", &fields->bits, PERF_SAMPLE_DATA_SRC,
			 "record where accessed data came from"),
		OPT_BITS(0, "phys-data", &fields->bits, PERF_SAMPLE_PHYS_ADDR,
			 "record the physical addresses of accessed data"),
		OPT_BITS(0, "data-page-size", &fields->bits, SAMPLE_DATA_PAGE_SIZE,
			 "record the size of the page that the data is in"),
		OPT_BITS(0, "code-page-size", &fields->bits, SAMPLE_CODE_PAGE_SIZE,
			 "record the size of the page that the code is in"),
		OPT_BITS(0, "transaction", &fields->bits, PERF_SAMPLE_TRANSACTION,
			 "record the flags of transactions"),
		OPT_CALLBACK_OPTARG('I', "intr-regs", attrs, "registers",
				    "record registers at the event: ip,sp...; ? lists them",
				    attr_args__intr_regs, ""),
		OPT_CALLBACK_OPTARG(0, "user-regs", attrs, "registers",
				    "record registers of user space: ip,sp...; ? lists them",
				    attr_args__user_regs, ""),
		OPT_CALLBACK('k', "clockid", attrs, "clock", "use this clock for timestamps, such as mono",
			     attr_args__clock),

		OPT_GROUP("What else the file has"),
		OPT_BOOL(0, "no-embed", &args.no_embed,
			 "do not store the names and the code of functions in the file"),
		OPT_BOOL(0, "embed-source", &args.embed_source,
			 "also store the source lines of the functions whose code is stored"),
		OPT_CALLBACK(0, "label", &args, "key=value",
			     "store what you say of the recording, such as commit=NAME for diff --git;\n"
			     "commit: the commit checked out where the program is",
			     record_args__label),
		OPT_BOOL('s', "stat", &fields->thread_stat,
			 "also write the event counts of each thread when it ends"),
		OPT_BOOL(0, "latency", &side_band->switches, "as --switch-events"),
		OPT_BOOL(0, "switch-events", &side_band->switches, "record when tasks are switched"),
		OPT_BOOL(0, "all-cgroups", &side_band->cgroups, "record which cgroup each sample is of"),
		OPT_BOOL(0, "namespaces", &side_band->namespaces, "record which namespaces processes are in"),
		OPT_BOOL(0, "data-mmap", &side_band->data_maps, "record mappings without code, too"),
		OPT_BOOL(0, "no-bpf-event", &side_band->no_bpf_events,
			 "do not record when BPF programs are loaded and unloaded"),
		OPT_CALLBACK(0, "synth", &args, "what",
			     "what to describe at the start: all, no, or some of task,mmap,cgroup",
			     record_args__synth),
		OPT_BOOL(0, "tail-synthesize", &args.opts.tail_synthesize,
			 "describe existing processes at the end, not at the beginning"),
		OPT_BOOL(0, "timestamp-boundary", &args.unused,
			 "record the times of the first and the last sample (always done)"),
		OPT_BOOL('B', "no-buildid", &side_band->no_build_ids, "do not collect build-ids"),
		OPT_BOOL('N', "no-buildid-cache", &args.no_cache, "leave the build-id cache alone"),
		OPT_BOOL(0, "buildid-all", &args.unused, "write the build-ids of all mapped binaries"),
		OPT_BOOL(0, "buildid-mmap", &args.opts.no_build_id_table,
			 "write build-ids in the mmap records only"),

		OPT_GROUP("Buffers and threads"),
		OPT_CALLBACK('m', "mmap-pages", &args.opts.pages, "pages",
			     "size of each ring buffer, in pages or as 1M", ring_pages__parse),
		OPT_CALLBACK(
			0, "unwind-buffer", &args.opts.unwind_buffer, "size",
			"room for samples that wait to be unwound\n(32M, or 2M for each CPU if that is more)",
			unwind_buffer__parse),
		OPT_CALLBACK(0, "write-buffer", &args.opts.write_buffer, "size",
			     "room for records that wait for a slow disk (64M)", write_buffer__parse),
		OPT_CALLBACK(0, "mmap-flush", &args.opts.flush_bytes, "size",
			     "read the ring buffers when one of them holds this much", mmap_flush__parse),
		OPT_BOOL(0, "no-buffering", &attrs->no_buffering, "write each sample at once"),
		OPT_CALLBACK_OPTARG(0, "threads", &args, "spec",
				    "empty each ring buffer with a thread of its own, into a directory\n"
				    "(cpu, core, package, numa, CPUS/CPUS:... are accepted)",
				    record_args__threads, "cpu"),
		OPT_INT('r', "realtime", &args.opts.realtime, "n",
			"empty the buffers with this real-time priority (SCHED_FIFO)"),
		OPT_CALLBACK(0, "affinity", &args.opts.affinity, "sys, node or cpu",
			     "empty each buffer on its CPU, or on a CPU of its node", affinity__parse_option),
		OPT_CALLBACK_OPTARG(0, "aio", NULL, "n", "write while recording goes on (always done)",
				    aio__parse, "1"),

		OPT_GROUP("Messages"),
		OPT_BOOL('q', "quiet", &args.quiet, "print errors only"),
		OPT_INCR('v', "verbose", &args.verbose, "say more"),
		OPT_BOOL(0, "dry-run", &args.dry_run, "check the options, then exit"),

		OPT_GROUP("Not supported"),
		OPT_CALLBACK_OPTARG(0, "aux-sample", &args, "opts", "sample AUX areas (not supported)",
				    record_args__refuse_aux, ""),
		OPT_CALLBACK_OPTARG('S', "snapshot", &args, "opts",
				    "take snapshots of AUX areas (not supported)", record_args__refuse_aux,
				    ""),

		OPT_STRING_OPTARG(0, "debuginfod", &args.unused_text, "urls",
				  "accepted; give this option to perf report", ""),
		OPT_UINT(0, "num-thread-synthesize", &args.unused_number, "n",
			 "accepted; perf chooses the number of threads"),

		/* hidden: stock perf's manual undoes with these what --switch-output implies there */
		{ OPT_TYPED_(OPTION_BOOL_INV, &side_band->no_build_ids, bool), .name = "no-no-buildid",
		  .flags = OPTION_HIDDEN | OPTION_NONEG },
		{ OPT_TYPED_(OPTION_BOOL_INV, &args.no_cache, bool), .name = "no-no-buildid-cache",
		  .flags = OPTION_HIDDEN | OPTION_NONEG },
		OPT_UINT(0, "proc-map-timeout", &args.unused_number, "ms",
			 "accepted without effect: there is no time limit"),
		OPT_STRING(0, "vmlinux", &args.unused_text, "file",
			   "accepted; give this option to perf report"),

		/* Keys of configuration files */
		OPT_CONFIG(OPTION_STRING, "call-graph.record-mode", &attrs->chains.default_mode,
			   const char *),
		OPT_CONFIG(OPTION_STRING, "record.call-graph", &attrs->chains.default_mode, const char *),
		OPT_CONFIG(OPTION_UINT, "call-graph.dump-size", &attrs->chains.default_copy, unsigned),
		OPT_CONFIG_CALLBACK("record.build-id", &args, record_args__build_id_default),
		OPT_END(),
	};
	const char **words;
	char *cache = perf__buildid_dir();
	int nr, ret;

	/* Keep a copy of the command line for the file: parsing changes argv. */
	words = xreallocarray(NULL, (size_t)argc + 1, sizeof(*argv));
	words[0] = "perf";
	memcpy(words + 1, argv, (size_t)argc * sizeof(*argv));
	record_args__init(&args);
	args.opts.host.version = perf__version;
	args.opts.host.argv = words;
	args.opts.host.argc = argc + 1;
	args.opts.build_id_cache = cache;
	args.opts.tell_failure = error__print;
	nr = perf__parse_options(options, usage, OPTIONS_STOP_AT_NON_OPTION, argc, argv);
	if (nr < 0)
		ret = -nr;
	else if (args.list)
		ret = cmd_list(1, (const char *[]){ "list", NULL });
	else if (fields->list_regs)
		ret = list_registers();
	else if (repeat.nr || repeat.other)
		ret = repeat_runs(&args, &repeat, nr ? (char **)argv : NULL, cache);
	else
		ret = run(&args, nr ? (char *const *)argv : NULL, cache);
	record_args__exit(&args);
	free(cache);
	free(words);
	return ret;
}
