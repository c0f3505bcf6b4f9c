/*
 * A server that compiles code and forks two workers, which run it, and code that the first worker compiled.
 *
 * jit_workers private|shared FILE The pages of code are "parent_code", "worker_code", which has a name in
 * the map of the first worker, and one without a name. "shared": the memory is. Prints the numbers of all
 * three processes. Each worker runs each page for 0.1 s of processor time, and then until FILE exists;
 * the server only waits.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 3 };

__attribute__((noinline, noclone, aligned(64))) static void loop(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		__asm__ volatile("");
}

__attribute__((noinline, noclone, aligned(64))) static void behind_loop(void)
{
	__asm__ volatile("");
}

static void write_map(const char *at, const char *name)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	f = fopen(path, "w");
	if (!f)
		_exit(1);
	fprintf(f, "%lx %x %s\n", (unsigned long)at, PAGE, name);
	fclose(f);
}

static void run(char *at, double seconds)
{
	void (*code)(unsigned long) = (void (*)(unsigned long))(uintptr_t)at;
	clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);

	while (clock() < end)
		code(100000);
}

static void work(char *code, const char *file)
{
	alarm(60);
	for (int n = 0; n < 50 || access(file, F_OK); n++)
		for (int i = 0; i < PAGES; i++)
			run(code + i * PAGE, 0.002);
	_exit(0);
}

int main(int argc, char **argv)
{
	int flags = argc > 1 && !strcmp(argv[1], "shared") ? MAP_SHARED : MAP_PRIVATE, nr = 0;
	char *code =
		mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, flags | MAP_ANONYMOUS, -1, 0);

	if (argc < 3 || code == MAP_FAILED)
		return 2;
	for (int i = 0; i < PAGES; i++)
		memcpy(code + i * PAGE, (const void *)loop,
		       (size_t)((const char *)behind_loop - (const char *)loop));
	__builtin___clear_cache(code, code + PAGES * PAGE);
	write_map(code, "parent_code");
	printf("%d", (int)getpid());
	fflush(stdout);
	for (int i = 0; i < 2; i++) {
		pid_t pid = fork();

		if (!pid) {
			if (!i)
				write_map(code + PAGE, "worker_code");
			work(code, argv[2]);
		}
		printf(",%d", (int)pid);
	}
	printf("\n");
	fflush(stdout);
	while (wait(NULL) > 0)
		nr++;
	return nr != 2;
}
