/*
 * How records come from the rings to the file. A recording chooses one way at its start:
 *	plain   the recorder's thread empties the rings into the intake
 *	flight  (--overwrite) the same for the side-band; the other rings are overwritten, taken on request
 *	relay   (--call-graph auto) the recorder's thread copies records into a queue; another one unwinds
 *	        stacks and has the intake
 *	lanes   (--threads) a thread for each ring, with an intake and a file of its own
 * The recorder's loop uses the functions below and knows no more. They return 0 or a negative errno.
 */
#ifndef RECORD_DRAIN_H
#define RECORD_DRAIN_H

#include "record/events/counters.h"
#include "record/flow/intake.h"
#include "record/host/affinity.h"

struct drain;

/* Those that are not said otherwise may be NULL: there is nothing to do. */
struct drain_ops {
	bool waits; /* for data, in threads of its own: the recorder need not */
	/* Start the threads. The file is open and says what was there before. With err. */
	int (*start)(struct drain *d, struct err *err);
	/* Empty all rings once, or see whether the threads can write. Never NULL. */
	int (*round)(struct drain *d);
	/* Like round, with what the overwritten rings hold. NULL: there are none. */
	int (*snapshot)(struct drain *d);
	/* Write records that perf itself has made, between two rounds. Never NULL. */
	int (*add)(struct drain *d, const void *records, size_t size);
	/* Whether the file has the size that it may have. Never NULL. */
	bool (*is_full)(const struct drain *d);
	/* Write all that was taken and end the threads, if they run. start may follow, for the next file. */
	int (*finish)(struct drain *d);
	void (*delete)(struct drain *d); /* never NULL; as finish, too */
};

struct drain { /* at the beginning of each of them; what it points to is not owned */
	const struct drain_ops *ops;
	struct counters *counters;
	struct intake *intake;     /* the drain's alone from start to finish, with is_full */
	struct affinity *affinity; /* of the thread that calls */
	/* Of threads and files of its own, known after finish: */
	u64 wakeups;
	u64 packed, unpacked; /* bytes of records in the files, and before they were compressed */
};

/* plain, or flight if there are overwritten rings. from: as it begins, but ops. */
struct drain *plain_drain__new(const struct drain *from);

static inline int drain__start(struct drain *d, struct err *err)
{
	return d->ops->start ? d->ops->start(d, err) : 0;
}

/* The last round: takes all that the rings hold. */
static inline int drain__take_last(struct drain *d)
{
	return d->ops->snapshot ? d->ops->snapshot(d) : d->ops->round(d);
}

static inline int drain__finish(struct drain *d)
{
	return d->ops->finish ? d->ops->finish(d) : 0;
}

static inline void drain__delete(struct drain *d)
{
	if (d)
		d->ops->delete (d);
}

#endif
