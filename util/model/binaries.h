/*
 * The binaries of a recording and their build-ids: those that its records and its header name, or those that
 * samples fell into.
 */
#ifndef MODEL_BINARIES_H
#define MODEL_BINARIES_H

#include "base/memory/arena.h"
#include "model/session.h"

struct binary {
	const char *name;   /* as recorded: a path, "[kernel.kallsyms]", "[vdso]" */
	struct build_id id; /* size 0: the recording does not say */
	u8 cpumode;         /* PERF_RECORD_MISC_KERNEL, _USER, _GUEST_KERNEL or _GUEST_USER */
	u64 maj_min, ino;   /* of the file that was mapped; 0 unknown */
};

struct binaries {
	ARRAY(struct binary) v; /* each name and build-id once */
	struct arena names;
	struct hash_table table;
	bool has_table; /* of build-ids, in the header */
};

enum binaries_wanted {
	BINARIES_ALL, /* in the header's table of build-ids, or mapped and with one; all mapped without a
			 table */
	BINARIES_HIT, /* with addresses of samples, those of their call chains included */
};

/*
 * b: all zero. BINARIES_HIT makes a pass over the samples. 0 or a negative errno with err; call __exit in any
 * case. Addresses without a binary, JIT code and BPF programs are left out.
 */
int binaries__find(struct binaries *b, struct session *s, enum binaries_wanted wanted, struct err *err);
void binaries__exit(struct binaries *b);

/*
 * The build-id that a running kernel, a module, the vdso or a file has now, for a recording that was made on
 * this machine and does not say. False if there is none, if the file is another one than was mapped, or if it
 * was changed since the recording.
 */
bool binary__id_of_today(const struct session *s, const struct binary *b, struct build_id *id);

#endif
