/*
 * Names for locks: of a variable at an address in a process, and of the function where a thread waited.
 * Private to read_locks.c.
 */
#ifndef PROFILE_LOCK_NAMES_H
#define PROFILE_LOCK_NAMES_H

#include "binary/symbols/elf_object.h"
#include "profile/trees/chains.h"

struct lock_names {
	struct session *session;
	struct places places; /* exact, with lines */
	struct chains chains;
	ARRAY(struct elf_object *) objects; /* by dso */
	ARRAY(bool) tried;
	ARRAY(u32) facts; /* by place: enum waker_fact, plus 1 << 31: known */
};

void lock_names__init(struct lock_names *n, struct session *s);
void lock_names__exit(struct lock_names *n);
/* Return the wait of a row. Its places are in chains.scratch until the next call. */
struct wait lock_names__wait(struct lock_names *n, const struct row *row);
/* Return what the chain of a waker tells (enum waker_fact). */
u32 lock_names__facts(struct lock_names *n, const struct row *row);
/*
 * Append the name of the variable at an address of a process at this rank, with its members. Return false if
 * there is none, or it has no name.
 */
bool lock_names__add_variable(struct lock_names *n, const struct maps *maps, u32 rank, u64 addr,
			      struct strbuf *text);
/* Is the function of a place in chains.scratch one of the C library's for locks? */
bool lock_names__is_glibc(struct lock_names *n, u32 frame);
/*
 * Append "worker (app.c:42)", or "worker+0x1f", of a place in chains.scratch. Return false if it has no name.
 */
bool lock_names__add_place(struct lock_names *n, u32 frame, struct strbuf *text);

#endif
