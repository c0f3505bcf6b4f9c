/*
 * Programs to be recorded for the benchmarks, in one binary:
 *
 *	load chains SECONDS THREADS KINDS DEPTH   call chains: each step calls one of KINDS functions. SECONDS
 *	                                          of processor time in all, so that the number of samples
 *	                                          does not depend on what else the machine does
 *	load inlines SECONDS THREADS KINDS DEPTH  the same, but that three functions are inlined around each
 *	call load procs N                              N short processes, one after the other load threads N
 *	N threads that each work a little load maps N                               maps and unmaps N pieces
 *	of code, calling each load idle N SECONDS                       N processes that do a little now and
 *	then
 *
 * Built with frame pointers. KINDS^DEPTH is the number of distinct chains.
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned sink;
static int kinds, depth;

static unsigned next_random(unsigned &seed)
{
	seed = seed * 1664525u + 1013904223u;
	return seed >> 10;
}

static void spin(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink = sink * 3 + i;
}

static void descend(int left, unsigned &seed);

template <int KIND> __attribute__((noinline)) static void step(int left, unsigned &seed)
{
	spin(40 + KIND);
	descend(left - 1, seed);
	sink = sink + KIND;
}

static void descend(int left, unsigned &seed)
{
	if (left <= 0) {
		spin(200);
		return;
	}
	switch (next_random(seed) % static_cast<unsigned>(kinds)) {
	case 0:
		return step<0>(left, seed);
	case 1:
		return step<1>(left, seed);
	case 2:
		return step<2>(left, seed);
	default:
		return step<3>(left, seed);
	}
}

/* ---- the same with inlined functions ---- */

static void descend_inlined(int left, unsigned &seed);

#define INLINED __attribute__((always_inline)) static inline

template <int KIND, class F> INLINED void with(F f)
{
	f();
	sink = sink + KIND;
}

template <class F> struct guarded {
	F f;
	unsigned before = sink;

	__attribute__((always_inline)) ~guarded()
	{
		f();
		sink = sink ^ before;
	}
};

template <int KIND> __attribute__((noinline)) static void step_inlined(int left, unsigned &seed)
{
	with<KIND>([=, &seed] {
		auto down = [=, &seed] { descend_inlined(left - 1, seed); };

		guarded<decltype(down)> g{ down };
		spin(40 + KIND);
	});
}

static void descend_inlined(int left, unsigned &seed)
{
	if (left <= 0) {
		spin(200);
		return;
	}
	switch (next_random(seed) % static_cast<unsigned>(kinds)) {
	case 0:
		return step_inlined<0>(left, seed);
	case 1:
		return step_inlined<1>(left, seed);
	case 2:
		return step_inlined<2>(left, seed);
	default:
		return step_inlined<3>(left, seed);
	}
}

static double cpu_seconds()
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

typedef void descent(int left, unsigned &seed);

static void work(double seconds, unsigned seed, descent *down)
{
	while (cpu_seconds() < seconds)
		for (int i = 0; i < 100; i++)
			down(depth, seed);
}

static int chains(double seconds, int nr_threads, descent *down)
{
	std::vector<std::thread> threads;

	for (int i = 0; i < nr_threads; i++)
		threads.emplace_back(work, seconds / nr_threads, static_cast<unsigned>(i) * 7919u, down);
	for (auto &t : threads)
		t.join();
	return 0;
}

static int procs(int nr)
{
	for (int i = 0; i < nr; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			if (i % 2)
				execl("/bin/true", "true", static_cast<char *>(nullptr));
			spin(20000);
			_exit(0);
		}
		if (pid < 0)
			return 1;
		waitpid(pid, nullptr, 0);
	}
	return 0;
}

static int threads(int nr)
{
	for (int done = 0; done < nr;) {
		std::vector<std::thread> batch;

		for (int i = 0; i < 200 && done < nr; i++, done++)
			batch.emplace_back([] { spin(300000); });
		for (auto &t : batch)
			t.join();
	}
	return 0;
}

/* Every piece is this binary's own text at another place, so that each call is inside a fresh map. */
static int maps(int nr)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	std::vector<void *> kept;

	for (int i = 0; i < nr; i++) {
		void *p = mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 4096);

		if (p == MAP_FAILED)
			return 1;
		spin(500);
		if (i % 3)
			munmap(p, 4096);
		else
			kept.push_back(p);
		if (kept.size() > 20000) {
			for (void *k : kept)
				munmap(k, 4096);
			kept.clear();
		}
	}
	return 0;
}

static int idle(int nr, int seconds)
{
	for (int i = 0; i < nr; i++) {
		pid_t pid = fork();

		if (pid < 0)
			return 1;
		if (pid > 0)
			continue;
		kinds = 4;
		for (unsigned seed = static_cast<unsigned>(i), n = 0; n < static_cast<unsigned>(seconds) * 2;
		     n++) {
			usleep(400000 + next_random(seed) % 200000);
			descend(12, seed);
		}
		_exit(0);
	}
	while (wait(nullptr) > 0)
		;
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if ((!strcmp(what, "chains") || !strcmp(what, "inlines")) && argc == 6) {
		kinds = atoi(argv[4]);
		depth = atoi(argv[5]);
		return chains(atof(argv[2]), atoi(argv[3]),
			      !strcmp(what, "chains") ? descend : descend_inlined);
	}
	if (!strcmp(what, "procs") && argc == 3)
		return procs(atoi(argv[2]));
	if (!strcmp(what, "threads") && argc == 3)
		return threads(atoi(argv[2]));
	if (!strcmp(what, "maps") && argc == 3)
		return maps(atoi(argv[2]));
	if (!strcmp(what, "idle") && argc == 4)
		return idle(atoi(argv[2]), atoi(argv[3]));
	fprintf(stderr, "usage: load chains|inlines SECONDS THREADS KINDS DEPTH | procs N | threads N | maps "
			"N | idle N SECONDS\n");
	return 2;
}
