/*
 * One kind of stack each: kinds KIND [MS]. Uses the CPU for so long (default 500 ms), in code without frame
 * pointers.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#ifdef __GLIBC__
#include <ucontext.h>
#endif
#include <unistd.h>
#ifdef __clang__
#define KEEP __attribute__((noinline))
#else
#define KEEP __attribute__((noipa))
#endif
#ifndef STATIC
#define STATIC 0
#endif

static volatile unsigned long sink;
static double until;
static int ms = 500;
static char *self;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int is_time(void)
{
	return now() < until;
}

KEEP static void work(int n)
{
	for (int i = 0; i < n; i++)
		sink = sink * 7 + (unsigned long)i;
}

/* Goes up and down again for each piece of work. */
KEEP static int climbs(int depth)
{
	char room[48];
	int r;

	memset(room, depth, sizeof(room));
	work(20);
	r = depth ? climbs(depth - 1) : (work(20000), 1);
	sink += (unsigned long)room[depth % 48];
	return r + 1;
}

KEEP static int deep(void)
{
	return climbs(300);
}

KEEP static void *thread(void *arg)
{
	while (is_time())
		climbs(5);
	return arg;
}

KEEP static int threads(void)
{
	pthread_t t[100];

	for (int i = 0; i < 100; i++)
		if (pthread_create(&t[i], NULL, thread, NULL))
			abort();
	for (int i = 0; i < 100; i++)
		pthread_join(t[i], NULL);
	return 1;
}

#if !STATIC
/* A library that comes and goes. */
KEEP static int opens(void)
{
	void *lib = dlopen("./libplugin.so", RTLD_NOW);
	int (*run)(int (*)(int), int) = lib ? (int (*)(int (*)(int), int))dlsym(lib, "plugin_run") : NULL;

	if (!run)
		abort();
	for (int i = 0; i < 30; i++)
		run(climbs, 10);
	return dlclose(lib);
}
#endif

KEEP static void handler(int sig)
{
	(void)sig;
	climbs(5);
}

/*
 * Once: a timer that is set again and again before it expires never does. The interval is no multiple of the
 * time between two samples, so that samples come anywhere in the handler.
 */
static void every_ms(int flags)
{
	struct sigaction a = { .sa_handler = handler, .sa_flags = SA_RESTART | flags };
	struct itimerval t = { { 0, 1037 }, { 0, 1037 } };
	static int is_set;

	if (is_set++)
		return;
	sigaction(SIGALRM, &a, NULL);
	setitimer(ITIMER_REAL, &t, NULL);
}

KEEP static int signals(void)
{
	every_ms(0);
	return climbs(20);
}

KEEP static int altstack(void)
{
	static char room[1 << 16];
	stack_t s = { .ss_sp = room, .ss_size = sizeof(room) };

	sigaltstack(&s, NULL);
	every_ms(SA_ONSTACK);
	return climbs(20);
}

/* A signal that comes at the first instruction of a function, and out of a system call. */
KEEP static int raises(void)
{
	signal(SIGUSR1, handler);
	return raise(SIGUSR1);
}

/* The fault is interrupted at the instruction that makes it. */
static sigjmp_buf back;
static volatile int *volatile nowhere;
KEEP static void jumps_back(int sig)
{
	climbs(2);
	siglongjmp(back, sig);
}

KEEP static int faults(void)
{
	signal(SIGSEGV, jumps_back);
	if (!sigsetjmp(back, 1))
		*nowhere = 1;
	return 1;
}

static jmp_buf top;
KEEP static int throws_down(int depth)
{
	work(2000);
	if (depth <= 0)
		longjmp(top, 1);
	return throws_down(depth - 1) + 1;
}

KEEP static int jumps(void)
{
	return setjmp(top) ? 1 : throws_down(20);
}

KEEP static int forks(void)
{
	pid_t pid = fork();

	for (int i = 0; i < 100; i++)
		climbs(30);
	if (!pid)
		_exit(0);
	return waitpid(pid, NULL, 0);
}

KEEP static int execs(void)
{
	pid_t pid = fork();

	if (!pid) {
		execl(self, self, "signals", "20", NULL);
		_exit(1);
	}
	return waitpid(pid, NULL, 0);
}

KEEP static int vforks(void)
{
	pid_t pid = vfork();

	if (!pid) {
		climbs(5);
		execl(self, self, "signals", "10", NULL);
		_exit(1);
	}
	return waitpid(pid, NULL, 0);
}

KEEP static int clocks(void)
{
	struct timeval tv;

	for (int i = 0; i < 10000; i++) {
		sink += (unsigned long)now();
		gettimeofday(&tv, NULL);
		sink += (unsigned long)time(NULL);
	}
	return 1;
}

