/*
 * What an ELF file says of its functions: .symtab, .dynsym, PLT stubs, and where the
 * separate debug file is. Every offset and size in the file is checked; a broken file gives
 * an error, never a crash. (System V gABI chapters 4 and 5.)
 */
#ifndef BINARY_ELF_SYMBOLS_H
#define BINARY_ELF_SYMBOLS_H

#include "binary/elf/file_search.h"
#include "binary/symbols/symtab.h"

struct elf_symbols_opts {
	const char *symfs;                 /* root for every path looked at, "" or NULL: the machine's own */
	const struct debug_places *places; /* more of them for debug files; NULL: none */
	bool raw_names; /* names will be shown as they are: of aliases the better mangled one is kept */
};

/*
 * Fills t (already __init-ed; __finish is done here) with the functions of the binary at path:
 *   1. .symtab of the file itself, when want is NULL or empty or its build-id equals want;
 *   2. .symtab of its separate debug file (file_search.h);
 *   3. .dynsym, and .gnu_debugdata, which has what .dynsym lacks;
 *   PLT entries ("name@plt") are added from the file itself.
 * Addresses are file offsets of the binary at path even when they come from a debug file
 * (whose sections may be NOBITS): they are translated through the virtual address.
 * When the file is gone or is another build, a debug file found by want alone is used.
 * Returns 0 (also with no symbols at all: t is empty), -ESTALE when only other builds were found,
 * or a negative errno; err says which file and why.
 */
int elf_symbols__load(struct symtab *t, const char *path, const struct build_id *want,
		      const struct elf_symbols_opts *opts, struct err *err);

/* The same from bytes in memory (the vdso, tests, fuzzing): only the image's own tables. */
int elf_symbols__load_image(struct symtab *t, const void *image, size_t size, struct err *err);

/*
 * The functions of a kernel image or module file at its linked addresses (st_value; for ET_REL
 * modules the offset from the start of the code's map). reference: a symbol whose address is wanted
 * ("_text"), may be NULL; *reference_addr is 0 when it is missing. Module files may be compressed (.gz, .xz,
 * .zst).
 */
int elf_symbols__load_kernel(struct symtab *t, const char *path, const struct build_id *want,
			     const char *reference, u64 *reference_addr, struct err *err);

#endif
