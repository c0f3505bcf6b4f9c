/*
 * Losses of a recording, by cause. The recorder counts them (record/events/loss_count.h), reports them at its
 * end with advice, and stores them as text (feature LOSSES); the report prints them again.
 */
#ifndef FORMAT_LOSSES_H
#define FORMAT_LOSSES_H

#include "base/memory/array.h"
#include "base/text/strbuf.h"

struct event_losses {
	char *name;           /* owned; untrusted when read from a file */
	u64 samples;          /* recorded samples */
	u64 lost;             /* records that the kernel dropped */
	u64 worst_lost;       /* most dropped records on one CPU */
	u64 worst_cpu;        /* that CPU + 1; 0: events follow threads, or there is only one CPU */
	u64 is_side_band;     /* the event has no samples, only records about mappings, names and forks */
	u64 is_everywhere;    /* it counts on whole CPUs: seen and lost are of all programs */
	u64 seen;             /* samples from the kernel, if is_everywhere: most may be dropped */
	u64 is_flight;        /* its ring is overwritten: records were dropped while it was copied */
	u64 has_both;         /* it has samples and side-band records: either may have been dropped */
	u64 throttled;        /* times that the kernel throttled it */
	u64 enabled, running; /* ns enabled and counting; running is shorter if counters are multiplexed */
	u64 full;             /* samples whose chain has chain_size frames: outer ones may be missing */
	u64 chain_size;       /* most frames that the kernel records */
	u64 waited;           /* ns of all waits, of --off-cpu */
	u64 borrowed;         /* ns of those whose call chain is of another wait at the same place */
};

struct losses {
	/* only LOST records were counted (before Linux 6.0): the last dropped records are unknown */
	u64 is_partial;
	u64 ring_size; /* bytes, of the smallest ring used */
	/* bytes of a ring that would have been enough; 0: nothing was dropped, or no ring is large enough */
	u64 wanted_size;
	u64 longest_wait; /* longest time between two drainings, ms */
	u64 max_rate;     /* kernel.perf_event_max_sample_rate, Hz */
	/* times that a CPU had no counters, as it went offline or came online; ms; the CPU + 1, 0: several */
	u64 cpu_off_nr, cpu_off_ms, cpu_off;
	ARRAY(struct event_losses) events; /* in the order of the file's events */
};

void losses__exit(struct losses *l);
/* Return the records that the kernel dropped, of all events. */
u64 losses__total(const struct losses *l);
/* Return the records that the kernel dropped of events without samples. */
u64 losses__of_side_band(const struct losses *l);

/*
 * Return the part of the time of waits (record --off-cpu) with call chains of other waits; 0 if it is not
 * worth telling.
 */
double losses__borrowed_part(const struct losses *l);

/* Write lines "word number[ name]" for the file; read them again. Return 0, or -EBADMSG for other text. */
void losses__write(const struct losses *l, struct strbuf *out);
int losses__read(struct losses *l, const char *text, size_t size);

/*
 * Append a line with its newline for each cause and event: how much is missing, why, and what to type for the
 * next recording. Append nothing if nothing was lost. Names are masked.
 */
void losses__tell(const struct losses *l, struct strbuf *out);

#endif
