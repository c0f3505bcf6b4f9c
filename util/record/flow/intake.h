/*
 * What comes out of the rings, on its way to the file: looked at, counted, filtered, written. It knows
 * neither rings nor threads; one thread at a time uses it.
 */
#ifndef RECORD_INTAKE_H
#define RECORD_INTAKE_H

#include "format/records/sample.h"
#include "format/write/writer.h"
#include "record/describe/build_id_list.h"
#include "record/stacks/off_cpu.h"
#include "record/events/read_sums.h"
#include "record/target/task_filter.h"
#include "record/events/tally.h"
#include "record/target/tasks.h"
#include "record/watch/watch.h"

struct intake {
	/* Set before the first record. NULL: there is none. Not owned. */
	const struct evlist *l;
	struct writer *writer;
	struct build_id_list *build_ids;
	struct off_cpu *off_cpu;
	struct task_filter *task_filter;
	struct watches *watches;
	struct tasks *tasks;
	struct strbuf *side_band; /* gets a copy of it; may be set between rounds */
	bool sums_reads;          /* some event's counts in samples become sums over threads */
	bool has_build_ids;       /* some event asks for build-ids in map records */
	u32 own_pid;              /* whose samples are left out; 0: nobody's */
	u64 max_size;             /* of the file, bytes; 0: no limit */
	/* rounds over some rings are parts of a longer one, which intake__mark_round ends */
	bool is_long_round;

	/* What passed through. */
	u64 samples;
	struct tally tally;
	u64 first_time, last_time; /* of samples, ns */
	bool saw_kernel;           /* a sample of it */

	struct sample_decoder decoder;
	struct read_deltas read_sums;
	bool times_differ; /* samples of some events have a time, of others none */
	u64 size_before;   /* of the file, when the round began */
};

/* l: as in the file, with ids. */
void intake__init(struct intake *in, const struct evlist *l);
void intake__exit(struct intake *in);

/*
 * A round over all rings: __begin_round, then __take for what each of them held (whole records, which may be
 * moved about), then __end_round, which marks it in the file. Records of a later round are not older than
 * those of the one before the last. 0, or the negative errno of a write.
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
