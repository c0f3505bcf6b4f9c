/*
 * Page faults that are known one by one, for recordings that are ended by SIGKILL.
 * pace run FILE: touches a page each millisecond or so, one after the other, and keeps in FILE when it
 * touched which (struct
 *	log); ends with its parent, or after 30 s.
 * pace kill PID: kills it and prints the time, ns of CLOCK_MONOTONIC.
 * pace check FILE NS: standard input has the addresses of the pages in a recording that was killed at NS.
 * Fails unless these
 *	are all pages from the first one on, and those that are missing were touched in the last second.
 *	Prints how long before the kill, in ms, the first missing one was.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { PAGES = 65536, PAGE = 4096 };
#define SECOND 1000000000ull

struct log {
	uint64_t base;        /* address of the first page */
	uint64_t nr;          /* pages touched */
	uint64_t time[PAGES]; /* ns of CLOCK_MONOTONIC, just before */
};

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

static struct log *open_log(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);
	struct log *log;

	if (fd < 0 || ftruncate(fd, sizeof(*log)))
		return NULL;
	log = mmap(NULL, sizeof(*log), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return log == MAP_FAILED ? NULL : log;
}

static int run(const char *path)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	struct log *log = open_log(path);
	volatile char *pages =
		mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!log || pages == MAP_FAILED || madvise((void *)pages, (size_t)PAGES * PAGE, MADV_NOHUGEPAGE))
		return 2;
	memset(log, 0, sizeof(*log)); /* its faults are over */
	log->base = (uintptr_t)pages;
	for (size_t i = 0; i < PAGES; i++) {
		log->time[i] = now();
		log->nr = i + 1;
		pages[i * PAGE] = 1;
		nanosleep(&pause, NULL);
		if (now() - log->time[0] > 30 * SECOND)
			return 0;
	}
	return 0;
}

static int check(const char *path, uint64_t killed)
{
	const struct log *log = open_log(path);
	uint64_t next = 0, addr, first_missing;

	if (!log)
		return 2;
	while (scanf("%" SCNx64, &addr) == 1) {
		if (addr < log->base || addr >= log->base + (uint64_t)PAGES * PAGE)
			continue;
		if ((addr - log->base) / PAGE != next) {
			printf("page %" PRIu64 " follows page %" PRIu64 " - 1\n", (addr - log->base) / PAGE,
			       next);
			return 1;
		}
		next++;
	}
	if (next > log->nr) {
		printf("%" PRIu64 " pages, %" PRIu64 " touched\n", next, log->nr);
		return 1;
	}
	first_missing = next < log->nr && log->time[next] < killed ? log->time[next] : killed;
	printf("%" PRIu64 "\n", (killed - first_missing) / 1000000);
	return killed - first_missing > SECOND;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "run"))
		return run(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "kill")) {
		int ret = kill(atoi(argv[2]), SIGKILL);

		printf("%" PRIu64 "\n", now());
		return ret != 0;
	}
	if (argc == 4 && !strcmp(argv[1], "check"))
		return check(argv[2], strtoull(argv[3], NULL, 10));
	return 2;
}
