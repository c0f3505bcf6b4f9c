/* Find main in a stripped program: the usual entry code passes its address to __libc_start_main. */
#ifndef BINARY_ENTRY_CODE_H
#define BINARY_ENTRY_CODE_H

#include "binary/elf/elf_file.h"
#include "binary/elf/elf_loads.h"

/*
 * Return the virtual address of main, or 0 if the entry code is not glibc's. Known are x86-64, arm64 and
 * i386 (not position-independent).
 */
u64 entry_code__find_main(const struct elf_file *f, const struct elf_loads *loads);

#endif
