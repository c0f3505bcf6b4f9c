/*
 * Sources of rows: the parts of a binary that describe how to unwind it. cfi.c has the table of sources;
 * each has its own file. Private to binary/tables.
 */
#ifndef BINARY_CFI_SOURCE_H
#define BINARY_CFI_SOURCE_H

#include "base/memory/arena.h"
#include "binary/elf/elf_loads.h"
#include "binary/elf/file_search.h"
#include "binary/tables/cfi_row.h"
#include "binary/tables/eh_image.h"

struct cfi_binary {
	char *path, *root; /* NULL: an image in memory */
	const struct debug_places *places;
	struct build_id want;
	struct elf_file file; /* closed if there is only a debug file */
	u16 machine;
	struct elf_loads loads;
	struct eh_image *eh; /* .eh_frame, or NULL: libelf has it in memory */
	struct arena arena;  /* for rows */
};

struct cfi_found {
	u64 end;                             /* first virtual address after the row */
	struct cfi_rule rules[CFI_REGS_MAX]; /* of the row */
	struct cfi_row row;
};

struct cfi_source {
	bool is_late;   /* takes long to open, so it is opened only when no other source has a row */
	bool is_enough; /* is enough to open the binary's CFI; stubs alone are not */
	/* Return the data that find needs, or NULL: the binary has nothing of this kind. */
	void *(*open)(struct cfi_binary *b);
	/* Find the row at a virtual address. found->row is all zero at first. */
	bool (*find)(void *source, struct cfi_binary *b, u64 vaddr, struct cfi_found *found);
	void (*close)(void *source);
};

extern const struct cfi_source cfi_eh_frame, cfi_debug_frame, cfi_go, cfi_arm, cfi_stubs;

#endif
