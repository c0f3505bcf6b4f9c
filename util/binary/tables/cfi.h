/*
 * The unwind rows of one binary (cfi_row.h). A row is made when an address in its range is first asked for,
 * from the first source that has one (the table in cfi.c), and kept.
 */
#ifndef BINARY_CFI_H
#define BINARY_CFI_H

#include "base/message/err.h"
#include "base/memory/types.h"
#include "binary/elf/build_id.h"
#include "binary/elf/file_search.h"
#include "binary/tables/cfi_row.h"

struct cfi;

struct cfi_opts {
	const char *symfs;                 /* root for every path looked at; NULL or "": the machine's own */
	const struct debug_places *places; /* additional folders of debug files, or NULL; outlives the cfi */
};

/*
 * The CFI of the binary at path, when it has the build-id want (NULL or empty: any) or a debug file of that
 * build is found. 0, -ESTALE or a negative errno with err; -ENODATA: the binary has none.
 */
int cfi__open(struct cfi **c, const char *path, const struct build_id *want, const struct cfi_opts *opts,
	      struct err *err);
/* Of an ELF image in memory (the vdso), which must stay there. */
int cfi__open_image(struct cfi **c, const void *image, size_t size, struct err *err);
void cfi__delete(struct cfi *c); /* accepts NULL */
/* The ELF machine (EM_X86_64 ...) that the registers are of. */
u16 cfi__machine(const struct cfi *c);

/*
 * The row at a dso address (file offset), or NULL when no CFI speaks of it. Thread-safe; rows live as long as
 * c.
 */
const struct cfi_row *cfi__find(struct cfi *c, u64 addr);
/* What the rows found so far, and the tables to find them, take of memory, in bytes. */
u64 cfi__row_bytes(struct cfi *c);
/*
 * Whether the program, or the dynamic linker, begins at a dso address: at the ELF entry point or a little
 * behind it. Such code often has no CFI; where it has, code without is not part of it.
 */
bool cfi__is_entry(struct cfi *c, u64 addr);
/* Whether a dso address is in a PLT stub (binary/tables/plt_stub.h). */
bool cfi__is_stub(struct cfi *c, u64 addr);

enum cfi_call {
	CFI_NO_CALL,
	CFI_ANY_CALL, /* to the address in a register; also if the file or the machine cannot be read */
	CFI_CALL_TO,  /* to *target, a dso address */
};
/* Return whether the instruction before a dso address is a call. Reads arm64's instructions only. */
enum cfi_call cfi__call_before(struct cfi *c, u64 addr, u64 *target);

/*
 * Whether the code at a dso address sets the frame pointer before its first branch or call. False for
 * machines other than arm64.
 */
bool cfi__sets_frame_pointer(struct cfi *c, u64 addr);

/* The virtual address of a dso address. */
bool cfi__vaddr(const struct cfi *c, u64 addr, u64 *vaddr);
/* size bytes at a virtual address; false when the file does not have all of them. */
bool cfi__read(struct cfi *c, u64 vaddr, void *data, size_t size);

#endif
