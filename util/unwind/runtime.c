#include "unwind/runtime.h"

#include "base/text/path_name.h"
#include <string.h>

/*
 * Those that record/target/runtimes.c sets. The manual page says what that is, for programs that run already.
 */
static const char set[] = "record --runtimes (what it sets: man perf-record)";
static const char python[] = "record --runtimes (python 3.12 and newer)";
static const char llvm[] = "lli --jit-kind=mcjit; PostgreSQL: jit_profiling_support";
static const char luajit[] = "luajit -jp (perf gets no names)";
static const char perl[] = "perl -d:NYTProf (perf sees no subs)";
static const char ruby[] = "ruby --yjit --yjit-perf (3.3 and newer)";

/*
 * Tried with Debian 12's packages: Java, Node.js, Python, Erlang, PHP, Mono, LuaJIT, lli. Others: as
 * documented.
 */
static const struct runtime rows[] = {
	{ "libjvm.so", "java code", "-XX:+PreserveFramePointer, jcmd PID Compiler.perfmap", false },
	{ "node", "node code", set, false },
	{ "libnode.so", "node code", set, false },
	{ "python3", "python code", python, true },
	{ "libpython3", "python code", python, true },
	{ "beam.smp", "erlang code", set, false },
	{ "libcoreclr.so", ".NET code", set, false },
	{ "libjulia", "julia code", set, false },
	{ "luajit", "lua code", luajit, false },
	{ "libluajit", "lua code", luajit, false },
	{ "mono-sgen", "mono code", set, false },
	{ "libmono", "mono code", set, false },
	{ "perl", "perl code", perl, true },
	{ "libperl.so", "perl code", perl, true },
	{ "php", "php code", set, true },
	{ "libphp", "php code", set, true },
	{ "qemu-", "emulated code", "qemu -perfmap (8.0 and newer)", false },
	{ "ruby", "ruby code", ruby, true },
	{ "libruby", "ruby code", ruby, true },
	{ "sbcl", "lisp code", "sb-sprof (perf gets no names)", false },
	/* others link it, too: last */
	{ "libLLVM", "LLVM code", llvm, false },
	{ NULL, RUNTIME_UNKNOWN_CODE, "needs frame pointers, /tmp/perf-PID.map", false },
};

bool runtime__is_memory(const char *path)
{
	return !strncmp(path, "/memfd:", 7);
}

const struct runtime *runtime__of_file(const char *path)
{
	const char *name = path__name(path);

	for (size_t i = 0; i < ARRAY_SIZE(rows) && rows[i].file; i++)
		if (*name == *rows[i].file && !strncmp(name, rows[i].file, strlen(rows[i].file)))
			return &rows[i];
	return NULL;
}

const struct runtime *runtime__of_code(const char *code)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strcmp(code, rows[i].code))
			return &rows[i];
	return NULL;
}
