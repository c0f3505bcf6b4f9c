/* All counters of a recording: every event on every CPU (or thread), and their rings. */
#ifndef RECORD_COUNTERS_H
#define RECORD_COUNTERS_H

#include "base/memory/array.h"
#include "base/message/err.h"
#include "event/evsel/evsel.h"
#include "live/counter.h"
#include "live/ring.h"
#include "record/events/descriptors.h"
#include "record/events/hotplug.h"
#include "record/stacks/stack_load.h"
#include "record/target/target.h"

/* ms; rings are drained at least this often, so that a killed recorder loses little */
enum { DRAIN_MS = 500 };

struct counter {
	int fd;
	u32 evsel;                  /* idx of the event */
	u32 piece;                  /* of a watchpoint's pieces */
	int cpu, tid;               /* -1: any */
	u64 id;                     /* in the file */
	u64 kernel_id;              /* another one, if it was opened anew */
	u64 lost, enabled, running; /* of the counters before it was opened anew */
	u64 read_format;            /* as opened; the file's has no times, unless they were asked for */
	u32 ring;                   /* index of its ring in rings or flight_rings */
	bool has_levels;            /* the event has variants for the stack levels */
	u32 level;                  /* index of this counter's */
	bool has_small;             /* the event, of --off-cpu, has a variant with small copies */
	bool is_small;              /* this counter is of that one */
	bool moves;                 /* it is opened again for another variant; otherwise each has a counter */
	bool is_off;                /* disabled until requested, whichever variant is in use */
	struct perf_event_attr attr; /* as opened, but for what differs between variants */
};

struct counters {
	ARRAY(struct counter) v;
	ARRAY(struct ring) rings;
	ARRAY(struct ring) flight_rings; /* for events with write_backward */
	struct counter_missing missing;
	u32 pages;           /* data pages of each ring, reduced to what may be locked */
	bool shrunk;         /* rings are smaller than asked for */
	u32 side_band_pages; /* of the other rings, if these have only the side-band; otherwise 0 */
	/*
	 * Sizes of stack copies and sampling rates that the events may use; set before __open. Both are fixed
	 * when an event is opened (a new rate does not reach inherited counters). An event of a whole CPU is
	 * opened again for another level. One of threads is opened once for each level, because what they
	 * inherit cannot be opened again, and all but one of these counters are disabled.
	 */
	struct stack_levels levels;
	u32 level_mark;                 /* bytes; attr.sample_stack_user of the events that have levels */
	bool has_small;                 /* the event of --off-cpu has a variant with small copies */
	unsigned level;                 /* index of the level in use (levels.h) */
	u64 rate;                       /* of level 0: samples per second on a CPU; 0: unknown */
	u32 nr_rates;                   /* events that this is the rate of */
	struct stack_load load;         /* chooses the level */
	u64 level_ms[STACK_LEVELS_MAX]; /* how long each was in use, up to level_since */
	u64 level_since;                /* ms; 0: not enabled yet */
	bool small_waits;               /* the event of --off-cpu makes small copies */
	/* by counters__enable or the workload's exec; watchpoints placed later are enabled at once */
	bool armed;
	struct hotplug hotplug;
	const struct evlist *l; /* of __open; not owned */
	/* sets the present rate of a counter that was opened again; NULL: it has that of its level */
	void (*set_rate)(void *arg, const struct counter *n);
	void *set_rate_arg;
};

/*
 * Find out for every event, on one CPU, which variant this kernel accepts: less precise, without newer bits,
 * without the kernel if only user space may be sampled, and cpu-clock instead of cycles without hardware
 * counters (as in stock perf, for the default event and for cycles by name). Update the attrs and names of
 * l. Return 0, or a negative errno with err: what prevents it, and what to type.
 */
struct counters_settled {
	bool user_only; /* the kernel was excluded from an event that asked for it */
	bool fell_back; /* cpu-clock replaced cycles */
	bool had_tracepoint;
};
int counters__settle(struct counters *c, struct evlist *l, const struct target *t,
		     struct counters_settled *settled, struct err *err);

/* Clear the features found missing in all attrs, because the file must describe the events as opened. */
void counters__apply_missing(const struct counters *c, struct evlist *l);
/*
 * Find out whether the kernel accepts the groups, after __settle. Break up weak groups that it refuses into
 * single events with was_broken_up, and set *broke_up: their attrs must be completed again. Return 0, or a
 * negative errno with err.
 */
int counters__settle_groups(struct counters *c, struct evlist *l, const struct target *t, bool *broke_up,
			    struct err *err);

/*
 * Open all counters, map rings of pages data pages (a power of two), and fill in the ids of the evsels. Skip
 * threads that have exited; -ESRCH if all have. Sets c->shrunk if rings are smaller because of the limit on
 * locked memory.
 */
int counters__open(struct counters *c, struct evlist *l, const struct target *t, u32 pages, struct err *err);
/* Count the descriptors for the events of l as c would open them for t. */
struct descriptors counters__descriptors(const struct counters *c, const struct evlist *l,
					 const struct target *t);
/* Return whether e carries only the side-band: the dummy of attr_opts__apply, or the user's own. */
bool counters__is_tracking(const struct evsel *e);
/* Enable or disable all events except the tracking event. */
void counters__enable(struct counters *c, const struct evlist *l, bool on);
/*
 * Make events use another level from now on; level is an index in levels. Nothing is lost in between; an
 * event that happens while both levels are enabled is sampled twice.
 */
void counters__use_level(struct counters *c, unsigned level);
/*
 * Have the event of --off-cpu make small stack copies, without the kernel's chain, or those that were asked
 * for.
 */
void counters__use_small_waits(struct counters *c, bool small);
/* Enable or disable one event. The tracking event stays as it is. */
void counters__enable_event(struct counters *c, const struct evsel *e, bool on);
/* Enable the events that count on whole CPUs, which an exec does not enable. */
void counters__enable_everywhere(struct counters *c, const struct evlist *l);
/*
 * Move the watchpoint of e to its variable, at its linked address plus bias, for the counters of tids
 * (ascending; NULL: all) and of the threads that inherited them. Until then it watches nothing. opened: e's
 * attr as the counters were opened. All its other fields must stay. Return 0 or a negative errno, such as
 * -EINVAL before Linux 4.17.
 */
int counters__place(struct counters *c, const struct evsel *e, const struct perf_event_attr *opened,
		    const int_array *tids, u64 bias);
/*
 * Look whether CPUs went offline and came back, at most twice a second, and open their counters anew. They
 * write to the rings that are there, with the ids of before. *reopened: the indices of these counters. The
 * numbers of their descriptors stay, but epoll_fd does not watch them any more.
 */
typedef ARRAY(size_t) index_array;
/*
 * Open a counter of a CPU anew, disabled, with the number of its descriptor, which is removed from
 * epoll_fd. Return 0 or a negative errno.
 */
int counters__reopen(struct counters *c, const struct evlist *l, struct counter *n, int owner_fd,
		     int group_fd, int epoll_fd);
/* Enable it if it would be enabled now. */
void counters__resume(struct counters *c, const struct counter *n);
void counters__follow_cpus(struct counters *c, const struct evlist *l, int epoll_fd, index_array *reopened);
/* Note the CPUs of the target, for __follow_cpus, once all is open. */
void counters__note_cpus(struct counters *c, const struct target *t);
/* Begin a round: update the available data of each ring (ring__begin). */
void counters__begin_round(struct counters *c);
void counters__exit(struct counters *c);

#endif
