/*
 * The names that a recording carries itself (format/file/names_section.h), by binary. Unpacked when they are
 * first asked for.
 */
#ifndef MODEL_EMBEDDED_H
#define MODEL_EMBEDDED_H

#include "base/memory/hash.h"
#include "format/file/names_section.h"
#include "format/read/reader.h"
#include "model/dso.h"

struct embedded {
	const struct reader *reader;
	pthread_mutex_t lock; /* of what follows, until is_read */
	bool is_read;         /* read with __atomic acquire */
	int error;
	struct err err;
	struct names_section section;
	struct hash_table by_name; /* entries of the section */
};

void embedded__init(struct embedded *e, const struct reader *r); /* r must live as long */
void embedded__exit(struct embedded *e);
/*
 * What the recording has of this very dso: name, build-id and all. 0 and *entry; -ENOENT: nothing; or another
 * negative errno with err: nothing can be read. Thread-safe.
 */
int embedded__find(struct embedded *e, const struct dsos *dsos, const struct dso *dso,
		   const struct names_entry **entry, struct err *err);
/* The code that a jitdump tells of, which was mapped by the process under that name; NULL: nothing. */
const struct names_entry *embedded__find_loads(struct embedded *e, const char *name, u32 pid, u64 ino);

#endif
