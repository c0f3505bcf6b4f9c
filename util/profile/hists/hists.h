/*
 * The view that a report shows: a profile's rows, named, filtered, and folded by the sort keys. Three
 * stages: the profile counts (profile.h), the view folds and sorts, the user interface shows. Showing a
 * view does not change it.
 *
 *	view__build():	rows -> folds	   looks up each distinct address, builds each distinct chain once
 *			folds -> entries   self and children's totals for each combination of sort keys
 *			sorts the entries
 *	view__recount():	the second step again, for another filter: nothing is read or named again
 *	view__call_tree(): the call tree of one entry, built from its folds' chains when it is shown
 */
#ifndef PROFILE_HISTS_H
#define PROFILE_HISTS_H

#include "format/read/features.h"
#include "profile/branches/branch_history.h"
#include "profile/branches/branches.h"
#include "profile/trees/call_tree.h"
#include "profile/trees/chains.h"
#include "profile/keys/extras.h"
#include "profile/keys/layout.h"
#include "profile/keys/sample_filter.h"
#include "profile/gather/profile.h"
#include "profile/branches/ipc.h"
#include "profile/waits/locks.h"
#include "profile/waits/time_table.h"

#include <regex.h>

enum hist_filter { /* why an entry is hidden; the totals still include it */
		   HIST_FILTER_THREAD = 1 << 0,
		   HIST_FILTER_DSO = 1 << 1,
		   HIST_FILTER_SYMBOL = 1 << 2,
		   HIST_FILTER_GUEST = 1 << 3,
		   HIST_FILTER_TEXT = 1 << 4, /* view_opts.symbol_filter does not match */
		   HIST_FILTER_PARENT = 1 << 5,
		   HIST_FILTER_CONTEXT = 1 << 6, /* what other records say: parallelism, the lock */
		   HIST_FILTER_SOCKET = 1 << 7,
};

struct hist_stat {
	u64 period, nr;
	u64 period_children; /* including callees */
	/* periods divided by the number of threads that ran (samples, with callees); sums of weights */
	u64 latency, latency_children, weights[3];
	/* of period, that of the kernel, user code, and both of guests */
	u64 period_sys, period_user, period_guest_sys, period_guest_user;
	/* of branches before the samples, those of callees included: branch_history.h */
	u64 branches, known, predicted, aborted, cycles;
	u64 waiting, waiting_children; /* in a time table: the part of period and period_children, ns */
};

#define TREE_NONE UINT64_MAX

struct hist_entry {
	/* of the earliest sample: ns, position in the file */
	u64 first_time, first_offset;
	u32 thread, pid, tid;
	u32 comm;  /* as row_key.comm */
	u32 cpu;   /* UINT32_MAX: not recorded */
	u32 place; /* place of a branch's target */
	u32 branch;
	u32 extra; /* id in view.extras */
	/*
	 * place of the data that was accessed, if layout.data is set; blocks: place of the branch at the end
	 */
	u32 data;
	u32 parent; /* text id: the function that -p names, if layout.parent is set; 0: none */
	char level;
	u8 wait; /* enum wait_kind of the sample */
	bool is_idle;
	/* enum hist_filter; filtered and other samples have separate entries */
	u8 filtered;

	u32 hists;               /* idx of its hists */
	u32 max_depth;           /* length of the longest chain in its call tree */
	struct hist_stat *stats; /* by member of the group of its hists */
	u64 *parts;              /* periods by member, then by part of layout.divided; NULL: there are none */
	u32 stamp;               /* last fold + 1 counted here, so that recursion counts once */
	u32 nr_paths;            /* number of chains in its call tree */
	u32 depth;               /* level in a hierarchy */
	/* of an entry that sums up others: the first of them */
	const struct hist_entry *below;
	u64 first_path; /* index in view.paths; TREE_NONE: too small to show a tree */
};

struct hists {                     /* entries of one event, or of a group of events */
	const struct evsel *evsel; /* the event, or the group's leader */
	u32 nr_members;
	u32 idx;
	bool is_of_times;         /* the time table; evsel is the first of its events */
	struct hist_stat *totals; /* of all samples, by member; period_children is unused */
	struct hist_stat *shown;  /* of samples with an entry that is not filtered */
	u64 *parts;               /* of all samples, as in entries */
	/* sorted; hierarchies also have entries that sum others up, each before those below it */
	ARRAY(struct hist_entry *) entries;
	/* A field of a tracepoint is a column only in the hists of its event. */
	const struct column **sorts; /* the layout's sort keys that apply to these entries */
	size_t nr_sorts;
	const struct column **shown_sorts; /* those that are not elided */
	size_t nr_shown_sorts;
	bool *has_field;  /* by index of the layout's fields */
	unsigned *widths; /* by index of the layout's fields */
	u64 averages;     /* of blocks: the average cycles of all entries, added up */
};

enum graph_mode {
	GRAPH_NONE,
	GRAPH_ABSOLUTE, /* graph: percentages of the total */
	GRAPH_RELATIVE, /* fractal: percentages of the parent */
	GRAPH_FLAT,
	GRAPH_FOLDED,
};

