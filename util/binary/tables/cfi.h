/*
 * The unwind rows of one binary (cfi_row.h). A row is made at the first lookup in its range, from the first
 * source that has one (the table in cfi.c), and kept.
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
	const char *symfs;                 /* root of every path; NULL or "": this machine's own */
	const struct debug_places *places; /* additional folders of debug files, or NULL; outlives the cfi */
};

/*
 * Open the CFI of the binary at path if it has the build-id want (NULL or empty: any), or else of a debug
 * file with that build-id. Return 0, -ESTALE or another negative errno with err. A binary without CFI has no
 * rows, but its code can be read.
 */
int cfi__open(struct cfi **c, const char *path, const struct build_id *want, const struct cfi_opts *opts,
	      struct err *err);
/* Open the CFI of an ELF image in memory (the vdso), which must live as long as the cfi. */
int cfi__open_image(struct cfi **c, const void *image, size_t size, struct err *err);
/*
 * Open the .eh_frame of code that has no file, which is at a memory address (addr, for its own references).
 * Its dso addresses are memory addresses. machine: EM_ constant. frames is copied.
 */
int cfi__open_frames(struct cfi **c, u16 machine, u64 addr, const void *frames, size_t size, struct err *err);
void cfi__delete(struct cfi *c); /* accepts NULL */
/* Return the ELF machine (EM_X86_64 ...) whose register numbers the rows use. */
u16 cfi__machine(const struct cfi *c);

/*
 * Return the row at a dso address (file offset), or NULL if no source has one. Thread-safe; rows live as
 * long as c.
 */
const struct cfi_row *cfi__find(struct cfi *c, u64 addr);
/* Return the memory used by rows and by the tables to find them, in bytes. */
u64 cfi__row_bytes(struct cfi *c);
/* Return the memory used by all of c, in bytes: about, because libdw does not say what it keeps. */
u64 cfi__bytes(struct cfi *c);
/*
 * Is the dso address in the entry code of a program or of the dynamic linker: at the ELF entry point or
 * shortly after it? Such code often has no CFI; the address must have CFI exactly if the entry point has.
 */
bool cfi__is_entry(struct cfi *c, u64 addr);
/*
 * Are both dso addresses in one function? Only the search table of .eh_frame tells (.eh_frame_hdr; Linux
 * Standard Base, "Exception Frames"); false if there is none.
 */
bool cfi__is_one_function(struct cfi *c, u64 addr, u64 other);
/* Is the dso address in a PLT stub (binary/tables/plt_stub.h)? */
bool cfi__is_stub(struct cfi *c, u64 addr);

/* Read the code at a dso address. Return false if the file cannot be read, or does not have it all. */
bool cfi__read_code(struct cfi *c, u64 addr, void *data, size_t size);

enum cfi_restorer { CFI_NO_RESTORER, CFI_RESTORER, CFI_UNREADABLE };
/*
 * Does the code at a dso address end a signal handler: does it make the system call rt_sigreturn at once?
 * x86-64 and arm64. Reads the file each time.
 */
enum cfi_restorer cfi__restores_signal(struct cfi *c, u64 addr);

/*
 * Does the code at a dso address set the frame pointer before its first branch or call? Return false for
 * machines other than arm64.
 */
bool cfi__sets_frame_pointer(struct cfi *c, u64 addr);

/* Get the virtual address of a dso address. */
bool cfi__vaddr(const struct cfi *c, u64 addr, u64 *vaddr);
/* Read size bytes at a virtual address. Return false if the file does not have them all. */
bool cfi__read(struct cfi *c, u64 vaddr, void *data, size_t size);

#endif
