/*
 * Build the records that a recorder makes itself, in a buffer that the caller appends to the file. Each adds
 * one whole record, padded to 8 bytes, with a sample_id trailer of zeroes when id_size is not 0
 * (evlist__sample_id_size of the recording, so that sizes agree with sample_id_all).
 */
#ifndef FORMAT_BUILD_H
#define FORMAT_BUILD_H

#include "base/system/ns_link.h"
#include "base/text/strbuf.h"
#include "event/evsel/evsel.h"
#include "format/records/record.h"

/* Return the bytes of the sample_id trailer of this recording's records. */
size_t build__id_size(const struct evlist *l);

void build__mmap(struct strbuf *out, u16 misc, u32 pid, u32 tid, u64 start, u64 len, u64 pgoff,
		 const char *name, size_t id_size);
/*
 * Append m as MMAP2, with m->build_id if m->has_build_id. misc: cpumode and MISC_ bits, without the build-id
 * bit.
 */
void build__mmap2(struct strbuf *out, u16 misc, const struct mmap_record *m, size_t id_size);
void build__comm(struct strbuf *out, u16 misc, u32 pid, u32 tid, const char *comm, size_t id_size);
void build__fork(struct strbuf *out, u16 misc, u32 pid, u32 ppid, u32 tid, u32 ptid, size_t id_size);
/* Append a KSYMBOL for code that the kernel made: a BPF program. */
void build__ksymbol(struct strbuf *out, u64 addr, u32 len, const char *name, size_t id_size);
/* Append what a sample_id trailer of a record of e has: the fields of id that e's attr asks for. */
void build__trailer(struct strbuf *out, const struct evsel *e, const struct sample_id *id);
/*
 * Append the number of samples lost by the counter with this id, of e, on cpu: the recorder's own count, as
 * stock perf writes it at the end.
 */
void build__lost_samples(struct strbuf *out, const struct evsel *e, u64 id, u32 cpu, u64 lost);
/* Append NAMESPACES with nr links in the kernel's order: net, uts, ipc, pid, user, mnt, cgroup. */
void build__namespaces(struct strbuf *out, u32 pid, u32 tid, const struct ns_link *links, u64 nr,
		       size_t id_size);
/* Append CGROUP. path: from the root of the hierarchy; "/" is the root. */
void build__cgroup(struct strbuf *out, u64 id, const char *path, size_t id_size);
void build__finished_round(struct strbuf *out);
void build__finished_init(struct strbuf *out);
/* One entry for each id: {id, idx, cpu, tid}. Split over several records if necessary. */
struct id_index_entry {
	u64 id, idx, cpu, tid;
};
void build__id_index(struct strbuf *out, const struct id_index_entry *entries, size_t nr);
void build__thread_map(struct strbuf *out, const int *tids, const char *const *comms, size_t nr);
void build__cpu_map(struct strbuf *out, const int *cpus, size_t nr);
/*
 * Append EVENT_UPDATE records for the unit, the scale and the CPUs of e, if it has them; e must have its
 * ids.
 */
void build__event_updates(struct strbuf *out, const struct evsel *e);
void build__build_id(struct strbuf *out, u16 misc, u32 pid, const u8 *id, u8 size, const char *filename);
/* As build__build_id, as a HEADER_BUILD_ID record padded to 8 bytes. */
void build__build_id_record(struct strbuf *out, u16 misc, u32 pid, const u8 *id, u8 size,
			    const char *filename);

/* Append a string as header features store it: its padded size, then the bytes with NUL, padded to 64. */
void build__string(struct strbuf *out, const char *s);
/* Append the contents of the feature EVENT_DESC: attr, ids and name of each event. */
void build__event_desc(struct strbuf *out, const struct evlist *l);

#endif
