/*
 * The functions at an address of a binary: those inlined there, and the one that contains it, each with its
 * current line. Call chains and symbols of reports are made of them.
 */
#ifndef MODEL_FRAMES_H
#define MODEL_FRAMES_H

#include "model/symbolize.h"

struct code_frame {
	/* linker name; the last frame has the symbol's, or NULL if there is none */
	const char *name;
	const char *file; /* with folders; NULL: unknown, or not wanted */
	u32 line;
	u32 start_line;  /* of the function; 0: unknown, or not wanted */
	bool is_inlined; /* into the next frame */
};

struct code_frames {
	ARRAY(struct code_frame) v; /* innermost first; at least one after symbolizer__frames */
};

/*
 * Get the functions at a dso address; for a return address pass the address before it, which belongs to the
 * call. wants: enum dwarf_wants; 0: symbol only. Names are valid as long as the dso; a kernel symbol's name
 * until the next call. frames is overwritten; its memory is reused. Thread-safe.
 */
void symbolizer__frames(struct symbolizer *s, struct dso *dso, u64 addr, unsigned wants,
			struct code_frames *frames);
/*
 * Append the dso addresses from start on and below end where symbolizer__frames may begin to give other lines
 * or inlined functions, in any order, some maybe more than once; none if there are no lines. wants: with
 * DWARF_WANTS_DECL also where the discriminator changes. Thread-safe.
 */
void symbolizer__line_borders(struct symbolizer *s, struct dso *dso, u64 start, u64 end, unsigned wants,
			      u64_array *borders);
void code_frames__exit(struct code_frames *frames); /* accepts an all-zero one */

#endif
