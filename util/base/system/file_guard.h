/*
 * Guard mapped files that others may truncate: the kernel ends a program that reads a page which its file no
 * longer has (SIGBUS). In a guarded range such a page becomes zeros, for any thread.
 */
#ifndef BASE_FILE_GUARD_H
#define BASE_FILE_GUARD_H

#include "base/memory/types.h"

/* Guard a mapping of whole pages, from now on. Other SIGBUS go to the handler that was there before. */
void file_guard__add(const void *map, size_t size);
/* Do not guard the mapping that begins there any more: call it before munmap(). It need not be guarded. */
void file_guard__remove(const void *map);

#endif
