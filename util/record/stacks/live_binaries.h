/*
 * The binaries that recorded processes have mapped, and their call frame information, opened when a stack has
 * a frame in them.
 */
#ifndef RECORD_LIVE_BINARIES_H
#define RECORD_LIVE_BINARIES_H

#include "base/memory/array.h"
#include "base/memory/strpool.h"
#include "binary/tables/cfi.h"

struct kept_files;

struct live_binary {
	u32 name; /* strpool id */
	u32 maj, min;
	u64 ino, ino_generation;
	struct build_id build_id;
	bool is_opened;  /* cfi is set */
	bool has_failed; /* the last try to open it found no file */
	struct cfi *cfi; /* NULL: none */
	u32 asked;       /* the period in which cfi was asked for last */
	u32 tried_by;    /* process */
	u32 wait;        /* rounds between tries; 0: no running process has failed */
	u64 tried;       /* round */
};

struct live_binaries {
	struct strpool names;
	ARRAY(struct live_binary) v; /* [0]: memory without a file */
	struct hash_table table;
	u32 period;              /* counts the calls of __close_unused that found too much */
	u64 round;               /* counts the calls of __begin_round */
	u64 due;                 /* round of the next try that a process waits for */
	bool is_found;           /* what could not be opened before, in this round */
	u64 cfi_max;             /* bytes of call frame information that stay open, used or not */
	struct kept_files *kept; /* for binaries that were deleted; not owned; NULL: none */
};

void live_binaries__init(struct live_binaries *l);
void live_binaries__exit(struct live_binaries *l);
/*
 * Return the number of a binary, whose device, inode and build-id are set in b; 0 if no file has that name.
 */
u32 live_binaries__add(struct live_binaries *l, const char *name, struct live_binary *b);
/* Return the name of a binary, "" for 0; valid until the next __add. */
static inline const char *live_binaries__name(const struct live_binaries *l, u32 binary)
{
	return strpool__get(&l->names, l->v.v[binary].name);
}

/*
 * Begin a round. Return whether there is more to find than in the last one: then callers have to ask again.
 */
bool live_binaries__begin_round(struct live_binaries *l);
/*
 * Return the call frame information of a binary, opened on first use, or NULL if there is none. pid has it
 * mapped from start to end; 0: a process that has ended. Where only processes lead to the file (containers,
 * deleted files), it is tried again for running ones that ask, in rounds that get rarer.
 */
struct cfi *live_binaries__cfi(struct live_binaries *l, u32 binary, u32 pid, u64 start, u64 end);
/*
 * If the call frame information takes more than cfi_max, close tables that were not used since the last call
 * that closed some. Return whether it does: then the caller has to ask again before it uses any.
 */
bool live_binaries__close_unused(struct live_binaries *l);
/* Drop the binaries whose numbers[] are 0, and set those of the others to their new numbers. */
void live_binaries__keep(struct live_binaries *l, u32 *numbers);

#endif
