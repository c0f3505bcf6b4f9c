/*
 * What the time of spans passes with, function by function: on the CPU, in page faults, ready without
 * running, in waits of each kind, for each lock and whom it was held by. For each of the spans that are
 * compared it is known how much time it has of each cause, and below each function: sums of that are exact
 * where waits were recorded; time on the CPU is divided by samples.
 */
#ifndef PROFILE_CAUSES_H
#define PROFILE_CAUSES_H

#include "profile/causes/span_groups.h"
#include "profile/causes/span_times.h"
#include "profile/trees/chains.h"

enum cause_type {
	CAUSE_CPU,    /* but for page faults */
	CAUSE_FAULTS, /* on the CPU, in page faults */
	CAUSE_READY,  /* ready without running */
	CAUSE_WAIT,
	CAUSE_UNKNOWN, /* not on the CPU, and waits were not recorded */
};

struct cause {
	u8 type;      /* enum cause_type */
	u8 kind;      /* of CAUSE_WAIT: enum wait_kind */
	u8 lock_kind; /* enum lock_kind */
	u8 role;      /* enum waker_role of the holder */
	u32 lock;     /* text id in causes.texts: "mutex db_lock"; 0: none */
	u32 holder;   /* place: the function that let the lock go; PLACE_NONE: not known */
	u32 thread;   /* text id in causes.texts: name of the holder's thread; 0: not known, or several */
};

/*
 * Pseudo places, after all real ones. Who computes for longer may be preempted for longer, too: if so, a
 * part of the time that a thread is ready, in proportion to its time on the CPU, belongs to the causes on
 * the CPU.
 */
enum {
	PLACE_ALL = UINT32_MAX - 1,         /* all of the cause, with such a part */
	PLACE_OWN = UINT32_MAX - 2,         /* on the CPU, or ready: without such a part, or with all of it */
	PLACE_NOT_SAMPLED = UINT32_MAX - 3, /* on the CPU without samples */
};

struct cause_node { /* time of a cause in a function, and in what it calls */
	u32 cause;
	u32 place;                   /* may be a pseudo place */
	double sums[NR_SPAN_GROUPS]; /* ns, times weights */
	double depth, ns;            /* sum of ns * depth in the call chain, and of ns */
};

struct cause_entry {
	u32 span; /* index in span_groups.v */
	u32 node;
	float ns;
};

struct meanwhile { /* what the holder of a lock did while a slow span waited for it */
	u32 cause; /* of the span */
	u32 what;  /* index in causes.v: what the holder's time passed with */
	u32 place; /* where; PLACE_ALL: not known */
	double ns;
};

struct ender { /* the thread that ended waits of slow spans, if it did not hold a lock or the like */
	u32 cause;
	u32 thread; /* text id in causes.texts; 0: it was none */
	double ns;
};

struct causes {
	struct session *session;
	const struct span_times *times; /* without waits: only the lines */
	struct span_times own;          /* times, if the recording has no waits */
	bool has_waits;
	double unit; /* ns that a sample on the CPU stands for, on average */
	struct places places;
	struct chains chains;
	struct strpool texts;
	ARRAY(struct cause) v;
	ARRAY(struct cause_node) nodes;
	ARRAY(struct cause_entry) entries; /* in the order of span */
	ARRAY(struct meanwhile) meanwhile;
	ARRAY(struct ender) enders;
	struct hash_table by_cause, by_node, by_meanwhile;
};

/*
 * Find the causes of the time of the spans in g, of set. times: what the threads waited for, which must
 * live as long as c; NULL: not recorded. Return 0, or a negative errno with err. Exit c in any case.
 */
int causes__read(struct causes *c, struct session *s, const struct span_times *times,
		 const struct span_set *set, const struct span_groups *g, unsigned nr_threads,
		 struct err *err);
void causes__exit(struct causes *c);

enum { NO_AMOUNTS = UINT32_MAX };
/*
 * Set amounts[i][group][slot] to what each span has of the node with the index i in index_of_node;
 * NO_AMOUNTS: it is not wanted. They are zeros before.
 */
void causes__amounts(const struct causes *c, const struct span_groups *g, const u32 *index_of_node,
		     double *const (*amounts)[NR_SPAN_GROUPS]);

/* What kind of function a place is. */
enum function_owner {
	OWNER_USER,   /* of the program, or of a library that is not part of the system */
	OWNER_SYSTEM, /* of the C library and the like, or what wraps locks */
	OWNER_KERNEL,
};
enum function_owner causes__owner(struct causes *c, u32 place);
/* Return the name of the system call that a function of the kernel is; NULL: it is none. */
const char *causes__system_call(struct causes *c, u32 place);

#endif
