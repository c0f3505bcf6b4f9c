/*
 * The functions of an ELF file: .symtab, .dynsym, PLT stubs, and the symbols of the separate debug file.
 * Every offset and size in the file is checked; a damaged file gives an error, never a crash. (System V gABI
 * chapters 4 and 5.)
 */
#ifndef BINARY_ELF_SYMBOLS_H
#define BINARY_ELF_SYMBOLS_H

#include "binary/elf/file_search.h"
#include "binary/symbols/symtab.h"

struct elf_symbols_opts {
	const char *symfs;                 /* root of every path; "" or NULL: this machine's own */
	const struct debug_places *places; /* additional search folders for debug files, or NULL */
	bool raw_names; /* names will be shown mangled: keep the alias with the better mangled name */
};

/*
 * Fill t with the functions of the binary at path: call symtab__init before; symtab__finish is called here.
 * The first of these is used:
 *   1. .symtab of the file itself, if want is NULL or empty or equal to its build-id;
 *   2. .symtab of its separate debug file (file_search.h);
 *   3. .dynsym, with .gopclntab and .gnu_debugdata, which have functions that .dynsym lacks.
 * PLT stubs ("name@plt") are added from the file itself. Addresses are file offsets of the binary at path,
 * also those from a debug file (whose sections may be NOBITS): they are translated through the virtual
 * address. If the file is missing or another build, a debug file is searched for by want alone. Return 0
 * (also without any symbols), -ESTALE if only other builds were found, or another negative errno; err names
 * the file and the reason.
 */
int elf_symbols__load(struct symtab *t, const char *path, const struct build_id *want,
		      const struct elf_symbols_opts *opts, struct err *err);

/* As elf_symbols__load, from an image in memory (vdso, tests, fuzzing): only the image's own tables. */
int elf_symbols__load_image(struct symtab *t, const void *image, size_t size, struct err *err);

/*
 * Fill t with the functions of a kernel image or module file, at their linked addresses (st_value; for
 * ET_REL modules the offset from the start of the code). reference: a symbol whose address is wanted
 * ("_text"), or NULL; *reference_addr is 0 if there is none. Module files may be compressed (.gz, .xz,
 * .zst).
 */
int elf_symbols__load_kernel(struct symtab *t, const char *path, const struct build_id *want,
			     const char *reference, u64 *reference_addr, struct err *err);

#endif
