/*
 * `perf script`: each sample of a recording as text, in the order of time and in the form of stock perf 6.1,
 * which many programs read with patterns of their own.
 */
#ifndef SCRIPT_SCRIPT_H
#define SCRIPT_SCRIPT_H

#include "model/session.h"
#include "profile/rows/switched.h"
#include "profile/keys/read_weights.h"
#include "script/output_fields.h"

/* Records besides samples that can be shown: --show-...-events. */
enum script_shows {
	SHOW_TASKS = 1 << 0,
	SHOW_MMAPS = 1 << 1,
	SHOW_SWITCHES = 1 << 2,
	SHOW_NAMESPACES = 1 << 3,
	SHOW_LOST = 1 << 4,
	SHOW_ROUNDS = 1 << 5,
	SHOW_BPF = 1 << 6,
	SHOW_CGROUPS = 1 << 7,
	SHOW_TEXT_POKES = 1 << 8,
};

struct script_args {
	const char *input;
	struct output_fields fields;
	struct filter_args filter;
	u64 addr_range; /* --addr-range: bytes from an address of filter.symbols on; 0: not given */
	struct switch_opts switching;
	struct weights_args spans; /* only --span, --slower, --faster */
	const char *stops;         /* --stop-bt: names of functions at which chains end; NULL: none */
	u64 shows;                 /* enum script_shows */
	bool header, header_only, full_header;
	bool dump, dump_in_file_order; /* -D, --dump-unsorted-raw-trace */
	bool no_chains, no_inlines;
	bool stitches; /* --stitch-lbr */
	bool nanoseconds, reltime, deltatime;
	bool show_kernel_path, full_paths;
	bool latency_format; /* -L: short names of threads, CPUs without brackets */
	bool per_event_dump; /* write a file for each event */
	unsigned max_stack;
	unsigned max_blocks; /* of code between branches, for each sample; 0: all */
	unsigned threads;    /* 0: one for each online CPU */
	struct symbolize_opts symbols;
};

/* Print a->input to standard output. Return the exit status. */
int script__main(const struct script_args *a);

#endif
