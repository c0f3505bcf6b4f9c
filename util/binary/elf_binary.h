/*
 * A binary as a recording names it: which file on this machine may stand for it, and where its separate debug
 * file is. A file of another build-id than the recorded one is refused. Private to util/binary.
 */
#ifndef BINARY_ELF_BINARY_H
#define BINARY_ELF_BINARY_H

#include "binary/elf_file.h"

struct elf_binary {
	const char *symfs;    /* root of every path looked at; "" for the machine's own */
	const char *path;     /* without symfs; not owned */
	struct elf_file file; /* closed when there is none that fits */
	struct build_id id;   /* wanted, or else the file's own */
	bool stale;           /* only other builds were found */
};

/*
 * Looks at SYMFS/path. want and symfs may be NULL. Without a file that fits, b->file stays closed: its debug file
 * may still be found by build-id. path stays the caller's.
 */
void elf_binary__open(struct elf_binary *b, const char *path, const struct build_id *want, const char *symfs);
void elf_binary__close(struct elf_binary *b);
/*
 * Opens the separate debug file that has what is wanted of it: SYMFS/usr/lib/debug/.build-id/xx/yyyy.debug
 * (the id must agree), then .gnu_debuglink beside the binary, in .debug/ there, and under /usr/lib/debug (the
 * CRC must agree). The caller closes it.
 */
bool elf_binary__find_debug(struct elf_binary *b, struct elf_file *debug,
			    bool (*has)(const struct elf_file *f));
/* Fills err for what was not found: -ESTALE, when there were only other builds, or -ENOENT. Returns that. */
int elf_binary__not_found(const struct elf_binary *b, struct err *err);

#endif
