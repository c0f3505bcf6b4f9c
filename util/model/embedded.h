/*
 * The names that are stored in a recording (format/file/names_section.h), by binary. Unpacked on first use.
 */
#ifndef MODEL_EMBEDDED_H
#define MODEL_EMBEDDED_H

#include "base/memory/hash.h"
#include "format/file/names_section.h"
#include "format/read/reader.h"
#include "model/dso.h"

struct embedded {
	const struct reader *reader;
	pthread_mutex_t lock; /* protects what follows, until is_read */
	bool is_read;         /* read with __atomic acquire */
	int error;
	struct err err;
	struct names_section section;
	struct hash_table by_name; /* entries of the section */
};

void embedded__init(struct embedded *e, const struct reader *r); /* r must live as long */
void embedded__exit(struct embedded *e);
/*
 * Find what the recording stores of this dso, by name and build-id. Return 0 and *entry; -ENOENT: nothing;
 * or another negative errno with err: unreadable. Thread-safe.
 */
int embedded__find(struct embedded *e, const struct dsos *dsos, const struct dso *dso,
		   const struct names_entry **entry, struct err *err);
/* Return the stored code of a jitdump that the process mapped under that name, or NULL. */
const struct names_entry *embedded__find_loads(struct embedded *e, const char *name, u32 pid, u64 ino);

#endif
