/*
 * What a recording has not got, by cause: counted by the recorder (record/events/loss_count.h), told at its
 * end with what helps, kept in the file as text (feature LOSSES), told again by the report.
 */
#ifndef FORMAT_LOSSES_H
#define FORMAT_LOSSES_H

#include "base/memory/array.h"
#include "base/text/strbuf.h"

struct event_losses {
	char *name;           /* owned; from a file it may be anything */
	u64 samples;          /* of it that are there */
	u64 lost;             /* records of it that the kernel had to drop */
	u64 worst_lost;       /* so many of them on one CPU, more than on any other */
	u64 worst_cpu;        /* that one + 1; 0: events follow threads, or there is one CPU only */
	u64 is_side_band;     /* the event has no samples: its records say what is mapped and started */
	u64 is_flight;        /* its ring is overwritten: dropped was what came while it was read */
	u64 has_both;         /* samples and side-band: what was dropped may have been either */
	u64 throttled;        /* times that the kernel switched it off until the next tick */
	u64 enabled, running; /* ns: it was to be counted, and it was; running is shorter when counters are
				 shared */
	u64 full; /* samples whose stack copy or chain is as long as it may be: outer frames may be missing */
	u64 stack_size; /* bytes of such a copy; 0: full is about chains */
	u64 chain_size; /* frames of such a chain */
};

struct losses {
	u64 is_partial;   /* counted by LOST records alone (before Linux 6.0): what was dropped last is not
			     known */
	u64 ring_size;    /* bytes, of the smallest ring that events went to */
	u64 wanted_size;  /* of a ring that would have held all; 0: nothing was dropped, or none is large
			     enough */
	u64 longest_wait; /* ms that the rings waited for the recorder */
	u64 max_rate;     /* kernel.perf_event_max_sample_rate, Hz */
	u64 chains, cut_chains; /* that the recorder unwound, and those that the copy of the stack was too
				   small for */
	u64 chain_copy;         /* bytes of that copy */
	ARRAY(struct event_losses) events; /* in the order of the file's events */
};

void losses__exit(struct losses *l);
/* Records that the kernel dropped, of all events. */
u64 losses__total(const struct losses *l);
/* ... of those that are known not to be samples. */
u64 losses__of_side_band(const struct losses *l);

/* As lines "word number[ name]", for the file; and back: 0, or -EBADMSG for what is no such text. */
void losses__write(const struct losses *l, struct strbuf *out);
int losses__read(struct losses *l, const char *text, size_t size);

/*
 * A line, with its newline, for each cause and event that something is missing from: how much, why, and what
 * to type for the next recording. Nothing when nothing is missing. Names are masked.
 */
void losses__tell(const struct losses *l, struct strbuf *out);

#endif
