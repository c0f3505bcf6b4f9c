/*
 * The samples of a recording in time. Each has its row with stack, thread and event (rows.h), its time, CPU
 * and weight: 16 bytes a sample, or 12 if all have one weight. Views over time and exports with times read
 * it.
 *
 * profile__collect fills it, in the order in which its workers read blocks. sample_stream__finish takes the
 * numbers of rows in the order of their first samples, so that the same recording gives the same stream
 * with any number of workers, and finds the runs of samples that are in order. Reading merges the runs:
 *
 * 	opts.stream = &stream;
 * 	profile__collect(&profile, session, &opts, &err);
 * 	... for each row once: stacks__add(&stacks, row_table__get(&profile.rows, i)), and what else is needed
 * 	stream_reader__init(&reader, &stream);
 * 	while (stream_reader__next(&reader, &index)) {
 * 		struct stream_sample s = sample_stream__get(&stream, index);
 * 		... what was kept for s.row
 * 	}
 *
 * Rows are packed, so look at them once, not for each sample: row_table__get takes as long as reading ten
 * samples. sample_stream__order gives other orders than time (by thread, by stack). export/export.c is the
 * example. opts.split must have PROFILE_SPLIT_THREAD if samples of different threads are told apart.
 */
#ifndef PROFILE_SAMPLE_STREAM_H
#define PROFILE_SAMPLE_STREAM_H

#include "base/memory/array.h"
#include "profile/rows/rows.h"

struct stream_sample {
	u64 time; /* ns, by the recording's clock */
	u64 weight;
	u32 row; /* index in rows */
	u32 cpu; /* STREAM_NO_CPU: not recorded */
};

/* times within 13 days of the first one that was read, CPUs up to 8,191 */
enum { STREAM_TIME_BITS = 51, STREAM_CPU_BITS = 13, STREAM_NO_CPU = (1 << STREAM_CPU_BITS) - 1 };

struct packed_sample {
	s64 time : STREAM_TIME_BITS; /* since base */
	u64 cpu : STREAM_CPU_BITS;
	u32 row;
} __attribute__((packed, aligned(4)));

struct large_weight {
	size_t at; /* index of the sample */
	u64 weight;
};

struct sample_stream {
	ARRAY(struct packed_sample) v;
	u32 weight;         /* of all, as in weights */
	ARRAY(u32) weights; /* by sample; UINT32_MAX: it is in large; empty: all have the same */
	ARRAY(struct large_weight) large; /* ascending */
	u64 base;                         /* ns; 0: not known yet; sample_stream__base */
	ARRAY(size_t) runs; /* starts of runs, by the time of their first sample; set by __finish */
	u32 *in_time;       /* indices in the order of time; NULL: readers merge the runs */
};

void sample_stream__exit(struct sample_stream *s);
/* Return the stream's base, which the first call sets. Thread-safe. */
u64 sample_stream__base(struct sample_stream *s, u64 time);
/* Append a sample. base: that of the stream that this one will be added to. */
void sample_stream__add(struct sample_stream *s, u64 base, const struct stream_sample *sample);
/* Append the samples of from, with numbers[row] as their rows (NULL: the same), and free from. */
void sample_stream__merge(struct sample_stream *s, struct sample_stream *from, const u32 *numbers);
/* Find the runs. numbers: from row_table__sort(). Nothing can be added afterwards. */
void sample_stream__finish(struct sample_stream *s, const u32 *numbers);
/*
 * Merge the runs of a finished stream once for all readers. indices: for all samples; the stream owns it.
 */
void sample_stream__sort(struct sample_stream *s, u32 *indices);
void sample_stream__forget_order(struct sample_stream *s); /* free the indices */

struct stream_sample sample_stream__get(const struct sample_stream *s, size_t index);
u64 sample_stream__weight(const struct sample_stream *s, size_t index);

/* Reads a finished stream in the order of time, then of rows. */
struct stream_reader {
	const struct sample_stream *stream;
	ARRAY(size_t) heap; /* next sample of each run that has begun, the earliest on top */
	size_t next_run;
};

void stream_reader__init(struct stream_reader *r, const struct sample_stream *s);
/* Set *index to that of the next sample. Return false at the end. */
bool stream_reader__next(struct stream_reader *r, size_t *index);
void stream_reader__exit(struct stream_reader *r);

enum { STREAM_NO_BUCKET = UINT32_MAX };
/*
 * Return the indices of the samples sorted by bucket[row], those of a bucket in the order of time; the
 * caller frees them. Rows of STREAM_NO_BUCKET are left out. Set ends[bucket] to where a bucket ends. 4 bytes
 * a sample.
 */
u32 *sample_stream__order(const struct sample_stream *s, const u32 *bucket, u32 nr_buckets, size_t *ends);

#endif
