/*
 * Language runtimes whose functions perf cannot see without help: JIT compilers, whose code has no call frame
 * information and no names until an option of the runtime says so, and interpreters.
 */
#ifndef UNWIND_RUNTIME_H
#define UNWIND_RUNTIME_H

#include "base/memory/types.h"

#include <stdbool.h>

struct runtime {
	const char *file;   /* beginning of the base name of its binary */
	const char *code;   /* a name for its code, for people and for recordings */
	const char *advice; /* what to type, so that its chains are complete and have names */
	bool interprets;    /* its binary runs functions that the kernel and unwinders cannot see */
};

/* A name for JIT code of a process without any of these runtimes. */
#define RUNTIME_UNKNOWN_CODE "memory without a file"

/* Return the runtime with a binary of this name (a path), or NULL. */
const struct runtime *runtime__of_file(const char *path);
/* Return the row with this name for its code, which may be RUNTIME_UNKNOWN_CODE; or NULL. */
const struct runtime *runtime__of_code(const char *code);
/* May a mapping have JIT code although it has this name? Runtimes map memory of memfd_create twice. */
bool runtime__is_memory(const char *path);

#endif
