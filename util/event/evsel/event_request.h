/*
 * Requests of the user about an event to be recorded that its attr cannot hold. The parser of -e fills it,
 * then the options that name events (--filter, -G, --off-cpu) and the recorder. An evsel read from a file has
 * none. Strings are owned by their struct.
 */
#ifndef EVENT_EVENT_REQUEST_H
#define EVENT_EVENT_REQUEST_H

#include "base/system/file.h"
#include "base/memory/types.h"

/* One hardware watchpoint. */
struct watch_piece {
	u64 addr, len; /* bytes */
};

/*
 * mem:SYMBOL[@DSO][.MEMBER...][+OFFSET][/LENGTH][[START:COUNT]][:rwx]. Parts not given are 0 or NULL; the
 * length is then the type's (DWARF) or the symbol's.
 */
struct watch_spec {
	char *symbol;
	/*
	 * after '@': a path, or a name such as "libfoo.so.1" or "kernel"; NULL: the program, then libraries
	 */
	char *dso;
	char *file;       /* set by the recorder: the source file of a static symbol; NULL: any */
	char *members;    /* "a.b" of "symbol.a.b", or NULL */
	u64 offset;       /* bytes, after '+' */
	u64 length;       /* bytes, after '/'; 0: not given */
	bool is_slice;    /* [START:COUNT]; [START] has a count of 1 */
	u64 start, count; /* elements if the type is known, otherwise bytes */
	u32 access;       /* HW_BREAKPOINT_R, _W, _X; 0: not given */
	size_t pos, len;  /* position and length of the symbol in the text of -e, for messages */
	/* Set by the recorder: */
	ARRAY(struct watch_piece) pieces; /* addresses as linked, or final if is_absolute */
	bool is_absolute;
};

/* uprobe:BINARY:FUNCTION[+OFFSET][%return], kprobe:FUNCTION[+OFFSET][%return] */
struct probe_spec {
	char *binary; /* NULL: the kernel */
	char *function;
	u64 offset; /* bytes into the function */
	bool is_return;
	size_t pos, len; /* position and length of the function in the text of -e */
	/* Set by the recorder: */
	char *target;       /* path or function to give to the kernel, or NULL */
	bool is_everywhere; /* counts on whole CPUs; samples outside the target are dropped */
};

/* A place where spans begin or end: a counter on each CPU. */
struct span_point {
	bool is_end;
	bool is_return; /* the function's return, wherever it is */
	bool is_shared; /* also reached from elsewhere: an end only with the stack pointer of the begin */
	u64 offset, semaphore; /* bytes in the file; semaphore 0: none */
	char *target;          /* file to give to the kernel; NULL: a tracepoint */
	u32 type;              /* of the attr */
	u64 config;            /* of a tracepoint: its number */
};

/* --span FUNCTION, BEGIN..END: record/watch/span_points.h */
struct span_spec {
	char *begin, *end; /* as written; end NULL: the function's own */
	/* Set by the recorder; with watchpoints (event_request.watch) in the order of their pieces: */
	ARRAY(struct span_point) points;
	bool restarts;      /* the function jumps to its own beginning: that is no new span */
	bool is_everywhere; /* counts on whole CPUs; spans outside the target are dropped */
};

/* Terms between slashes that override the options for all events. */
enum term_switch { TERM_NOT_GIVEN, TERM_OFF, TERM_ON };
enum term_call_graph { CALL_GRAPH_NOT_GIVEN, CALL_GRAPH_NO, CALL_GRAPH_FP, CALL_GRAPH_DWARF, CALL_GRAPH_LBR };

struct event_terms {
	enum term_call_graph call_graph;
	u32 stack_size;    /* bytes of each stack copy; 0: not given */
	u16 max_stack;     /* entries of a call chain; 0: not given */
	u64 branch_filter; /* PERF_SAMPLE_BRANCH_*; 0: not given */
	enum term_switch time, inherit, overwrite;
	bool percore;
};

/* Events of perf stat that no counter of the kernel has: times of the command. */
enum tool_event { TOOL_NONE, TOOL_DURATION_TIME, TOOL_USER_TIME, TOOL_SYSTEM_TIME };

struct event_request {
	struct event_terms terms;
	enum tool_event tool;      /* TOOL_NONE: the kernel counts it */
	bool own_freq, own_period; /* given in -e itself: -F and -c do not apply */
	bool chose_host;           /* modifier G or H was given */
	bool sample_read;          /* modifier S: the group's values in each sample of the leader */
	bool is_weak;              /* modifier W, in a leader: the group may be broken up */
	char *pmu;                 /* the PMU that the event was named with or found in, or NULL */
	bool in_each_pmu;          /* one of several evsels, one per PMU, that a single event of -e makes */
	int_array cpus;            /* CPUs on which the PMU counts; empty: all */
	char *unit;                /* of the counts, or NULL */
	double scale;              /* of the counts in unit; 0: none */
	char *tracepoint;          /* "system:event", whatever the evsel is called, or NULL */
	struct watch_spec *watch;  /* owned; NULL: not a named watchpoint */
	struct probe_spec *probe;  /* owned; NULL: not a uprobe or kprobe */
	struct span_spec *span;    /* owned; NULL: its samples are not spans */
	/* Other options: */
	char *filter;    /* --filter, or NULL */
	char *cgroup;    /* -G: count the tasks of this cgroup only; NULL: all tasks */
	int cgroup_fd;   /* descriptor of the cgroup's directory, owned; valid if cgroup is set */
	bool is_off_cpu; /* --off-cpu: samples context switches; the period is the time off CPU */
	/*
	 * --off-cpu=locks: samples have details (format/records/wait_detail.h), as those of two more events
	 */
	bool has_wait_details, is_waking, is_ready_time;
	/* Set by the recorder: */
	bool was_broken_up; /* the kernel refused the weak group */
	/* is_waking: threads are also woken by interrupts and other programs; others' wakings are dropped */
	bool wakes_everywhere;
	bool sums_reads; /* counts in samples become sums over threads (record/events/read_sums.h) */
};

void watch_spec__delete(struct watch_spec *w);
/* Has the kernel a return probe for it? */
bool span_spec__returns(const struct span_spec *s);
void span_spec__clear_points(struct span_spec *s);
void event_request__delete(struct event_request *r);

/* Does the event have a probe that counts on whole CPUs? */
static inline bool event_request__probes_everywhere(const struct event_request *r)
{
	return (r->probe && r->probe->is_everywhere) || (r->span && r->span->is_everywhere);
}

/* Does the event count on whole CPUs, whatever the target is? */
static inline bool event_request__is_everywhere(const struct event_request *r)
{
	return event_request__probes_everywhere(r) || r->wakes_everywhere;
}

/* Is it one of the events of --off-cpu? The recorder makes their samples. */
static inline bool event_request__is_of_waits(const struct event_request *r)
{
	return r->is_off_cpu || r->is_waking || r->is_ready_time;
}

#endif
