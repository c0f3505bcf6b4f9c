/*
 * What was asked for of an event to be recorded and is not in its attr. The parser of -e fills it, then the
 * options that name events (--filter, -G, --off-cpu) and the recorder. An evsel read from a file has none.
 * Strings are owned by their struct.
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
 * mem:SYMBOL[@DSO][.MEMBER...][+OFFSET][/LENGTH][[START:COUNT]][:rwx]. What is not given is 0 or NULL: the
 * length is then the type's (DWARF) or the symbol's.
 */
struct watch_spec {
	char *symbol;
	char *dso;     /* after '@': a path, or a name as "libfoo.so.1" or "kernel"; NULL: the program, then
			  libraries */
	char *file;    /* recorder: the source file of a static one; NULL: any */
	char *members; /* "a.b" of "symbol.a.b", NULL: none */
	u64 offset;    /* bytes, after '+' */
	u64 length;    /* bytes, after '/'; 0: not given */
	bool is_slice; /* [START:COUNT]; [START] has a count of 1 */
	u64 start, count; /* elements where the type is known, bytes otherwise */
	u32 access;       /* HW_BREAKPOINT_R, _W, _X; 0: not given */
	size_t pos, len;  /* of the symbol in the text of -e, for messages */
	/* Settled by the recorder: */
	ARRAY(struct watch_piece) pieces; /* addresses as linked, or final if is_absolute */
	bool is_absolute;
};

/* uprobe:BINARY:FUNCTION[+OFFSET][%return], kprobe:FUNCTION[+OFFSET][%return] */
struct probe_spec {
	char *binary; /* NULL: the kernel */
	char *function;
	u64 offset; /* bytes into the function */
	bool is_return;
	size_t pos, len; /* of the function in the text of -e */
	/* Settled by the recorder: */
	char *target;       /* what the kernel is told, a path or a function; or NULL */
	bool is_everywhere; /* counts on whole processors; samples of others than the target are left out */
};

/* Terms between slashes, where they differ from the options for all events. */
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

struct event_request {
	struct event_terms terms;
	bool own_freq, own_period; /* given in -e itself: -F and -c do not apply */
	bool chose_host;           /* modifier G or H was given */
	bool sample_read;          /* modifier S: the group's values in each sample of the leader */
	bool is_weak;              /* modifier W, of a leader: the group may be broken up */
	char *pmu;                 /* the PMU that was named or found, or NULL */
	bool in_each_pmu;          /* one of several evsels, one for each PMU, of a single event in -e */
	int_array cpus;            /* CPUs on which the PMU counts; empty: all */
	char *unit;                /* of the counts, or NULL */
	double scale;              /* of the counts in unit; 0: none */
	char *tracepoint;          /* "system:event", whatever the evsel's name, or NULL */
	struct watch_spec *watch;  /* owned; NULL: not a watchpoint by name */
	struct probe_spec *probe;  /* owned; NULL: not a uprobe or kprobe */
	/* Other options: */
	char *filter;    /* --filter, or NULL */
	char *cgroup;    /* -G: count the tasks of this cgroup only; NULL: all tasks */
	int cgroup_fd;   /* its folder, owned; valid if cgroup is set */
	bool is_off_cpu; /* --off-cpu: samples context switches; its periods become the time away */
	/* Settled by the recorder: */
	bool was_broken_up; /* the kernel refused the weak group */
	bool sums_reads;    /* counts in samples become sums over threads (record/events/read_sums.h) */
};

void watch_spec__delete(struct watch_spec *w);
void event_request__delete(struct event_request *r);

/* Whether it is a probe that counts on whole processors. */
static inline bool event_request__is_everywhere(const struct event_request *r)
{
	return r->probe && r->probe->is_everywhere;
}

#endif
