/*
 * One ELF file, open for its symbols. Private to util/binary. Files that are compressed as a whole
 * (.gz, .xz, .zst: kernel modules) are unpacked into memory.
 */
#ifndef BINARY_ELF_FILE_H
#define BINARY_ELF_FILE_H

#include "base/message/err.h"
#include "binary/elf/build_id.h"

#include <gelf.h>

struct elf_file {
	int fd;       /* -1: none; not of what elf has, if there is memory */
	void *memory; /* owned, of an unpacked file; NULL otherwise */
	Elf *elf;
	GElf_Ehdr ehdr;
};

/* 0, or a negative errno with err; f is as after elf_file__close then. Only regular files are opened. */
int elf_file__open(struct elf_file *f, const char *path, struct err *err);
int elf_file__from_memory(struct elf_file *f, const void *image, size_t size, struct err *err);
/* The same from bytes that are packed as files may be (.gz, .xz, .zst); they are not needed any more then. */
int elf_file__from_packed(struct elf_file *f, const void *data, size_t size, struct err *err);
/* Accepts an all-zero f and one that failed to open. */
void elf_file__close(struct elf_file *f);
/* Close the descriptor: what is needed of the file is in memory. One for each binary would be many. */
void elf_file__forget_fd(struct elf_file *f);
static inline bool elf_file__is_open(const struct elf_file *f)
{
	return f->elf != NULL;
}

/* The build-id; false if it has none. */
bool elf_file__build_id(const struct elf_file *f, struct build_id *id);
/* The section of that name or type (name NULL: by type only), or NULL. shdr is filled. */
Elf_Scn *elf_file__section(const struct elf_file *f, const char *name, u32 type, GElf_Shdr *shdr);
/* Its bytes; NULL when it is empty, NOBITS or outside the file. */
Elf_Data *elf_file__data(Elf_Scn *scn);
/* Bytes of the file itself, as elf_file__data without libelf's copy: size of them at offset, or false. */
bool elf_file__read(const struct elf_file *f, void *to, size_t size, u64 offset);
/* Whether the file has these bytes. To be asked before memory is taken for what a header claims. */
bool elf_file__holds(const struct elf_file *f, u64 offset, u64 size);
bool elf_file__has_symtab(const struct elf_file *f); /* with bytes */
/* A string of string table strtab; "" when there is none at that offset. */
const char *elf_file__str(const struct elf_file *f, u32 strtab, size_t offset);

#endif
