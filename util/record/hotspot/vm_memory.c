#include "record/hotspot/vm_memory.h"

#include "base/memory/mem.h"

#include <string.h>

bool vm_memory__string(const struct vm_memory *m, u64 addr, char *text, size_t size)
{
	enum { PIECE = 32 }; /* bytes: a text may end shortly before memory that is not there */
	size_t len = 0;

	while (len < size) {
		size_t nr = MIN(PIECE - (addr + len) % PIECE, size - len);

		if (!vm_memory__read(m, addr + len, text + len, nr))
			return false;
		if (memchr(text + len, '\0', nr))
			return true;
		len += nr;
	}
	return false;
}

static const struct vm_page *vm_pages__page(struct vm_pages *p, u64 addr)
{
	struct vm_page *page;

	if (!p->pages)
		p->pages = xcalloc_table(VM_PAGES, sizeof(*p->pages));
	page = &p->pages[addr / VM_PAGE % VM_PAGES];
	if (page->addr == addr && page->space == p->space && page->round == p->round)
		return page;
	page->addr = addr;
	page->space = p->space;
	page->round = p->round;
	page->is_there = p->below.read(p->below.ctx, addr, page->data, sizeof(page->data));
	return page;
}

bool vm_pages__read(void *ctx, u64 addr, void *data, size_t size)
{
	struct vm_pages *p = ctx;
	u8 *to = data;

	while (size) {
		u64 at = addr % VM_PAGE, nr = MIN(size, VM_PAGE - at);
		const struct vm_page *page = vm_pages__page(p, addr - at);

		if (!page->is_there)
			return false;
		memcpy(to, page->data + at, nr);
		to += nr;
		addr += nr;
		size -= nr;
	}
	return true;
}
