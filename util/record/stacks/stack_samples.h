/*
 * --call-graph auto: samples come from the kernel with a copy of the user stack, and go to the file with a
 * plain call chain in its place. One thread's at a time.
 */
#ifndef RECORD_STACK_SAMPLES_H
#define RECORD_STACK_SAMPLES_H

#include "format/records/lazy_record.h"
#include "unwind/unwind_stats.h"

struct stack_samples;

/* What the chains are given at most; stock perf's report shows 127. */
enum { STACK_SAMPLES_MAX_FRAMES = 1024 };

/* l: the events as the kernel has them, with ids; not owned. */
struct stack_samples *stack_samples__new(const struct evlist *l, const struct unwind_arch *arch);
void stack_samples__delete(struct stack_samples *s);

/* Makes a copy of l's events with ids, for stack_samples__new, and takes the stack copies out of l's own
 * attrs. */
void stack_samples__split_events(struct evlist *l, struct evlist *kernel);

/* Records made by the recorder itself, which say what was mapped before. */
void stack_samples__see(struct stack_samples *s, const void *data, size_t size);
/*
 * For each round over the rings: __begin_round with the side-band of all of them, in any order, then __take
 * for each sample, which becomes the sample for the file, valid until the next one. False: drop it. Samples
 * whose copies were made smaller (record/stacks/stack_copy.h) are counted.
 */
bool stack_samples__is_side_band(u32 type);
void stack_samples__begin_round(struct stack_samples *s, const void *side_band, size_t size);
bool stack_samples__take(struct stack_samples *s, struct lazy_record *r);

const struct unwind_stats *stack_samples__stats(const struct stack_samples *s);

#endif
