/*
 * A program or library as a place where names live: variables and functions by name, what parts of a variable
 * are called (elf_object__part), and how the addresses that the linker gave lie in the file and in memory.
 * The symbols are those of the separate debug file where the binary itself was stripped. Every offset and
 * size in the files is checked.
 */
#ifndef BINARY_ELF_OBJECT_H
#define BINARY_ELF_OBJECT_H

#include "base/memory/array.h"
#include "base/message/err.h"
#include "base/memory/types.h"

struct elf_object;
/*
 * root: a folder in front of every path that is opened, as /proc/PID/root; "": none. -EINVAL: not an ELF
 * program or library; or another negative errno; err says which file.
 */
int elf_object__open(struct elf_object **o, const char *root, const char *path, struct err *err);
void elf_object__delete(struct elf_object *o);
const char *elf_object__path(const struct elf_object *o); /* as given, without root */
char *elf_object__open_path(const struct elf_object *o);  /* with root: what open(2) takes; to be freed */
bool elf_object__is_64bit(const struct elf_object *o);
bool elf_object__is_stripped(const struct elf_object *o); /* only exported names are known */

enum elf_name_kind {
	ELF_NAME_DATA,
	ELF_NAME_FUNCTION,
	ELF_NAME_TLS,   /* a variable of which each thread has its own; no address */
	ELF_NAME_IFUNC, /* a function that is chosen when the program starts; the address is the chooser's */
};

struct elf_name {
	const char *name; /* raw (mangled); good until the object is deleted */
	const char *file; /* the source file of a local symbol where that is known, else NULL; likewise */
	u64 addr;         /* as linked */
	u64 size;         /* bytes, 0: unknown */
	enum elf_name_kind kind;
	bool is_exported; /* in .dynsym with default visibility: an earlier object's takes its place */
};
typedef ARRAY(struct elf_name) elf_name_array;

/*
 * The symbols called so, each address once: those with just this name (of several versions the newest); if
 * there are none, those that demangle to it; if there are none, those to which the compiler added something
 * ("name.0", "name.lto_priv.1", "function.name"). file: only local symbols of this source file; NULL: all.
 */
void elf_object__find(const struct elf_object *o, const char *name, const char *file, elf_name_array *found);
/* The function or data symbol that is exported by this very name. */
bool elf_object__find_exported(const struct elf_object *o, const char *name, struct elf_name *found);
/* Appends "'a', 'b' or 'c'", the names near to name: of functions or of data, demangled; or nothing. */
struct strbuf;
void elf_object__suggest(const struct elf_object *o, const char *name, bool functions, struct strbuf *sb);

/* Whether an instruction is known to begin at an address: it is the first of a source line. */
bool elf_object__is_line_start(struct elf_object *o, u64 addr);
/* The file offset of an address; false if it is not in the file (.bss). */
bool elf_object__file_offset(const struct elf_object *o, u64 addr, u64 *offset);
/* Maps of this one file in a process. */
struct elf_mapping {
	u64 start, end, pgoff;
};
/*
 * What was added to all addresses when the file was mapped: 0 for a program at its linked addresses. False
 * while the file is not mapped as a program, or what holds addr is not mapped yet.
 */
bool elf_object__bias(const struct elf_object *o, const struct elf_mapping *maps, size_t nr, u64 addr,
		      u64 *bias);

/* A part of a variable: members, then elements. */
struct elf_part_query {
	const char *members; /* "a.b" or NULL */
	bool is_slice;       /* elements start ... start + count - 1 of an array */
	u64 start, count;
};
struct elf_part {
	u64 offset, size; /* bytes; the offset is from the variable's start */
};
/*
 * Where the part lies that q names, by the variable's type in the debug information. -ENODATA: there is none
 * about it; -ENOENT, -EINVAL, -ERANGE: no such member, it has none or no elements, outside of it.
 */
int elf_object__part(struct elf_object *o, const struct elf_name *variable, const struct elf_part_query *q,
		     struct elf_part *part, struct err *err);

#endif
