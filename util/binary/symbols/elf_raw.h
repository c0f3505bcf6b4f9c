/*
 * The symbol table and the sections of a program or library as they are: all symbols, in the table's order,
 * at linked addresses. It is for files that other programs read, which name code by the table.
 */
#ifndef BINARY_ELF_RAW_H
#define BINARY_ELF_RAW_H

#include "base/memory/array.h"
#include "base/message/err.h"
#include "binary/elf/build_id.h"

struct elf_raw_symbol {
	const char *name; /* raw (mangled); may be empty */
	u64 addr, size;
	u32 section; /* index in sections; 0: undefined, or none */
	u8 type;     /* STT_ of elf.h */
	bool is_local, is_absolute;
};

struct elf_raw_section {
	const char *name;
	u64 addr, size;
	bool is_allocated, is_code;
};

struct elf_raw {
	ARRAY(struct elf_raw_symbol) symbols; /* of .symtab; empty if the file is stripped */
	ARRAY(struct elf_raw_section) sections;
	struct elf_raw_file *file; /* owns the names */
};

/*
 * Open root + path if it has the build-id want (empty: any); debug files are not searched. Return 0, -ESTALE
 * if it is another build, or another negative errno with err.
 */
int elf_raw__open(struct elf_raw *r, const char *root, const char *path, const struct build_id *want,
		  struct err *err);
void elf_raw__close(struct elf_raw *r); /* accepts an all-zero one */
bool elf_raw__has_section(const struct elf_raw *r, const char *name);
/*
 * Translate a dso address (file offset) to a linked address, and back. Return false if no segment has it.
 */
bool elf_raw__vaddr(const struct elf_raw *r, u64 addr, u64 *vaddr);
bool elf_raw__addr(const struct elf_raw *r, u64 vaddr, u64 *addr);

#endif
