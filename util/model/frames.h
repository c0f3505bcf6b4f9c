/*
 * The functions at an address of a binary: those that were inlined there, and the one that has the code, each
 * with the line that was executing. What call chains, and whatever else names addresses, are made of.
 */
#ifndef MODEL_FRAMES_H
#define MODEL_FRAMES_H

#include "model/symbolize.h"

struct code_frame {
	/* as the linker knows it; of the last frame that of the symbol, or NULL: there is none */
	const char *name;
	const char *file; /* with folders; NULL: unknown, or not asked for */
	u32 line;
	bool is_inlined; /* into the next frame */
};

struct code_frames {
	ARRAY(struct code_frame) v; /* the innermost one first; at least one after symbolizer__frames */
};

/*
 * At a dso address; of a return address ask for the address before: the call is in front of it. wants: enum
 * dwarf_wants; 0 asks for the symbol only. Names live as long as the dso; that of a kernel's symbol until the
 * next one is asked for. frames: what it had is gone, its memory is used again. Thread-safe.
 */
void symbolizer__frames(struct symbolizer *s, struct dso *dso, u64 addr, unsigned wants,
			struct code_frames *frames);
void code_frames__exit(struct code_frames *frames); /* accepts an all-zero one */

#endif
