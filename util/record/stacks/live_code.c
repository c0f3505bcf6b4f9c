#include "record/stacks/live_code.h"

#include "base/memory/hash.h"
#include "base/memory/mem.h"

#include <string.h>
#include <sys/uio.h>

enum { READS_MAX = 512 }; /* pages in a round, read and as many touched: 2 MB, some 2 ms */

struct live_code_page {
	u64 addr;
	u64 round; /* when it was read */
	u32 pid;
	bool is_there;
	u8 data[LIVE_CODE_PAGE];
};

void live_code__exit(struct live_code *c)
{
	for (size_t i = 0; i < LIVE_CODE_PAGES; i++)
		free(c->pages[i]);
	vm_process__exit(&c->process);
}

void live_code__begin_round(struct live_code *c)
{
	c->round++;
	c->nr_reads = 0;
	c->nr_touched = 0;
}

/* Read the page. Keep what was read of it in an earlier round if the process has ended since. */
static const struct live_code_page *live_code__page(struct live_code *c, u32 pid, u64 addr)
{
	struct live_code_page **slot = &c->pages[hash__u64(addr + pid) % LIVE_CODE_PAGES], *p = *slot;
	bool is_known = p && p->addr == addr && p->pid == pid;

	if (is_known && p->round == c->round)
		return p;
	if (c->nr_reads == READS_MAX)
		return is_known ? p : NULL;
	c->nr_reads++;
	if (!p)
		p = *slot = xmalloc(sizeof(*p));
	p->addr = addr;
	p->pid = pid;
	p->round = c->round;
	p->is_there = vm_process__read(&c->process, pid, c->round, addr, p->data, LIVE_CODE_PAGE) ||
		      (is_known && p->is_there);
	return p;
}

bool live_code__read(struct live_code *c, u32 pid, u64 addr, u8 *data, size_t size)
{
	while (size) {
		u64 from = addr % LIVE_CODE_PAGE, nr = MIN(size, LIVE_CODE_PAGE - from);
		const struct live_code_page *p = live_code__page(c, pid, addr - from);

		if (!p || !p->is_there)
			return false;
		memcpy(data, p->data + from, nr);
		data += nr;
		addr += nr;
		size -= nr;
	}
	return true;
}

void live_code__touch(struct live_code *c, u32 pid, u64 start, u64 end)
{
	struct iovec here[LIVE_CODE_TOUCH_MAX / LIVE_CODE_PAGE], there[ARRAY_SIZE(here)];
	const u64 page = MAX((u64)mem__page_size(), (u64)LIVE_CODE_PAGE);
	u8 bytes[ARRAY_SIZE(here)];
	unsigned nr = 0;

	if (end - start > LIVE_CODE_TOUCH_MAX && end > start)
		end = start + LIVE_CODE_TOUCH_MAX;
	for (u64 at = start; at < end && nr < ARRAY_SIZE(here) && c->nr_touched < READS_MAX; nr++) {
		here[nr] = (struct iovec){ .iov_base = &bytes[nr], .iov_len = 1 };
		there[nr] = (struct iovec){ .iov_base = (void *)(uintptr_t)at, .iov_len = 1 };
		at = (at | (page - 1)) + 1;
		c->nr_touched++;
	}
	/* It ends at the first page that is not mapped, as at the end of the stack. */
	process_vm_readv((pid_t)pid, here, nr, there, nr, 0);
}
