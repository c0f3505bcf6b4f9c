/*
 * Names of code that a program made while it ran, in the file itself: a MMAP2 record "[java]/NAME" or
 * "[node]/NAME" says that the code NAME is at an address from a time on. Slices and pipes have them, where
 * no jitdump can be stored.
 */
#ifndef RECORD_CODE_NAMES_H
#define RECORD_CODE_NAMES_H

#include "base/text/strbuf.h"
#include "event/evsel/evsel.h"

struct named_code {
	u32 pid;
	u64 since; /* ns, as in the recording */
	u64 addr, size;
	const char *name;
};

struct code_names {         /* of one file */
	const char *folder; /* JITDUMP_MADE_FOLDER or another one */
	struct strbuf v;    /* struct named_code, each followed by its name */
};

/* folder is not copied. */
void code_names__init(struct code_names *c, const char *folder);

void code_names__exit(struct code_names *c);
/* Add a name, unless there are too many (64 MB). The name is copied. */
void code_names__add(struct code_names *c, const struct named_code *code);
/* Append the records, and forget the names. l: the events as in the file, with ids. */
void code_names__write(struct code_names *c, const struct evlist *l, struct strbuf *out);
/* Append a MMAP2 record of code, with a trailer of this time. ino: of its file; 0: none. */
void code_names__write_map(const struct evlist *l, const struct named_code *code, u64 ino,
			   struct strbuf *out);

#endif
