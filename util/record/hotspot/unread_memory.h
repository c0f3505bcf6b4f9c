/*
 * Java virtual machines whose memory the recorder may not read, so that names of their methods are missing.
 */
#ifndef RECORD_UNREAD_MEMORY_H
#define RECORD_UNREAD_MEMORY_H

#include "base/memory/types.h"
#include "base/text/strbuf.h"

enum { UNREAD_PIDS = 4 };

struct unread_memory { /* all zero: none */
	u32 nr;
	u32 pids[UNREAD_PIDS]; /* the first ones */
	u32 uid;               /* user of the first one */
};

/* Note that reading the memory of a process was not permitted. */
void unread_memory__add(struct unread_memory *u, u32 pid);
/* Append lines with their newlines: whose names are missing, why, and what to type; nothing if none are. */
void unread_memory__tell(const struct unread_memory *u, struct strbuf *out);

#endif
