/*
 * The names in a program or library: its variables and functions by name, the parts of a variable
 * (elf_object__part), and the translation of linked addresses to file offsets and to addresses in a process.
 * A stripped binary's symbols come from its separate debug file. Every offset and size in the files is
 * checked.
 */
#ifndef BINARY_ELF_OBJECT_H
#define BINARY_ELF_OBJECT_H

#include "base/memory/array.h"
#include "base/message/err.h"
#include "binary/elf/file_search.h"
#include "base/memory/types.h"
#include "base/text/strbuf.h"

struct elf_object;
/*
 * Open the file root + path. root: prefix of every path that is opened, such as /proc/PID/root; "": none.
 * Return 0; -EINVAL: not an ELF program or library; or another negative errno. err names the file.
 */
int elf_object__open(struct elf_object **o, const char *root, const char *path, struct err *err);
/* The same, and look for its debug file in these places, too; they must live as long as the object. */
int elf_object__open_debug(struct elf_object **o, const char *root, const char *path,
			   const struct debug_places *places, struct err *err);
void elf_object__delete(struct elf_object *o);
const char *elf_object__path(const struct elf_object *o); /* as given, without root */
char *elf_object__open_path(const struct elf_object *o);  /* root + path, to be freed */
bool elf_object__is_64bit(const struct elf_object *o);
bool elf_object__is_stripped(const struct elf_object *o); /* only exported names are known */

enum elf_name_kind {
	ELF_NAME_DATA,
	ELF_NAME_FUNCTION,
	ELF_NAME_TLS,   /* a thread-local variable; it has no address */
	ELF_NAME_IFUNC, /* a function chosen at program start; addr is the function that chooses */
};

struct elf_name {
	const char *name; /* raw (mangled); valid until the object is deleted */
	const char *file; /* source file of a local symbol, or NULL if unknown; valid as long as name */
	u64 addr;         /* as linked */
	u64 size;         /* bytes, 0: unknown */
	enum elf_name_kind kind;
	/* in .dynsym with default visibility: an object loaded earlier may override it */
	bool is_exported;
};
typedef ARRAY(struct elf_name) elf_name_array;

/*
 * Find the symbols of that name, each address once: those with exactly this name (of several versions the
 * newest); if there are none, those that demangle to it; if there are none, those with a suffix or prefix by
 * the compiler ("name.0", "name.lto_priv.1", "function.name"). file: find only local symbols of this source
 * file; NULL: all.
 */
void elf_object__find(const struct elf_object *o, const char *name, const char *file, elf_name_array *found);
/* Find the exported function or data symbol with exactly this name. */
bool elf_object__find_exported(const struct elf_object *o, const char *name, struct elf_name *found);
/* Add a line with similar names of functions, or of data, to err. Return false if there are none. */
bool elf_object__suggest(const struct elf_object *o, const char *name, bool functions, struct err *err);

/*
 * Append the name of a function that a function of this name was inlined into, by the debug information.
 * Return false if there is none. Takes a second in large programs.
 */
bool elf_object__inlined_into(struct elf_object *o, const char *name, struct strbuf *caller);

/* Is the address the first instruction of a source line? Then an instruction is known to begin there. */
bool elf_object__is_line_start(struct elf_object *o, u64 addr);
/* Get the file offset of an address. Return false if it is not in the file (.bss). */
bool elf_object__file_offset(const struct elf_object *o, u64 addr, u64 *offset);
/*
 * Get the difference between mapped and linked addresses: 0 for a program at its linked addresses. Return
 * false if the file is not mapped as a program yet, or the segment with addr is not.
 */
bool elf_object__bias(const struct elf_object *o, const struct elf_mapping *maps, size_t nr, u64 addr,
		      u64 *bias);

/*
 * Append the name of what is at a linked address: a variable with its members, such as "pool.slots[3].lock".
 * A lock is one thing, though it has members: of the C library, C++, Rust and Go. Without debug information
 * the name is the symbol's, with the offset in it. Return false if no variable is there.
 */
bool elf_object__name_at(struct elf_object *o, u64 addr, struct strbuf *name);
/*
 * Get the address as linked of the code at a file offset. Return false if there is none. Only code has one
 * place: pages of a file may be mapped as constants and as variables.
 */
bool elf_object__code_addr(const struct elf_object *o, u64 offset, u64 *addr);

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
 * Find the part that q names, from the variable's type in the debug information. Return 0; -ENODATA: there
 * is no debug information about it; -ENOENT: no such member; -EINVAL: it is not a struct, or its number of
 * elements is unknown; -ERANGE: the elements are outside the array.
 */
int elf_object__part(struct elf_object *o, const struct elf_name *variable, const struct elf_part_query *q,
		     struct elf_part *part, struct err *err);

#endif
