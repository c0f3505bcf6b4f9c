/*
 * Sample counts as raw numbers: equal samples share one row. Nothing is looked up or named here: a row says
 * where its samples were (event, name of the thread, state of the address space, raw addresses), and two
 * samples that agree in these have equal maps, symbols and names.
 *
 * Each worker fills its own table; the tables are merged at the end. Sums and minima do not depend on the
 * order, so the result is the same with any number of workers.
 *
 * Rows are kept packed, since chains may hardly repeat: what many rows have in common (event, thread,
 * maps) is kept once, and addresses are numbers of 2 bytes, or 4 for those after the first 65,536.
 */
#ifndef PROFILE_ROWS_H
#define PROFILE_ROWS_H

#include "base/memory/arena.h"
#include "base/memory/array.h"
#include "base/memory/hash.h"

/* A comm is a strpool id, or for a thread with an unknown name this bit and its tid. */
#define ROW_COMM_OF_TID 0x80000000u

enum { ROW_NO_SPACE = UINT32_MAX };

/* Some bits of a word of samples, by which rows are split besides their key. */
struct sample_word {
	u16 offset; /* in struct sample, of a u64 */
	u64 bits;
};
typedef ARRAY(struct sample_word) sample_words;
struct sample_field;
typedef ARRAY(const struct sample_field *) sample_values;

struct row_key {
	u64 ip;
	u32 event;          /* idx of the evsel */
	u32 comm;           /* strpool id, or ROW_COMM_OF_TID | tid */
	u32 space;          /* idx in machine.spaces, ROW_NO_SPACE */
	u32 space_version;  /* maps__version */
	u32 kernel_version; /* maps__version of the kernel's maps */
	u32 cpumode;
	u32 thread, pid, tid; /* 0 unless rows are split by thread */
	u32 cpu;              /* 0 unless rows are split by cpu */
	u64 nr_chain;         /* words in chain */
};

struct row_extra { /* data that splits rows besides key and chain: extras.h */
	const u64 *v;
	u32 nr; /* words; 0: it has none */
};

struct row {            /* a row, unpacked */
	u64 nr, period; /* number of samples, sum of their periods */
	/* of the earliest sample: ns; position in the file, which decides between equal times */
	u64 first_time, first_offset;
	u32 first_thread, first_pid, first_tid;
	u32 rank; /* a rank at which the versions are valid */
	struct row_key key;
	/* as recorded, with PERF_CONTEXT_ marks; of a branch: see branches.h */
	const u64 *chain;
	struct row_extra extra;
};

/* The address of a packed row, 48 bits, below 16 bits of its hash; 0: free. */
typedef u64 row_slot;

struct packed_row;

static inline struct packed_row *row_slot__row(row_slot slot)
{
	return (struct packed_row *)(uintptr_t)(slot & ((1ull << 48) - 1));
}

struct row_context;
struct row_thread;
struct row_unpacked;
struct frequent_rows;

struct row_addresses { /* the addresses of rows, by number */
	ARRAY(u64) v;
	struct address_slot *slots;
	size_t mask; /* number of slots - 1 */
};

struct row_table {
	struct arena arena;
	row_slot *slots;
	u32 *numbers;                       /* by slot: index of the row in rows; NULL: not wanted */
	size_t mask;                        /* number of slots - 1 */
	ARRAY(struct packed_row *) rows;    /* in arbitrary order */
	ARRAY(struct row_context) contexts; /* those of merged tables, too, as threads and addresses */
	ARRAY(struct row_thread) threads;
	struct hash_table by_context, by_thread;
	u32 last_context, last_thread;         /* found last */
	ARRAY(struct row_addresses) addresses; /* the first one is the table's own */
	ARRAY(u32) scratch;
	struct frequent_rows *frequent;
	struct row_unpacked *unpacked; /* the last result of row_table__get */
};

struct row_sample { /* values that a sample adds to its row */
	u64 period, time, offset;
	u32 nr; /* samples: 1, but in merged recordings */
	u32 thread, pid, tid, rank;
	u32 cpu; /* for sample_stream; rows do not have it */
};

