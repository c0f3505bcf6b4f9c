/* perf script: print the samples of a recording. */
#include "builtin.h"

#include "base/memory/mem.h"
#include "base/message/called_name.h"
#include "base/message/msg.h"
#include "script/script.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int parse_fields(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	if (unset) {
		output_fields__init(opt->value);
		return 0;
	}
	return output_fields__parse(opt->value, arg, err);
}

/* Scripts of stock perf that have an equal here. */
static const struct {
	const char *name, *instead;
} engines[] = {
	{ "flamegraph", "export -o profile.folded" },
	{ "stackcollapse", "export -o profile.folded" },
	{ "gecko", "export -o profile.firefox.json" },
	{ NULL, "export -o profile.jsonl" }, /* for a program of one's own */
};

static const char *engine__instead(const char *name)
{
	size_t i = 0;

	while (engines[i].name && strcmp(engines[i].name, name))
		i++;
	return engines[i].instead;
}

/* Name the command that does the work of a script. Return the exit status. */
static int tell_export(const char *name)
{
	struct err err = ERR_INIT;

	err__set(&err, -EOPNOTSUPP, "perf script has no Python or Perl: '%s' cannot be run", name);
	err__advise(&err, "type: %s %s", called_name(), engine__instead(name));
	error__print(&err);
	err__exit(&err);
	return EXIT_USAGE;
}

static int refuse_script(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	(void)opt;
	if (unset)
		return 0;
	err__set(err, -EOPNOTSUPP, "perf script has no Python or Perl");
	err__advise(err, "type: %s %s", called_name(), engine__instead(arg ? arg : ""));
	return -EOPNOTSUPP;
}

#define UNSUPPORTED(l, why, f) UNSUPPORTED_(0, l, why, f)
#define UNSUPPORTED_(s, l, why, f) \
	OPT_CALLBACK_(s, l, NULL, why, perf__refuse_option, .arg = "value", .flags = OPTION_HIDDEN | (f))
#define NO_GUEST "not supported: the binaries of guests are not read"
#define NO_AUX "not supported: AUX traces are not decoded"
#define NO_XED "not supported: -F disasm prints instructions without another program"

static struct script_args args = { .max_stack = 127, .symbols = { .no_made_up_names = true } };
static bool inlines = true;
static int verbose;
static bool ignored; /* options without effect */
static const char *ignored_text;

