/*
 * Instructions per cycle of functions (key ipc_lbr), computed as stock perf does: a branch took the cycles
 * since the branch before, which led to the beginning of the code between them. Of several beginnings the
 * first one counts. The code's instructions come from the binary.
 */
#ifndef PROFILE_IPC_H
#define PROFILE_IPC_H

#include "profile/gather/places.h"
#include "profile/gather/profile.h"

struct function_ipc {
	const struct symbol *sym;
	u64 cycles, executed; /* of the code between branches: cycles, and the instructions in these */
	u32 nr_covered;       /* instructions that are in such code */
	u32 nr;               /* instructions of the function */
};

struct ipc_table {
	ARRAY(struct function_ipc) v; /* by the address of sym */
};

/*
 * Fill the table from a profile that has the code between branches (profile_opts.blocks); it has no rows
 * afterwards. Functions whose code is not there are left out; if that is all of them, warn.
 */
void ipc_table__fill(struct ipc_table *t, struct profile *blocks, struct places *places);
void ipc_table__exit(struct ipc_table *t);
/* Return NULL if the function is unknown. */
const struct function_ipc *ipc_table__get(const struct ipc_table *t, const struct symbol *sym);

#endif
