/* From the options of the command line to the attrs of the events. */
#ifndef RECORD_ATTR_OPTS_H
#define RECORD_ATTR_OPTS_H

#include "base/message/err.h"
#include "event/evsel/evsel.h"

enum { STACK_COPY_DEFAULT = 8192 }; /* bytes, when neither -e nor --call-graph says */

/* How often events are sampled. */
struct rate_opts {
	u64 freq;         /* -F: samples a second, when period is 0 */
	bool freq_given;  /* -F holds for breakpoints, too, which otherwise sample every touch */
	bool strict_freq; /* fail where the kernel allows less than freq */
	u64 period;       /* -c */
	bool no_samples;  /* -n */
};

/* Call chains, for events that say nothing themselves. */
struct chain_opts {
	bool is_on;
	bool lbr;          /* from the processor's branch stack */
	u32 stack_copy;    /* bytes of the user stack to copy, with the registers; 0: none */
	bool copy_given;   /* its size, by the user */
	bool unwind;       /* the copies are for the recorder to unwind, not for the file */
	bool event_copies; /* an event of -e wants stack copies */
	bool no_user, no_kernel;
	u64 user_regs; /* perf's numbers, of the registers that go with stack copies */
	u64 leaf_regs; /* perf's numbers, of the registers that go with chains along frame pointers */
};

/* What samples and the counts that are read hold besides. */
struct field_opts {
	bool addresses;    /* -d */
	bool cpu;          /* the CPU of each sample */
	bool raw;          /* -R */
	bool period;       /* -P */
	u64 bits;          /* PERF_SAMPLE_*: fields of fixed size that options ask for by name */
	u64 branch_filter; /* -b, -j: PERF_SAMPLE_BRANCH_*; 0: no branch stacks */
	u64 user_regs;     /* --user-regs: perf's numbers; 0: none */
	u64 intr_regs;     /* -I: perf's numbers; 0: none */
	bool list_regs;    /* show the names of registers, record nothing */
	bool thread_stat;  /* -s */
	bool running_time; /* --running-time: of events that are read, how long they counted */
};

/* Records about tasks and mappings. */
struct side_band_opts {
	bool no_build_ids, no_bpf_events;
	bool switches, namespaces, cgroups;
	bool data_maps; /* mappings without code */
	/* A dummy event of its own carries them, armed before everything else. */
	bool is_separate;
	bool on_exec; /* armed at exec rather than at once */
};

struct attr_opts {
	struct rate_opts rate;
	struct chain_opts chains;
	struct field_opts fields;
	struct side_band_opts side_band;
	bool no_inherit;
	bool no_buffering; /* the recorder is woken for each sample */
	bool all_user, all_kernel;
	bool use_clockid; /* -k: times are of the clock clockid (man 2 clock_gettime) */
	s32 clockid;
	bool enable_on_exec; /* the workload's exec arms the counters */
	bool per_thread;
	bool whole_cpus; /* counters are of CPUs, whoever runs there */
	bool overwrite;  /* --overwrite: the events' rings keep what is newest */
};

/* How call chains are recorded, as --call-graph names it; NULL: not at all, or as single events say. */
const char *chain_opts__mode(const struct chain_opts *o);

/*
 * Whether e goes to a ring that is overwritten, as it or the options want it. Waits and probes of single
 * processes never do: their samples are looked at in the order of time.
 */
bool attr_opts__is_overwritten(const struct attr_opts *o, const struct evsel *e);
/* ... any of l */
bool attr_opts__overwrites(const struct attr_opts *o, const struct evlist *l);
/* Appends the tracking event when opts want one, and completes every evsel's attr. */
void attr_opts__apply(const struct attr_opts *opts, struct evlist *l);
/* Completes the attrs of events that were broken out of a group again: they are on their own now. */
void attr_opts__apply_broken_up(const struct attr_opts *opts, struct evlist *l);

#endif
