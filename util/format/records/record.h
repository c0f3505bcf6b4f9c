/* A record of a perf.data file, in memory, in native byte order. */
#ifndef FORMAT_RECORD_H
#define FORMAT_RECORD_H

#include "binary/elf/build_id.h"
#include "event/evsel/evsel.h"
#include "format/records/abi.h"

struct cursor;

/*
 * A record. Valid only as long as its block. header.size has been checked: it is at least 8 and all bytes are
 * there. Nothing else has been checked.
 */
struct record {
	const struct perf_event_header *header;
	u64 offset; /* in the file; for a compressed record, the offset of its COMPRESSED record */
	/*
	 * bytes after the record that are not in its size (AUXTRACE, pipe TRACING_DATA); the reader skips
	 * them
	 */
	u64 payload;
};

/* Return the record's bytes after its header. */
struct cursor record__body(const struct record *r);
/* Return the name without prefix ("MMAP2", "FINISHED_ROUND"); NULL: unknown type. */
const char *record_type__name(u32 type);
/*
 * Return the minimum size of a record of the type, including its header, in bytes; known for side-band only.
 */
u16 record_type__size_min(u32 type);

/*
 * The identity fields of a record: the sample_id trailer of other records than samples if the recording has
 * sample_id_all, or the same fields of a sample. Absent fields are 0; time_known tells whether time is set.
 * (man 2 perf_event_open: struct sample_id.)
 */
struct sample_id {
	u32 pid, tid;
	u64 time; /* ns, in the recording's clock */
	u64 id, stream_id;
	u32 cpu;
	bool time_known;
};

/*
 * Fill id from the record's trailer, or from a sample's fields. The trailer has the layout of the evsel
 * whose id it carries, or of the first evsel if the id is unknown. Return false with id all 0 if the record
 * is too short or has no trailer (records made by the recorder, recordings without sample_id_all).
 */
bool sample_id__decode(const struct evlist *l, const struct record *r, struct sample_id *id);

/*
 * Side-band records, decoded from (header, size). Strings point into the record and are checked to end
 * inside it. Each function returns false if the record is too short for its type.
 */
struct mmap_record { /* MMAP and MMAP2 */
	u32 pid, tid;
	u64 start, len, pgoff; /* memory address, bytes, file offset in bytes */
	u32 maj, min;
	u64 ino, ino_generation;
	u32 prot, flags; /* PROT_, MAP_; MMAP: PROT_EXEC unless MISC_MMAP_DATA */
	bool is_mmap2, has_build_id, is_data;
	u8 build_id_size;
	const u8 *build_id; /* space of 20 bytes */
	u8 cpumode;
	const char *filename;
};
struct comm_record {
	u32 pid, tid;
	const char *comm;
	bool exec;
};
struct task_record {
	u32 pid, ppid, tid, ptid;
	u64 time;
	bool synthesized;
}; /* FORK, EXIT */
struct ksymbol_record {
	u64 addr;
	u32 len;
	u16 ksym_type, flags;
	const char *name;
	bool unregister;
};
struct namespaces_record {
	u32 pid, tid;
	u64 nr;
	const u64 *link_info;
}; /* nr pairs (dev, inode) */
struct cgroup_record {
	u64 id;
	const char *path;
};

bool record__mmap(const struct record *r, struct mmap_record *m);
/* Does the kernel's name say that the memory has no file? */
bool mmap_record__is_anonymous(const struct mmap_record *m);
/* size 0: none */
struct build_id mmap_record__build_id(const struct mmap_record *m);
bool record__comm(const struct record *r, struct comm_record *c);
bool record__task(const struct record *r, struct task_record *t);
/*
 * Return the process whose program a record ends, by exit of its first thread or exec; 0: it ends none. After
 * such an exit, other threads may run on: proc__outlives_first_thread.
 */
u32 record__ended_program(const struct record *r);
bool record__ksymbol(const struct record *r, struct ksymbol_record *k);
bool record__namespaces(const struct record *r, struct namespaces_record *n);
bool record__cgroup(const struct record *r, struct cgroup_record *c);

#endif
