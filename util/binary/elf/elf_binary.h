/*
 * A binary as a recording names it: which file on this machine may stand for it, and where its separate debug
 * file is. A file of another build-id than the recorded one is refused. Private to util/binary.
 */
#ifndef BINARY_ELF_BINARY_H
#define BINARY_ELF_BINARY_H

#include "binary/elf/elf_file.h"
#include "binary/elf/file_search.h"

struct elf_binary {
	const char *root, *path; /* as given; root not NULL; not owned */
	const struct debug_places *places;
	struct elf_file file;  /* closed when there is none that fits */
	struct elf_file debug; /* closed unless __find has found one */
	struct build_id id;    /* wanted, or else the file's own */
	bool stale;            /* only other builds were found */
};

typedef bool (*elf_file_has_fn)(const struct elf_file *f);

/*
 * Open root/path. want, root and places (of debug files) may be NULL. Without a file that fits, b->file stays
 * closed: its debug file may still be found by build-id. The strings and places stay the caller's.
 */
void elf_binary__open(struct elf_binary *b, const char *path, const struct build_id *want, const char *root,
		      const struct debug_places *places);
void elf_binary__close(struct elf_binary *b);
/*
 * The file that has what is wanted: b->file or else b->debug, from the places of debug files (file_search.h).
 * NULL: there is none. To be called once.
 */
const struct elf_file *elf_binary__find(struct elf_binary *b, elf_file_has_fn has);
/* Fills err for what was not found: -ESTALE, when there were only other builds, or -ENOENT. Returns that. */
int elf_binary__not_found(const struct elf_binary *b, struct err *err);

#endif
