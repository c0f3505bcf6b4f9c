/*
 * Loads for tests/stress/run: load NAME NUMBER [SECONDS].
 *	threads N S	N threads that are busy for S seconds, each in calls of some depth
 *	forks N		N processes, one after the other, that end at once
 *	execs N		a program that starts itself anew N times, in eight processes side by side
 *	maps N		N times a page of code is mapped, run and unmapped
 *	calls N		N times getppid, half of them in each of two processes
 *	crowd N S       N processes at any time for S seconds, each for some milliseconds; their pids, a line
 *	each, as
 *			they begin, go to standard output
 *	sleepers N S	N threads that sleep for S seconds
 *	fixed N K	N threads, each with K thousand rounds of work: K/50 to K/100 seconds for all of two
 *	stay KIB S	busy for S seconds with KIB KiB of stack in use
 *	climb KIB S	calls itself down to KIB KiB of stack, and returns, for S seconds; busy at each depth
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS_MAX = 4096, STACK = 64 << 10, DEPTH = 20, EXECS_SIDE_BY_SIDE = 8 };

static volatile unsigned long sink;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

__attribute__((noipa)) static void work(int depth)
{
	if (depth)
		work(depth - 1);
	for (int i = 0; !depth && i < 2000; i++)
		sink += (unsigned long)i;
	sink++;
}

static void *be_busy(void *arg)
{
	const double *until = arg;

	while (now() < *until)
		work(DEPTH);
	return NULL;
}

static void *sleep_until(void *arg)
{
	const double *until = arg;

	while (now() < *until)
		usleep(20000);
	return NULL;
}

/* Fewer are good, too, where the system has no room for all. */
static int run_threads(long nr, double seconds, void *(*run)(void *))
{
	static pthread_t threads[THREADS_MAX];
	double until = now() + seconds;
	pthread_attr_t attr;
	long started = 0;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	while (started < nr && started < THREADS_MAX &&
	       !pthread_create(&threads[started], &attr, run, &until))
		started++;
	for (long i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	return started < nr;
}

static int threads(long nr, double seconds)
{
	return run_threads(nr, seconds, be_busy);
}

static int sleepers(long nr, double seconds)
{
	return run_threads(nr, seconds, sleep_until);
}

static void *do_rounds(void *arg)
{
	const double *thousands = arg;

	for (long i = 0; i < (long)(*thousands * 1000); i++)
		work(DEPTH);
	return NULL;
}

static int fixed(long nr, double thousands)
{
	static pthread_t threads[THREADS_MAX];
	long started = 0;

	while (started < nr && started < THREADS_MAX &&
	       !pthread_create(&threads[started], NULL, do_rounds, &thousands))
		started++;
	for (long i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	return started < nr;
}

/* ---- deep stacks ---- */

/* Calls itself with 256 bytes of stack or a little more each; busy at each depth if is_climb. */
__attribute__((noipa)) static void descend(long bytes, double until, int is_climb)
{
	volatile char frame[208];

	frame[0] = (char)bytes;
	if (is_climb)
		work(1);
	if (bytes > 256)
		descend(bytes - 256, until, is_climb);
	else
		do
			work(1);
		while (!is_climb && now() < until);
	if (is_climb)
		work(1);
	sink += (unsigned long)frame[0];
}

static int stay(long kib, double seconds)
{
	descend(kib << 10, now() + seconds, 0);
	return 0;
}

static int climb(long kib, double seconds)
{
	double until = now() + seconds;

	while (now() < until)
		descend(kib << 10, until, 1);
	return 0;
}

static int forks(long nr, double seconds)
{
	(void)seconds;
	for (long i = 0; i < nr; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		if (pid < 0 || waitpid(pid, NULL, 0) < 0)
			return 1;
	}
	return 0;
}

static int exec_again(long nr)
{
	char number[32];

	if (!nr)
		return 0;
	snprintf(number, sizeof(number), "%ld", nr - 1);
	execl("/proc/self/exe", "load", "exec", number, (char *)NULL);
	return 1;
}

static int execs(long nr, double seconds)
{
	int failed = 0, status;

	(void)seconds;
	for (int i = 0; i < EXECS_SIDE_BY_SIDE; i++)
		if (!fork())
			_exit(exec_again(nr / EXECS_SIDE_BY_SIDE));
	while (wait(&status) > 0)
		failed |= status;
	return failed != 0;
}

static int exec_one(long nr, double seconds)
{
	(void)seconds;
	return exec_again(nr);
}

static int maps(long nr, double seconds)
{
	(void)seconds;
	for (long i = 0; i < nr; i++) {
		void *p = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED || munmap(p, 4096))
			return 1;
	}
	return 0;
}

static int calls(long nr, double seconds)
{
	pid_t other = fork();

	(void)seconds;
	for (long i = 0; i < nr / 2; i++)
		syscall(SYS_getppid);
	if (!other)
		_exit(0);
	return other < 0 || waitpid(other, NULL, 0) < 0;
}

/* From less than a millisecond to some, so that some end while they are looked at. */
static void live_shortly(unsigned seed)
{
	double until = now() + (double)(seed % 8) * 1e-3;

	while (now() < until)
		work(DEPTH);
	_exit(0);
}

static int crowd(long nr, double seconds)
{
	double until = now() + seconds;
	long alive = 0;
	unsigned seed = 0;

	while (now() < until) {
		pid_t pid = alive < nr ? fork() : 0;

		if (alive < nr && !pid)
			live_shortly(seed);
		seed++;
		if (alive < nr && pid > 0) {
			alive++;
			printf("%d\n", pid);
			fflush(stdout);
			continue;
		}
		while (alive && waitpid(-1, NULL, alive == nr ? 0 : WNOHANG) > 0)
			alive--;
	}
	while (wait(NULL) > 0)
		;
	return 0;
}

static const struct {
	const char *name;
	int (*run)(long nr, double seconds);
} loads[] = {
	{ "threads", threads }, { "sleepers", sleepers }, { "forks", forks }, { "execs", execs },
	{ "exec", exec_one },   { "maps", maps },         { "calls", calls }, { "crowd", crowd },
	{ "fixed", fixed },     { "stay", stay },         { "climb", climb },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 2 && i < sizeof(loads) / sizeof(*loads); i++)
		if (!strcmp(argv[1], loads[i].name))
			return loads[i].run(atol(argv[2]), argc > 3 ? atof(argv[3]) : 1);
	fputs("usage: load NAME NUMBER [SECONDS]\n", stderr);
	return 2;
}
