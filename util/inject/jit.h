/*
 * Code of jitdumps (binary/symbols/jitdump.h) as files and maps. Each function becomes an ELF file
 * jitted-PID-INDEX.so beside its dump, and each of its load addresses becomes a map of that file. So a
 * report finds the names without reading jitdumps, also on another machine if perf archive packed the files.
 */
#ifndef INJECT_JIT_H
#define INJECT_JIT_H

#include "model/session.h"

struct jit_map {
	u64 time; /* ns */
	u64 addr, size;
	u32 pid;
	/* index into jit_maps.files; JIT_MEMORY: anonymous memory that contains the code after it */
	u32 file;
};
#define JIT_MEMORY UINT32_MAX

struct jit_process {
	u32 pid;
	u64 since; /* ns: time of its first code */
};

struct jit_file {
	char *path;
	u32 maj, min;
	u64 ino;
	u64 index; /* the function's number in its dump */
	struct build_id id;
};

struct jit_maps {
	ARRAY(struct jit_map) v; /* sorted by time */
	ARRAY(struct jit_file) files;
	ARRAY(struct jit_process) processes;
	const struct machine *machine; /* of the recording; NULL until __make */
	struct clock_pairs clocks;     /* between the recording's clock and the dumps' */
	size_t next;                   /* index of the next map to write */
};

/*
 * Read the dumps that processes of the recording have mapped, and write the ELF files; existing ones are
 * replaced. session__clocks must have found how the recording's clock relates to the dumps'. any_owner:
 * accept dumps of users other than the caller and root, and files other than those that were mapped. Return
 * 0 or a negative errno with err; call __exit in any case.
 */
int jit_maps__make(struct jit_maps *j, const struct session *s, bool any_owner, struct err *err);
void jit_maps__exit(struct jit_maps *j);

/*
 * Should this map of the recording be dropped? True for a map of a dump, "/path/jit-PID.dump", and for
 * anonymous memory of a process from its first code on: the kernel reports it again whenever its protection
 * changes, and that map would hide the code in it.
 */
bool jit_maps__replace(const struct jit_maps *j, const struct mmap_record *m, u64 time);
/* Append the MMAP2 records of all maps up to a time to out, with the sample_id trailers of l's recording. */
void jit_maps__add_records(struct jit_maps *j, const struct evlist *l, u64 until, struct strbuf *out);

#endif
