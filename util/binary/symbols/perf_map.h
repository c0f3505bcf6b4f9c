/* /tmp/perf-PID.map: "START SIZE NAME" lines in hex, written by JIT compilers. */
#ifndef BINARY_PERF_MAP_H
#define BINARY_PERF_MAP_H

#include "binary/symbols/symtab.h"

/*
 * Parse the text; addresses are those of the process. The last of several lines with the same address wins.
 * Return 0, or -EINVAL if no line parses.
 */
int perf_map__parse(struct symtab *t, const char *text, size_t size);
/*
 * Read a regular file that belongs to root, to the user of this program, or to uid, the user of the process
 * that the file is about (PERF_MAP_OF_ANYBODY: accept any owner). Return -EPERM for other owners, because
 * all users may write to /tmp; or another negative errno.
 */
enum { PERF_MAP_OF_ANYBODY = -1 };
#define PERF_MAP_BAD_OWNER "'%s' belongs to neither the process's user nor you nor root: --force to use it"
/*
 * Open such a file for reading: a regular one, with an owner as above. Symbolic links on the way have to
 * have such an owner, too: otherwise any user could have another user's file read. Links in a process's
 * root folder (/proc/PID/root) do not lead out of it. Return a descriptor, -EPERM for other owners, or
 * another negative errno.
 */
int perf_map__open(const char *path, u32 uid);
/* As perf_map__open, with an open root folder, whose links do not lead out of it. */
int perf_map__open_in(int root, const char *path, u32 uid);
/* Read an open file. path is for messages. */
int perf_map__load_fd(struct symtab *t, int fd, const char *path, struct err *err);
int perf_map__load(struct symtab *t, const char *path, u32 uid, struct err *err);

#endif
