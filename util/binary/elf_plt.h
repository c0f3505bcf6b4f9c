/* Names of PLT stubs ("memcpy@plt"), which no symbol table has. Private to util/binary. */
#ifndef BINARY_ELF_PLT_H
#define BINARY_ELF_PLT_H

#include "binary/elf_file.h"
#include "binary/symtab.h"

/*
 * Adds the stubs of .plt, .plt.sec and .plt.got at their file offsets. Which function a stub is for follows from the
 * order of the relocations (.plt), or from the GOT slot that the stub's jump reads (x86 .plt.sec, .plt.got).
 * (System V ABI supplements: AMD64, i386, AArch64, ARM, "Procedure Linkage Table".)
 */
void elf_plt__add_symbols(struct symtab *t, const struct elf_file *f);

#endif
