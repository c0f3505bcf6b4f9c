#include "live/ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

/* One page of struct perf_event_mmap_page, then the data. */
static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

int ring__map(struct ring *r, int fd, int cpu, u32 pages)
{
	size_t page = page_size(), size = (size_t)pages * page;
	void *base;

	*r = (struct ring){ .fd = fd, .cpu = cpu };
	if (!pages || (pages & (pages - 1)))
		return -EINVAL;
	base = mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (base == MAP_FAILED)
		return -errno;
	r->base = base;
	r->size = size;
	r->mask = size - 1;
	return 0;
}

void ring__unmap(struct ring *r)
{
	if (r->base)
		munmap(r->base, page_size() + r->size);
	*r = (struct ring){ .fd = -1, .cpu = -1 };
}

/*
 * The kernel publishes records by a store to data_head after writing them; an acquire load here pairs with
 * it. Our release store to data_tail pairs with the kernel's check for room: our reads are over when it sees
 * the tail.
 */
int ring__begin(struct ring *r, struct ring_part part[2])
{
	struct perf_event_mmap_page *control = r->base;

	if (!control)
		return 0;
	r->head = __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);
	return ring__parts(r, part);
}

int ring__parts(const struct ring *r, struct ring_part part[2])
{
	const u8 *data = (const u8 *)r->base + page_size();
	u64 at = r->tail & r->mask, size = r->head - r->tail;

	if (!r->base || !size)
		return 0;
	part[0] = (struct ring_part){ .data = data + at, .size = MIN(size, r->size - at) };
	if (part[0].size == size)
		return 1;
	part[1] = (struct ring_part){ .data = data, .size = size - part[0].size };
	return 2;
}

void ring__end(struct ring *r)
{
	struct perf_event_mmap_page *control = r->base;

	if (!control)
		return;
	r->tail = r->head;
	__atomic_store_n(&control->data_tail, r->tail, __ATOMIC_RELEASE);
}
