/*
 * The view that a report asked for: a profile's rows, named, filtered, and folded by the sort keys.
 * Three stages, as everywhere: the profile counts (profile.h), the view folds and sorts, the
 * user interface shows. The view is not changed by showing it.
 *
 *	view__build():	rows -> folds	   each distinct address is looked up, each distinct chain made once
 *			folds -> entries   self and children's totals per combination of sort keys
 *			entries sorted
 *	view__call_tree(): the call tree of one entry, made of its folds' chains when it is shown
 */
#ifndef PROFILE_HISTS_H
#define PROFILE_HISTS_H

#include "profile/gather/branches.h"
#include "profile/hists/call_tree.h"
#include "profile/gather/chains.h"
#include "profile/keys/extras.h"
#include "profile/keys/layout.h"
#include "profile/keys/name_list.h"
#include "profile/gather/profile.h"

enum hist_filter { /* why an entry is not shown; it still counts in the totals */
		   HIST_FILTER_THREAD = 1 << 0,
		   HIST_FILTER_DSO = 1 << 1,
		   HIST_FILTER_SYMBOL = 1 << 2,
		   HIST_FILTER_GUEST = 1 << 3,
		   HIST_FILTER_TEXT = 1 << 4, /* view_opts.symbol_filter */
};

struct hist_stat {
	u64 period, nr;
	u64 period_children; /* with its callees' */
};

#define TREE_NONE UINT64_MAX

struct hist_entry {
	/* Of the earliest sample. */
	u64 first_time, first_offset;
	u32 thread, pid, tid;
	u32 comm;  /* as row_key.comm */
	u32 cpu;   /* UINT32_MAX: not recorded */
	u32 place; /* of a branch: its target's */
	u32 branch;
	u32 extra; /* of view.extras */
	char level;
	/* enum hist_filter; samples that are filtered have entries apart from those that are not */
	u8 filtered;

	u32 hists;               /* idx */
	u32 max_depth;           /* longest chain in its call tree */
	struct hist_stat *stats; /* by member of the hists' group */
	u32 stamp;               /* the last fold that was counted here: recursion counts once */
	u32 nr_paths;            /* chains in its call tree */
	u64 first_path;          /* in view.paths; TREE_NONE: too small to show a tree */
};

struct hists {                     /* of one event, or of a group of events */
	const struct evsel *evsel; /* or the leader */
	u32 nr_members;
	u32 idx;
	struct hist_stat *totals;           /* of all samples, by member; without period_children */
	struct hist_stat *shown;            /* of those with an entry that is not filtered */
	ARRAY(struct hist_entry *) entries; /* sorted */
	/* Fields of tracepoints are columns of their event only. */
	const struct column **sorts; /* those of the layout that these entries have */
	size_t nr_sorts;
	const struct column **shown_sorts; /* without those that are elided */
	size_t nr_shown_sorts;
	bool *has_field;  /* by field of the layout */
	unsigned *widths; /* of the layout's fields */
};

enum graph_mode {
	GRAPH_NONE,
	GRAPH_ABSOLUTE, /* graph: percentages of everything */
	GRAPH_RELATIVE, /* fractal: of the parent */
	GRAPH_FLAT,
	GRAPH_FOLDED,
};

struct view_opts {
	const struct layout *layout;
	const struct trace_keys *traces; /* NULL: none */
	bool branches;                   /* rows are of branches */
	bool children;                   /* add up what callees cost, per caller */
	bool relative;                   /* percentages of what is shown, not of everything */
	bool group;                      /* events of a group side by side */
	bool force_group;                /* all events as one group, if there is no group */
	bool ignore_guest;               /* count what guests did, without showing it */
	enum graph_mode graph;
	double graph_percent; /* smallest branch shown */
	struct chain_opts chain;
	struct places_opts places;
	struct name_list comms, dsos, symbols; /* not owned */
	number_list pids, tids;
	const char *symbol_filter; /* part of a symbol's name, NULL: all */
	unsigned nr_threads;       /* 0: 1 */
};

/* Equal samples after naming. */
struct fold {
	u32 event, comm, thread, pid, tid, cpu, place, chain;
	u32 level_filtered; /* level << 8 | filters of all its entries: enum hist_filter */
	u32 branch;         /* 0 unless rows are of branches */
	u32 extra;
	u32 zero; /* no padding that compares different */
	u64 nr, period;
	u64 first_time, first_offset;
	u32 first_thread, first_pid, first_tid;
};

struct thread_info {        /* a thread at the recording's end */
	u32 pid, tid, comm; /* comm as row_key.comm */
};

struct path_ref { /* the chain of a fold from a place on */
	u32 fold, from;
};

struct view {
	struct view_opts opts;
	struct profile *profile;
	struct places places;
	struct chains chains;
	struct branches branches;
	struct extras extras;
	struct arena arena;
	ARRAY(struct hists) hists;             /* in the order of the events */
	u32 *hists_of_event, *member_of_event; /* by evsel idx */
	ARRAY(struct fold) folds;
	ARRAY(u8) place_filters;            /* by place, of fold.c; 0: not known yet */
	ARRAY(struct hist_entry *) entries; /* of all hists */
	struct hash_table by_identity;
	u64 *identities[2];                /* of two entries that are compared */
	ARRAY(struct thread_info) threads; /* by thread identity */
	ARRAY(struct path_ref) paths;      /* of the call trees, entry by entry */
	struct entry_cache *cache;         /* of fold.c, while building */
	u64 nr_unresolved;                 /* samples whose own address has no symbol */
	u64 nr_unmapped;                   /* ... or is in no known map */
	u64 nr_hidden;                     /* samples left out by -U */
};

void view__build(struct view *v, struct profile *p, const struct view_opts *opts);
void view__exit(struct view *v);

/* The entry's name of its thread: ":TID" when unknown. The text is good until the next call with buf. */
const char *view__comm(const struct view *v, u32 comm, char buf[16]);
/* Name of the thread's end, for widths. */
const char *view__last_comm(const struct view *v, const struct hist_entry *e, char buf[16]);
/* The call tree of an entry; NULL: nothing of it is large enough to be shown. trees: of this view alone. */
const struct call_node *view__call_tree(struct view *v, const struct hist_entry *e, bool by_place,
					struct call_trees *trees);
u64 hists__total(const struct view *v, const struct hists *h, u32 member); /* that percentages are of */
/* Whether chains are needed at all to make such a view. */
bool view_opts__need_chains(const struct view_opts *o);

#endif
