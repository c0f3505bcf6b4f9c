/* /tmp/perf-PID.map: "START SIZE NAME" lines in hex, written by JIT compilers. */
#ifndef BINARY_PERF_MAP_H
#define BINARY_PERF_MAP_H

#include "binary/symbols/symtab.h"

/* Run-time addresses. Later lines win over earlier ones at the same address. 0 or -EINVAL when no line
 * parses. */
int perf_map__parse(struct symtab *t, const char *text, size_t size);
/*
 * Reads a regular file that belongs to root, to whoever runs this, or to uid, the user of the process it is
 * about; -EPERM otherwise: anybody may write to /tmp. Also -ENOENT, ...
 */
enum { PERF_MAP_OF_ANYBODY = -1 };
#define PERF_MAP_BAD_OWNER "'%s' belongs to neither the process's user nor you nor root: --force to use it"
bool perf_map__owner_may_be(u32 uid, u32 owner);
int perf_map__load(struct symtab *t, const char *path, u32 uid, struct err *err);

#endif
