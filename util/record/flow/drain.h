/*
 * How records get from the ring buffers to the file. A recording chooses one drain at its start:
 *	plain   the recorder's thread drains the rings into the intake
 *	flight  (--overwrite) the same for the side-band; the other rings are
 *	        overwritten, and read on request
 *	relay   (--call-graph auto) the recorder's thread copies records into a
 *	        queue; a second thread unwinds stacks and owns the intake
 *	lanes   (--threads) a thread for each ring, with its own intake and file
 * The recorder's loop only uses the functions below. They return 0 or a negative errno.
 */
#ifndef RECORD_DRAIN_H
#define RECORD_DRAIN_H

#include "record/events/counters.h"
#include "record/flow/intake.h"
#include "record/host/affinity.h"

struct drain;

/* Operations of a drain. NULL means that there is nothing to do, unless "never NULL" is noted. */
struct drain_ops {
	bool waits; /* its own threads wait for data, so the recorder does not */
	/* Start the threads. The file is open and describes what ran before. Sets err on failure. */
	int (*start)(struct drain *d, struct err *err);
	/* Drain all rings once, or check for write errors of the threads. Never NULL. */
	int (*round)(struct drain *d);
	/* Do a round and also write what the overwritten rings hold. NULL: there are no such rings. */
	int (*snapshot)(struct drain *d);
	/* Write records that perf itself made, between two rounds. Never NULL. */
	int (*add)(struct drain *d, const void *records, size_t size);
	/* Return whether the file has reached its maximum size. Never NULL. */
	bool (*is_full)(const struct drain *d);
	/* Watch a counter, by its index, whose number is another descriptor now. */
	void (*watch)(struct drain *d, size_t counter);
	/*
	 * Write everything taken so far and end the threads, if they run. start may follow, for the next
	 * file.
	 */
	int (*finish)(struct drain *d);
	void (*delete)(struct drain *d); /* finish and free; never NULL */
};

struct drain { /* first member of every drain; does not own what it points to */
	const struct drain_ops *ops;
	struct counters *counters;
	/* only the drain uses it between start and finish, except through is_full */
	struct intake *intake;
	struct affinity *affinity; /* of the calling thread */
	/* Totals of the drain's own threads and files, valid after finish: */
	u64 wakeups;
	u64 packed, unpacked; /* bytes of records in the files, and before compression */
};

/*
 * Return a new plain drain, or a flight drain if there are overwritten rings. Copy all fields of *from
 * except ops.
 */
struct drain *plain_drain__new(const struct drain *from);

static inline int drain__start(struct drain *d, struct err *err)
{
	return d->ops->start ? d->ops->start(d, err) : 0;
}

/* Do the last round: take all that the rings hold. */
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
