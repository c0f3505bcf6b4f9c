/*
 * The code and data of an ELF file by linked address, and the names of its variables, for the operands of
 * instructions. Every offset and size in the file is checked.
 */
#ifndef BINARY_ELF_CODE_H
#define BINARY_ELF_CODE_H

#include "base/message/err.h"
#include "base/text/strbuf.h"
#include "binary/elf/file_search.h"

struct elf_code;

/*
 * Open the file root + path, which the caller has checked; root may be NULL. places: where its debug file may
 * be, which may have the names of variables; NULL: use only names of the file. Return 0 or a negative errno
 * with err.
 */
int elf_code__open(struct elf_code **c, const char *root, const char *path, const struct debug_places *places,
		   struct err *err);
int elf_code__open_image(struct elf_code **c, const void *image, size_t size, struct err *err);
/* Open the memory of the running kernel, /proc/kcore. -EACCES, -EPERM: only for root. */
int elf_code__open_kcore(struct elf_code **c, struct err *err);
void elf_code__delete(struct elf_code *c); /* accepts NULL */

/* Thumb code of ARM, as the EM_ of elf.h tells other machines' code: no ELF file has this number. */
enum { MACHINE_THUMB = 0xff28 };
/*
 * Return the machine of the code at a linked address: EM_ of elf.h, or MACHINE_THUMB, which symbols tell. Not
 * thread-safe.
 */
u16 elf_code__machine_at(struct elf_code *c, u64 vaddr);
bool elf_code__is_big_endian(const struct elf_code *c);
bool elf_code__has_section(const struct elf_code *c, const char *name);
/* Translate a file offset to a linked address, and back. Return false if no segment has it. */
bool elf_code__vaddr(const struct elf_code *c, u64 offset, u64 *vaddr);
bool elf_code__offset(const struct elf_code *c, u64 vaddr, u64 *offset);
/* Append at most size bytes from a linked address on. Return how many there are, up to the segment's end. */
size_t elf_code__read(const struct elf_code *c, u64 vaddr, u64 size, struct strbuf *out);
/* Return the linked address of a symbol of .symtab; 0: no such symbol. */
u64 elf_code__symbol(const struct elf_code *c, const char *name);

enum {
	ELF_STRING_MAX = 64 /* bytes of a string that are found */
};

struct elf_datum {
	const char *name;   /* raw (mangled); GOT slots: name of the function or variable; NULL: a string */
	u64 offset;         /* of the address in it */
	bool is_slot;       /* a slot of the GOT */
	struct strbuf text; /* the string, without its end if it is long; owned by the caller */
};
/*
 * Find the variable, the slot of the global offset table or the string at a linked address. Return false if
 * there is none. Not thread-safe.
 */
bool elf_code__find_datum(struct elf_code *c, u64 vaddr, struct elf_datum *d);

#endif
