/*
 * One kernel, its threads with their names and address spaces, and the dsos, over time. The first pass fills
 * it by replaying the side-band records in time order; machine__finish closes it; then it is read-only, and
 * all lookups below are thread-safe.
 */
#ifndef MODEL_MACHINE_H
#define MODEL_MACHINE_H

#include "base/memory/arena.h"
#include "base/memory/strpool.h"
#include "format/records/record.h"
#include "model/dso.h"
#include "model/kernel_maps.h"
#include "model/map_files.h"
#include "model/maps.h"

/* The state of a thread from a rank on, until the next state of its tid. */
struct thread_state {
	u32 rank;
	u32 thread; /* identity: a reused tid is a new thread */
	u32 pid, tid;
	u32 comm;          /* strpool id; COMM_UNKNOWN where none was recorded */
	u32 named;         /* rank of the record with the name, if that is not the thread's first; else 0 */
	struct maps *maps; /* NULL: the process is unknown */
};

/* After this many states of one tid, ignore its COMM records: no real program renames itself so often. */
enum { THREAD_STATES_MAX = 1 << 16 };

/* The states of one tid in rank order. */
struct thread_history {
	u32 tid;
	ARRAY(struct thread_state) states;
};

enum { COMM_UNKNOWN = UINT32_MAX }; /* shown as ":TID" */

/* A jit-PID.dump: what a JIT compiler wrote about its code (model/jit_files.h). */
struct jitdump {
	u32 pid;
	const char *name; /* as mapped */
	u64 ino;          /* 0: unknown */
	bool is_merged;   /* its code is in the maps */
};

/* The map that records of one source become, until a record of another source comes. */
struct map_template {
	u32 source; /* UINT32_MAX: no template yet */
	enum map_addressing addressing;
	struct map like; /* but for the addresses */
	struct maps *maps;
};

struct cgroup_name {
	u64 id;
	u32 path; /* strpool id */
};

struct machine {
	bool is_64bit;        /* the kernel, whose 32-bit programs have another vdso */
	struct arena arena;   /* of spaces, maps, states, times */
	struct strpool names; /* of comms, dsos */
	struct dsos dsos;
	struct kernel_maps kernel, guest_kernel;
	ARRAY(struct maps *) spaces; /* by idx; the kernel's are not in it */
	struct hash_table by_tid;
	ARRAY(struct thread_history) tids;
	ARRAY(u64) times; /* of rank i + 1; ascending */
	u32 nr_threads;
	ARRAY(struct jitdump) jitdumps;
	ARRAY(struct cgroup_name) cgroups;
	struct hash_table by_cgroup; /* cgroups, by id */
	/* Used until machine__finish. */
	struct map_files files;
	size_t last_history; /* index in tids of the last one looked up */
	struct map_template template;
};

void machine__init(struct machine *m);
void machine__exit(struct machine *m);
/*
 * Forget threads, address spaces and times; the binaries and their names stay, with the same numbers. The
 * first pass over another part of the recording follows.
 */
void machine__forget_tasks(struct machine *m);

/* Does this record type change the machine? Others need no replay. */
bool machine__wants(u32 type);
/* Reserve space for that many ranks; optional. */
void machine__expect(struct machine *m, size_t nr);
/*
 * Apply a record. First pass only, in time order; each call takes the next rank. time: ns, or file offset.
 */
void machine__replay(struct machine *m, const struct record *r, u64 time);
void machine__finish(struct machine *m);

/* A process's map, kept for the replay without its record. */
struct waiting_map {
	u64 start, end, pgoff;
	u32 source; /* in machine.files */
};
/* Is this record a map that machine__take_map accepts? */
static inline bool machine__is_user_map(const struct record *r)
{
	u8 cpumode = r->header->misc & MISC_CPUMODE_MASK;

	return (r->header->type == PERF_RECORD_MMAP2 || r->header->type == PERF_RECORD_MMAP) &&
	       cpumode != PERF_RECORD_MISC_KERNEL && cpumode != PERF_RECORD_MISC_GUEST_KERNEL;
}
/* trailer: bytes of the record's sample_id. Return false for a map that is to be ignored. */
bool machine__take_map(struct machine *m, const struct record *r, size_t trailer, struct waiting_map *w);
/* Do what machine__replay would do with the record. w becomes the map and must live as long as m. */
void machine__replay_map(struct machine *m, struct waiting_map *w, u64 time);

/* The time from which a rank is in force. */
static inline u64 machine__time_of(const struct machine *m, u32 rank)
{
	return rank ? m->times.v[rank - 1] : 0;
}

