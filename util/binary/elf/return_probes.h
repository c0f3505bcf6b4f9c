/*
 * Whether a program survives probes of returns (uretprobes): they replace a function's return address on the
 * stack. An exception that is thrown through the function then ends the program, because the unwinder does
 * not know the address, and Go's runtime does not find it when it moves a stack.
 */
#ifndef BINARY_RETURN_PROBES_H
#define BINARY_RETURN_PROBES_H

#include "base/memory/types.h"

/*
 * Return the language of the program or library root + path if return probes may break it: "C++", "Rust",
 * "Go", or "exceptions" if its code has tables of them, but the language is unknown. NULL: none of these, or
 * the file cannot be read. A library in C may still be part of a program in C++.
 */
const char *return_probes__broken_by(const char *root, const char *path);

#endif
