/*
 * The binaries of a recording and their build-ids: all that its records and header name, or only those with
 * samples.
 */
#ifndef MODEL_BINARIES_H
#define MODEL_BINARIES_H

#include "base/memory/arena.h"
#include "model/session.h"

struct binary {
	const char *name;   /* as recorded: a path, "[kernel.kallsyms]", "[vdso]" */
	struct build_id id; /* size 0: not in the recording */
	u8 cpumode;         /* PERF_RECORD_MISC_KERNEL, _USER, _GUEST_KERNEL or _GUEST_USER */
	u64 ino;            /* of the mapped file; 0: unknown */
};

struct binaries {
	ARRAY(struct binary) v; /* each pair of name and build-id once */
	struct arena names;
	struct hash_table table;
	bool has_table; /* the header has a table of build-ids */
};

enum binaries_wanted {
	/*
	 * binaries in the header's table of build-ids, and mapped ones with a build-id; without a table, all
	 * mapped ones
	 */
	BINARIES_ALL,
	BINARIES_HIT, /* binaries with addresses of samples or of their call chains */
};

/*
 * Find the binaries. b: all zero. BINARIES_HIT makes a pass over the samples. Addresses without a binary,
 * JIT code and BPF programs are left out. Return 0 or a negative errno with err; call binaries__exit in any
 * case.
 */
int binaries__find(struct binaries *b, struct session *s, enum binaries_wanted wanted, struct err *err);
void binaries__exit(struct binaries *b);

/*
 * Get the present build-id of the running kernel, a module, the vdso or a file, for a recording of this
 * machine that does not have it. Return false if there is none, if the file is not the mapped one, or if it
 * was changed after the recording.
 */
bool binary__id_of_today(const struct session *s, const struct binary *b, struct build_id *id);

#endif
