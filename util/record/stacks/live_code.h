/*
 * Code in the memory of processes that still run, for JIT code, which has no file. Pages are kept for a round
 * of the recorder, and longer if the process ends. Reading never stops a process; one that ended, or that the
 * recorder's user may not trace (ptrace(2), "Ptrace access mode checking"), cannot be read.
 */
#ifndef RECORD_LIVE_CODE_H
#define RECORD_LIVE_CODE_H

#include "base/memory/types.h"
#include "record/hotspot/vm_process.h"

#include <stdbool.h>
#include <stddef.h>

/* LIVE_CODE_PAGE: bytes read at a time, a page of most machines; others have pages of several times that */
enum { LIVE_CODE_PAGE = 4096, LIVE_CODE_PAGES = 256, LIVE_CODE_TOUCH_MAX = 1 << 16 };

struct live_code_page;

struct live_code {
	struct live_code_page
		*pages[LIVE_CODE_PAGES]; /* by process and address; newer ones replace older ones */
	u64 round;
	unsigned nr_reads, nr_touched; /* pages in this round */
	struct vm_process process;
};

void live_code__exit(struct live_code *c);
/* Begin a round: pages that were read before are read again, since they may have changed. */
void live_code__begin_round(struct live_code *c);
/*
 * Read size bytes of the memory of a process. Return false if not all of it can be read, or if so much was
 * read in this round that the rest has to wait.
 */
bool live_code__read(struct live_code *c, u32 pid, u64 addr, u8 *data, size_t size);
/*
 * Bring the pages from start to end of a process's memory into memory, at most LIVE_CODE_TOUCH_MAX bytes,
 * as a read by the process itself would: the kernel copies stacks only up to the first page that is not
 * there. A page that was never written becomes the shared page of zeroes, which takes no memory. Pages that
 * cannot be had, as of a damaged stack in each sample, leave live_code__read what it may read in a round.
 */
void live_code__touch(struct live_code *c, u32 pid, u64 start, u64 end);

#endif
