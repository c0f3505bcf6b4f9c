/*
 * Where a running CPython 3.14 takes a script to run (PEP 768): fields of its main thread's state, found
 * by the table of offsets at the start of _PyRuntime.
 */
#ifndef RECORD_PYTHON_THREAD_H
#define RECORD_PYTHON_THREAD_H

#include "record/hotspot/vm_memory.h"

enum { PYTHON_PATH_MAX = 64, PYTHON_STOP_BIT = 1 << 5 };

/* Addresses in the process. */
struct python_thread {
	u64 path;    /* text with its NUL, room for PYTHON_PATH_MAX bytes */
	u64 pending; /* s32: 1 while a script waits to be run */
	u64 breaker; /* byte: PYTHON_STOP_BIT makes the thread look at pending */
};

/*
 * Find the main thread of the main interpreter. runtime: address of _PyRuntime, of runtime_size bytes.
 * Return NULL, or why no script can be run ("it is Python 3.13"); the text is static. Whatever the memory
 * has, few kilobytes are read, and the addresses are within the thread's state.
 */
const char *python_thread__find(struct python_thread *t, const struct vm_memory *m, u64 runtime,
				u64 runtime_size);

#endif
