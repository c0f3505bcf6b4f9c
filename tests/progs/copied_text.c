/*
 * A program that copies a part of its code to memory without a file, at the same addresses, as some do to get
 * large pages.
 *
 * copied_text same    runs the copy of spin()
 * copied_text other   other bytes are there; spin()'s instructions are where the file has no function
 * copied_text moved   as same, with mremap() of memory that was made elsewhere
 * Each prints "ready", waits for the end of its input, and runs for a second of processor time.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* The part: whole pages, with spin() in the last one. */
__asm__(".text\n.balign 4096\n.globl part_start\npart_start:\n.fill 0x20000, 1, 0x5a\n");
__attribute__((noinline, noclone)) void spin(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		__asm__ volatile("");
}
__asm__(".text\n.globl spin_end\nspin_end:\n.balign 4096, 0x5a\n.globl part_end\npart_end:\n");
extern char part_start[], spin_end[], part_end[];

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	size_t size = (size_t)(part_end - part_start), code = (size_t)(spin_end - (char *)spin);
	const char *how = argc > 1 ? argv[1] : "same";
	void (*run)(unsigned long) = spin;
	int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	char *copy = malloc(size), *at = part_start;

	memcpy(copy, part_start, size);
	if (!strcmp(how, "other")) {
		memset(copy, 0xa5, size);
		memcpy(copy + 64, (const char *)spin, code);
		run = (void (*)(unsigned long))(uintptr_t)(part_start + 64);
	}
	if (!strcmp(how, "moved"))
		at = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
	else
		at = mmap(at, size, PROT_READ | PROT_WRITE | PROT_EXEC, flags | MAP_FIXED, -1, 0);
	if (at == MAP_FAILED)
		return 1;
	memcpy(at, copy, size);
	__builtin___clear_cache(at, at + size);
	if (at != part_start &&
	    mremap(at, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, part_start) == MAP_FAILED)
		return 1;
	if (mprotect(part_start, size, PROT_READ | PROT_EXEC))
		return 1;
	printf("ready\n");
	fflush(stdout);
	while (getchar() != EOF)
		;
	for (double end = now(CLOCK_PROCESS_CPUTIME_ID) + 1; now(CLOCK_PROCESS_CPUTIME_ID) < end;)
		run(1000000);
	return 0;
}
