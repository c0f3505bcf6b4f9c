/* perf version [--build-options] */
#include "builtin.h"

#include "base/message/msg.h"

#include <stdio.h>

#ifndef PERF_VERSION
#define PERF_VERSION "unknown"
#endif

const char perf__version[] = PERF_VERSION;

/* Turn a macro defined by the build into "1", and an undefined macro into its own name. */
#define TEXT_(macro) #macro
#define TEXT(macro) TEXT_(macro)
#define LIBRARY(name, macro, used_for)              \
	{                                           \
		name, #macro, used_for, TEXT(macro) \
	}

static const struct {
	const char *name, *macro, *used_for, *value;
} libraries[] = {
	LIBRARY("libelf", HAVE_LIBELF, "symbols of binaries"),
	LIBRARY("libdw", HAVE_LIBDW, "debug information"),
	LIBRARY("libiberty", HAVE_LIBIBERTY, "C++, Rust and D names"),
	LIBRARY("zlib", HAVE_ZLIB, "compressed sections and modules (.gz)"),
	LIBRARY("libdeflate", HAVE_LIBDEFLATE, "compressed sections, faster than with zlib"),
	LIBRARY("lzma", HAVE_LIBLZMA, "compressed modules and mini debug information (.xz)"),
	LIBRARY("zstd", HAVE_LIBZSTD, "compressed records, sections and modules (.zst)"),
	LIBRARY("libarchive", HAVE_LIBARCHIVE, "perf archive (.tar.bz2)"),
	LIBRARY("libpfm4", HAVE_LIBPFM4, "the vendors' names of processor events"),
	LIBRARY("capstone", HAVE_CAPSTONE, "instructions (perf annotate)"),
	LIBRARY("sqlite3", HAVE_SQLITE3, "perf export --format sqlite"),
	LIBRARY("curl", HAVE_CURL, "perf push"),
	LIBRARY("ncursesw", HAVE_NCURSESW, "the browser of perf report on a terminal"),
};

static void print_build_options(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(libraries); i++)
		printf("%22s: [ %s ]  # %s: %s\n", libraries[i].name,
		       *libraries[i].value == '1' ? "on " : "OFF", libraries[i].macro, libraries[i].used_for);
}

int cmd_version(int argc, const char **argv)
{
	static const char *const usage[] = { "perf version [<options>]", NULL };
	bool build_options = false;
	const struct option options[] = {
		OPT_BOOL(0, "build-options", &build_options, "display which libraries perf was built with"),
		OPT_END(),
	};
	int nr = perf__parse_options(options, usage, 0, argc, argv);

	if (nr < 0)
		return -nr;
	if (nr > 0) {
		error__say("perf version takes no word such as '%s'", argv[0]);
		return EXIT_USAGE;
	}
	printf("perf version %s\n", perf__version);
	if (build_options)
		print_build_options();
	return 0;
}
