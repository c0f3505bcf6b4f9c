/*
 * Code of jitdumps (binary/symbols/jitdump.h) as files and maps: each function becomes an ELF file
 * jitted-PID-INDEX.so beside its dump, and each time that it came to lie somewhere a map of that file. A
 * report without knowledge of jitdumps has names then, also on another machine, once perf archive has packed
 * the files.
 */
#ifndef INJECT_JIT_H
#define INJECT_JIT_H

#include "model/session.h"

struct jit_map {
	u64 time; /* ns */
	u64 addr, size;
	u32 pid;
	u32 file; /* in jit_maps.files; JIT_MEMORY: anonymous memory, the code in it follows */
};
#define JIT_MEMORY UINT32_MAX

struct jit_process {
	u32 pid;
	u64 since; /* ns: its first code */
};

struct jit_file {
	char *path;
	u32 maj, min;
	u64 ino;
	u64 index; /* the function's number in its dump */
	struct build_id id;
};

struct jit_maps {
	ARRAY(struct jit_map) v; /* by time */
	ARRAY(struct jit_file) files;
	ARRAY(struct jit_process) processes;
	const struct machine *machine; /* of the recording; NULL until __make */
	struct clock_pairs clocks;     /* the recording's and the dumps' */
	size_t next;                   /* the one to be written next */
};

/*
 * Reads the dumps that processes of the recording have mapped, and writes the files; existing ones are
 * replaced. It must be known how the recording's clock stands to the dumps' (session__clocks). any_owner:
 * also dumps of other users than who asks and root, and other files than were mapped. 0 or a negative errno
 * with err; call __exit in any case.
 */
int jit_maps__make(struct jit_maps *j, const struct session *s, bool any_owner, struct err *err);
void jit_maps__exit(struct jit_maps *j);

/*
 * Whether a map of the recording has no place beside these: that of a dump, "/path/jit-PID.dump", and
 * anonymous memory of a process from its first code on. The kernel tells of that again whenever its
 * protection changes, which would hide the code in it.
 */
bool jit_maps__replace(const struct jit_maps *j, const struct mmap_record *m, u64 time);
/* Appends the MMAP2 records of all maps up to a time to out, with the trailers that l's recording has. */
void jit_maps__add_records(struct jit_maps *j, const struct evlist *l, u64 until, struct strbuf *out);

#endif
