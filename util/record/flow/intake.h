/*
 * What comes out of the rings, on its way to the file: looked at, counted, filtered, written. It knows
 * neither rings nor threads; one thread at a time uses it.
 *
 * A record passes a row of stations, in the order of the table in intake__build_row. Which event, thread and
 * time it belongs to is worked out once, when the first station asks (struct lazy_record).
 */
#ifndef RECORD_INTAKE_H
#define RECORD_INTAKE_H

#include "format/records/lazy_record.h"
#include "format/write/writer.h"
#include "record/describe/build_id_list.h"
#include "record/stacks/off_cpu.h"
#include "record/stacks/stack_samples.h"
#include "record/events/read_sums.h"
#include "record/target/task_filter.h"
#include "record/events/tally.h"
#include "record/target/tasks.h"
#include "record/watch/watch.h"

enum { INTAKE_STATIONS = 12, INTAKE_TYPES = 32 };

struct intake {
	/* Set before intake__begin_file. NULL: there is none. */
	const struct evlist *l;              /* not owned, nor is what follows; but: */
	struct stack_samples *stack_samples; /* owned */
	struct off_cpu *off_cpu;             /* owned */
	struct task_filter *task_filter;     /* owned */
	struct watches *watches;
	struct tasks *tasks;
	bool sums_reads;    /* some event's counts in samples become sums over threads */
	bool has_build_ids; /* some event asks for build-ids in map records */
	u32 own_pid;        /* whose samples are left out; 0: nobody's */
	u64 max_size;       /* of the file, bytes; 0: no limit */
	/* rounds over some rings are parts of a longer one, which intake__mark_round ends */
	bool is_long_round;

	/* Of the present file. */
	struct writer *writer;
	struct build_id_list *build_ids;
	struct strbuf *side_band; /* gets a copy of it */
	struct tally tally;       /* of what passed through */
	u64 size_before;          /* of the file, when the round began */

	struct sample_decoder decoder;
	struct read_deltas read_sums;
	struct lazy_record record; /* the present one */
	/* The stations that are on; by a record's type: a bit for each that it passes. */
	bool (*row[INTAKE_STATIONS])(struct intake *in, struct lazy_record *r);
	u32 by_type[INTAKE_TYPES];
	u32 onlookers; /* the stations that every record for the file passes, also one that was kept back */
};

/* l: as in the file, with ids. */
void intake__init(struct intake *in, const struct evlist *l);
void intake__exit(struct intake *in);

/* The first or the next file: w and build_ids (NULL: none are gathered) are not owned. */
void intake__begin_file(struct intake *in, struct writer *w, struct build_id_list *build_ids);
/* From now on, between rounds, sb gets a copy of the side-band; NULL: nobody does. */
void intake__copy_side_band(struct intake *in, struct strbuf *sb);

/*
 * A round over all rings: __begin_round, then __take for what each of them held (whole records, which may be
 * changed), then __end_round, which marks it in the file. Records of a later round are not older than those
 * of the one before the last. 0, or the negative errno of a write.
 */
void intake__begin_round(struct intake *in);
int intake__take(struct intake *in, void *data, size_t size);
int intake__end_round(struct intake *in);
int intake__mark_round(struct intake *in);
/* Behind the last round: what was kept back until now. */
int intake__finish(struct intake *in);
/* What the recorder itself says of what was there before. */
int intake__take_synthesized(struct intake *in, const void *data, size_t size);

/* The file has the size that it may have. */
bool intake__is_full(const struct intake *in);

#endif
