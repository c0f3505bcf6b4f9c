/*
 * Hashing, and a hash table that maps a hash to the index of an element the caller keeps
 * in an array of its own. Open addressing, linear probing, grows at 70% full; elements are
 * never removed. 8 bytes a slot. Not thread-safe.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "base/memory/types.h"

/* Return a good 64-bit mix of one word (finalizer of splitmix64: Steele, Lea, Flood, 2014). */
static inline u64 hash__u64(u64 x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ull;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

static inline u64 hash__add(u64 h, u64 word)
{
	return hash__u64(h ^ (word + 0x9e3779b97f4a7c15ull + (h << 6)));
}

u64 hash__bytes(const void *p, size_t size, u64 seed);
/* Hash nr words; several times as fast as hash__bytes. */
u64 hash__words(const u64 *p, size_t nr, u64 seed);

struct hash_slot {
	u32 tag;   /* lower half of the hash */
	u32 index; /* of the caller's element + 1; 0: free */
};

struct hash_table {
	struct hash_slot *slots; /* NULL while empty */
	u32 mask;                /* number of slots - 1 */
	u32 nr;
};

#define HASH_TABLE_INIT \
	{               \
		0       \
	}
void hash_table__exit(struct hash_table *t);
/* Adds (hash, index) without looking for an equal one. index: below 2^32 - 1. */
void hash_table__insert(struct hash_table *t, u64 hash, u32 index);

/*
 * Walks the elements that may equal one with this hash; the caller compares:
 *	u32 i;
 *	hash_table__for_each(&t, hash, i)
 *		if (equal(&array[i], key))
 *			return i;
 */
#define hash_table__for_each(t, hash, i)                                          \
	for (u32 pos_ = hash_table__first((t), (hash), &(i)); pos_ != UINT32_MAX; \
	     pos_ = hash_table__next((t), (hash), pos_, &(i)))

static inline u32 hash_table__scan(const struct hash_table *t, u64 hash, u32 pos, u32 *i)
{
	u32 tag = (u32)hash;

	for (;; pos = (pos + 1) & t->mask) {
		if (!t->slots[pos].index)
			return UINT32_MAX;
		if (t->slots[pos].tag == tag) {
			*i = t->slots[pos].index - 1;
			return pos;
		}
	}
}

static inline u32 hash_table__first(const struct hash_table *t, u64 hash, u32 *i)
{
	return t->slots ? hash_table__scan(t, hash, (u32)hash & t->mask, i) : UINT32_MAX;
}

static inline u32 hash_table__next(const struct hash_table *t, u64 hash, u32 pos, u32 *i)
{
	return hash_table__scan(t, hash, (pos + 1) & t->mask, i);
}

#endif