static const struct option script_options[] = {
	OPT_GROUP("What to print"),
	OPT_STRING('i', "input", &args.input, "file",
		   "recording to read (default: perf.data; - is standard input)"),
	OPT_CALLBACK('F', "fields", &args.fields, "[type:]field[,field...]",
		     "print these fields; +field and -field change the default\n"
		     "type: hw, sw, trace, raw or synth: for events of this type only\n"
		     "fields: comm tid pid time cpu event trace ip sym symoff dso dsoff addr srcline period\n"
		     "iregs uregs insn insnlen disasm srccode brstack brstacksym brstackoff brstackinsn\n"
		     "brstackinsnlen brstackdisasm data_src weight ins_lat retire_lat phys_addr\n"
		     "data_page_size code_page_size cgroup bpf-output misc lock holder",
		     parse_fields),
	OPT_BOOL('G', "hide-call-graph", &args.no_chains, "print the address of each sample, no call chains"),
	OPT_UINT(0, "max-stack", &args.max_stack, "n", "use only n entries of each call chain (127)"),
	OPT_STRING(0, "stop-bt", &args.stops, "symbol[,symbol...]", "end call chains at these functions"),
	OPT_BOOL(0, "ns", &args.nanoseconds, "print times with nanoseconds, not microseconds"),
	OPT_BOOL(0, "reltime", &args.reltime, "print times since the first that is printed"),
	OPT_BOOL(0, "deltatime", &args.deltatime, "print times since the line before"),
	OPT_BOOL('L', "Latency", &args.latency_format,
		 "print names of threads 8 letters wide, and CPUs without brackets"),
	OPT_UINT(0, "max-blocks", &args.max_blocks, "n",
		 "with brstackinsn: print the code between the newest n branches only"),
	OPT_BOOL(0, "stitch-lbr", &args.stitches,
		 "complete call chains of the processor with those of samples before (--call-graph lbr)"),
	OPT_INCR('v', "verbose", &verbose, "say more"),

	OPT_GROUP("Filters"),
	OPT_STRING('c', "comms", &args.filter.comms, "comm[,comm...]", "keep threads with these names"),
	OPT_STRING(0, "dsos", &args.filter.dsos, "dso[,dso...]", "keep samples in these binaries"),
	OPT_STRING('S', "symbols", &args.filter.symbols, "symbol[,symbol...]",
		   "keep samples in these functions, or at these addresses, such as 0x4007a0"),
	OPT_U64(0, "addr-range", &args.addr_range, "n",
		"with addresses in -S: keep samples up to n bytes after them"),
	OPT_STRING(0, "pid", &args.filter.pids, "pid[,pid...]", "keep samples of these processes"),
	OPT_STRING(0, "tid", &args.filter.tids, "tid[,tid...]", "keep samples of these threads"),
	OPT_STRING('C', "cpu", &args.filter.cpus, "cpu", "keep samples of these CPUs, such as 0-3,8"),
	OPT_STRING(0, "lock", &args.filter.locks, "lock[,lock...]",
		   "keep waits for these locks, such as pool.lock (record --off-cpu=locks)"),
	OPT_STRING(0, "time", &args.filter.times, "str",
		   "keep samples of this time: START,STOP in seconds, or a part such as 10%/2"),
	OPT_SPANS(args.spans, SPAN_HELP),
	OPT_STRING(0, "switch-on", &args.switching.on, "event", "keep samples from this event on"),
	OPT_STRING(0, "switch-off", &args.switching.off, "event",
		   "keep samples up to this event, or to the next --switch-on"),
	OPT_BOOL(0, "show-on-off-events", &args.switching.show, "keep the events that switch, too"),

	OPT_GROUP("Other records and facts"),
	OPT_BOOL(0, "header", &args.header, "begin with facts about the machine and the recording"),
	OPT_BOOL(0, "header-only", &args.header_only, "print only what --header adds"),
	OPT_BOOL('I', "show-info", &args.full_header,
		 "with --header: the topology of processors, caches and memory, too"),
	OPT_BITS(0, "show-task-events", &args.shows, SHOW_TASKS, "print when tasks begin, exec and end, too"),
	OPT_BITS(0, "show-mmap-events", &args.shows, SHOW_MMAPS, "print mappings, too"),
	OPT_BITS(0, "show-switch-events", &args.shows, SHOW_SWITCHES, "print context switches, too"),
	OPT_BITS(0, "show-lost-events", &args.shows, SHOW_LOST, "print how many records were lost, too"),
	OPT_BITS(0, "show-namespace-events", &args.shows, SHOW_NAMESPACES, "print namespaces, too"),
	OPT_BITS(0, "show-cgroup-events", &args.shows, SHOW_CGROUPS, "print cgroups, too"),
	OPT_BITS(0, "show-bpf-events", &args.shows, SHOW_BPF, "print when BPF programs come and go, too"),
	OPT_BITS(0, "show-text-poke-events", &args.shows, SHOW_TEXT_POKES,
		 "print when the kernel changed its code, too"),
	OPT_BITS(0, "show-round-events", &args.shows, SHOW_ROUNDS,
		 "print where the recorder had emptied all ring buffers, too"),
	OPT_BOOL('D', "dump-raw-trace", &args.dump, "print each record, in hexadecimal and decoded"),
	OPT_BOOL(0, "dump-unsorted-raw-trace", &args.dump_in_file_order, "as -D, in the order of the file"),
	OPT_BOOL(0, "per-event-dump", &args.per_event_dump,
		 "write a file RECORDING.EVENT.dump for each event"),

	OPT_GROUP("Files and symbols"),
	OPT_CALLBACK(0, "symfs", &args.symbols, "directory[,layout]",
		     "search for binaries and debug files below this directory; layout flat: without the\n"
		     "folders they were recorded in",
		     perf__parse_symfs),
	OPT_STRING('k', "vmlinux", &args.symbols.vmlinux, "file", "the kernel's symbols are in this vmlinux"),
	OPT_STRING(0, "kallsyms", &args.symbols.kallsyms, "file",
		   "the kernel's symbols are in this copy of /proc/kallsyms"),
	OPT_BOOL(0, "inline", &inlines, "show inlined functions as frames of their own (default)"),
	OPT_BOOL_INV(0, "demangle", &args.symbols.no_demangle,
		     "show C++, Rust and D names as in the source (default)"),
	OPT_BOOL(0, "demangle-kernel", &args.symbols.demangle_kernel, "demangle names of the kernel, too"),
	OPT_BOOL_INV(0, "made-up-names", &args.symbols.no_made_up_names,
		     "name functions without a symbol after their address, not [unknown]: FILE@0x1234"),
	OPT_BOOL(0, "full-source-path", &args.full_paths, "show the folders of source files"),
	OPT_BOOL(0, "show-kernel-path", &args.show_kernel_path, "show the file of the kernel's symbols"),
	OPT_BOOL('f', "force", &args.symbols.any_owner, "use /tmp/perf-PID.map of any owner"),
	OPT_UINT(0, "threads", &args.threads, "n", "use n threads (default: one for each online CPU)"),

	OPT_GROUP("For scripts of stock perf"),
	OPT_CALLBACK('s', "script", NULL, "name", "not there: says what perf export does instead",
		     refuse_script),
	OPT_CALLBACK('g', "gen-script", NULL, "lang", "not there: says what perf export does instead",
		     refuse_script),

	/* Options of stock perf without effect */
	OPT_BOOL('d', "debug-mode", &ignored, "accepted; records are always checked"),
	OPT_BOOL('a', "all-cpus", &ignored, "accepted; perf script does not record"),
	OPT_STRING(0, "addr2line", &ignored_text, "path", "accepted; no other program is needed"),
	OPT_STRING(0, "unwind-style", &ignored_text, "style", "accepted; there is one unwinder"),

	/* Options not supported */
	UNSUPPORTED("itrace", NO_AUX, OPTION_OPTARG),
	UNSUPPORTED("insn-trace", NO_AUX, OPTION_OPTARG),
	UNSUPPORTED("call-trace", NO_AUX, OPTION_OPTARG),
	UNSUPPORTED("call-ret-trace", NO_AUX, OPTION_OPTARG),
	UNSUPPORTED("graph-function", NO_AUX, 0),
	UNSUPPORTED("xed", NO_XED, OPTION_OPTARG),
	UNSUPPORTED("merge-callchains", "not supported: deferred call chains are not read", OPTION_NOARG),
	UNSUPPORTED("guest-code", NO_GUEST, OPTION_NOARG),
	UNSUPPORTED("guestmount", NO_GUEST, 0),
	UNSUPPORTED("guestkallsyms", NO_GUEST, 0),
	UNSUPPORTED("guestmodules", NO_GUEST, 0),
	UNSUPPORTED("guestvmlinux", NO_GUEST, 0),
	UNSUPPORTED_('l', "list", "not supported: there are no scripts; perf export writes files for viewers",
		     OPTION_OPTARG),
	UNSUPPORTED("list-dlfilters", "not supported: filters are not loaded", OPTION_NOARG),
	UNSUPPORTED("dlfilter", "not supported: filters are not loaded", 0),
	UNSUPPORTED("dlarg", "not supported: filters are not loaded", 0),
	OPT_END(),
};

int cmd_script(int argc, const char **argv)
{
	static const char *const usage[] = { "perf script [<options>] [<recording>]", NULL };
	char *buildid_dir;
	int nr, ret;

	mem__keep_freed();
	output_fields__init(&args.fields);
	nr = perf__parse_options(script_options, usage, 0, argc, argv);
	if (nr < 0)
		return -nr;
	msg__set_level(verbose);
	args.no_inlines = !inlines;
	if (nr && access(argv[0], F_OK) && !strpbrk(argv[0], "./"))
		return tell_export(nr > 1 ? argv[1] : argv[0]);
	if (perf__take_input("perf script", nr, argv, &args.input))
		return EXIT_USAGE;
	if (args.reltime && args.deltatime) {
		error__say("--reltime and --deltatime exclude each other");
		return EXIT_USAGE;
	}
	args.input = args.input && *args.input ? args.input : perf__default_input();
	buildid_dir = perf__buildid_dir();
	args.symbols.buildid_dir = buildid_dir;
	ret = script__main(&args);
	free(buildid_dir);
	return ret;
}
