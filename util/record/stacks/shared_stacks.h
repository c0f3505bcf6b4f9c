/*
 * State that the threads that unwind one recording share: the address spaces of the recorded processes, and
 * known chains. Each thread unwinds the samples of some CPUs; but a program maps its libraries on any CPU,
 * and threads migrate.
 *
 * Between two calls of shared_stacks__begin_round, several threads may call the functions after it at once.
 */
#ifndef RECORD_SHARED_STACKS_H
#define RECORD_SHARED_STACKS_H

#include "record/stacks/known_stacks.h"
#include "record/stacks/live_spaces.h"
#include "record/hotspot/unread_memory.h"
#include "unwind/unwind_stats.h"

struct shared_stacks;

struct shared_stacks_opts {
	/*
	 * Samples may be of processes that ended long ago. Remember the address spaces of the last few
	 * thousand processes, in at most 40 MB, instead of those of the last rounds.
	 */
	bool keeps_history;
	struct kept_files *kept; /* binaries that were deleted may be there; not owned; NULL: none */
	/* names of Java methods go into each file as records; else as a jitdump into kept, if there is one */
	bool names_in_records;
};

/* Make the shared state. l: the events as the kernel has them, with ids; not owned. */
struct shared_stacks *shared_stacks__new(const struct evlist *l, const struct shared_stacks_opts *opts);
void shared_stacks__delete(struct shared_stacks *s);

/* Return whether __see and __begin_round take records of this type. */
bool shared_stacks__is_side_band(u32 type);
/* As stack_samples__see and stack_samples__begin_round. */
void shared_stacks__see(struct shared_stacks *s, const void *data, size_t size);
void shared_stacks__begin_round(struct shared_stacks *s, const void *side_band, size_t size);

struct stack_owner { /* whose stack it is, and when */
	u32 pid, tid;
	u64 time;                 /* ns */
	struct live_space *space; /* set by shared_stacks__find; valid until the next round */
};
/*
 * Set o->space and *key, which identifies the state of the address space (struct unwind_sample). Return false
 * if no mapping of the process is known.
 */
bool shared_stacks__find(struct shared_stacks *s, struct stack_owner *o, u64 *key);
/* Fill *code with the mapping at ip, except how to read it; leave it unchanged if there is no mapping. */
void shared_stacks__look_up(struct shared_stacks *s, const struct stack_owner *o, u64 ip,
			    struct unwind_code *code);
/* As find_method of struct unwind_code. */
bool shared_stacks__find_method(struct shared_stacks *s, const struct stack_owner *o,
				const struct java_method *m, u64 *shown);
/* As find_function of struct unwind_code. */
bool shared_stacks__find_function(struct shared_stacks *s, const struct stack_owner *o,
				  const struct v8_frame *v, u64 *shown);
/*
 * Append records that announce names of Java methods and JavaScript functions. l: the events as in the file,
 * with ids.
 */
void shared_stacks__announce(struct shared_stacks *s, const struct evlist *l, struct strbuf *out);
/* Return the processes whose memory may not be read. Call it between rounds. */
const struct unread_memory *shared_stacks__unread(const struct shared_stacks *s);
/* Return a number that changes when code is read again from processes. */
u64 shared_stacks__code_round(const struct shared_stacks *s);
/* Read code of the process that has no file (record/stacks/live_code.h). */
bool shared_stacks__read_code(struct shared_stacks *s, const struct stack_owner *o, u64 ip, u8 *data,
			      size_t size);
/* Bring the pages of a stack into memory (record/stacks/live_code.h). */
void shared_stacks__touch(struct shared_stacks *s, const struct stack_owner *o, u64 start, u64 end);
/* Count a chain that stopped in the binary at ip. */
void shared_stacks__add_culprit(struct shared_stacks *s, const struct stack_owner *o, u64 ip,
				enum unwind_end end, struct unwind_stats *stats);
/* As known_stacks__remember and known_stacks__callers. */
void shared_stacks__remember(struct shared_stacks *s, u32 tid, const u64 *ips, const u64 *sps, unsigned nr);
unsigned shared_stacks__callers(struct shared_stacks *s, const struct cut_stack *cut, unsigned max,
				bool *is_whole);

#endif
