/*
 * Where rows come from: what a binary has that says how to unwind it. The sources are a table in cfi.c; each
 * has a file of its own. Private to binary/tables.
 */
#ifndef BINARY_CFI_SOURCE_H
#define BINARY_CFI_SOURCE_H

#include "base/memory/arena.h"
#include "binary/elf/elf_loads.h"
#include "binary/elf/file_search.h"
#include "binary/tables/cfi_row.h"

struct cfi_binary {
	char *path, *root; /* NULL: an image in memory */
	const struct debug_places *places;
	struct build_id want;
	struct elf_file file; /* closed: there is only a debug file */
	u16 machine;
	struct elf_loads loads;
	struct arena arena; /* of rows */
};

struct cfi_found {
	u64 end; /* virtual address: the first one that the row does not hold for */
	struct cfi_rule rules[CFI_REGS_MAX]; /* the row's */
	struct cfi_row row;
};

struct cfi_source {
	bool is_late;   /* takes long to open: when no other source has a row at an address */
	bool is_enough; /* without any other source, too: stubs alone are not */
	/* What find needs, or NULL: the binary has nothing of the kind. */
	void *(*open)(struct cfi_binary *b);
	/* Find the row at a virtual address. found->row is all zero at first. */
	bool (*find)(void *source, struct cfi_binary *b, u64 vaddr, struct cfi_found *found);
	void (*close)(void *source);
};

extern const struct cfi_source cfi_eh_frame, cfi_debug_frame, cfi_go, cfi_arm, cfi_stubs;

#endif
