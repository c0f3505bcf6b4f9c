/*
 * Source lines that are to be stored in a recording: those of code, and some around them, from the files that
 * the debug information names. A file that is newer than the binary is not stored: it may have changed. Nor
 * is one that not everybody may read, unless the binary is the same user's: a binary of another user could
 * name any file.
 */
#ifndef PROFILE_SOURCE_STORE_H
#define PROFILE_SOURCE_STORE_H

#include "format/file/source_excerpt.h"
#include "profile/annotate/source_files.h"

enum { SOURCE_AROUND = 8 }; /* lines before and after each line of code */

struct wanted_source {
	const struct source_file *file;
	u32 dso;   /* number of the binary in the section */
	u8 *lines; /* bit by number from file->first on; NULL: the file is not stored */
	u32 nr;    /* bits */
};

struct source_store {
	struct source_files files;
	ARRAY(struct wanted_source) v;
	u64 left; /* bytes of the budget */
	u32 nr_newer;
};

void source_store__init(struct source_store *s, struct symbolizer *symbolizer, u64 budget);
void source_store__exit(struct source_store *s);
/* Want a line of a file, and those around it. number: the binary's number in the section. */
void source_store__want(struct source_store *s, struct dso *dso, u32 number, const char *file, u32 line);
/* Append the wanted lines of a binary. */
void source_store__excerpts(const struct source_store *s, u32 number, source_excerpt_array *out);

#endif
