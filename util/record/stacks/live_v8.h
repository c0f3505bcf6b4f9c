/*
 * Node.js among the recorded processes: the functions of frames in V8's code, from the objects on its heap
 * (record/v8), read when a stack is unwound. Reading takes the rights that reading code takes (live_code.h),
 * and never stops a process.
 *
 * Names go into a jitdump in memory, one for each process, as those of Java do (live_hotspot.h). An
 * interpreted function is at the address of its bytecodes.
 */
#ifndef RECORD_LIVE_V8_H
#define RECORD_LIVE_V8_H

#include "record/stacks/live_hotspot.h"

struct live_node;

struct live_v8 {
	ARRAY(struct live_node *) v;
	struct code_names names;
	u64 round;
	u64 newest, before; /* ns, newest sample; newest one of earlier rounds */
	unsigned left;      /* reads of memory that may still be made in this round */
	u64 bytes_left;     /* likewise, of code and sources */
	bool has_failed;    /* an object could not be read */
	struct vm_pages pages;
	struct vm_process process;
	u64 nr_pieces; /* that are known of all processes */
};

/* kept, in_records: as in struct code_names. With neither, nothing is read. */
void live_v8__init(struct live_v8 *h, struct kept_files *kept, bool in_records);
void live_v8__exit(struct live_v8 *h);
/* Process a side-band record: ends of processes. Ignore others. */
void live_v8__see(struct live_v8 *h, const struct record *r);
void live_v8__begin_round(struct live_v8 *h);

/* Note the time of each sample (ns). */
static inline void live_v8__note_time(struct live_v8 *h, u64 time)
{
	h->newest = MAX(h->newest, time);
}

/* Return V8_COMPILED, V8_BUILTIN, or JAVA_NONE for code that is not V8's. binary: of the map, 0: none. */
enum java_kind live_v8__kind(struct live_v8 *h, const struct vm_owner *o, u32 binary);
/* As find_function of struct unwind_code. */
bool live_v8__find_function(struct live_v8 *h, const struct vm_owner *o, const struct v8_frame *v,
			    u64 *shown);
/* As code_names__announce. */
void live_v8__announce(struct live_v8 *h, const struct evlist *l, struct strbuf *out);

#endif
