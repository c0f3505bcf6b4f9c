/*
 * Call frame information that JIT compilers give for their code, by address. Pieces of code do not overlap: a
 * new one replaces those at its addresses.
 */
#ifndef BINARY_JIT_FRAMES_H
#define BINARY_JIT_FRAMES_H

#include "base/memory/array.h"
#include "binary/symbols/jitdump.h"
#include "binary/tables/cfi.h"

struct jit_piece {
	u64 start, end;
	u64 at;   /* offset of its .eh_frame in the file, or in what the owner has instead */
	u64 addr; /* of .eh_frame, as its own references count */
	u32 size; /* bytes of .eh_frame; 0: the code has none */
	bool is_opened;
	struct cfi *cfi; /* NULL: none */
};
typedef ARRAY(struct jit_piece) jit_piece_array;

struct jit_frames {
	jit_piece_array v;           /* by start */
	jit_piece_array recent;      /* by start; not in v yet */
	bool changed;                /* since the last __update */
	ARRAY(struct cfi *) retired; /* of replaced pieces: still in use, maybe */
	u16 machine;                 /* EM_ constant */
};

enum { JIT_FRAMES_MAX = 1 << 20 }; /* bytes of one piece's .eh_frame; larger ones are ignored */

void jit_frames__exit(struct jit_frames *f);
/* Add a piece; jit_frames__update makes it visible. One without frames replaces older ones, too. */
void jit_frames__add(struct jit_frames *f, const struct jit_piece *p);
/* As jit_frames__add, for code at an address: that of c, or another one that stands for it. */
void jit_frames__add_code(struct jit_frames *f, const struct jitdump_code *c, u64 addr);
/* Make added pieces visible. Return whether what __find returns may have changed. */
bool jit_frames__update(struct jit_frames *f);
/*
 * Return the CFI of the code at addr, which it counts by, or NULL. .eh_frame is read from fd at first. Valid
 * until jit_frames__forget.
 */
struct cfi *jit_frames__find(struct jit_frames *f, u64 addr, int fd);
/* Free the CFI of replaced pieces, and if there is more of others than max, all. Return whether it did. */
bool jit_frames__forget(struct jit_frames *f, size_t max);

#endif
