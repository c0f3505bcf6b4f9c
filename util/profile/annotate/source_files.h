/*
 * Files of source code, found by the paths in debug information. Each comes from the first source that has
 * it; the table is in source_files.c.
 */
#ifndef PROFILE_SOURCE_FILES_H
#define PROFILE_SOURCE_FILES_H

#include "model/symbolize.h"

struct source_file {
	char *path;         /* as in the debug information */
	u32 dso;            /* idx: the binary whose debug information names it */
	char *found;        /* the path that was read; NULL: none */
	const char *source; /* a static string: "file", "the recording"; NULL: not found */
	struct strbuf text; /* all of it, or what the recording has */
	/* offsets of lines in text, and of the end. A line that begins with the next is not stored. */
	ARRAY(size_t) lines;
	u32 first;     /* number of the first line in text; 1 for files */
	bool is_newer; /* than the recorded binary: lines may have moved */
};

struct source_opts {
	const char *prefix; /* --prefix: put before paths; NULL: none */
	unsigned strip;     /* --prefix-strip: number of folders taken off paths before that */
};

/* The files that were asked for so far. */
struct source_files {
	struct symbolizer *symbolizer;
	struct source_opts opts;
	ARRAY(struct source_file *) v;
	struct hash_table by_path;
};

void source_files__init(struct source_files *l, struct symbolizer *s, const struct source_opts *opts);
void source_files__exit(struct source_files *l);
/*
 * Return a file, which lives as long as the list; one that was not found has no lines. dso: the binary whose
 * debug information names it. Not thread-safe.
 */
const struct source_file *source_files__get(struct source_files *l, struct dso *dso, const char *path);
/* Return a line and its length, without its newline; NULL: the file does not have it. */
const char *source_file__line(const struct source_file *f, u32 number, size_t *len);

#endif
