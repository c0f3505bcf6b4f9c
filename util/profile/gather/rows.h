/*
 * What was counted, as raw numbers: equal samples meet in one row. Nothing is looked up and nothing
 * named here: a row says where its samples were (event, name of the thread, state of the address
 * space, raw addresses), and two samples that agree in these have equal maps, symbols and names.
 *
 * Each worker fills a table of its own; the tables are merged at the end. Sums and minima
 * do not depend on the order, so the result is the same with any number of workers.
 */
#ifndef PROFILE_ROWS_H
#define PROFILE_ROWS_H

#include "base/memory/arena.h"
#include "base/memory/array.h"

/* The comm of a thread whose name is unknown: this bit and its tid; otherwise a strpool id. */
#define ROW_COMM_OF_TID 0x80000000u

enum { ROW_NO_SPACE = UINT32_MAX };

struct sample;
/* What a sort key takes from samples: rows are kept apart by it where the key is asked for. */
typedef u64 (*sample_word)(const struct sample *s);
typedef ARRAY(sample_word) sample_words;

struct row_key {
	u64 ip;
	u32 event;          /* idx of the evsel */
	u32 comm;           /* strpool id, or ROW_COMM_OF_TID | tid */
	u32 space;          /* idx in machine.spaces, ROW_NO_SPACE */
	u32 space_version;  /* maps__version */
	u32 kernel_version; /* maps__version of the kernel's maps */
	u32 cpumode;
	u32 thread, pid, tid; /* 0 unless rows are kept apart by thread */
	u32 cpu;              /* 0 unless rows are kept apart by cpu */
	u32 nr_chain;         /* words in chain */
	u32 nr_extra;         /* words behind the chain: extras.h */
};

struct row {
	u64 hash;
	u64 nr, period; /* samples, sum of their periods */
	/* The earliest sample, by time and then by place in the file. */
	u64 first_time, first_offset;
	u32 first_thread, first_pid, first_tid;
	u32 rank; /* any at which the versions hold */
	struct row_key key;
	/* as recorded, with PERF_CONTEXT_ marks; of a branch: see branches.h; then nr_extra words */
	u64 chain[];
};

/* Words behind a row that tell it apart, too. */
static inline size_t row_key__nr_words(const struct row_key *key)
{
	return (size_t)key->nr_chain + key->nr_extra;
}

struct row_slot {
	u64 hash;
	struct row *row; /* NULL: free */
};

struct row_table {
	struct arena arena;
	struct row_slot *slots;
	size_t mask;              /* number of slots - 1 */
	ARRAY(struct row *) rows; /* in no meaningful order */
};

struct row_sample { /* what a sample adds */
	u64 period, time, offset;
	u32 thread, pid, tid, rank;
};

void row_table__init(struct row_table *t);
void row_table__exit(struct row_table *t);
u64 row_key__hash(const struct row_key *key, const u64 *chain);
/* Counts a sample with this key; chain: row_key__nr_words, 8-byte aligned. */
void row_table__count(struct row_table *t, u64 hash, const struct row_key *key, const u64 *chain,
		      const struct row_sample *s);
/* Adds all of from to t. from keeps owning the rows that t did not have: it must live as long. */
void row_table__merge(struct row_table *t, struct row_table *from);

static inline void row_table__prefetch(const struct row_table *t, u64 hash)
{
	__builtin_prefetch(&t->slots[hash & t->mask]);
}

/* For the second step of a look-ahead: the slot has arrived, its row has not. */
static inline void row_table__prefetch_row(const struct row_table *t, u64 hash)
{
	const struct row *row = t->slots[hash & t->mask].row;

	if (row) {
		__builtin_prefetch(row);
		__builtin_prefetch((const char *)row + 64);
		__builtin_prefetch((const char *)row + 128);
	}
}

#endif
