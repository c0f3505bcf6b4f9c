/*
 * A load with known numbers for perf stat.
 *	stat_load pages N CTL ACK   tell perf (--control) to count while it touches N new pages
 *	stat_load calls N           call getppid(2) N times
 *	stat_load writes N [CHILDREN]  write a variable N times, and 10 times in each child
 *	stat_load status N         end with this status
 *	stat_load where             print the address of that variable
 *	stat_load time MS           use MS ms of processor time; print what it used, in ns
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile int written;

static void ask(int ctl, int ack, const char *command)
{
	char answer[16];

	if (write(ctl, command, strlen(command)) < 0 || read(ack, answer, sizeof(answer)) < 4)
		exit(3);
}

static void touch(char *memory, long nr)
{
	for (long i = 0; i < nr; i++)
		memory[i * sysconf(_SC_PAGESIZE)] = 1;
}

static int pages(long nr, int ctl, int ack)
{
	size_t size = (size_t)(nr + 1) * (size_t)sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return 3;
	madvise(memory, size, MADV_NOHUGEPAGE);
	alarm(300);
	ask(ctl, ack, "ping\n"); /* the code of all that follows is touched once */
	touch(memory + size - sysconf(_SC_PAGESIZE), 1);
	ask(ctl, ack, "enable\n");
	touch(memory, nr);
	ask(ctl, ack, "disable\n");
	return 0;
}

static int writes(long nr, int nr_children)
{
	for (int i = 0; i < nr_children; i++)
		if (!fork()) {
			for (int k = 0; k < 10; k++)
				written = k;
			_exit(0);
		}
	for (long i = 0; i < nr; i++)
		written = (int)i;
	while (wait(NULL) > 0)
		;
	return 0;
}

static long long used(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	long nr = argc > 2 ? atol(argv[2]) : 0;
	long long start = used();

	if (!strcmp(what, "pages") && argc > 4)
		return pages(nr, atoi(argv[3]), atoi(argv[4]));
	if (!strcmp(what, "calls"))
		for (long i = 0; i < nr; i++)
			syscall(SYS_getppid);
	if (!strcmp(what, "writes"))
		return writes(nr, argc > 3 ? atoi(argv[3]) : 0);
	if (!strcmp(what, "status"))
		return (int)nr;
	if (!strcmp(what, "where"))
		printf("%p\n", (void *)&written);
	if (!strcmp(what, "time")) {
		while (used() - start < nr * 1000000LL)
			;
		printf("%lld\n", used() - start);
	}
	return 0;
}
