/* Turns command line options into the attrs of the events. */
#ifndef RECORD_ATTR_OPTS_H
#define RECORD_ATTR_OPTS_H

#include "base/message/err.h"
#include "event/evsel/evsel.h"

enum { STACK_COPY_DEFAULT = 8192 }; /* bytes, without a size in -e or --call-graph */

/* Sampling frequency or period. */
struct rate_opts {
	u64 freq;         /* -F: samples a second; used if period is 0 */
	bool freq_given;  /* -F also applies to breakpoints, which sample every access by default */
	bool strict_freq; /* fail if the kernel allows less than freq */
	u64 period;       /* -c */
	bool no_samples;  /* -n */
	bool fixed;       /* --fixed-rate: samples at equal distances */
};

/* Call chains, for events that do not set their own. */
struct callchain_opts {
	bool is_on, is_given;
	const char *default_mode; /* of -g, as --call-graph names it; NULL: auto */
	unsigned default_copy;    /* bytes, of --call-graph dwarf without a size; 0: STACK_COPY_DEFAULT */
	bool lbr;                 /* from the processor's branch stack */
	u32 stack_copy;           /* bytes of the user stack to copy, together with registers; 0: none */
	bool copy_given;          /* the user gave the size of copies */
	bool unwind;              /* the recorder unwinds the copies; they do not go to the file */
	bool event_copies;        /* an event of -e asks for stack copies */
	bool no_user, no_kernel;
	u64 user_regs; /* registers to record with stack copies, as perf numbers them; from attr_args.c */
	u64 leaf_regs; /* registers to record with frame pointer chains, as perf numbers them */
};

/* Additional fields of samples and of counts. */
struct field_opts {
	bool addresses;    /* -d */
	bool cpu;          /* the CPU of each sample */
	bool raw;          /* -R */
	bool period;       /* -P */
	u64 bits;          /* PERF_SAMPLE_* of fields with a fixed size, each with its own option */
	u64 branch_filter; /* -b, -j: PERF_SAMPLE_BRANCH_*; 0: no branch stacks */
	u64 user_regs;     /* --user-regs: bits as perf numbers registers; 0: none */
	u64 intr_regs;     /* -I: bits as perf numbers registers; 0: none */
	bool list_regs;    /* list register names, record nothing */
	bool thread_stat;  /* -s */
	bool running_time; /* --running-time: also read how long events counted */
};

/* Records about tasks and mappings. */
struct side_band_opts {
	bool no_build_ids, no_bpf_events;
	/*
	 * read build-ids from files: while the kernel writes them for one recorder, it says of the maps of
	 * all others that they have one, too, and stock perf 6.1 then crashes (seen in Linux 6.18)
	 */
	bool ids_from_files;
	bool switches, namespaces, cgroups;
	bool data_maps; /* also mappings without code */
	/* A separate dummy event carries them. It is enabled before all other events. */
	bool is_separate;
	bool on_exec; /* enable it at exec, not at once */
};

struct attr_opts {
	struct rate_opts rate;
	struct callchain_opts chains;
	struct field_opts fields;
	struct side_band_opts side_band;
	bool no_inherit;
	bool no_buffering; /* wake up the recorder for each sample */
	bool all_user, all_kernel;
	bool use_clockid; /* -k: timestamps are from clock clockid (man 2 clock_gettime) */
	s32 clockid;
	bool enable_on_exec; /* the workload's exec enables the counters */
	bool per_thread;
	bool whole_cpus; /* counters belong to CPUs, not to threads */
	bool overwrite;  /* --overwrite: rings keep only the newest records */
	u64 span_ms;     /* --overwrite=SPAN: time that they must keep, in ms; 0: not given */
};

/*
 * Return the mode of call chains, as --call-graph names it, or NULL for none, or if only single events set
 * their own.
 */
const char *callchain_opts__mode(const struct callchain_opts *o);

/* Return whether any event of l goes to an overwritten ring. */
bool attr_opts__overwrites(const struct attr_opts *o, const struct evlist *l);
/* Add the tracking event if opts ask for one, and complete the attr of every evsel. */
void attr_opts__apply(const struct attr_opts *opts, struct evlist *l);
/* Complete the attrs of events whose group was broken up: they are single events now. */
void attr_opts__apply_broken_up(const struct attr_opts *opts, struct evlist *l);

#endif
