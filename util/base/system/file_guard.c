#include "base/system/file_guard.h"

#include "base/memory/mem.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>

/*
 * The handler runs in any thread at any time, so it reads a list whose elements are added at the front and
 * never freed: a range that is not guarded any more has no size, and another one takes its element.
 */
struct guarded {
	_Atomic(uintptr_t) start;
	_Atomic(size_t) size; /* 0: free */
	struct guarded *next;
};

static _Atomic(struct guarded *) list;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of those who change the list and the handler */
static struct sigaction before;

static bool is_guarded(uintptr_t addr)
{
	for (struct guarded *g = atomic_load(&list); g; g = g->next) {
		uintptr_t start = atomic_load(&g->start);

		if (addr >= start && addr - start < atomic_load(&g->size))
			return true;
	}
	return false;
}

static void give_zeros(int signo, siginfo_t *info, void *context)
{
	const size_t page = mem__page_size();
	uintptr_t addr = (uintptr_t)info->si_addr & ~(page - 1);
	int saved = errno;

	(void)context;
	if (!is_guarded(addr) || mmap((void *)addr, page, PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		sigaction(signo, &before, NULL); /* the instruction is repeated, and meets that handler */
	errno = saved;
}

/* Take the signal, unless it is taken. The browser, which restores the terminal, may have it meanwhile. */
static void take_signal(void)
{
	struct sigaction action = { .sa_sigaction = give_zeros, .sa_flags = SA_SIGINFO }, now;

	if (sigaction(SIGBUS, NULL, &now) || (now.sa_flags & SA_SIGINFO && now.sa_sigaction == give_zeros))
		return;
	before = now;
	sigaction(SIGBUS, &action, NULL);
}

void file_guard__add(const void *map, size_t size)
{
	struct guarded *g;

	pthread_mutex_lock(&lock);
	for (g = atomic_load(&list); g && atomic_load(&g->size); g = g->next)
		;
	if (!g) {
		g = xcalloc(1, sizeof(*g));
		g->next = atomic_load(&list);
		atomic_store(&list, g);
	}
	atomic_store(&g->start, (uintptr_t)map);
	atomic_store(&g->size, size);
	take_signal();
	pthread_mutex_unlock(&lock);
}

void file_guard__remove(const void *map)
{
	pthread_mutex_lock(&lock);
	for (struct guarded *g = atomic_load(&list); map && g; g = g->next)
		if (atomic_load(&g->start) == (uintptr_t)map && atomic_load(&g->size))
			atomic_store(&g->size, 0);
	pthread_mutex_unlock(&lock);
}
