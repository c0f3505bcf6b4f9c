/*
 * The binaries of a recording, kept while it lasts, so that their names can be looked up at its end although
 * they were deleted, replaced or unmounted.
 *
 * An open file keeps its file system busy, and a recorded program may want to unmount that. So a file is held
 * open only on file systems that stay mounted, and copied into memory from others. If there are too many, the
 * oldest are dropped.
 */
#ifndef BINARY_KEPT_FILES_H
#define BINARY_KEPT_FILES_H

#include "binary/elf/build_id.h"

/* A file as map records name it. Unknown parts are 0. */
struct kept_id {
	const char *name;
	u32 pid; /* of a file that is about one process: that process; 0: a binary */
	u32 maj, min;
	u64 ino, ino_generation;
	struct build_id build_id;
};

struct kept_files; /* thread-safe */
/* Make a list of at most max files. */
struct kept_files *kept_files__new(size_t max);
void kept_files__delete(struct kept_files *k); /* accepts NULL */
/*
 * Keep the file, unless it is kept already, cannot be opened, or is not an ELF file. Process pid has mapped
 * it at start to end.
 */
void kept_files__add(struct kept_files *k, const struct kept_id *id, u32 pid, u64 start, u64 end);
/*
 * Keep an open file about the process id->pid, such as its perf-PID.map, open or as a copy. fd is taken
 * over. If there are too many, the oldest are dropped.
 */
void kept_files__add_open(struct kept_files *k, const struct kept_id *id, int fd);
/* May the file be held open? If not, it may be on a file system that a program wants to unmount. */
bool kept_files__may_hold(const struct kept_files *k, int fd);
/* Return a file in memory with the first size bytes of fd, or -1: it is shorter, or too large to copy. */
int kept_files__copy(int fd, u64 size);
/*
 * Keep a file in memory under a name, until k is deleted. fd is taken over. id->ino must be its inode.
 */
void kept_files__add_made(struct kept_files *k, const struct kept_id *id, int fd);
/*
 * Return a path that leads to the kept file, to be freed by the caller, or NULL if it was not kept. Valid
 * until the next file is added. If a process had several files of a name, the newest is found. k may be NULL.
 */
char *kept_files__path(struct kept_files *k, const struct kept_id *id);

#endif
