/*
 * As many functions as wanted, each with a name of its own in /tmp/perf-PID.map. Each is called once, by one
 * of a thousandth as many other functions, and touches a new page: recorded with -c 1 of page
 * faults, each function has a sample. The map stays.
 *
 *	frames NUMBER
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CODE_SIZE = 64, PAGE_SIZE = 4096, CALLEES = 1000 };

typedef void leaf_fn(const volatile char *);

/* Their code is copied: it refers to nothing by its distance. */
__attribute__((noinline, noclone, aligned(64))) static void leaf(const volatile char *page)
{
	(void)*page;
}

__attribute__((noinline, noclone, aligned(64))) static void caller(leaf_fn *call, const volatile char *page)
{
	call(page);
	__asm__ volatile(""); /* no tail call */
}

__attribute__((noinline, noclone, aligned(64))) static void behind_caller(void)
{
	__asm__ volatile("");
}

static void *map_memory(size_t size, int protection)
{
	void *p = mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		exit(1);
	return p;
}

/* Copy a function nr times, and name the copies. */
static char *copy(const void *from, const void *end, size_t nr, const char *name, FILE *map)
{
	size_t size = (size_t)((const char *)end - (const char *)from);
	char *code = map_memory(nr * CODE_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC);

	if (size > CODE_SIZE)
		exit(1);
	for (size_t i = 0; i < nr; i++) {
		memcpy(code + i * CODE_SIZE, from, size);
		fprintf(map, "%lx %x %s%zu\n", (unsigned long)(code + i * CODE_SIZE), (unsigned)CODE_SIZE,
			name, i);
	}
	__builtin___clear_cache(code, code + nr * CODE_SIZE);
	return code;
}

int main(int argc, char **argv)
{
	size_t nr = argc > 1 ? strtoull(argv[1], NULL, 10) : CALLEES;
	char path[64], *leaves, *callers, *pages;
	FILE *map;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, "w");
	if (!map)
		return 1;
	leaves = copy((const void *)leaf, (const void *)caller, nr, "app::module::function_", map);
	callers =
		copy((const void *)caller, (const void *)behind_caller, nr / CALLEES + 1, "app::call_", map);
	fclose(map);
	/* Only read: all of it is the kernel's page of zeros. */
	pages = map_memory(nr * PAGE_SIZE, PROT_READ);
	madvise(pages, nr * PAGE_SIZE, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < nr; i++) {
		void (*call)(leaf_fn *, const volatile char *) =
			(void (*)(leaf_fn *, const volatile char *))(callers + i / CALLEES * CODE_SIZE);

		call((leaf_fn *)(leaves + i * CODE_SIZE), pages + i * PAGE_SIZE);
	}
	return 0;
}
