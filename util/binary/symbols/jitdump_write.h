/*
 * A jitdump that perf itself makes, in memory, of code whose runtime wrote none. Its times are those of the
 * recording.
 */
#ifndef BINARY_JITDUMP_WRITE_H
#define BINARY_JITDUMP_WRITE_H

#include "binary/symbols/jitdump.h"

struct jitdump_out {
	int fd; /* -1: none */
	u64 size, index;
};

/* Make a file in memory. Return 0 or a negative errno. */
int jitdump_out__open(struct jitdump_out *o, u32 pid, u16 machine);
/*
 * Append a load: c->time, addr, size and name. code: c->size bytes, or NULL: zeroes, which take no memory.
 * Return the bytes that it takes in memory, or a negative errno.
 */
s64 jitdump_out__add(struct jitdump_out *o, const struct jitdump_code *c, const void *code);

#endif
