/* perf export: write a recording in the format of another program. */
#include "builtin.h"

#include "base/memory/mem.h"
#include "export/export.h"
#include "export/export_formats.h"
#include "pgo/pgo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cmd_export(int argc, const char **argv)
{
	static const char *const usage[] = { "perf export [<options>] [-o <file>] [<recording>]", NULL };
	struct export_args a = { .max_stack = 1024 };
	struct symbolize_opts *sym = &a.symbols_of;
	bool inlines = true;
	const struct option options[] = {
		OPT_GROUP("Which file, and where to"),
		OPT_STRING('i', "input", &a.input, "file",
			   "recording to read (default: perf.data; - is standard input)"),
		OPT_STRING('o', "output", &a.output, "file",
			   "file to write (default: standard output); with .gz at its end, packed"),
		OPT_STRING(0, "format", &a.format, "format",
			   "folded, pprof, firefox, speedscope, otlp, jsonl, linux-perf-json, html, sqlite;\n"
			   "for compilers and linkers: sample-profile, autofdo, bolt, symbol-order\n"
			   "(default: by the suffix of -o)\n"
			   "list: print the formats"),

		OPT_GROUP("Filters"),
		OPT_STRING('c', "comms", &a.filter.comms, "comm[,comm...]", "keep threads with these names"),
		OPT_STRING('d', "dsos", &a.filter.dsos, "dso[,dso...]", "keep samples in these binaries"),
		OPT_STRING('S', "symbols", &a.filter.symbols, "symbol[,symbol...]",
			   "keep samples in these functions"),
		OPT_STRING('e', "event", &a.filter.events, "event[,event...]",
			   "keep samples of these events"),
		OPT_STRING(0, "pid", &a.filter.pids, "pid[,pid...]", "keep samples of these processes"),
		OPT_STRING(0, "tid", &a.filter.tids, "tid[,tid...]", "keep samples of these threads"),
		OPT_STRING('C', "cpu", &a.filter.cpus, "cpu", "keep samples of these CPUs, such as 0-3,8"),
		OPT_STRING(0, "time", &a.filter.times, "str",
			   "keep samples of this time: START,STOP in seconds, or a part such as 10%/2"),
		OPT_SPANS(a.weights, SPAN_HELP),
		OPT_STRING(0, "redact", &a.redact, "regex",
			   "leave out names that match: of functions, files, binaries, threads and cgroups"),

		OPT_GROUP("What to write"),
		OPT_BOOL(0, "blocked-by", &a.weights.blocked_by,
			 "what holders of locks did while others waited, as perf report --blocked-by"),
		OPT_BOOL(0, "critical-path", &a.weights.critical_path,
			 "what the elapsed time was spent on, as perf report --critical-path"),
		OPT_STRING(0, "thread", &a.weights.thread, "tid|name",
			   "of --critical-path: the path that leads to the end of this thread"),
		OPT_STRING(0, "labels", &a.labels, "label[,label...]",
			   "of pprof and otlp: comm, pid, tid, cpu, cgroup, service, container, version,\n"
			   "lock, holder, timestamp; of sqlite: cgroup, service, container, version, lock, "
			   "holder"),
		OPT_BOOL(0, "aggregate", &a.aggregate,
			 "of sqlite: add up samples of a minute that differ only in time and CPU"),
		OPT_UINT(0, "max-stack", &a.max_stack, "n", "use only n entries of each call chain (1024)"),
		OPT_BOOL(0, "inline", &inlines, "show inlined functions as frames of their own (default)"),
		OPT_BOOL(0, "show-pid", &a.pids_in_names, "of folded: COMM-PID in place of COMM"),
		OPT_BOOL(0, "show-tid", &a.tids_in_names, "of folded: COMM-PID/TID"),
		OPT_BOOL(0, "kernel", &a.kernel_marks, "of folded: mark functions of the kernel with _[k]"),
		OPT_BOOL(0, "jit", &a.jit_marks, "of folded: mark JIT code with _[j]"),
		OPT_BOOL(0, "inline-marks", &a.inline_marks, "of folded: mark inlined functions with _[i]"),

		OPT_GROUP("Profiles for compilers"),
		OPT_BOOL(0, "as-sampled", &a.as_sampled,
			 "write numbers of samples, do not estimate how often code ran"),
		OPT_UINT(0, "startup-first", &a.startup_ms, "ms",
			 "of symbol-order: functions that began to run in the first ms milliseconds come "
			 "first"),
		OPT_STRING(0, "gcc", &a.gcc, "version",
			   "of autofdo: the gcc that reads it (default: the one that compiled the program)"),

		OPT_GROUP("Files and symbols"),
		OPT_CALLBACK(
			0, "symfs", sym, "folder[,layout]",
			"look for binaries below this folder; layout flat: without the folders they were\n"
			"recorded in",
			perf__parse_symfs),
		OPT_STRING('k', "vmlinux", &sym->vmlinux, "file", "the kernel's symbols are in this vmlinux"),
		OPT_STRING(0, "kallsyms", &sym->kallsyms, "file",
			   "the kernel's symbols are in this copy of /proc/kallsyms"),
		OPT_BOOL_INV(0, "demangle", &sym->no_demangle, "show names as in the source (default)"),
		OPT_BOOL(0, "demangle-kernel", &sym->demangle_kernel, "demangle names of the kernel, too"),
		OPT_BOOL_INV(0, "made-up-names", &sym->no_made_up_names,
			     "name functions without a symbol after their address: FILE@0x1234 (default)"),
		OPT_UINT(0, "threads", &a.threads, "n", "read with n threads (default: one for each CPU)"),

		OPT_END(),
	};
	int nr = perf__parse_options(options, usage, 0, argc, argv), ret;
	struct strbuf list = STRBUF_INIT;
	const struct pgo_format *pgo;
	char *buildid_dir;

	if (nr < 0)
		return -nr;
	a.no_inlines = !inlines;
	if (a.output && !strcmp(a.output, "-"))
		a.output = NULL;
	if (a.format && !strcmp(a.format, "list")) {
		export_formats__list(&list);
		pgo_formats__list(&list);
		fputs(list.buf, stdout);
		strbuf__exit(&list);
		return 0;
	}
	if (perf__take_input("perf export", nr, argv, &a.input))
		return EXIT_USAGE;
	a.input = a.input && *a.input ? a.input : perf__default_input();
	buildid_dir = perf__buildid_dir();
	sym->buildid_dir = buildid_dir;
	mem__keep_freed();
	pgo = pgo_format__of(&a);
	ret = pgo ? pgo__run(&a, pgo) : export__run(&a);
	free(buildid_dir);
	return ret;
}
