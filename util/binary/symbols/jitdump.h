/*
 * jit-PID.dump, written by a JIT compiler while it runs: which code was at which address from which time on.
 * (JITDUMP specification, version 2, of the perf tools)
 */
#ifndef BINARY_JITDUMP_H
#define BINARY_JITDUMP_H

#include "base/message/err.h"
#include "base/memory/types.h"

#include <string.h>

struct jitdump_code {     /* from time on, size bytes at addr are this code */
	bool is_move;     /* moves code that was loaded before as number index; name and offset are not set */
	u64 time;         /* ns, CLOCK_MONOTONIC unless the file says otherwise */
	u64 addr, size;   /* address in the process; size is not 0, and the end does not wrap */
	u64 index;        /* number of the code */
	u64 offset;       /* of its bytes in the file */
	const char *name; /* valid during the call */
	/* its .eh_frame in the file, if the record before said so (JIT_CODE_UNWINDING_INFO); size 0: none */
	u64 frames_offset, frames_size;
};
typedef void (*jitdump_fn)(const struct jitdump_code *c, void *ctx);

enum {
	JITDUMP_MAGIC = 0x4A695444,
	JITDUMP_VERSION = 1,
};
/* A flag of dumps that perf itself makes. */
#define JITDUMP_HAS_OWN_TIMES (1ull << 63)

struct jitdump_header {
	bool swap;
	bool has_own_times;  /* times are those of the recording */
	bool has_arch_times; /* times are of the processor's counter */
	u16 machine;         /* EM_ constant */
	u32 size;            /* bytes of the header; records follow */
};
/* Return false if it is not a jitdump, or of another version. */
bool jitdump_header__parse(const void *data, size_t size, struct jitdump_header *h);

/* The folders of the dumps that perf itself makes (jitdump_write.h), which are in memory. */
#define JITDUMP_MADE_FOLDER "[java]/"
#define JITDUMP_MADE_BY_NODE "[node]/"
enum { JITDUMP_MADE_LEN = sizeof(JITDUMP_MADE_FOLDER) - 1 }; /* of both */

/* Is it the name of a jitdump that perf made? */
static inline bool jitdump__is_made(const char *path)
{
	return !strncmp(path, JITDUMP_MADE_FOLDER, JITDUMP_MADE_LEN) ||
	       !strncmp(path, JITDUMP_MADE_BY_NODE, JITDUMP_MADE_LEN);
}
/* Is it the name of a jitdump: "jit-PID.dump" in any folder? */
bool jitdump__is_name(const char *path);
/* Return the name of the code that a map record is of, if it is in such a folder and in no dump, or NULL. */
static inline const char *jitdump__code_name(const char *path)
{
	return jitdump__is_made(path) && !jitdump__is_name(path) ? path + JITDUMP_MADE_LEN : NULL;
}

enum {
	JITDUMP_PREFIX = 16,
	JITDUMP_HEAD_MAX = 8192
}; /* bytes of a record before the code; records with longer names are skipped */
/*
 * Return the size of a record, from its first bytes; 0: the record is invalid, so the next one cannot be
 * found.
 */
u32 jitdump_record__size(const struct jitdump_header *h, const void *data, size_t size);
/*
 * Parse the record at an offset of the file. size bytes of it are in memory: all, or JITDUMP_HEAD_MAX. name:
 * buffer of JITDUMP_HEAD_MAX bytes. Return false if the record is not about code, or invalid.
 */
bool jitdump_record__parse(const struct jitdump_header *h, const void *data, size_t size, u64 offset,
			   char *name, struct jitdump_code *c);

/*
 * Read the header; read the file in pieces and call fn for each load and move, in the order of the file.
 * Reading ends at an invalid or truncated record: the process may still be writing. Return 0; -EINVAL: not a
 * jitdump.
 */
int jitdump__read_header(int fd, struct jitdump_header *h);
int jitdump__read(int fd, struct jitdump_header *h, jitdump_fn fn, void *ctx);
/* How far a file is read; all zero: not at all. */
struct jitdump_place {
	u64 offset;                     /* of the next record */
	u64 frames_offset, frames_size; /* .eh_frame of the next load; size 0: none */
};
/*
 * Read on from p, at most max bytes and one record (UINT64_MAX: to the end), and move p past the records that
 * are complete. h: read before.
 */
void jitdump__read_on(int fd, const struct jitdump_header *h, struct jitdump_place *p, u64 max, jitdump_fn fn,
		      void *ctx);
/*
 * Return the address that the .eh_frame of code has for its own references: after the code, aligned to 8
 * bytes. (JITDUMP specification: as in the file that perf inject makes)
 */
static inline u64 jitdump__frames_addr(u64 addr, u64 size)
{
	return addr + ((size + 7) & ~7ull);
}

#endif