struct wait_opts {
	const struct time_table *times;       /* the recording has waits; NULL: none, or they do not matter */
	bool one_table;                       /* show the events of times together; periods are ns */
	bool no_idle;                         /* leave out idle waits: idle.h */
	const struct wakers *wakers;          /* NULL: not wanted */
	const struct sample_weights *weights; /* periods are those; NULL: they are not */
	const struct locks *locks;            /* NULL: not wanted */
};

struct view_opts {
	const struct layout *layout;
	const struct trace_keys *traces; /* NULL: none */
	bool branches;                   /* rows are branches; for layout.ipc with profile_opts.starts */
	bool blocks;                     /* rows are code between branches; periods are cycles */
	bool block_cycles;               /* of blocks, keep how often they took how many cycles */
	bool mem_mode;                   /* periods are weights */
	bool children;                   /* add callees' cost to their callers */
	bool relative;                   /* percentages of what is shown, not of the total */
	bool last_chains;                /* events without call chains have those of others */
	bool hierarchy;                  /* entries are a tree by the sort keys */
	bool group;                      /* show the events of a group side by side */
	bool force_group;                /* if there is no group, treat all events as one */
	bool widths_given;               /* -w or -t: addresses without symbol do not widen columns of dsos */
	bool nanoseconds;                /* show times with nine digits after the point, not six */
	unsigned group_sort_idx;         /* member of groups by whose values rows are sorted first */
	bool ignore_guest;               /* count guest samples without showing them */
	struct wait_opts waits;
	enum graph_mode graph;
	double graph_percent; /* smallest branch shown, % */
	struct chain_opts chain;
	struct places_opts places;
	struct sample_filter filter; /* not owned; layout.words has the parallelism if it filters by it */
	const int *socket;           /* show only samples of this processor socket; NULL: of all */
	const char *symbol_filter;   /* show symbols whose name contains this; NULL: all */
	const regex_t *parent;       /* functions that are parents (-p); NULL: nothing depends on them */
	bool exclude_other;          /* hide samples without a parent */
	bool is_live;        /* view__add may follow; nothing depends on threads as the machine knows them */
	bool trees_later;    /* call trees are made by stack_tree.h, not by view__call_tree */
	unsigned nr_threads; /* 0: 1 */
};

struct fold_kind { /* data that many folds share */
	u32 event, comm, thread, pid, tid, cpu;
	u32 level_filtered; /* level << 8 | filters (enum hist_filter) that exclude all its entries */
	u32 branch;         /* 0 unless rows are branches */
	u32 extra;
	u32 data; /* as in hist_entry; also, there is no padding: kinds are compared as bytes */
};

/* Samples that are equal after lookup. */
struct fold {
	u32 kind; /* index in view.kinds */
	u32 place, chain;
	u32 first; /* thread of the earliest sample: index in view.firsts */
	u64 nr, period;
	u64 first_time, first_offset;
};

struct fold_thread {
	u32 thread, pid, tid;
};

struct fold_history {              /* the branches before the samples of a fold */
	struct chain_flags *flags; /* list, by place of the chain; NULL: none */
	struct branch_sums sums;   /* of all places */
};

struct thread_info {        /* a thread at the end of the recording */
	u32 pid, tid, comm; /* comm as row_key.comm */
};

struct path_ref { /* the chain of a fold, from a position on */
	u32 fold, from;
};

struct cycles_count { /* how often code took so many cycles */
	u32 cycles;
	u64 nr;
};

struct code_block {                        /* the code up to a branch: code_blocks.c */
	u32 start, end;                    /* places, with lines */
	u64 start_addr;                    /* in the binary; UINT64_MAX: not looked up yet */
	bool is_seen;                      /* a branch led to the start */
	ARRAY(struct cycles_count) counts; /* in any order; empty unless opts.block_cycles */
};
typedef ARRAY(struct code_block) code_blocks;

struct view_zoom {                          /* of view__recount */
	const struct sample_filter *filter; /* applies to samples that opts.filter keeps; NULL: none */
	ARRAY(u8) kinds;                    /* by kind: enum hist_filter, the filters that exclude it */
};

struct view_counts {    /* samples */
	u64 unresolved; /* whose address has no symbol */
	u64 unmapped;   /* ... or is unmapped */
	u64 made_up;    /* ... or whose function has a made-up name */
	u64 hidden;     /* left out by -U */
};

