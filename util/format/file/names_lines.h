/*
 * Chunks of an EMBEDDED_NAMES section about single addresses of a binary: source lines and inlined
 * functions. Part of names_section.h; perf.data-format.md has the layout.
 */
#ifndef FORMAT_NAMES_LINES_H
#define FORMAT_NAMES_LINES_H

#include "base/memory/array.h"
#include "base/text/strbuf.h"

struct names_frame {
	const char *name; /* mangled; NULL: the function that contains the address */
	const char *file; /* NULL: unknown */
	u32 line;
	u32 start_line; /* of the function; 0: unknown */
};

struct names_address {
	u64 addr;      /* dso address */
	u32 first, nr; /* frames, innermost first; addresses may share a whole list of them */
};

/* ---- writing ---- */

struct names_lines {
	ARRAY(struct names_address) addresses; /* distinct; the most sampled first */
	ARRAY(struct names_frame) frames;
};

void names_lines__exit(struct names_lines *l); /* the texts are not owned */
/* Append a chunk with the first nr addresses. dso: number of the binary's chunk. */
void names_lines__write(struct strbuf *out, u32 dso, const struct names_lines *l, size_t nr);
/* Append another chunk with the start lines of the same frames. */
void names_lines__write_starts(struct strbuf *out, u32 dso, const struct names_lines *l, size_t nr);
/* Is the start line of any frame known? */
bool names_lines__has_starts(const struct names_lines *l);

/* ---- reading ---- */

struct names_lines_chunk {
	const u8 *addresses, *frames; /* in the section's memory */
	const u8 *starts;             /* start lines by frame; NULL: none */
	u32 nr_addresses, nr_frames;
	const char *text; /* ends with NUL */
	size_t text_size;
	bool swap;
};

/* Parse a chunk. Return 0 with *dso as in __write, or -EBADMSG. */
int names_lines__read(struct names_lines_chunk *c, u32 *dso, const void *data, size_t size, bool swap);
/* Parse the chunk of start lines that belongs to c. Return 0, or -EBADMSG with c unchanged. */
int names_lines__read_starts(struct names_lines_chunk *c, const void *data, size_t size);
/* Is the address in the chunk? Then all its frames are. */
bool names_lines__find(const struct names_lines_chunk *c, u64 addr, struct names_address *found);
/* As names_lines__find, for the last address in the chunk that is not above addr. */
bool names_lines__find_before(const struct names_lines_chunk *c, u64 addr, struct names_address *found);
/* Append the addresses from start on and below end. */
void names_lines__list_addresses(const struct names_lines_chunk *c, u64 start, u64 end, u64_array *addresses);
struct names_frame names_lines__frame(const struct names_lines_chunk *c, u32 i);

#endif
