#include "record/hotspot/vm_process.h"

#include "base/memory/mem.h"
#include "base/system/clock.h"
#include "live/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum {
	ENTRIES = 64,    /* of the page map in one read */
	SLOW_MAX = 2048, /* reads by a thread in a round: 80 ms, about ... */
	SLOW_MS = 1000, /* ... at most; also, until a page that is not there counts as one that never comes */
};
#define IN_MEMORY (1ull << 63)
#define IN_SWAP (1ull << 62)

void vm_process__exit(struct vm_process *p)
{
	if (p->round && p->fd >= 0)
		close(p->fd);
	p->fd = -1;
}

static void vm_process__open(struct vm_process *p, u32 pid, u64 round)
{
	char path[64];
	pid_t thread;

	if (p->round == round && p->pid == pid)
		return;
	vm_process__exit(p);
	thread = proc__running_thread((pid_t)pid);
	p->thread = thread ? (u32)thread : pid;
	snprintf(path, sizeof(path), "/proc/%u/pagemap", p->thread);
	if (p->round != round)
		p->nr_slow = p->slow_ms = 0;
	p->fd = open(path, O_RDONLY | O_CLOEXEC);
	p->pid = pid;
	p->round = round;
}

/* Are these pages there? Numbers of pages; to: after the last one. */
static bool vm_process__has(const struct vm_process *p, u64 from, u64 to)
{
	u64 entries[ENTRIES];

	while (from < to) {
		u64 nr = MIN(to - from, (u64)ENTRIES);
		ssize_t size = (ssize_t)(nr * sizeof(*entries));

		if (pread(p->fd, entries, (size_t)size, (off_t)(from * sizeof(*entries))) != size)
			return false;
		for (u64 i = 0; i < nr; i++)
			if (!(entries[i] & (IN_MEMORY | IN_SWAP)))
				return false;
		from += nr;
	}
	return true;
}

static bool read_now(u32 pid, u64 addr, void *data, size_t size)
{
	struct iovec here = { .iov_base = data, .iov_len = size };
	struct iovec there = { .iov_base = (void *)(uintptr_t)addr, .iov_len = size };

	return process_vm_readv((pid_t)pid, &here, 1, &there, 1, 0) == (ssize_t)size;
}

struct slow_read {
	u32 pid;
	int error; /* errno; 0: it was read */
	u64 addr;
	size_t size;
	u8 data[];
};

static void *read_slowly(void *ctx)
{
	struct slow_read *r = ctx;

	errno = EFAULT; /* if less was read */
	r->error = read_now(r->pid, r->addr, r->data, r->size) ? 0 : errno;
	return NULL;
}

/*
 * Forget the threads that have ended meanwhile, such as with their process. Return whether one more may wait
 * for a page of this process.
 */
static bool vm_process__may_wait(struct vm_process *p)
{
	bool waits = false;
	unsigned nr = 0;

	for (unsigned i = 0; i < p->nr_stuck; i++) {
		if (!pthread_tryjoin_np(p->stuck[i].thread, NULL)) {
			free(p->stuck[i].read);
			continue;
		}
		waits |= p->stuck[i].pid == p->pid;
		p->stuck[nr++] = p->stuck[i];
	}
	p->nr_stuck = nr;
	return !waits && nr < VM_STUCK_MAX;
}

/* Read what is not there yet: a page of a file, which comes soon, or none. */
static bool vm_process__read_slowly(struct vm_process *p, u64 addr, void *data, size_t size)
{
	struct slow_read *r;
	struct timespec until;
	u64 begin = clock__ms();
	pthread_t thread;
	int error;

	errno = EAGAIN;
	if (p->nr_slow >= SLOW_MAX || p->slow_ms >= SLOW_MS || !vm_process__may_wait(p))
		return false;
	p->nr_slow++;
	r = xmalloc(sizeof(*r) + size);
	*r = (struct slow_read){ .pid = p->thread, .addr = addr, .size = size };
	if (pthread_create(&thread, NULL, read_slowly, r)) {
		free(r);
		return false;
	}
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += SLOW_MS * 1000000l;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	if (pthread_timedjoin_np(thread, NULL, &until)) {
		p->slow_ms += clock__ms() - begin;
		p->stuck[p->nr_stuck++] = (struct vm_stuck){ p->pid, thread, r };
		errno = EAGAIN;
		return false;
	}
	p->slow_ms += clock__ms() - begin;
	error = r->error;
	memcpy(data, r->data, error ? 0 : size);
	free(r);
	errno = error;
	return !error;
}

bool vm_process__read(struct vm_process *p, u32 pid, u64 round, u64 addr, void *data, size_t size)
{
	const u64 page = mem__page_size();

	vm_process__open(p, pid, round);
	errno = EFAULT;
	if (!size || addr > INT64_MAX)
		return false;
	/* without a page map, there is no right to read either, as a rule */
	if (p->fd < 0 || vm_process__has(p, addr / page, (addr + size - 1) / page + 1))
		return read_now(p->thread, addr, data, size);
	return vm_process__read_slowly(p, addr, data, size);
}
