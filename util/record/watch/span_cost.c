#include "record/watch/span_cost.h"

#include "base/memory/mem.h"
#include "base/system/clock.h"
#include "live/counter.h"
#include "live/ring.h"
#include "record/stacks/span_hits.h"

#include <linux/hw_breakpoint.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

/* A function that does nothing: its first instruction, and the one that returns. */
#if defined(__x86_64__) || defined(__i386__)
static const u8 code[] = { 0xf3, 0x0f, 0x1e, 0xfa, 0xc3 }; /* endbr64 (endbr32: a nop as well); ret */
#elif defined(__aarch64__)
static const u8 code[] = { 0x1f, 0x20, 0x03, 0xd5, 0xc0, 0x03, 0x5f, 0xd6 }; /* nop; ret */
#else
static const u8 code[] = { 0 };
#endif

enum { RETURN_AT = 4, RING_PAGES = 8, BATCHES = 9, CALLS = 20 };

struct span_cost {
	u32 type;
	int file; /* has the function */
	u8 *page; /* the file mapped as code */
	size_t page_size;
	pthread_t thread;
	u32 ns; /* atomic */
};

/* ---- the thread ---- */

static int span_cost__open(const struct span_cost *c, size_t at, const char *path)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
					.type = c->type,
					.sample_period = 1,
					.sample_type = span_hit__fields(),
					.sample_regs_user = span_hit__regs(),
					.exclude_kernel = c->type == PERF_TYPE_BREAKPOINT };

	if (c->type == PERF_TYPE_BREAKPOINT) {
		attr.bp_type = HW_BREAKPOINT_X;
		attr.bp_addr = (u64)(uintptr_t)(c->page + at);
		attr.bp_len = sizeof(long);
	} else {
		attr.config1 = (u64)(uintptr_t)path;
		attr.config2 = at;
	}
	return counter__open(&attr, 0, -1, -1);
}

/* Return the ns of a call, of the fastest batch: others were interrupted. */
static u64 span_cost__time_calls(const struct span_cost *c)
{
	void (*function)(void) = NULL;
	u64 best = UINT64_MAX;

	memcpy(&function, &c->page, sizeof(function));
	for (int batch = 0; batch < BATCHES; batch++) {
		u64 start = clock__ns();

		for (int i = 0; i < CALLS; i++)
			function();
		best = MIN(best, (clock__ns() - start) / CALLS);
	}
	return best;
}

static void *span_cost__run(void *arg)
{
	struct span_cost *c = arg;
	char *path = xasprintf("/proc/self/fd/%d", c->file);
	u64 without = span_cost__time_calls(c), with = 0;
	int begin = span_cost__open(c, 0, path), end = begin < 0 ? -1 : span_cost__open(c, RETURN_AT, path);
	struct ring ring;

	if (end >= 0 && !ring__map(&ring, begin, -1, RING_PAGES)) {
		if (!ioctl(end, PERF_EVENT_IOC_SET_OUTPUT, begin))
			with = span_cost__time_calls(c);
		ring__unmap(&ring);
	}
	if (begin >= 0)
		close(begin);
	if (end >= 0)
		close(end);
	free(path);
	if (with > without)
		__atomic_store_n(&c->ns, (u32)MIN(with - without, (u64)UINT32_MAX), __ATOMIC_RELAXED);
	return NULL;
}

/* ---- life ---- */

static void span_cost__free(struct span_cost *c)
{
	if (c->page != MAP_FAILED)
		munmap(c->page, c->page_size);
	if (c->file >= 0)
		close(c->file);
	free(c);
}

struct span_cost *span_cost__new(u32 type)
{
	struct span_cost *c = xcalloc(1, sizeof(*c));
	bool works;

	c->type = type;
	c->page_size = (size_t)sysconf(_SC_PAGESIZE);
	c->page = MAP_FAILED;
	c->file = memfd_create("span", MFD_CLOEXEC);
	works = sizeof(code) > RETURN_AT && c->file >= 0 && !ftruncate(c->file, (off_t)c->page_size) &&
		pwrite(c->file, code, sizeof(code), 0) == sizeof(code);
	if (works)
		c->page = mmap(NULL, c->page_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, c->file, 0);
	if (c->page == MAP_FAILED || pthread_create(&c->thread, NULL, span_cost__run, c)) {
		span_cost__free(c);
		return NULL;
	}
	return c;
}

u32 span_cost__ns(const struct span_cost *c)
{
	return c ? __atomic_load_n(&c->ns, __ATOMIC_RELAXED) : 0;
}

void span_cost__delete(struct span_cost *c)
{
	if (!c)
		return;
	pthread_join(c->thread, NULL);
	span_cost__free(c);
}
