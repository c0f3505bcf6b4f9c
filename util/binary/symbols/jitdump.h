/*
 * jit-PID.dump: what a compiler of code at run time says about it, as it goes: which code lay where from when
 * on. (The JITDUMP specification, version 2, of the perf tools.)
 */
#ifndef BINARY_JITDUMP_H
#define BINARY_JITDUMP_H

#include "base/message/err.h"
#include "base/memory/types.h"

struct jitdump_code {   /* from time on, size bytes at addr are this code */
	bool is_move;   /* of code that was loaded before, which index tells: name and offset are not given */
	u64 time;       /* ns, CLOCK_MONOTONIC unless the file says otherwise */
	u64 addr, size; /* in the process's memory; never empty, does not wrap */
	u64 index;      /* number of the code */
	u64 offset;     /* where its bytes are in the file */
	const char *name; /* good during the call */
};
typedef void (*jitdump_fn)(const struct jitdump_code *c, void *ctx);

struct jitdump_header {
	bool swap;
	bool has_arch_times; /* times are of the processor's counter */
	u32 size;            /* bytes; the records follow */
};
/* False: it is none, or of another version. */
bool jitdump_header__parse(const void *data, size_t size, struct jitdump_header *h);

enum {
	JITDUMP_PREFIX = 16,
	JITDUMP_HEAD_MAX = 8192
}; /* bytes of a record before the code; longer names are cut */
/* Of a record's first bytes: its whole size; 0: the record cannot be right, nor anything behind it. */
u32 jitdump_record__size(const struct jitdump_header *h, const void *data, size_t size);
/*
 * A record at an offset of the file, of which size bytes are at hand: all, or JITDUMP_HEAD_MAX. name: room
 * for JITDUMP_HEAD_MAX bytes. False: it says nothing about code, or nothing that could be true.
 */
bool jitdump_record__parse(const struct jitdump_header *h, const void *data, size_t size, u64 offset,
			   char *name, struct jitdump_code *c);

/*
 * Calls fn for each load and move, in the order of the file. What is behind a record that cannot be right or
 * is cut, as of a process that still writes, is left out. The file is read in pieces. 0; -EINVAL: no such
 * file.
 */
int jitdump__read_header(int fd, struct jitdump_header *h);
int jitdump__read(int fd, struct jitdump_header *h, jitdump_fn fn, void *ctx);

#endif
