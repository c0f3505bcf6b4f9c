/*
 * Examines, counts, filters and writes the records from the ring buffers. An intake does not know rings or
 * threads; one thread uses it at a time.
 *
 * A record passes a row of stations, in the order of the table in intake__build_row. Its event, thread and
 * time are decoded once, when the first station asks for them (struct lazy_record).
 */
#ifndef RECORD_INTAKE_H
#define RECORD_INTAKE_H

#include "format/records/lazy_record.h"
#include "format/write/writer.h"
#include "record/describe/build_id_list.h"
#include "record/stacks/java_names.h"
#include "record/stacks/off_cpu.h"
#include "record/stacks/stack_samples.h"
#include "record/events/read_sums.h"
#include "record/target/hidden_programs.h"
#include "record/target/task_filter.h"
#include "record/watch/span_pairs.h"
#include "record/events/tally.h"
#include "record/events/vary.h"
#include "record/target/tasks.h"
#include "record/watch/watch.h"

enum { INTAKE_STATIONS = 20, INTAKE_TYPES = 32 };

struct intake {
	/* Set these before intake__begin_file. NULL: not used. */
	const struct evlist *l;              /* not owned, like all below that is not marked as owned */
	struct stack_samples *stack_samples; /* owned */
	struct java_names *java_names;       /* owned; without stack_samples */
	struct off_cpu *off_cpu;             /* owned */
	struct span_pairs *spans;            /* owned */
	struct probed_stacks *probed_stacks; /* owned */
	struct task_filter *task_filter;     /* owned */
	struct watches *watches;
	struct vary *vary; /* events whose rates change */
	struct tasks *tasks;
	bool sums_reads;               /* replace counts in samples by sums over threads, for some event */
	bool is_everywhere;            /* some event counts on whole CPUs */
	bool has_build_ids;            /* some event asks for build-ids in map records */
	struct hidden_programs hidden; /* its is_on: counters follow tasks */
	u32 own_pid;                   /* leave out samples of this process; 0: none */
	u64 max_size;                  /* bytes of the file; 0: no limit */
	/* rounds are parts of a longer one, which intake__mark_round ends */
	bool is_long_round;

	/* state of the current file: */
	struct writer *writer;
	struct build_id_list *build_ids;
	struct strbuf *side_band; /* receives a copy of the side-band */
	struct tally tally;       /* counts of the records that passed */
	u64 size_before;          /* bytes of the file when the round began */
	u64 program_at;           /* ms, clock__ms(): when the newest program was seen */

	struct sample_decoder decoder;
	struct read_deltas read_sums;
	struct lazy_record record; /* the current record */
	/* The stations in use, and for each record type a bit for every station that it passes. */
	bool (*row[INTAKE_STATIONS])(struct intake *in, struct lazy_record *r);
	u32 by_type[INTAKE_TYPES];
	/* stations that only look at records; a record that was held back passes these too */
	u32 onlookers;
};

/* Initialize *in. l: the events as in the file, with ids. */
void intake__init(struct intake *in, const struct evlist *l);
void intake__exit(struct intake *in);

/* Begin the first or the next file. build_ids may be NULL. Neither w nor build_ids is owned. */
void intake__begin_file(struct intake *in, struct writer *w, struct build_id_list *build_ids);
/* Copy the side-band to sb from now on, or stop with NULL. Call it between rounds. */
void intake__copy_side_band(struct intake *in, struct strbuf *sb);

/*
 * Process one round over all rings: __begin_round, then __take with the content of each ring (whole records,
 * which it may change), then __end_round, which marks the round in the file. Records of a round are not
 * older than those of the round before the previous one. Return 0, or the negative errno of a write.
 */
void intake__begin_round(struct intake *in);
int intake__take(struct intake *in, void *data, size_t size);
/*
 * As intake__take, of samples that stack_samples__take has been called for. Only if no station before that
 * keeps samples back or changes their stacks: intake__may_unwind_before.
 */
int intake__take_unwound(struct intake *in, void *data, size_t size);
bool intake__may_unwind_before(const struct intake *in);
int intake__end_round(struct intake *in);
int intake__mark_round(struct intake *in);
/* Write the records that are still held back, after the last round. */
int intake__finish(struct intake *in);
/* Write records that the recorder itself made, such as those of processes that already ran. */
int intake__take_synthesized(struct intake *in, const void *data, size_t size);

/* Return whether the file has reached its maximum size. */
bool intake__is_full(const struct intake *in);

#endif
