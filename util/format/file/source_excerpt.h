/* Source lines in an EMBEDDED_CODE section. Part of code_section.h; perf.data-format.md has the layout. */
#ifndef FORMAT_SOURCE_EXCERPT_H
#define FORMAT_SOURCE_EXCERPT_H

#include "base/memory/array.h"
#include "base/text/strbuf.h"

struct source_run { /* lines one after the other */
	u32 first;  /* number of the first one, from 1 */
	u32 nr;
	u32 text; /* offset of the first line in the text; each ends with a newline */
};

/* ---- writing ---- */

struct source_excerpt {                /* of one file */
	const char *file;              /* as in the debug information, with folders; not owned */
	ARRAY(struct source_run) runs; /* ascending */
	struct strbuf text;
};
typedef ARRAY(struct source_excerpt) source_excerpt_array;

void source_excerpts__exit(source_excerpt_array *sources);
/* Append the content of a chunk. dso: number of the binary's chunk. */
void source_excerpt__write(struct strbuf *out, u32 dso, const struct source_excerpt *s);

/* ---- reading ---- */

struct source_excerpt_chunk {
	const char *file;
	const u8 *runs; /* in the section's memory */
	u32 nr_runs;
	const char *text;
	size_t text_size;
	bool swap;
};

/* Parse a chunk. Return 0 with *dso as in __write, or -EBADMSG. */
int source_excerpt__read(struct source_excerpt_chunk *c, u32 *dso, const void *data, size_t size, bool swap);
struct stored_source {
	u32 first, nr;    /* number of the first line, and how many the file claims to have here */
	const char *text; /* the lines, each with its newline; any bytes, in the section's memory */
	size_t size;
};
/* Get the i-th run of lines. Return false if it is damaged. i < nr_runs. */
bool source_excerpt__run(const struct source_excerpt_chunk *c, u32 i, struct stored_source *run);

#endif
