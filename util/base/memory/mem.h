/*
 * Heap memory. When it runs out, the program ends: the only failure that library code may exit on. Sizes
 * that are products are checked for overflow. Free everything with free().
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include "base/memory/types.h"

#include <stdlib.h>

/* End the process with status 128 and a message that names the memory limit, if there is one. */
NORETURN void die_out_of_memory(void);
void *xmalloc(size_t size) __attribute__((malloc, alloc_size(1), returns_nonnull));
/*
 * Allocate megabytes that the caller fills at once, in huge pages where possible: a page fault costs more
 * than filling a small page. Small sizes are as xmalloc.
 */
void *xmalloc_large(size_t size) __attribute__((malloc, alloc_size(1), returns_nonnull));
/*
 * Keep freed memory for later allocations until the process ends: for a program that fills one large buffer
 * after the other and ends soon. Memory that goes back to the system must be cleared and faulted in again.
 */
void mem__keep_freed(void);
/*
 * Give freed memory back to the system at once, and use no huge pages: for a process that should stay small
 * rather than be fast.
 */
void mem__return_freed(void);
/* Give what was freed until now back to the system, even after __keep_freed. */
void mem__trim(void);
/*
 * If the process has few addresses (ulimit -v), make threads share one heap, as each heap reserves 64
 * MiB, and let the stack grow while it can. Call it before there are threads.
 */
void mem__fit_limit(void);
/* Return the size of a page of memory: 4, 16 or 64 KiB. */
size_t mem__page_size(void);
void *xcalloc(size_t nr, size_t size) __attribute__((malloc, alloc_size(1, 2), returns_nonnull));
/*
 * Allocate a table that is read everywhere before it is filled, and clear it by writing. Pages of xcalloc are
 * the system's zero page at first; replacing them costs a second fault, and an interrupt on all CPUs that run
 * a thread of the process.
 */
void *xcalloc_table(size_t nr, size_t size) __attribute__((malloc, alloc_size(1, 2), returns_nonnull));
/* Resize an array to nr elements of size bytes each. p may be NULL. */
void *xreallocarray(void *p, size_t nr, size_t size) __attribute__((returns_nonnull));
/* libiberty's demanglers call xmalloc and xrealloc; they get these. */
void *xrealloc(void *p, size_t size) __attribute__((alloc_size(2), returns_nonnull));
/*
 * Copy records and stack copies, as memcpy. From 2 KiB on, glibc copies with one instruction (rep movsb) if
 * the processor says that it is fast. Emulators say so, too, but copy byte by byte: three times slower than
 * memcpy's loop.
 */
void mem__copy(void *restrict to, const void *restrict from, size_t size);
/* Clear some hundred bytes. The instructions that gcc puts in place of memset are slower for them. */
void mem__clear(void *p, size_t size);
char *xstrdup(const char *s) __attribute__((malloc, returns_nonnull));
void *xmemdup(const void *p, size_t size) __attribute__((malloc, returns_nonnull));
char *xasprintf(const char *fmt, ...) PRINTF(1, 2) __attribute__((malloc, returns_nonnull));

#endif