struct view {
	struct view_opts opts;
	struct profile *profile;
	struct places places;
	struct chains chains;
	struct branches branches;
	struct extras extras;
	code_blocks blocks; /* by hist_entry.data */
	struct ipc_table ipc;
	struct cpu_parts cpus; /* empty unless rows are shown or filtered by sockets */
	struct arena arena;    /* of what view__recount keeps */
	struct arena counted;  /* of entries and their sums */
	struct view_zoom zoom;
	ARRAY(struct hists) hists;             /* in the order of events */
	u32 *hists_of_event, *member_of_event; /* by evsel idx */
	ARRAY(struct fold) folds;
	ARRAY(struct fold_kind) kinds;
	ARRAY(struct fold_thread) firsts;
	ARRAY(struct fold_history) histories; /* by fold; empty unless opts.chain.history */
	ARRAY(u8) place_filters;              /* by place, for view__place_filters; 0: not computed yet */
	ARRAY(u32) parents;                 /* by place: text id + 2 if it is one, else 1; 0: not known yet */
	ARRAY(struct hist_entry *) entries; /* of all hists */
	struct hash_table by_identity;
	u64 *identities[2];                /* scratch: words of the two entries compared */
	ARRAY(struct thread_info) threads; /* by hist_entry.thread */
	ARRAY(struct path_ref) paths;      /* chains of the call trees, entry by entry */
	struct entry_cache *cache;         /* used in entries.c during view__build */
	struct view_counts nr;
	ARRAY(u32) waker_texts; /* text ids, by row of opts.wakers */
	u64 idle_ns;            /* time in idle waits, of what the totals count */
};

static inline const struct fold_kind *fold__kind(const struct view *v, const struct fold *f)
{
	return &v->kinds.v[f->kind];
}

/* Return where a value is in a stat. */
static inline u64 *column__stat(const struct column *c, struct hist_stat *s)
{
	return (u64 *)(void *)((char *)s + c->stat);
}

/* Is a part of a divided column shown, because there are samples of it? */
bool hists__has_part(const struct hists *h, const struct view *v, const struct column *c, u32 part);

/* Build the view. p has no rows afterwards. */
void view__build(struct view *v, struct profile *p, const struct view_opts *opts);
/*
 * Add the rows of another part of the recording, which the session has gone on to (session__next). The view
 * must be live. p is the view's profile from now on, and has no rows afterwards; *zoom as in view__recount,
 * which this does, too.
 */
void view__add(struct view *v, struct profile *p, const struct sample_filter *zoom);
/*
 * Age a live view: let all that was counted so far weigh 7/8 of what it did, and forget what got no sample
 * since a time (ns, of the recording). view__recount or view__add must follow.
 */
void view__decay(struct view *v, u64 since);
/*
 * Count the folds again, with a filter on top of that of the options: --comms, --dsos and --symbols. All
 * other filters need another pass, as do those for binaries and functions if rows are branches. NULL: no
 * such filter. zoom must live until the next call. Hists, entries and call trees are made anew: pointers to
 * them become invalid. opts.relative, group_sort_idx, parent and exclude_other may be changed before.
 */
void view__recount(struct view *v, const struct sample_filter *zoom);
/* Return why the samples of a fold are hidden (enum hist_filter), or 0. */
u8 view__fold_filters(struct view *v, const struct fold *f);
void view__exit(struct view *v);

/*
 * Return the thread name of an entry, or ":TID" if it is unknown. The text is valid until the next call
 * with buf.
 */
const char *view__comm(const struct view *v, u32 comm, char buf[16]);
/* Return what an entry waited for (profile/waits/locks.h), or NULL if its samples do not say that. */
const char *entry_lock_text(const struct view *v, const struct hist_entry *e);
/* Return the last name of the thread, for column widths. */
const char *view__last_comm(const struct view *v, const struct hist_entry *e, char buf[16]);
/*
 * Return the call tree of an entry, or NULL if nothing in it is large enough to show. trees: used for this
 * view only.
 */
const struct call_node *view__call_tree(struct view *v, const struct hist_entry *e, bool by_place,
					struct call_trees *trees);
/*
 * Return the call tree of all samples of h that are in an entry that is shown. trees: as above.
 */
const struct call_node *view__whole_tree(struct view *v, const struct hists *h, struct call_trees *trees);
/* Return the block of an entry, and its place in the function: offsets of the first and last instruction. */
const struct code_block *view__block(const struct view *v, const struct hist_entry *e, u64 *start, u64 *end);
/* Append "[FILE:LINE -> FILE:LINE]", or "[FUNCTION+N -> FUNCTION+N]" if lines are not known; masked. */
void view__add_block_range(const struct view *v, const struct hist_entry *e, struct strbuf *sb);
/* Return the average cycles of a block, rounded down. */
u64 entry__average_cycles(const struct hist_entry *e);
u64 hists__total(const struct view *v, const struct hists *h, u32 member); /* 100% for percentages */
/* Return the member of h whose values decide order and limits. */
static inline u32 hists__sort_member(const struct view *v, const struct hists *h)
{
	return v->opts.group_sort_idx < h->nr_members ? v->opts.group_sort_idx : 0;
}

/* Return the socket of a cpu, or -1 if it is unknown. */
static inline int view__socket(const struct view *v, u32 cpu)
{
	return cpu < v->cpus.sockets.nr ? v->cpus.sockets.v[cpu] : -1;
}

/*
 * Get the range of fields that the entries at a depth of a hierarchy show; some of the range may be hidden.
 * Return false if there is no such level.
 */
bool hists__level(const struct hists *h, const struct view *v, u32 depth, size_t *begin, size_t *end);
u32 hists__nr_levels(const struct hists *h, const struct view *v);
/* Does such a view need chains at all? */
bool view_opts__need_chains(const struct view_opts *o);

#endif
