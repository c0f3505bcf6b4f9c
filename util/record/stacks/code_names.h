/*
 * Where names of code go that a program made while it ran. A recording that is a file keeps a jitdump of each
 * process in memory (binary/symbols/jitdump_write.h), and announces it. Slices and pipes have the names in
 * the file itself, and so has a file those for which there is no room in a jitdump: a MMAP2 record
 * "[java]/NAME" or "[node]/NAME" says that the code NAME is at an address from a time on.
 */
#ifndef RECORD_CODE_NAMES_H
#define RECORD_CODE_NAMES_H

#include "base/text/strbuf.h"
#include "event/evsel/evsel.h"

struct jitdump_out;
struct kept_files;

struct named_code {
	u32 pid;
	u64 since; /* ns, as in the recording */
	u64 addr, size;
	const char *name;
};

struct code_names {
	const char *folder;      /* JITDUMP_MADE_FOLDER or another one */
	struct kept_files *kept; /* gets the jitdumps; not owned; NULL: none */
	bool in_records;         /* names are wanted without jitdumps, too */
	u64 bytes;               /* of all jitdumps */
	struct strbuf made;      /* struct made_dump */
	struct strbuf v;         /* of the current file: struct named_code, each followed by its name */
	u32 nr_files;            /* before it */
};

/* folder is not copied. */
void code_names__init(struct code_names *c, const char *folder, struct kept_files *kept, bool in_records);
void code_names__exit(struct code_names *c);
/* Does anybody get the names? */
static inline bool code_names__are_wanted(const struct code_names *c)
{
	return c->kept || c->in_records;
}

/* Is there room in the jitdump of a process for a copy of the code of one function? */
bool code_names__has_room(const struct code_names *c, const struct jitdump_out *dump, u64 size);
/*
 * Append a load to the jitdump of the process, which is made if there is none (dump->fd -1) and belongs to c.
 * began: when the process began, ns. bytes: its code, or NULL. Return false if there is no room, or no
 * jitdump.
 */
bool code_names__store(struct code_names *c, struct jitdump_out *dump, u64 began,
		       const struct named_code *code, const void *bytes);
/*
 * Give a name that is in no jitdump to the current file, once, unless there are too many (64 MB). The name is
 * copied. nr_files: of this code, 0 at first.
 */
void code_names__use(struct code_names *c, const struct named_code *code, u32 *nr_files);
/*
 * At the end of a file: append MMAP2 records that announce the jitdumps to readers, and those of names, which
 * are forgotten. l: the events as in the file, with ids.
 */
void code_names__announce(struct code_names *c, const struct evlist *l, struct strbuf *out);

#endif
