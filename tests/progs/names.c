/*
 * Functions with any names: for each line of a file, a copy of a loop, which /tmp/perf-PID.map calls so. Each
 * runs for so many ms of processor time. The map stays.
 *
 *	names FILE MS [COMM]
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { CODE_SIZE = 256, NAMES_MAX = 64 };

__attribute__((noinline, noclone, aligned(64))) static void loop(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		__asm__ volatile("");
}

__attribute__((noinline, noclone, aligned(64))) static void behind_loop(void)
{
	__asm__ volatile("");
}

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

int main(int argc, char **argv)
{
	char path[64], *code = mmap(NULL, (size_t)CODE_SIZE * NAMES_MAX, PROT_READ | PROT_WRITE | PROT_EXEC,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	FILE *names = argc > 2 ? fopen(argv[1], "r") : NULL, *map;
	char *line = NULL;
	size_t size = 0, nr = 0;
	ssize_t len;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, "w");
	if (!names || !map || code == MAP_FAILED)
		return 1;
	if (argc > 3)
		prctl(PR_SET_NAME, argv[3]);
	for (; nr < NAMES_MAX && (len = getline(&line, &size, names)) > 0; nr++) {
		char *at = code + nr * CODE_SIZE;

		memcpy(at, (const void *)loop, (size_t)((const char *)behind_loop - (const char *)loop));
		__builtin___clear_cache(at, at + CODE_SIZE);
		fprintf(map, "%lx %x ", (unsigned long)at, (unsigned)CODE_SIZE);
		fwrite(line, 1, (size_t)len, map);
	}
	fclose(map);
	for (size_t i = 0; i < nr; i++) {
		void (*call)(unsigned long) = (void (*)(unsigned long))(code + i * CODE_SIZE);
		uint64_t end = cpu_ns() + strtoull(argv[2], NULL, 10) * 1000000;

		while (cpu_ns() < end)
			call(100000);
	}
	return 0;
}