/* Leaves that libc chose for this processor, and stubs that lead to them. */
KEEP static int strings(void)
{
	static char a[5000], b[5000];

	memset(a, 'x', sizeof(a) - 1);
	for (int i = 0; i < 200; i++) {
		memcpy(b, a, sizeof(b) - (size_t)i);
		sink += strlen(b) + (unsigned long)memcmp(a, b, sizeof(a) - 300);
		sink += strchr(b, 'y') != NULL;
		sink += (unsigned long)strcmp(a, b) + (unsigned long)strncmp(a, b, 900);
		memmove(b + 1, b, 3000);
		sink += memchr(a, 'z', sizeof(a)) != NULL;
		sink += (unsigned long)(sin(i * 0.1) * 10 + pow(i, 1.3));
	}
	return 1;
}

KEEP static int compares(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

KEEP static int stubs(void)
{
	int v[8] = { 5, 2, 7, 1, 9, 3, 8, 4 };

	for (int i = 0; i < 1000; i++) {
		v[i % 8] = rand();
		sink += (unsigned long)abs(v[3]) + (unsigned long)getppid() + (unsigned long)atoi("12");
		qsort(v, 8, sizeof(*v), compares);
	}
	return 1;
}

KEEP static int prints(void)
{
	char text[300];

	for (int i = 0; i < 200; i++)
		sink += (unsigned long)snprintf(text, sizeof(text), "%d %s %f %p %-20s", i, "text", i * 0.7,
						text, "more");
	return (int)strtod(text, NULL);
}

KEEP static int allocates(void)
{
	void *p[200];

	for (int i = 0; i < 200; i++)
		p[i] = malloc((size_t)(i * 37 % 3000) + 1);
	for (int i = 0; i < 200; i++)
		free(p[i]);
	return 1;
}

/* The short way needs no frame: compilers save registers on the other one only (shrink wrapping). */
KEEP static unsigned long wrapped(unsigned long n, int depth)
{
	unsigned long a, b;

	if (!depth) {
		for (int i = 0; i < 20000; i++)
			n = n * 7 + (unsigned long)i;
		return n;
	}
	a = wrapped(n + 1, depth - 1);
	b = wrapped(n + a, 0);
	work(500);
	return a * 3 + b * 5 + n;
}

KEEP static int wraps(void)
{
	sink += wrapped(sink, 10);
	return 1;
}

/* Calls at the end: jumps, if the compiler was told to make such of them. */
static int (*volatile last)(int);

KEEP static int ends(int n)
{
	work(20000);
	return n + 1;
}

KEEP static int passes_on(int n)
{
	char room[200];

	memset(room, n, sizeof(room));
	work(5000);
	sink += (unsigned long)room[n];
	return last(n + 1);
}

KEEP static int passes(int n)
{
	work(2000);
	return passes_on(n + 1);
}

KEEP static int tails(void)
{
	last = ends;
	return passes(1) + 1;
}

#ifdef __GLIBC__
/* Coroutines with stacks of their own; the first of them resumes the second one from below. */
enum { COROUTINES = 2 };
static ucontext_t caller, coroutine[COROUTINES];

KEEP static int resumes(ucontext_t *from, ucontext_t *to, int depth)
{
	int r = depth ? resumes(from, to, depth - 1) : swapcontext(from, to);

	work(2000);
	return r + 1;
}

static void coroutine_main(int i)
{
	for (;;) {
		climbs(20);
		resumes(&coroutine[i], i + 1 < COROUTINES ? &coroutine[i + 1] : &caller, 3);
	}
}

KEEP static int coroutines(void)
{
	static char rooms[COROUTINES][1 << 16];

	for (int i = 0; i < COROUTINES && !coroutine[i].uc_stack.ss_sp; i++) {
		getcontext(&coroutine[i]);
		coroutine[i].uc_stack = (stack_t){ .ss_sp = rooms[i], .ss_size = sizeof(rooms[i]) };
		makecontext(&coroutine[i], (void (*)(void))coroutine_main, 1, i);
	}
	return resumes(&caller, &coroutine[0], 2);
}
#endif

static const struct {
	const char *name;
	int (*run)(void);
} kinds[] = {
	{ "deep", deep },
	{ "threads", threads },
	{ "signals", signals },
	{ "altstack", altstack },
	{ "raises", raises },
	{ "faults", faults },
	{ "jumps", jumps },
	{ "forks", forks },
	{ "execs", execs },
	{ "vforks", vforks },
	{ "clocks", clocks },
	{ "strings", strings },
	{ "stubs", stubs },
	{ "prints", prints },
	{ "allocates", allocates },
	{ "wraps", wraps },
	{ "tails", tails },
#ifdef __GLIBC__
	{ "coroutines", coroutines },
#endif
#if !STATIC
	{ "opens", opens },
#endif
};

int main(int argc, char **argv)
{
	self = argv[0];
	if (argc > 2)
		ms = atoi(argv[2]);
	until = now() + ms;
	for (size_t i = 0; argc > 1 && i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (strcmp(kinds[i].name, argv[1]))
			continue;
		while (is_time())
			sink += (unsigned long)kinds[i].run();
		return 0;
	}
	fprintf(stderr, "kinds: no such kind\n");
	return 2;
}
