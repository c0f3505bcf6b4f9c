/*
 * One ELF file, open for its symbols. Files that are compressed as a whole (.gz, .xz, .zst: kernel modules)
 * are unpacked into memory. Files without section headers get some (elf_segments.h). Private to util/binary.
 */
#ifndef BINARY_ELF_FILE_H
#define BINARY_ELF_FILE_H

#include "base/memory/array.h"
#include "base/message/err.h"
#include "binary/elf/build_id.h"

#include <gelf.h>

struct elf_file {
	int fd;       /* -1: none; if memory is set, elf uses that instead */
	void *memory; /* bytes of an unpacked file, or of one without section headers, owned; else NULL */
	Elf *elf;
	GElf_Ehdr ehdr;
};

/* Open a regular file. Return 0, or a negative errno with err; f is then as after elf_file__close. */
int elf_file__open(struct elf_file *f, const char *path, struct err *err);
int elf_file__from_memory(struct elf_file *f, const void *image, size_t size, struct err *err);
/*
 * As elf_file__open, from the bytes of a file, which may be compressed (.gz, .xz, .zst). data is not used
 * afterwards.
 */
int elf_file__from_packed(struct elf_file *f, const void *data, size_t size, struct err *err);
/* Close the file. f may be all zero, or have failed to open. */
void elf_file__close(struct elf_file *f);
/* Close the descriptor once everything needed is in memory: one for each binary would be too many. */
void elf_file__forget_fd(struct elf_file *f);
static inline bool elf_file__is_open(const struct elf_file *f)
{
	return f->elf != NULL;
}

/* Get the build-id. Return false if there is none. */
bool elf_file__build_id(const struct elf_file *f, struct build_id *id);
/*
 * Return the first section of that name, or with name NULL of that type, and fill shdr. Return NULL if there
 * is none.
 */
Elf_Scn *elf_file__section(const struct elf_file *f, const char *name, u32 type, GElf_Shdr *shdr);
enum { ELF_STUB_SECTIONS = 4 };
/* The names of sections that the linker fills with stubs (PLT): code that no compiler has described. */
extern const char *const elf_stub_sections[ELF_STUB_SECTIONS];
/* Return the section's bytes, or NULL if it is empty, NOBITS or outside the file. */
Elf_Data *elf_file__data(Elf_Scn *scn);
/*
 * Read size bytes at a file offset, without libelf's copy. Return false if the file does not have them all.
 */
bool elf_file__read(const struct elf_file *f, void *to, size_t size, u64 offset);
/* Does the file have these bytes? Check it before allocating what a header claims. */
bool elf_file__holds(const struct elf_file *f, u64 offset, u64 size);
typedef ARRAY(GElf_Phdr) elf_phdr_array;
void elf_file__loads(const struct elf_file *f, elf_phdr_array *loads); /* append the loadable segments */
bool elf_file__has_symtab(const struct elf_file *f);                   /* a .symtab with content */
/* Return a string of string table strtab, or "" if there is none at that offset. */
const char *elf_file__str(const struct elf_file *f, u32 strtab, size_t offset);
/*
 * Apply the relocations that the loader of a position-independent program would apply to nr words at vaddr.
 */
void elf_file__relocate(const struct elf_file *f, u64 vaddr, u64 *words, size_t nr);

#endif
