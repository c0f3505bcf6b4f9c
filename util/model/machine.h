/*
 * One kernel and what ran on it, over time: threads with their names and address spaces, the kernel's
 * own maps, the dsos. Filled in the first pass by replaying the side-band records in time
 * order, closed by machine__finish, then read-only: all lookups below are thread-safe.
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

/* What a thread is from a rank on, until the next state of its tid. */
struct thread_state {
	u32 rank;
	u32 thread; /* identity: a reused tid is a new thread */
	u32 pid, tid;
	u32 comm;  /* strpool id; COMM_UNKNOWN where none was recorded */
	u32 named; /* rank of the record that gave the comm, when it came after the thread's first state: 0
		      otherwise */
	struct maps *maps; /* NULL: nothing known of the process */
};

/* Beyond so many states of one tid, its COMM records give no new names: that is no real program. */
enum { THREAD_STATES_MAX = 1 << 16 };

/* The states of one tid in rank order. */
struct thread_history {
	u32 tid;
	ARRAY(struct thread_state) states;
};

enum { COMM_UNKNOWN = UINT32_MAX }; /* shown as ":TID" */

/* What a compiler of code at run time told about it in a file of its own (model/jit_files.h). */
struct jitdump {
	u32 pid;
	const char *name; /* as mapped */
	u64 ino;          /* 0: not known */
	bool is_merged;   /* its code has maps */
};

/* The map that records of one source become, until a record of another source comes. */
struct map_template {
	u32 source; /* UINT32_MAX: no template yet */
	enum map_addressing addressing;
	struct map like; /* but for the addresses */
	struct maps *maps;
};

struct machine {
	struct arena arena;   /* of spaces, maps, states, times */
	struct strpool names; /* of comms, dsos */
	struct dsos dsos;
	struct kernel_maps kernel, guest_kernel;
	ARRAY(struct maps *) spaces; /* by idx; the kernel's are not in it */
	struct hash_table by_tid;
	ARRAY(struct thread_history) tids;
	ARRAY(u64) times; /* of rank i + 1: never falling */
	u32 nr_threads;
	ARRAY(struct jitdump) jitdumps;
	/* Until machine__finish. */
	struct map_files files;
	size_t last_history; /* position in tids of the last one asked for */
	struct map_template template;
};

void machine__init(struct machine *m);
void machine__exit(struct machine *m);

/* Whether records of this type change the machine: only these need to be replayed. */
bool machine__wants(u32 type);
/* Makes room for so many ranks more; not needed. */
void machine__expect(struct machine *m, size_t nr);
/* First pass only, in time order: each call takes the next rank. time: ns, or file offset. */
void machine__replay(struct machine *m, const struct record *r, u64 time);
void machine__finish(struct machine *m);

/* A map of a process that is to be replayed later, without the record. */
struct waiting_map {
	u64 start, end, pgoff;
	u32 source; /* in machine.files */
};
/* Whether the record is a map that may be taken. */
static inline bool machine__is_user_map(const struct record *r)
{
	u8 cpumode = r->header->misc & MISC_CPUMODE_MASK;

	return (r->header->type == PERF_RECORD_MMAP2 || r->header->type == PERF_RECORD_MMAP) &&
	       cpumode != PERF_RECORD_MISC_KERNEL && cpumode != PERF_RECORD_MISC_GUEST_KERNEL;
}
/* trailer: bytes of the record's sample_id. False: the record says nothing. */
bool machine__take_map(struct machine *m, const struct record *r, size_t trailer, struct waiting_map *w);
/*
 * Does what machine__replay would have done with the record; w becomes the map, and must stay as long as m.
 */
void machine__replay_map(struct machine *m, struct waiting_map *w, u64 time);

/* The rank in force at a time (ns, or file offset for recordings without times). */
u32 machine__rank_at(const struct machine *m, u64 time);
/* Since when a rank is in force. */
static inline u64 machine__time_of(const struct machine *m, u32 rank)
{
	return rank ? m->times.v[rank - 1] : 0;
}

/*
 * A worker's view: remembers the last answers, so that a run of samples of one thread costs a compare each.
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

/* Moves to a time: sets c->rank. */
static inline void machine_cursor__seek(struct machine_cursor *c, u64 time)
{
	if (unlikely(time < c->time_first || time >= c->time_end))
		machine_cursor__seek_slow(c, time);
}

/*
 * The thread as of c->rank; valid until the next call. pid counts only for a tid that no record mentions:
 * such a thread lives in that process's space, its identity is UINT32_MAX and its comm COMM_UNKNOWN.
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

/* maps__version as of c->rank. */
static inline u32 machine_cursor__version(struct machine_cursor *c, const struct maps *maps)
{
	const struct machine_cursor_version *e = machine_cursor__version_entry(c, maps);

	if (likely(e->maps == maps && c->rank >= e->rank_first && c->rank < e->rank_end))
		return e->version;
	return machine_cursor__version_slow(c, maps);
}

/* Where an address is: the dso and the address in it, as symtab uses it. */
struct dso_addr {
	u32 dso;    /* idx; DSO_IDX_NONE: unmapped, addr is the memory address */
	char level; /* 'k' kernel, '.' user, 'g' guest kernel, 'u' guest user, 'H' hypervisor */
	u64 addr;
};
/* cpumode: PERF_RECORD_MISC_KERNEL, _USER, ... maps may be NULL. Returns the map, NULL when unmapped. */
const struct map *machine__resolve(const struct machine *m, const struct maps *maps, u32 rank, u8 cpumode,
				   u64 ip, struct dso_addr *out);
/* The same for a version of machine__maps. span: the versions that have the same answer. */
const struct map *machine__resolve_at(const struct machine *m, const struct maps *maps, u32 version,
				      u8 cpumode, u64 ip, struct dso_addr *out, struct maps_span *span);
/* What addresses of a cpumode are looked up in: a process's maps, the kernel's, or nothing. */
const struct maps *machine__maps(const struct machine *m, const struct maps *maps, u8 cpumode);

static inline const char *machine__str(const struct machine *m, u32 name)
{
	return strpool__get(&m->names, name);
}

#endif
