/*
 * ramp PAGES CPU...: for each CPU a thread bound to it, which touches as many pages one after the other, for
 * the first time each: page faults whose addresses count up. Prints for each CPU the address of its last
 * page.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct ramp {
	pthread_t thread;
	int cpu;
	char *pages;
};

static size_t nr_pages, page;

static void *climb(void *arg)
{
	enum { AT_ONCE = 4096 };
	struct ramp *r = arg;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(r->cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		return NULL;
	for (size_t i = 0; i < nr_pages; i++) {
		r->pages[i * page] = 1;
		if (i % AT_ONCE == 0 && i) /* what was touched is given back: memory stays small */
			madvise(r->pages + (i - AT_ONCE) * page, AT_ONCE * page, MADV_DONTNEED);
	}
	return r;
}

int main(int argc, char **argv)
{
	struct ramp ramps[64];
	int nr = argc - 2;
	void *done;

	if (nr < 1 || nr > 64)
		return 2;
	page = (size_t)sysconf(_SC_PAGESIZE);
	nr_pages = (size_t)atol(argv[1]);
	for (int i = 0; i < nr; i++) {
		struct ramp *r = &ramps[i];

		r->cpu = atoi(argv[i + 2]);
		r->pages = mmap(NULL, nr_pages * page, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (r->pages == MAP_FAILED)
			return 1;
		madvise(r->pages, nr_pages * page, MADV_NOHUGEPAGE);
	}
	for (int i = 0; i < nr; i++)
		if (pthread_create(&ramps[i].thread, NULL, climb, &ramps[i]))
			return 1;
	for (int i = 0; i < nr; i++) {
		if (pthread_join(ramps[i].thread, &done) || !done)
			return 1;
		printf("%d %zx\n", ramps[i].cpu, (size_t)(ramps[i].pages + (nr_pages - 1) * page));
	}
	return 0;
}
