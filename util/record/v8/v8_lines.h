/* Lines of scripts: where in a script's source a position is. */
#ifndef RECORD_V8_LINES_H
#define RECORD_V8_LINES_H

#include "base/memory/array.h"
#include "record/v8/v8_object.h"

/* Where the lines of a source end. */
struct v8_source {
	u64 chars; /* address */
	u32 nr;    /* characters */
	ARRAY(u32) ends;
};

struct v8_lines {
	ARRAY(struct v8_source) v; /* sources that were read */
	size_t nr_ends;            /* of all */
	const struct vm_memory *m; /* without pages: sources are large. Set by the owner */
};

struct v8_place {
	u32 line, column; /* from 1 on */
};

void v8_lines__exit(struct v8_lines *l);
/*
 * Find the place of a position (characters from the start) of a script. Return 0; -ENOENT: unknown; -EAGAIN:
 * the source cannot be read now.
 */
int v8_lines__find(struct v8_lines *l, const struct v8_heap *h, u64 script, u32 position,
		   struct v8_place *place);

#endif
