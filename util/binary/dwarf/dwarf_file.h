/*
 * The DWARF of one binary, open for libdw: the file that has it, and the alternate file (dwz) that it shares
 * parts with. Private to util/binary.
 *
 * libdw is not thread-safe, and keeps whatever it parsed until it is closed. So there is a small pool of its
 * handles over one image in memory: each parsing thread takes a handle, and a handle that keeps too much is
 * closed.
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
	size_t kept;        /* bytes of parsed data that libdw keeps, as its users have counted */
};

struct dwarf_file {
	struct dwarf_image main, alt; /* alt.elf is NULL if there is no alternate file */
	pthread_mutex_t lock;         /* protects what follows, and unpacking */
	pthread_cond_t freed;
	unsigned nr_handles;
	u32 nr_packed; /* how often unpacked sections were given back; constant while there is a handle */
	ARRAY(struct dwarf_handle *) idle;

	pthread_mutex_t names_lock; /* protects what follows */
	struct strpool names;       /* names of files and functions */
	u64 long_names;             /* bytes that still fit (reserve.h) */

	s64 lines_left; /* bytes of line tables that may be read; __atomic */
	s64 left;       /* bytes of parsed tables that a true file of this size has; __atomic */
	char *path;     /* for messages */
	bool is_cut;    /* something was left out, which was said; __atomic */
};

/* Does f have DWARF that describes functions and lines? False for objects and kernel modules. */
bool dwarf_file__has_info(const struct elf_file *f);
/* As dwarf_file__has_info, but accept kernel modules. */
bool dwarf_file__has_kernel_info(const struct elf_file *f);

/*
 * Open the DWARF of elf; elf may be closed when this returns. symfs: root of the paths of alternate files,
 * not NULL. A module's code begins at MODULE_BASE. Return 0, or a negative errno with err and f all zero.
 */
int dwarf_file__open(struct dwarf_file *f, const struct elf_file *elf, const char *symfs, struct err *err);
void dwarf_file__close(struct dwarf_file *f); /* accepts an all-zero f */
/* Return a handle for the calling thread alone, until dwarf_file__put. NULL: libdw cannot read the file. */
struct dwarf_handle *dwarf_file__get(struct dwarf_file *f);
void dwarf_file__put(struct dwarf_file *f, struct dwarf_handle *h);
/*
 * Give back memory until the file is used again. is_done: also what was unpacked, because no more use is
 * expected. Thread-safe.
 */
void dwarf_file__rest(struct dwarf_file *f, bool is_done);
/*
 * Unpack the first end bytes of a part, or all of it (DWARF_WHOLE). Call it before libdw reads there.
 * Thread-safe.
 */
void dwarf_file__need(struct dwarf_file *f, enum dwarf_part part, u64 end);

/*
 * Find the offset of the first entry, and of the end, of the unit whose header is at the offset. Return
 * false if there is no unit.
 */
bool dwarf_file__unit_at(struct dwarf_file *f, struct dwarf_handle *h, u64 header, u64 *first, u64 *end);
/*
 * Return how many parsed entries of a size in bytes there is room for, at most most: as many as a true
 * file of this size has, and what the reserve has (reserve.h). Thread-safe.
 */
u32 dwarf_file__room(struct dwarf_file *f, size_t size, u32 most);
/*
 * Count bytes of parsed tables; what is too much is taken from the reserve. is_cut: there was more, which was
 * left out. Thread-safe.
 */
void dwarf_file__count(struct dwarf_file *f, u64 bytes, bool is_cut);
/*
 * Return whether bytes of line tables may be read: a table may be read again and again for hostile units that
 * share it, though not many times. Thread-safe.
 */
bool dwarf_file__may_read_lines(struct dwarf_file *f, u64 bytes);
/* Count bytes of another file with entries (.dwo) as the file's own. Thread-safe. */
void dwarf_file__justify(struct dwarf_file *f, u64 bytes);
/* Say once that something of the file is left out. Thread-safe. */
void dwarf_file__tell_cut(struct dwarf_file *f);
/* Return a copy of text that lives as long as f; equal texts share one copy. Thread-safe. */
const char *dwarf_file__intern(struct dwarf_file *f, const char *text);

#endif
