#include "base/mem.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	HUGE_PAGE = 2 << 20,
	KEPT_LARGEST = 1 << 20, /* larger ones are the system's again at once */
	KEPT_MOST = 256 << 20,  /* at the end of the heap */
};

static NORETURN void die_oom(void)
{
	static const char text[] = "perf: out of memory\n";
	ssize_t n = write(STDERR_FILENO, text, sizeof(text) - 1);

	(void)n;
	_exit(128);
}

void *xmalloc(size_t size)
{
	void *p = malloc(size ? size : 1);

	if (!p)
		die_oom();
	return p;
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

void *xcalloc(size_t nr, size_t size)
{
	void *p = calloc(nr ? nr : 1, size ? size : 1);

	if (!p)
		die_oom();
	return p;
}

void *xcalloc_table(size_t nr, size_t size)
{
	size_t whole;

	if (__builtin_mul_overflow(nr, size, &whole))
		die_oom();
	return memset(whole >= HUGE_PAGE ? xmalloc_large(whole) : xmalloc(whole), 0, whole);
}

void *xreallocarray(void *p, size_t nr, size_t size)
{
	p = reallocarray(p, nr ? nr : 1, size ? size : 1);
	if (!p)
		die_oom();
	return p;
}

void *xrealloc(void *p, size_t size)
{
	return xreallocarray(p, size, 1);
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
		die_oom();
	return s;
}
