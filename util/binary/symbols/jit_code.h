/*
 * Code and call frame information (binary/symbols/jit_frames.h) from a jitdump, for call chains of stack
 * copies. Addresses are offsets in the dump, as dso addresses of such code are.
 */
#ifndef BINARY_JIT_CODE_H
#define BINARY_JIT_CODE_H

#include "binary/symbols/jit_frames.h"

#include <stdbool.h>

struct jit_code;

/* Take over the descriptor of a dump, and read it. */
struct jit_code *jit_code__new(int fd);
void jit_code__delete(struct jit_code *j); /* accepts NULL */
/* Return the CFI of code, or NULL. Valid until j is deleted. Thread-safe. */
struct cfi *jit_code__cfi(struct jit_code *j, u64 addr);
/* Read code at an address. Return false if the file does not have it all. Thread-safe. */
bool jit_code__read(const struct jit_code *j, u64 addr, u8 *data, size_t size);

#endif
