/*
 * --call-graph auto: samples come from the kernel with a copy of the user stack and go to the file with a
 * plain call chain instead. One thread at a time may use it.
 */
#ifndef RECORD_STACK_SAMPLES_H
#define RECORD_STACK_SAMPLES_H

#include "format/records/lazy_record.h"
#include "record/stacks/shared_stacks.h"
#include "record/stacks/stack_load.h"

struct stack_samples;

/* maximum number of frames; stock perf's report shows 127 */
enum { STACK_SAMPLES_MAX_FRAMES = 1024 };

/* Make an unwinder of samples. l: the events as the kernel has them, with ids; not owned. */
struct stack_samples *stack_samples__new(const struct evlist *l, const struct unwind_arch *arch,
					 const struct shared_stacks_opts *opts);
/*
 * Return one for a further thread, with the same events and address spaces. owner must outlive it. While
 * several threads unwind, none may call stack_samples__see or __begin_round.
 */
struct stack_samples *stack_samples__share(const struct stack_samples *owner);
void stack_samples__delete(struct stack_samples *s);

/*
 * Copy l's events with their ids to kernel, for stack_samples__new, and remove the stack copies from l's own
 * attrs.
 */
void stack_samples__split_events(struct evlist *l, struct evlist *kernel);

/* Process records made by the recorder itself, which describe mappings from before the recording. */
void stack_samples__see(struct stack_samples *s, const void *data, size_t size);
/*
 * In each round over the rings, call __begin_round with the side-band of all rings, in any order, then __take
 * for each sample. __take replaces it by the sample for the file, valid until the next call, or returns false
 * if it must be dropped. Counts samples whose copies were made smaller (record/stacks/stack_copy.h).
 */
void stack_samples__begin_round(struct stack_samples *s, const void *side_band, size_t size);
bool stack_samples__take(struct stack_samples *s, struct lazy_record *r);
/* As stack_samples__take, but leave the chain out of the counts: it will not be in the file. */
bool stack_samples__take_uncounted(struct stack_samples *s, struct lazy_record *r);

/*
 * Append records for the file that announce what names of Java methods there are. l: the events as in the
 * file, with ids.
 */
void stack_samples__announce(struct stack_samples *s, const struct evlist *l, struct strbuf *out);
/* Return the processes of which Java's names are missing, as their memory may not be read. */
const struct unread_memory *stack_samples__unread(const struct stack_samples *s);

/* Count chains anew: another file begins. */
void stack_samples__begin_file(struct stack_samples *s);
/* Add the counts of another thread, after its end. */
void stack_samples__add_stats(struct stack_samples *s, const struct stack_samples *other);
/* How deep the stacks are. Any thread may read it. */
const struct stack_depths *stack_samples__depths(const struct stack_samples *s);
const struct unwind_stats *stack_samples__stats(const struct stack_samples *s);

#endif
