/*
 * Data that a recording stores for each binary: names (format/file/names_section.h) and code
 * (format/file/code_section.h). Each is unpacked on first use.
 */
#ifndef MODEL_EMBEDDED_H
#define MODEL_EMBEDDED_H

#include "base/memory/hash.h"
#include "format/file/code_section.h"
#include "format/file/names_section.h"
#include "format/read/reader.h"
#include "model/dso.h"

struct embedded_part {
	bool is_read; /* read with __atomic acquire; all else is set before */
	int error;
	struct err err;
	struct hash_table by_name; /* entries of the section */
};

struct embedded {
	const struct reader *reader;
	pthread_mutex_t lock; /* held while a part is read */
	struct embedded_part names, code;
	struct names_section names_section;
	struct code_section code_section;
};

void embedded__init(struct embedded *e, const struct reader *r); /* r must live as long */
void embedded__exit(struct embedded *e);
/*
 * Find what the recording stores of this dso, by name and build-id. Return 0 and *entry; -ENOENT: nothing;
 * or another negative errno with err: unreadable. Thread-safe.
 */
int embedded__find(struct embedded *e, const struct dsos *dsos, const struct dso *dso,
		   const struct names_entry **entry, struct err *err);
/*
 * Return the code that the recording stores of this dso, or NULL. The first call prints a warning if the
 * section is damaged; what is not damaged is found. Thread-safe.
 */
const struct code_entry *embedded__find_code(struct embedded *e, const struct dsos *dsos,
					     const struct dso *dso);
/* Return the stored loads of a jitdump that the process mapped under that name, or NULL. */
const struct names_entry *embedded__find_loads(struct embedded *e, const char *name, u32 pid, u64 ino);

#endif
