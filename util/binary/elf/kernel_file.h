/*
 * Files of kernels and modules, whose code is at the addresses where the kernel put it. Private to
 * util/binary.
 */
#ifndef BINARY_KERNEL_FILE_H
#define BINARY_KERNEL_FILE_H

#include "binary/elf/elf_file.h"

#define MODULE_NOT_PLACED UINT64_MAX

/*
 * Set headers[i].sh_addr of a module's (ET_REL) nr sections to the distance from the start of its code;
 * MODULE_NOT_PLACED: sections without code, and those that exist only during initialisation. The kernel
 * places sections one after another in the order of the file; /sys/module/NAME/sections shows them.
 */
void module__place_sections(const struct elf_file *f, GElf_Shdr *headers, size_t nr);
/* Return the linked address of a symbol of .symtab; 0: no such symbol. */
u64 elf_file__symbol_value(const struct elf_file *f, const char *name);

#endif