/* Set up a table. numbered: __count returns the index of the row. */
void row_table__init(struct row_table *t, bool numbered);
void row_table__exit(struct row_table *t);
void row_table__end(struct row_table *t); /* free what counting and merging needed: all rows are counted */
u64 row_key__hash(const struct row_key *key, const u64 *chain, const struct row_extra *extra);

/*
 * row_key__hash in steps, since the branches of a sample differ only in ip and chain. Each word of the key is
 * multiplied by its own constant, so that the multiplications are independent: this runs for each sample.
 */
static inline u64 row_key__hash_ip(u64 ip)
{
	return ip * 0x9e3779b97f4a7c15;
}

/* Return the part of the hash that follows from the key: that of a key with ip 0 and row_key__hash_ip. */
static inline u64 row_key__hash_words(const struct row_key *key)
{
	static const u64 factors[] = {
		0xff51afd7ed558ccd, 0xc4ceb9fe1a85ec53, 0xbf58476d1ce4e5b9,
		0x94d049bb133111eb, 0xd6e8feb86659fd93, 0xa0761d6478bd642f,
	};
	u64 words[sizeof(struct row_key) / 8], h;

	_Static_assert(sizeof(struct row_key) == sizeof(words), "row_key is hashed by words");
	_Static_assert(ARRAY_SIZE(factors) + 1 == ARRAY_SIZE(words), "a factor for each word after ip");
	memcpy(words, key, sizeof(words));
	h = row_key__hash_ip(words[0]);
#pragma GCC unroll 8
	for (size_t i = 1; i < ARRAY_SIZE(words); i++)
		h += words[i] * factors[i - 1];
	return h;
}

static inline u64 row_key__hash_chain(u64 h, const struct row_key *key, const u64 *chain,
				      const struct row_extra *extra)
{
	h = key->nr_chain ? hash__words(chain, key->nr_chain, h) : hash__u64(h);
	return likely(!extra->nr) ? h : hash__words(extra->v, extra->nr, h);
}

/*
 * Count a sample with this key. chain: nr_chain words, 8-byte aligned, as those of extra. Return the index of
 * the row in t->rows, if rows are numbered.
 */
u32 row_table__count(struct row_table *t, u64 hash, const struct row_key *key, const u64 *chain,
		     const struct row_extra *extra, const struct row_sample *s);
/* Unpack row i of t->rows. The result is valid until the next call for t. */
const struct row *row_table__get(const struct row_table *t, size_t i);
/*
 * Return a hash that is equal for rows that differ in event, thread or CPU only; row_table__has_stack()
 * compares the stacks.
 */
u64 row_key__stack_hash(const struct row_key *key, const u64 *chain);
/*
 * Has row i the addresses of this key and chain, in the same maps? Its extra does not count.
 */
bool row_table__has_stack(const struct row_table *t, size_t i, const struct row_key *key, const u64 *chain);
/*
 * Add all rows of from to t, in which nothing is counted from now on. All that is left of from is its
 * arena, which has the rows that were new to t, and must live as long as t. Return the index in t of each
 * row of from, which the caller frees, or NULL if rows are not numbered.
 */
u32 *row_table__merge(struct row_table *t, struct row_table *from);

/*
 * Sort the rows by their first samples, so that their order is the same with any number of workers. Return
 * the new index of each row, by its old one; the caller frees it.
 */
u32 *row_table__sort(struct row_table *t);

static inline void row_table__prefetch(const struct row_table *t, u64 hash)
{
	__builtin_prefetch(&t->slots[hash & t->mask]);
}

/* Second step of the look-ahead: the slot is in the cache, its row is not yet. */
static inline void row_table__prefetch_row(const struct row_table *t, u64 hash)
{
	const struct packed_row *row;
	size_t pos = hash & t->mask;

	while (t->slots[pos] && t->slots[pos] >> 48 != (u32)hash >> 16)
		pos = (pos + 1) & t->mask;
	row = row_slot__row(t->slots[pos]);
	if (row) {
		__builtin_prefetch(row);
		__builtin_prefetch((const char *)row + 64);
	}
	if (t->numbers)
		__builtin_prefetch(&t->numbers[pos]);
}

#endif
