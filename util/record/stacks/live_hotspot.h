/*
 * Java virtual machines (HotSpot) among the recorded processes: the frames and the names of their code, from
 * their own tables (record/hotspot), read when a stack is unwound. Reading takes the rights that reading code
 * takes (live_code.h), and never stops a process.
 *
 * Names go into a jitdump in memory, one for each virtual machine: from a time on, code at an address has
 * this name. What was unloaded stays there. An interpreted method is at the address of its bytecodes. Where
 * nobody can read the recorder's memory (slices, pipes), the names of a file go into it as records.
 */
#ifndef RECORD_LIVE_HOTSPOT_H
#define RECORD_LIVE_HOTSPOT_H

#include "base/memory/array.h"
#include "base/text/strbuf.h"
#include "format/records/record.h"
#include "record/hotspot/vm_memory.h"
#include "record/hotspot/vm_process.h"
#include "record/stacks/code_names.h"
#include "record/stacks/live_spaces.h"
#include "record/hotspot/unread_memory.h"
#include "unwind/unwind.h"

struct kept_files;
struct live_vm;

struct live_hotspot {
	ARRAY(struct live_vm *) v;
	struct code_names names;
	u64 round;
	u64 newest, before; /* ns, newest sample; newest one of earlier rounds */
	unsigned left;      /* reads of memory that may still be made in this round */
	u64 bytes_left;     /* likewise, of code */
	bool is_denied;     /* reading memory was not permitted, since this was reset */
	struct unread_memory unread;
	struct vm_pages pages;
	struct vm_process process;
	u64 nr_pieces; /* and methods, that are known of all virtual machines */
	u64 nr_calls;  /* likewise, around which methods are inlined */
};

/* kept, in_records: as in struct code_names. With neither, there are frames without names. */
void live_hotspot__init(struct live_hotspot *h, struct kept_files *kept, bool in_records);
void live_hotspot__exit(struct live_hotspot *h);
/* Process a side-band record: ends of processes. Ignore others. */
void live_hotspot__see(struct live_hotspot *h, const struct record *r);
void live_hotspot__begin_round(struct live_hotspot *h);

/* Note the time of each sample (ns). */
static inline void live_hotspot__note_time(struct live_hotspot *h, u64 time)
{
	h->newest = MAX(h->newest, time);
}

struct vm_owner { /* a process */
	u32 pid;
	bool has_ended; /* or runs another program: its memory is not that of space */
	const struct live_space *space;
	const struct live_binaries *binaries;
};
/* Fill in the frame of the code at an address without a file; JAVA_NONE if it is not known. */
void live_hotspot__frame(struct live_hotspot *h, const struct vm_owner *o, u64 ip, struct java_frame *frame);
/* As find_method of struct unwind_code. */
bool live_hotspot__find_method(struct live_hotspot *h, const struct vm_owner *o, const struct java_method *m,
			       u64 *shown);
/* As code_names__announce. */
void live_hotspot__announce(struct live_hotspot *h, const struct evlist *l, struct strbuf *out);

#endif