/*
 * A worker's position in the machine. It caches the last answers, so that samples of one thread in a row
 * cost a compare each.
 */
struct machine_cursor_entry {
	u32 tid, pid;
	u32 rank_first, rank_end; /* state is good for ranks in [first, end) */
	struct thread_state state;
};

struct machine_cursor_version {
	const struct maps *maps;
	u32 version;
	u32 rank_first, rank_end; /* version is good for ranks in [first, end) */
};

struct machine_cursor {
	const struct machine *m;
	u64 time_first, time_end; /* rank is good for times in [first, end) */
	u32 rank;
	struct machine_cursor_entry cached[64];     /* direct-mapped by tid */
	struct machine_cursor_version versions[16]; /* by address */
};

void machine_cursor__init(struct machine_cursor *c, const struct machine *m);
void machine_cursor__seek_slow(struct machine_cursor *c, u64 time);
const struct thread_state *machine_cursor__thread_slow(struct machine_cursor *c, u32 pid, u32 tid);

/* Move to a time: set c->rank. */
static inline void machine_cursor__seek(struct machine_cursor *c, u64 time)
{
	if (unlikely(time < c->time_first || time >= c->time_end))
		machine_cursor__seek_slow(c, time);
}

/*
 * Return the thread as of c->rank, valid until the next call. pid is used only for a tid that no record
 * mentions: its thread lives in that process's space, its identity is UINT32_MAX and its comm COMM_UNKNOWN.
 */
static inline const struct thread_state *machine_cursor__thread(struct machine_cursor *c, u32 pid, u32 tid)
{
	const struct machine_cursor_entry *e = &c->cached[tid % ARRAY_SIZE(c->cached)];

	if (likely(e->tid == tid && e->pid == pid && c->rank >= e->rank_first && c->rank < e->rank_end))
		return &e->state;
	return machine_cursor__thread_slow(c, pid, tid);
}

u32 machine_cursor__version_slow(struct machine_cursor *c, const struct maps *maps);

static inline struct machine_cursor_version *machine_cursor__version_entry(struct machine_cursor *c,
									   const struct maps *maps)
{
	return &c->versions[(uintptr_t)maps / 64 % ARRAY_SIZE(c->versions)];
}

/* Return maps__version as of c->rank. */
static inline u32 machine_cursor__version(struct machine_cursor *c, const struct maps *maps)
{
	const struct machine_cursor_version *e = machine_cursor__version_entry(c, maps);

	if (likely(e->maps == maps && c->rank >= e->rank_first && c->rank < e->rank_end))
		return e->version;
	return machine_cursor__version_slow(c, maps);
}

/* A dso, and an address in it, as symtab uses it. */
struct dso_addr {
	u32 dso;    /* idx; DSO_IDX_NONE: unmapped, addr is the memory address */
	char level; /* 'k' kernel, '.' user, 'g' guest kernel, 'u' guest user, 'H' hypervisor */
	u64 addr;
};
/*
 * Resolve an address. cpumode: PERF_RECORD_MISC_KERNEL, _USER, ... maps may be NULL. Return the map, or NULL
 * if the address is unmapped.
 */
const struct map *machine__resolve(const struct machine *m, const struct maps *maps, u32 rank, u8 cpumode,
				   u64 ip, struct dso_addr *out);
/* As machine__resolve, for a version of machine__maps. span: the versions with the same answer. */
const struct map *machine__resolve_at(const struct machine *m, const struct maps *maps, u32 version,
				      u8 cpumode, u64 ip, struct dso_addr *out, struct maps_span *span);
/* Return the maps for addresses of a cpumode: the process's, the kernel's, or NULL. */
const struct maps *machine__maps(const struct machine *m, const struct maps *maps, u8 cpumode);

/*
 * Return the dso that the process of an address space executed: the first file that was mapped since the
 * exec, or the lowest one of a process that ran before. DSO_IDX_NONE: unknown, or a thread of the kernel.
 */
u32 machine__program(const struct machine *m, const struct maps *maps);

/* Return the path of the cgroup with this id, or NULL if no record tells it. */
const char *machine__cgroup(const struct machine *m, u64 id);

static inline const char *machine__str(const struct machine *m, u32 name)
{
	return strpool__get(&m->names, name);
}

/* Is it an address of the kernel's half of all addresses? So on the 64-bit machines that are known here. */
static inline bool addr__is_kernel(u64 addr)
{
	return addr >> 63;
}

#endif
