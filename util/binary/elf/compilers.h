/* The compilers that made a binary: each leaves its name and version in it (.comment). */
#ifndef BINARY_COMPILERS_H
#define BINARY_COMPILERS_H

#include "binary/elf/build_id.h"

struct debug_places;

struct compilers {
	unsigned gcc; /* major version of the newest GCC; 0: none */
	bool clang;
};

/* Read the contents of .comment: strings, one after the other. */
void compilers__parse(struct compilers *c, const char *text, size_t size);
/*
 * Read those of a binary, or of its debug file: all zero if there is neither. want, root and places may be
 * NULL (elf_binary.h).
 */
void compilers__read(struct compilers *c, const char *path, const struct build_id *want, const char *root,
		     const struct debug_places *places);

#endif
