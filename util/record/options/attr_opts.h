/* From the options of the command line to the attrs of the events. */
#ifndef RECORD_ATTR_OPTS_H
#define RECORD_ATTR_OPTS_H

#include "base/message/err.h"
#include "event/evsel/evsel.h"

struct attr_opts {
	u64 freq;        /* samples a second, when period is 0 */
	bool freq_given; /* by the user: holds for breakpoints, too, which otherwise sample every touch */
	u64 period;      /* -c */
	u32 stack_copy;  /* bytes of the user stack to copy, with the registers; 0: none */
	bool unwind;     /* the copies are for the recorder to unwind, not for the file */
	/* perf's numbers, of the registers that go with stack copies, also those of single events */
	u64 user_regs;
	u64 leaf_regs; /* perf's numbers, of the registers that go with chains along frame pointers */
	bool event_stack_copies; /* an event of -e wants stack copies */
	bool lbr;                /* call chains from the processor's branch stack */
	bool callchains, no_user_callchains, no_kernel_callchains;
	bool no_inherit;
	bool no_samples;   /* -n */
	bool addresses;    /* -d */
	bool thread_stat;  /* -s */
	bool running_time; /* --running-time: of events that are read, how long they counted */
	bool cpu;          /* the CPU of each sample */
	bool raw;          /* -R */
	bool no_buffering; /* the recorder is woken for each sample */
	bool want_period;  /* -P */
	u64 sample_bits;   /* PERF_SAMPLE_*: fields of fixed size that options ask for by name */
	u64 branch_filter; /* -b, -j: PERF_SAMPLE_BRANCH_*; 0: no branch stacks */
	u64 sampled_user_regs, intr_regs; /* perf's numbers, of the registers in each sample; 0: none */
	bool list_regs;                   /* they are asked for, not to be recorded */
	bool all_user, all_kernel;
	bool no_build_ids;
	bool no_bpf_events;
	bool switch_events, namespaces, cgroups, data_maps; /* the side-band has these, too */
	bool use_clockid; /* -k: times are of the clock clockid (man 2 clock_gettime) */
	s32 clockid;
	bool enable_on_exec; /* the workload's exec arms the counters */
	bool per_thread;
	bool whole_cpus; /* counters are of CPUs, whoever runs there */
	bool overwrite;  /* --overwrite: the events' rings keep what is newest */
	/* A dummy event of its own carries the side-band, armed before everything else. */
	bool separate_tracking;
	bool tracking_on_exec; /* ... at exec rather than at once */
};

/*
 * Whether maps without code are recorded. Stock perf 6.1 finds the call frame information for stack copies
 * through them.
 */
static inline bool attr_opts__wants_data_maps(const struct attr_opts *o)
{
	return o->addresses || o->data_maps ||
	       ((o->event_stack_copies || (o->callchains && o->stack_copy)) && !o->unwind);
}

/* How call chains are recorded, as --call-graph names it; NULL: not at all, or as single events say. */
const char *attr_opts__chain_mode(const struct attr_opts *o);

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
