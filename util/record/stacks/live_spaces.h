/*
 * The address spaces of the processes that are being recorded, as they are now and were a moment ago: where
 * code lies, so that samples can be unwound while they are drained. Fed with the side-band records; what
 * they do not say (processes that are there already, records that come later than a sample) is read from
 * /proc. What is over is forgotten, so memory follows the processes that live.
 */
#ifndef RECORD_LIVE_SPACES_H
#define RECORD_LIVE_SPACES_H

#include "base/memory/array.h"
#include "base/memory/strpool.h"
#include "binary/tables/cfi.h"
#include "format/records/record.h"

struct live_map {
	u64 start, end, pgoff; /* memory addresses; offset in the binary at start */
	u64 since, until;      /* ns; until is UINT64_MAX for what is still there */
	u32 binary;            /* index in live_spaces.binaries; 0: memory without a file */
};

typedef ARRAY(struct live_map) live_map_array;

/* One program in one process: an exec begins another. */
struct live_space {
	u64 id;                /* of this space in the state it is in: another one after each new map */
	u64 since;             /* ns */
	u64 changed;           /* ns, when the newest map came */
	live_map_array maps;   /* by start, not overlapping */
	live_map_array recent; /* newest last: not yet among the former */
	live_map_array past;   /* replaced, for samples that are still to come */
};

struct live_process {
	u32 pid;
	u32 nr_reads;                      /* of /proc/PID/maps */
	u64 read_at;                       /* ns, CLOCK_MONOTONIC */
	u64 exited;                        /* ns; 0: it lives */
	ARRAY(struct live_space *) spaces; /* by time */
};

struct live_binary {
	u32 name; /* strpool id */
	u32 maj, min;
	u64 ino, ino_generation;
	struct build_id build_id;
	bool is_opened;
	struct cfi *cfi; /* NULL: none */
};

enum { LIVE_PID_BITS = 22, LIVE_PIDS_PER_TABLE = 1024 }; /* pid_max is at most 2^22 */

struct live_spaces {
	struct strpool names;
	ARRAY(struct live_binary) binaries; /* [0]: memory without a file */
	struct hash_table by_binary;
	struct live_process **by_pid[(1 << LIVE_PID_BITS) / LIVE_PIDS_PER_TABLE];
	ARRAY(struct live_process *) processes;
	u64 next_id;
};

void live_spaces__init(struct live_spaces *l);
void live_spaces__exit(struct live_spaces *l);

/* A side-band record; others are ignored. time: ns; 0 for what holds from the start. */
void live_spaces__see(struct live_spaces *l, const struct record *r, u64 time);
/* Forgets what was over before time (ns): no older sample will be asked about. */
void live_spaces__forget(struct live_spaces *l, u64 time);

/*
 * The space of a process at a time; one that nobody announced is read from /proc. NULL for no pid at all. The
 * pointer is good until the next record.
 */
struct live_space *live_spaces__find(struct live_spaces *l, u32 pid, u64 time);
/* Names the state of the space at a time: equal keys have equal maps. Another one each time where that is
 * unsure. */
u64 live_spaces__key(struct live_spaces *l, const struct live_space *s, u64 time);
/* What lies at an address, or NULL. On a miss /proc is asked, though not all the time. */
const struct live_map *live_spaces__map_at(struct live_spaces *l, u32 pid, struct live_space *s, u64 addr,
					   u64 time);
bool live_spaces__is_vdso(const struct live_spaces *l, const struct live_map *m);
/* The call frame information of a map's binary, opened on first use. NULL: none. */
struct cfi *live_spaces__cfi(struct live_spaces *l, u32 pid, const struct live_map *m);

#endif
