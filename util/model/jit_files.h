/*
 * What compilers of code at run time leave for profilers: /tmp/perf-PID.map (binary/symbols/perf_map.h) and
 * jit-PID.dump (binary/symbols/jitdump.h). Both are looked for in the process's own root folder while it
 * runs, then under their name here, and count only if they belong to its user, to who looks, or to root.
 *
 * A jitdump says when code came to lie where. Where its clock is the recording's (record -k mono), or it is
 * known how they stand to each other (format/records/clock_pairs.h), each load is a map of the dump in the
 * process's space from that time on, at the place in the dump where the code's bytes are. So an address that
 * held two functions has two names, and dso addresses of both differ. Else the last function at an address is
 * taken, as in a perf-PID.map.
 */
#ifndef MODEL_JIT_FILES_H
#define MODEL_JIT_FILES_H

#include "format/records/clock_pairs.h"
#include "model/embedded.h"
#include "model/side_band.h"

struct jit_opts {
	const char *symfs; /* root for recorded names; NULL or "": none */
	bool any_owner;    /* accept files of any owner */
	bool foreign_host; /* the recording is another machine's */
};

/*
 * Adds to b, before its replay, the maps that jitdumps tell of. clocks: the recording's and the dumps'; NULL:
 * not known. A dump that is not there any more may be stored in the recording, as far as it was hit. Why a
 * dump is not used is told when its names are missed.
 */
void jit_files__merge(const struct jit_opts *opts, struct embedded *stored, struct side_band *b,
		      const struct clock_pairs *clocks);

/*
 * Open a dump that belongs to the process's user, to who looks or to root, and is the recorded file: a
 * descriptor, or a negative errno with err.
 */
int jit_files__open_dump(const struct jit_opts *opts, const struct jitdump *d, struct err *err);
/* Fill dso->symtab: of anonymous memory, of a merged jitdump. 0, or a negative errno with err. */
int jit_files__load_memory(const struct jit_opts *opts, const struct machine *m, struct dso *dso,
			   struct err *err);
int jit_files__load_dump(const struct jit_opts *opts, const struct machine *m, struct dso *dso,
			 struct err *err);

#endif
