/*
 * The DWARF of one binary, open for libdw: the file that has it, the alternate file (dwz) that it shares
 * parts with. Private to util/binary.
 *
 * libdw is not made for several threads, and keeps whatever it parsed until it is closed. So there is a small
 * pool of its handles over one image in memory: who parses takes one, and one that has grown is closed.
 */
#ifndef BINARY_DWARF_FILE_H
#define BINARY_DWARF_FILE_H

#include "base/memory/strpool.h"
#include "binary/dwarf/dwarf_image.h"

#include <elfutils/libdw.h>
#include <pthread.h>

#define DWARF_WHOLE UINT64_MAX

struct dwarf_handle {
	Dwarf *dwarf, *alt; /* alt may be NULL */
	size_t kept;        /* bytes that libdw keeps of what was parsed, by its users' account */
};

struct dwarf_file {
	struct dwarf_image main, alt; /* alt.elf NULL: none */
	pthread_mutex_t lock;         /* of what follows, and of unpacking */
	pthread_cond_t freed;
	unsigned nr_handles;
	ARRAY(struct dwarf_handle *) idle;

	pthread_mutex_t names_lock; /* of what follows */
	struct strpool names;       /* of files and functions */
};

/* Whether there is DWARF that tells of functions and lines. */
bool dwarf_file__has_info(const struct elf_file *f);
/* The same, also of kernel modules. */
bool dwarf_file__has_kernel_info(const struct elf_file *f);

/*
 * Opens what elf has; elf may be closed when this returns. symfs: root of the paths of alternate files, not
 * NULL. A module's code begins at MODULE_BASE. 0 or a negative errno with err; f is all zero then.
 */
int dwarf_file__open(struct dwarf_file *f, const struct elf_file *elf, const char *symfs, struct err *err);
void dwarf_file__close(struct dwarf_file *f); /* accepts an all-zero f */
/* A handle for this thread alone, until it is put back. NULL: libdw finds nothing that it can read. */
struct dwarf_handle *dwarf_file__get(struct dwarf_file *f);
void dwarf_file__put(struct dwarf_file *f, struct dwarf_handle *h);
/*
 * To be called before libdw reads there: the first end bytes of a part, or DWARF_WHOLE. Thread-safe.
 */
void dwarf_file__need(struct dwarf_file *f, enum dwarf_part part, u64 end);

/*
 * Where the unit whose header is at the offset has its first entry, and where it ends. False: there is no
 * unit.
 */
bool dwarf_file__unit_at(struct dwarf_file *f, struct dwarf_handle *h, u64 header, u64 *first, u64 *end);
/* A text that lives as long as f: equal ones are one. Thread-safe. */
const char *dwarf_file__intern(struct dwarf_file *f, const char *text);

#endif
