/*
 * Heap memory that is there or the program ends: running out is the one failure that
 * library code may die of. Sizes that are products are checked for overflow.
 * Everything returned is freed with free().
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include "base/memory/types.h"

#include <stdlib.h>

/* Ends the process with status 128 and a message that names the limit on memory, if there is one. */
NORETURN void die_out_of_memory(void);
void *xmalloc(size_t size) __attribute__((malloc, alloc_size(1), returns_nonnull));
/*
 * For megabytes that will be filled at once: on huge pages where there are any, since a fault for each small
 * one costs more than what is done with it. Small sizes are as xmalloc.
 */
void *xmalloc_large(size_t size) __attribute__((malloc, alloc_size(1), returns_nonnull));
/*
 * What is freed is kept for what is allocated next, up to the end: for a program that fills one large buffer
 * after the other and ends soon. Given back to the system, each would be cleared and faulted in again.
 */
void mem__keep_freed(void);
/* Makes threads share one heap where the process may not have many addresses (ulimit -v): each would reserve
 * 64 MiB, and leave none for data. To be called before there are threads. */
void mem__fit_limit(void);
void *xcalloc(size_t nr, size_t size) __attribute__((malloc, alloc_size(1, 2), returns_nonnull));
/*
 * The same for a table that is read all over before it is written all over. Of xcalloc's, each page would be
 * the system's page of zeros first; to make it one of its own then is a second fault, and an interrupt of all
 * processors that have a thread of the program.
 */
void *xcalloc_table(size_t nr, size_t size) __attribute__((malloc, alloc_size(1, 2), returns_nonnull));
/* Array form: nr elements of size bytes each. p may be NULL. */
void *xreallocarray(void *p, size_t nr, size_t size) __attribute__((returns_nonnull));
/* For libiberty: its demanglers allocate with xmalloc and xrealloc, and get these instead of its own. */
void *xrealloc(void *p, size_t size) __attribute__((alloc_size(2), returns_nonnull));
/*
 * memcpy for records and stack copies. From 2 KiB on, glibc copies with one instruction (rep movsb) where the
 * processor says that it is fast. An emulator says so too, but copies byte by byte: three times slower than
 * memcpy's loop.
 */
void mem__copy(void *restrict to, const void *restrict from, size_t size);
char *xstrdup(const char *s) __attribute__((malloc, returns_nonnull));
void *xmemdup(const void *p, size_t size) __attribute__((malloc, returns_nonnull));
char *xasprintf(const char *fmt, ...) PRINTF(1, 2) __attribute__((malloc, returns_nonnull));

#endif
