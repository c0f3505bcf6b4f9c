/*
 * A compiler of code at run time, as far as a profiler sees one: copies a loop into memory of its own, runs
 * it there, and tells its name.
 *
 * jit map NAME [memfd|shm|named]
 *                   in /tmp/perf-PID.map; "ready" on stdout, then runs until it is killed (60 s at most);
 *                   in a file that is memory, in one that was removed, or in memory with a name
 * jit until FILE NAME [delete]
 *                   in /tmp/perf-PID.map; runs until FILE exists, and 0.3 s at least; may delete the map then
 * jit dump FOLDER   in FOLDER/jit-PID.dump: "first_code", then "second_code" at the same address, then
 *                   "moved_code", which is loaded elsewhere and moved to a third place; 0.3 s each
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41 /* Linux 5.17 */
#define PR_SET_VMA_ANON_NAME 0
#endif

enum { CODE_SIZE = 256 };

__attribute__((noinline, noclone, aligned(64))) static void loop(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		__asm__ volatile("");
}

__attribute__((noinline, noclone, aligned(64))) static void behind_loop(void)
{
	__asm__ volatile("");
}

static uint64_t clock_now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static char *new_memory(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void put_code(char *at)
{
	memcpy(at, (const void *)loop, (size_t)((const char *)behind_loop - (const char *)loop));
	__builtin___clear_cache(at, at + CODE_SIZE);
}

static void run_code(char *at, uint64_t ns)
{
	void (*code)(unsigned long) = (void (*)(unsigned long))at;

	for (uint64_t end = clock_now(CLOCK_PROCESS_CPUTIME_ID) + ns;
	     clock_now(CLOCK_PROCESS_CPUTIME_ID) < end;)
		code(1000000);
}

/* Return executable memory of this kind, with the code; NULL: this kernel has none. */
static char *new_code(const char *kind)
{
	char *code, *again, path[64];
	int fd;

	if (!strcmp(kind, "anonymous") || !strcmp(kind, "named")) {
		code = new_memory();
		put_code(code);
		if (!strcmp(kind, "named") && prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, code, 4096, "jit code"))
			return NULL;
		return code;
	}
	snprintf(path, sizeof(path), "/dev/shm/jit-%d", (int)getpid());
	fd = !strcmp(kind, "memfd") ? memfd_create("doublemapper", 0)
				    : open(path, O_RDWR | O_CREAT | O_EXCL, 0700);
	if (fd < 0 || ftruncate(fd, 4096))
		return NULL;
	unlink(path);
	code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	again = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	if (code == MAP_FAILED || again == MAP_FAILED)
		return NULL;
	put_code(code);
	__builtin___clear_cache(again, again + CODE_SIZE);
	return again;
}

/* Write a map of one function. */
static int write_map(char path[64], const char *code, const char *name)
{
	FILE *f;

	snprintf(path, 64, "/tmp/perf-%d.map", (int)getpid());
	f = fopen(path, "w");
	if (!f)
		return 1;
	fprintf(f, "%lx %x %s\n", (unsigned long)code, CODE_SIZE, name);
	fclose(f);
	return 0;
}

static int run_until(const char *file, const char *name, int deletes)
{
	char path[64], *code = new_code("anonymous");

	if (write_map(path, code, name))
		return 1;
	alarm(60);
	do
		run_code(code, 300000000);
	while (access(file, F_OK));
	if (deletes)
		unlink(path);
	return 0;
}

static int run_with_map(const char *name, const char *kind)
{
	char path[64], *code = new_code(kind);

	if (!code)
		return 3;
	if (write_map(path, code, name))
		return 1;
	printf("ready\n");
	fflush(stdout);
	alarm(60);
	run_code(code, 60000000000);
	return 0;
}

static void put(FILE *f, uint64_t value, size_t size)
{
	fwrite(&value, size, 1, f); /* little-endian machines only, as all that this runs on */
}

static void put_load(FILE *f, const char *name, char *at, unsigned index)
{
	put(f, 0, 4); /* JIT_CODE_LOAD */
	put(f, 16 + 40 + strlen(name) + 1 + CODE_SIZE, 4);
	put(f, clock_now(CLOCK_MONOTONIC), 8);
	put(f, (uint64_t)getpid(), 4);
	put(f, (uint64_t)getpid(), 4);
	put(f, (uintptr_t)at, 8);
	put(f, (uintptr_t)at, 8);
	put(f, CODE_SIZE, 8);
	put(f, index, 8);
	fwrite(name, strlen(name) + 1, 1, f);
	fwrite(at, CODE_SIZE, 1, f);
	fflush(f);
}

static void put_move(FILE *f, char *from, char *to, unsigned index)
{
	put(f, 1, 4); /* JIT_CODE_MOVE */
	put(f, 16 + 48, 4);
	put(f, clock_now(CLOCK_MONOTONIC), 8);
	put(f, (uint64_t)getpid(), 4);
	put(f, (uint64_t)getpid(), 4);
	put(f, (uintptr_t)to, 8);
	put(f, (uintptr_t)from, 8);
	put(f, (uintptr_t)to, 8);
	put(f, CODE_SIZE, 8);
	put(f, index, 8);
	fflush(f);
}

static int run_with_dump(const char *folder)
{
	char path[4096], *code = new_memory(), *other = new_memory(), *third = new_memory();
	FILE *f;

	snprintf(path, sizeof(path), "%s/jit-%d.dump", folder, (int)getpid());
	f = fopen(path, "w+");
	if (!f)
		return 1;
	put(f, 0x4A695444, 4); /* "JiTD" */
	put(f, 1, 4);
	put(f, 40, 4);
	put(f, 62, 4); /* machine */
	put(f, 0, 4);
	put(f, (uint64_t)getpid(), 4);
	put(f, clock_now(CLOCK_MONOTONIC), 8);
	put(f, 0, 8);
	fflush(f);
	if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(f), 0) == MAP_FAILED)
		return 1;
	put_code(code);
	put_load(f, "first_code", code, 0);
	run_code(code, 100000000);
	/* As some runtimes do around every change. The kernel tells of it as of a new mapping. */
	mprotect(code, 4096, PROT_READ | PROT_WRITE);
	put_code(code);
	mprotect(code, 4096, PROT_READ | PROT_EXEC);
	put_load(f, "second_code", code, 1);
	mprotect(code, 4096, PROT_READ | PROT_WRITE);
	mprotect(code, 4096, PROT_READ | PROT_EXEC);
	run_code(code, 100000000);
	put_code(other);
	put_load(f, "moved_code", other, 2);
	put_code(third);
	put_move(f, other, third, 2);
	run_code(third, 100000000);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc >= 3 && !strcmp(argv[1], "map"))
		return run_with_map(argv[2], argc > 3 ? argv[3] : "anonymous");
	if (argc >= 4 && !strcmp(argv[1], "until"))
		return run_until(argv[2], argv[3], argc > 4);
	if (argc == 3 && !strcmp(argv[1], "dump"))
		return run_with_dump(argv[2]);
	return 2;
}
