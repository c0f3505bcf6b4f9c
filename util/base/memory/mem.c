#include "base/memory/mem.h"

#include "base/memory/limit_advice.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#define AMPLE_ADDRESSES (4ull << 30) /* bytes: more than a process of a few threads reserves */

enum {
	HUGE_PAGE = 2 << 20,
	KEPT_LARGEST = 1 << 20, /* larger blocks go back to the system at once */
	KEPT_MOST = 256 << 20,  /* at the end of the heap */
	RETURNED_LEAST = 64 << 10,
	PIECE_MOST = 1 << 10,   /* bytes of one memcpy, below glibc's limit for rep movsb */
	PIECES_MOST = 64 << 10, /* bytes; memcpy of more is faster on real processors */
};

void die_out_of_memory(void)
{
	char advice[128] = "", text[256];
	bool is_limited = limit_advice__write(-ENOMEM, advice, sizeof(advice));
	int len = snprintf(text, sizeof(text), "perf: error: out of memory%s%s\n", is_limited ? "\n" : "",
			   advice);
	ssize_t n = write(STDERR_FILENO, text, (size_t)len);

	(void)n;
	_exit(128);
}

void *xmalloc(size_t size)
{
	void *p = malloc(size ? size : 1);

	if (!p)
		die_out_of_memory();
	return p;
}

size_t mem__page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

void *xmalloc_large(size_t size)
{
	size_t whole = size > SIZE_MAX - HUGE_PAGE ? 0 : ROUND_UP(size, (size_t)HUGE_PAGE);
	void *p = size >= HUGE_PAGE / 4 && whole ? aligned_alloc(HUGE_PAGE, whole) : NULL;

	if (!p)
		return xmalloc(size);
	madvise(p, whole, MADV_HUGEPAGE);
	return p;
}

void mem__keep_freed(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, KEPT_LARGEST);
	mallopt(M_TRIM_THRESHOLD, KEPT_MOST);
#endif
}

void mem__return_freed(void)
{
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, RETURNED_LEAST);
	mallopt(M_TRIM_THRESHOLD, RETURNED_LEAST);
#endif
}

void mem__trim(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}

/*
 * libdw keeps line tables of 300 KiB on the stack. If the stack cannot grow then, a signal ends the program,
 * so grow it now.
 */
static __attribute__((noinline)) void grow_stack(void)
{
	volatile char room[512 << 10];

	for (size_t i = 0; i < sizeof(room); i += 4096)
		room[i] = 0;
}

void mem__fit_limit(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_AS, &r) || r.rlim_cur >= AMPLE_ADDRESSES)
		return;
	grow_stack();
#ifdef __GLIBC__
	mallopt(M_ARENA_MAX, 1);
#endif
}

void *xcalloc(size_t nr, size_t size)
{
	void *p = calloc(nr ? nr : 1, size ? size : 1);

	if (!p)
		die_out_of_memory();
	return p;
}

void *xcalloc_table(size_t nr, size_t size)
{
	size_t whole;

	if (__builtin_mul_overflow(nr, size, &whole))
		die_out_of_memory();
	return memset(whole >= HUGE_PAGE ? xmalloc_large(whole) : xmalloc(whole), 0, whole);
}

void *xreallocarray(void *p, size_t nr, size_t size)
{
	p = reallocarray(p, nr ? nr : 1, size ? size : 1);
	if (!p)
		die_out_of_memory();
	return p;
}

void *xrealloc(void *p, size_t size)
{
	return xreallocarray(p, size, 1);
}

void mem__clear(void *p, size_t size)
{
	memset(p, 0, size);
}

void mem__copy(void *restrict to, const void *restrict from, size_t size)
{
	size_t piece = size;

	/* Not PIECE_MOST itself: for a size that the compiler knows, it may put that instruction here. */
	if (size > PIECE_MOST && size <= PIECES_MOST)
		piece = ROUND_UP(size / (size / PIECE_MOST + 1), (size_t)64);
	for (; size > piece; size -= piece) {
		memcpy(to, from, piece);
		to = (u8 *)to + piece;
		from = (const u8 *)from + piece;
	}
	memcpy(to, from, size);
}

char *xstrdup(const char *s)
{
	return xmemdup(s, strlen(s) + 1);
}

void *xmemdup(const void *p, size_t size)
{
	void *copy = xmalloc(size);

	if (size)
		memcpy(copy, p, size);
	return copy;
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (n < 0)
		die_out_of_memory();
	return s;
}
