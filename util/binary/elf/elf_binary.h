/*
 * A binary as a recording names it: which file on this machine may stand for it, and where its separate debug
 * file is. A file of another build-id than the recorded one is refused. Private to util/binary.
 */
#ifndef BINARY_ELF_BINARY_H
#define BINARY_ELF_BINARY_H

#include "binary/elf/debug_places.h"
#include "binary/elf/elf_file.h"

struct elf_binary {
	const struct debug_places
		*places;      /* more of them for debug files; to be set after __open; NULL: none */
	const char *symfs;    /* root of every path looked at; "" for the machine's own */
	const char *path;     /* without symfs; not owned */
	struct elf_file file; /* closed when there is none that fits */
	struct build_id id;   /* wanted, or else the file's own */
	bool stale;           /* only other builds were found */
};

/*
 * Looks at SYMFS/path. want and symfs may be NULL. Without a file that fits, b->file stays closed: its debug
 * file may still be found by build-id. path stays the caller's.
 */
void elf_binary__open(struct elf_binary *b, const char *path, const struct build_id *want, const char *symfs);
void elf_binary__close(struct elf_binary *b);
/*
 * Opens the separate debug file that has what is wanted of it. The places are a table in elf_binary.c, tried
 * in order: by build-id and by path under /usr/lib/debug and in the build-id cache (the id must agree), by
 * .gnu_debuglink (the CRC must agree). The caller closes it.
 */
bool elf_binary__find_debug(struct elf_binary *b, struct elf_file *debug,
			    bool (*has)(const struct elf_file *f));
/* What the binary itself carries of its symbol table, compressed (.gnu_debugdata): those that .dynsym lacks.
 */
bool elf_binary__has_debugdata(const struct elf_binary *b);
bool elf_binary__open_debugdata(const struct elf_binary *b, struct elf_file *debugdata);
/* Fills err for what was not found: -ESTALE, when there were only other builds, or -ENOENT. Returns that. */
int elf_binary__not_found(const struct elf_binary *b, struct err *err);

#endif
