/*
 * Instructions per cycle of functions (key ipc_lbr), computed as stock perf does: a branch took the cycles
 * since the branch before, which led to the beginning of the code between them. Only the longest of several
 * stretches with the same end counts. The code's instructions come from the binary.
 */
#ifndef PROFILE_IPC_H
#define PROFILE_IPC_H

#include "profile/places/places.h"

/* Code between two branches: addresses of the first and the last instruction in the dso. */
struct ipc_stretch {
	const struct symbol *sym;
	u32 dso;
	u64 start, end;
	u64 nr, cycles;
};

struct function_ipc {
	const struct symbol *sym;
	u64 cycles, executed; /* of the code between branches: cycles, and the instructions in these */
	u32 nr_covered;       /* instructions that are in such code */
	u32 nr;               /* instructions of the function */
};

struct ipc_table {
	ARRAY(struct ipc_stretch) stretches; /* until ipc_table__fill */
	ARRAY(struct function_ipc) v;        /* by the address of sym */
};

/* Take the code up to a row's branch (profile_opts.starts). */
void ipc_table__take(struct ipc_table *t, struct places *places, const struct row *row);
/*
 * Fill the table from what it has taken. Functions whose code is not there are left out; if that is all of
 * them, warn.
 */
void ipc_table__fill(struct ipc_table *t, struct session *s);
void ipc_table__exit(struct ipc_table *t);
/* Return NULL if the function is unknown. */
const struct function_ipc *ipc_table__get(const struct ipc_table *t, const struct symbol *sym);

#endif
