/*
 * Files that JIT compilers write for profilers: /tmp/perf-PID.map (binary/symbols/perf_map.h) and
 * jit-PID.dump (binary/symbols/jitdump.h). Both are searched for in the root folder of the process while it
 * runs, then by name on this machine. Their owner must be the user of the process, the user of perf, or
 * root.
 *
 * A jitdump says which code was at which address from when on. If its clock is the recording's (record -k
 * mono), or the offset between the clocks is known (format/records/clock_pairs.h), each load becomes a map
 * of the dump in the process's address space: it starts at that time, and its file offset is where the dump
 * has the code's bytes. So if two functions were at one address one after the other, they have different dso
 * addresses and names. Otherwise the last function at an address wins, as in a perf-PID.map.
 *
 * A worker that was forked after its parent compiled has the parent's code, which the parent's perf-PID.map
 * names; workers with shared memory (PHP) have the code of each other.
 */
#ifndef MODEL_JIT_FILES_H
#define MODEL_JIT_FILES_H

#include "format/records/clock_pairs.h"
#include "model/dso_file.h"
#include "model/embedded.h"
#include "model/side_band.h"

/*
 * Add to b the maps described by jitdumps, before b's replay. clocks: the recording's and the dumps' clocks;
 * NULL: unknown. If a dump is missing, use the loads that the recording stores: those with samples. No error
 * is returned: loading the names reports why a dump was not used.
 */
void jit_files__merge(const struct dso_file_opts *opts, struct embedded *stored, struct side_band *b,
		      const struct clock_pairs *clocks);

/*
 * Open a dump that is the recorded file, and belongs to the user of the process, the user of perf, or root.
 * Return a descriptor, or a negative errno with err.
 */
int jit_files__open_dump(const struct dso_file_opts *opts, const struct jitdump *d, struct err *err);
/* Fill dso->symtab: for anonymous memory, for a merged jitdump. Return 0, or a negative errno with err. */
int jit_files__load_memory(const struct dso_file_opts *opts, const struct machine *m, struct dso *dso,
			   struct err *err);
int jit_files__load_dump(const struct dso_file_opts *opts, const struct machine *m, struct dso *dso,
			 struct err *err);

#endif
