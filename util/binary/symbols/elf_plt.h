/* Names of PLT stubs ("memcpy@plt"), which no symbol table has. Private to util/binary. */
#ifndef BINARY_ELF_PLT_H
#define BINARY_ELF_PLT_H

#include "binary/elf/elf_file.h"
#include "binary/symbols/symtab.h"

/*
 * Adds the stubs of .plt, .plt.sec and .plt.got at their file offsets. On x86-64 the GOT slot that a stub's
 * jump reads tells, through the relocation of that slot, which function it is for; elsewhere the order of the
 * relocations does. A slot that an indirect function fills has no name of its own: it gets the one of the
 * symbol in t at the function's address. t: the file's symbols, not finished yet. (System V ABI supplements:
 * AMD64, i386, AArch64, ARM, "Procedure Linkage Table".)
 */
void elf_plt__add_symbols(struct symtab *t, const struct elf_file *f);

#endif
