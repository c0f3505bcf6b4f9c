/*
 * What differs in files of kernels and modules: their code is where the kernel put it. Private to
 * util/binary.
 */
#ifndef BINARY_KERNEL_FILE_H
#define BINARY_KERNEL_FILE_H

#include "binary/elf/elf_file.h"

#define MODULE_NOT_PLACED UINT64_MAX

/*
 * Where the sections of a module (ET_REL) are, counted from the start of its code; to headers[i].sh_addr, of
 * nr sections. MODULE_NOT_PLACED: those without code, and those that are only there while it is initialised.
 * The kernel puts them one behind the other in the order of the file; /sys/module/NAME/sections shows it.
 */
void module__place_sections(const struct elf_file *f, GElf_Shdr *headers, size_t nr);
/* The linked address of a symbol of .symtab; 0: it has none of that name. */
u64 elf_file__symbol_value(const struct elf_file *f, const char *name);

#endif
