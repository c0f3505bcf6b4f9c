/*
 * A binary as a recording names it: the file on this machine that is used for it, and its separate debug
 * file. A file whose build-id differs from the recorded one is refused. Private to util/binary.
 */
#ifndef BINARY_ELF_BINARY_H
#define BINARY_ELF_BINARY_H

#include "binary/elf/elf_file.h"
#include "binary/elf/file_search.h"

struct elf_binary {
	const char *root, *path; /* as given; root not NULL; not owned */
	const struct debug_places *places;
	struct elf_file file;  /* closed if no file matches */
	struct elf_file debug; /* closed until elf_binary__find opens it */
	struct build_id id;    /* the wanted build-id, or else the file's own */
	bool stale;            /* only files of other builds were found */
};

typedef bool (*elf_file_has_fn)(const struct elf_file *f);

/*
 * Open root/path. want, root and places (of debug files) may be NULL. If no file matches, b->file stays
 * closed; its debug file may still be found by build-id. The strings and places stay the caller's.
 */
void elf_binary__open(struct elf_binary *b, const char *path, const struct build_id *want, const char *root,
		      const struct debug_places *places);
void elf_binary__close(struct elf_binary *b);
/*
 * Return the file for which `has` is true, or NULL: b->file, or else b->debug, which is searched for in the
 * places of debug files (file_search.h). Call it once.
 */
const struct elf_file *elf_binary__find(struct elf_binary *b, elf_file_has_fn has);
/*
 * Fill err for a file that was not found, and return -ESTALE if there were only other builds, else -ENOENT.
 */
int elf_binary__not_found(const struct elf_binary *b, struct err *err);

#endif
