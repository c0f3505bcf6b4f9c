/*
 * Address spaces of the recorded processes, now and shortly before, so that samples can be unwound during the
 * recording. Fed with side-band records. /proc supplies what is missing: processes that already ran, and
 * records that arrive after a sample. Ended processes are forgotten, so memory depends on the number of live
 * ones.
 */
#ifndef RECORD_LIVE_SPACES_H
#define RECORD_LIVE_SPACES_H

#include "format/records/record.h"
#include "record/stacks/live_binaries.h"

struct live_map {
	u64 start, end, pgoff; /* memory addresses; offset in the binary at start */
	u64 since, until;      /* ns; until is UINT64_MAX for maps that still exist */
	u32 binary;            /* in live_spaces.binaries; 0: memory without a file */
};

typedef ARRAY(struct live_map) live_map_array;

/* One program in one process; an exec begins another space. */
struct live_space {
	u64 id;                /* state of this space: changes with each new map */
	u64 since;             /* ns, start of the program */
	u64 changed;           /* ns, time of the newest map */
	size_t maps_max;       /* number of maps from which on they are trimmed */
	live_map_array maps;   /* by start, not overlapping */
	live_map_array recent; /* newest last: not yet in maps */
	live_map_array past;   /* replaced maps, for samples that are still to come; the newest ones */
};

struct live_process {
	u32 pid;
	u32 nr_reads;                      /* number of reads of /proc/PID/maps */
	u64 read_at;                       /* ns, CLOCK_MONOTONIC */
	u64 exited;                        /* ns, end of the first thread; 0: it still runs */
	bool has_threads;                  /* had more than one thread */
	bool outlived;                     /* /proc says that another thread ran after exited */
	ARRAY(struct live_space *) spaces; /* in time order */
};

enum { LIVE_PID_BITS = 22, LIVE_PIDS_PER_TABLE = 1024 }; /* pid_max is at most 2^22 */

struct live_spaces {
	struct live_binaries binaries;
	struct live_process **by_pid[(1 << LIVE_PID_BITS) / LIVE_PIDS_PER_TABLE];
	ARRAY(struct live_process *) processes;
	u64 next_id;
	u64 newest;  /* ns, time of the newest record */
	u64 made;    /* number of maps and spaces so far */
	u64 tidied;  /* ns, CLOCK_MONOTONIC: last __tidy that looked */
	u32 nr_used; /* binaries that were mapped then */
};

void live_spaces__init(struct live_spaces *l);
void live_spaces__exit(struct live_spaces *l);

/* Process a side-band record; ignore others. time: ns; 0 for what holds from the start. */
void live_spaces__see(struct live_spaces *l, const struct record *r, u64 time);
/* Forget what ended before time (ns). No older sample will be looked up. */
void live_spaces__forget(struct live_spaces *l, u64 time);
/*
 * Begin a round. Free data about binaries that was not used lately: a recording may last for months on a
 * machine that compiles programs. Looks every ten seconds. Keys and call frame information of before the call
 * must not be used any more. now: ns, CLOCK_MONOTONIC.
 */
void live_spaces__tidy(struct live_spaces *l, u64 now);

/*
 * Return the space of a process at a time (ns), reading /proc if no record announced it. NULL if pid is not
 * a process. Pid 0: the maps of all processes outside of this PID namespace, whose number the kernel does not
 * tell. Valid until the next record.
 */
struct live_space *live_spaces__find(struct live_spaces *l, u32 pid, u64 time);
/* Give all states of a process another key, because more is known of its code. */
void live_spaces__renew(struct live_spaces *l, u32 pid);
/* Does the process still run the program of the space? */
bool live_spaces__is_current(struct live_spaces *l, u32 pid, const struct live_space *s);
/*
 * Return a key for the state of the space at a time (ns): equal keys mean equal maps. If the state is
 * uncertain, return a new key each time.
 */
u64 live_spaces__key(struct live_spaces *l, const struct live_space *s, u64 time);
/* Return the map that contains addr, or NULL. If there is none, read /proc, with a minimum interval. */
const struct live_map *live_spaces__map_at(struct live_spaces *l, u32 pid, struct live_space *s, u64 addr,
					   u64 time);
/* As live_spaces__map_at, without reading /proc: addr may be any number. */
const struct live_map *live_spaces__known_map_at(const struct live_space *s, u64 addr, u64 time);
bool live_spaces__is_vdso(const struct live_spaces *l, const struct live_map *m);
/* Return the call frame information of a map's binary, opened on first use, or NULL if there is none. */
struct cfi *live_spaces__cfi(struct live_spaces *l, u32 pid, const struct live_map *m);

enum {
	ROUNDS_LEFT = 3
}; /* of the recorder, after the end of a process: its last samples may be still to come */
/*
 * Count a round after the end of a process, for those who keep what they know of it. left: set to ROUNDS_LEFT
 * when its first thread ends; 0: it runs. Return true in the last round. While another of its threads runs,
 * the count begins again.
 */
bool rounds_left__end(u32 *left, u32 pid);

#endif
