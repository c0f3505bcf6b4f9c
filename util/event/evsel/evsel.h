/*
 * The selected events of a recording. An evsel is one event: what was asked of the kernel
 * (attr), its name and the ids that its records carry. An evlist is the ordered set of them
 * and finds the evsel of an id. Built by the reader (from a file) or by the parser of -e (for
 * recording); immutable afterwards, so lookups are thread-safe. The evlist owns its evsels.
 */
#ifndef EVENT_EVSEL_H
#define EVENT_EVSEL_H

#include "base/memory/array.h"
#include "base/system/file.h"
#include "base/memory/hash.h"
#include "base/memory/types.h"
#include "event/evsel/event_spec.h"

#include <linux/perf_event.h>

/* What newer kernels' headers name; the numbers are ABI (include/uapi/linux/perf_event.h). */
#define EVENT_ATTR_SIZE_MIN 64    /* PERF_ATTR_SIZE_VER0 */
#define EVENT_ATTR_SIZE_MAX 65536 /* more is nonsense */

/* Recorder: what the terms between slashes say of one event, where it differs from the options for all. */
enum term_switch { TERM_NOT_GIVEN, TERM_OFF, TERM_ON };
enum term_call_graph { CALL_GRAPH_NOT_GIVEN, CALL_GRAPH_NO, CALL_GRAPH_FP, CALL_GRAPH_DWARF, CALL_GRAPH_LBR };
enum {
	STACK_COPY_MAX = 65528,    /* bytes: the record of a sample is at most 64 KiB long */
	STACK_COPY_USABLE = 65000, /* bytes: such a record has room for them beside the usual fields */
};

struct event_terms {
	enum term_call_graph call_graph;
	u32 stack_size;    /* bytes of each stack copy; 0: not given */
	u16 max_stack;     /* entries of a call chain; 0: not given */
	u64 branch_filter; /* PERF_SAMPLE_BRANCH_*; 0: not given */
	enum term_switch time, inherit, overwrite;
	bool percore;
};

struct evsel {
	u32 idx;                     /* position in the evlist, from 0 */
	struct perf_event_attr attr; /* native byte order; what the source lacked is 0 */
	u32 attr_size;               /* bytes of attr that the source had (may be more than sizeof attr) */
	u64 config3;                 /* attr bytes 128..135, 0 if the source had none */
	char *name; /* as the user wrote it or as recorded; never NULL after evlist__finish_names */
	char *unit; /* of its counts, NULL if none */
	ARRAY(u64) ids;
	u32 leader;       /* idx of the group's leader, own idx when alone */
	u32 nr_members;   /* of the group, set in the leader; 1 when alone */
	bool is_fallback; /* recorder: chosen because the default could not be opened */
	/* recorder: samples where threads are switched away from; its periods become the time away */
	bool is_off_cpu;
	bool own_freq, own_period; /* recorder: given in -e itself, -F and -c do not apply */
	struct watch_spec
		*watch; /* recorder: the breakpoint's address is still to be found; owned; NULL: none */
	struct probe_spec *probe; /* recorder: the probe is still to be placed; owned; NULL: none */
	char *filter;             /* recorder: --filter of a tracepoint, NULL: none; owned */
	char *tracepoint;         /* recorder: "system:event", whatever the name; NULL: none; owned */
	char *cgroup;             /* recorder: counts its tasks only; NULL: all; owned */
	int cgroup_fd;            /* recorder: the folder of that one; owned, if there is one */
	struct event_terms terms;
	char *pmu;        /* recorder: the PMU that was named or found, NULL: none; owned */
	bool in_each_pmu; /* recorder: one of several that one event of -e stands for, one for each PMU */
	bool chose_host;  /* recorder: G or H was given */
	int_array cpus;   /* recorder: where its PMU counts; empty: everywhere */
	double scale;     /* of its counts in unit; 0: none */
	char *group_name; /* of the group that it leads: "{...}" with a name in front; NULL: none; owned */
	bool sample_read; /* recorder: S, the group's values in each sample of the leader */
	/* recorder: counts in samples become sums over threads (record/events/read_sums.h) */
	bool sums_reads;
	bool was_broken_up; /* recorder: the kernel did not take its weak group */
	bool is_weak;       /* recorder: W in the leader: the group may be broken up */
};

struct evlist {
	ARRAY(struct evsel *) evsels;
	struct hash_table by_id;
	ARRAY(struct {
		u64 id;
		u32 idx;
	})
	id_map;
};

void evlist__init(struct evlist *l);
void evlist__exit(struct evlist *l);
/* Appends an evsel with this attr (only attr_size bytes of it count); name may be NULL. Returns it. */
struct evsel *evlist__add(struct evlist *l, const void *attr, size_t attr_size, const char *name);
/* Moves all of from's evsels behind those of l, with their groups; from is empty then. They have no ids yet.
 */
void evlist__move(struct evlist *l, struct evlist *from);
/* Makes the nr evsels from first on one group. */
void evlist__group(struct evlist *l, size_t first, size_t nr);
/* Gives evsel the id. The first evsel to get an id keeps it. */
void evlist__add_id(struct evlist *l, struct evsel *e, u64 id);
/* The evsel of id; the only evsel whatever the id when there is one; NULL if unknown. */
struct evsel *evlist__by_id(const struct evlist *l, u64 id);
/* Gives every nameless evsel the name that its attr implies ("cycles:u"). */
void evlist__finish_names(struct evlist *l);
/* Bits that all evsels' sample_type share / that any has. */
u64 evlist__sample_type_any(const struct evlist *l);
u64 evlist__sample_type_all(const struct evlist *l);
bool evlist__sample_id_all(const struct evlist *l); /* of the first evsel; true when empty */

#endif
