/* Names of PLT stubs ("memcpy@plt"), which are in no symbol table. Private to util/binary. */
#ifndef BINARY_ELF_PLT_H
#define BINARY_ELF_PLT_H

#include "binary/elf/elf_file.h"
#include "binary/symbols/symtab.h"

/*
 * Add the stubs of .plt, .plt.sec and .plt.got at their file offsets. On x86-64 and arm64, the relocation of
 * the GOT slot that a stub jumps through names the function; elsewhere stubs and relocations are in the same
 * order. A slot of an indirect function has no name: use the symbol in t at the function's address. t: the
 * file's symbols, before symtab__finish. dynstr_in_text: size of the names of .dynsym if the text of t begins
 * with them, else 0. (System V ABI supplements: AMD64, i386, AArch64, ARM, "Procedure
 * Linkage Table".)
 */
void elf_plt__add_symbols(struct symtab *t, const struct elf_file *f, size_t dynstr_in_text);

#endif
