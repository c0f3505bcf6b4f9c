#include "base/memory/hash.h"

#include "base/memory/mem.h"

#include <string.h>

static inline u64 load(const u64 *p)
{
	u64 x;

	memcpy(&x, p, sizeof(x));
	return x;
}

/* Return the product of two words, folded to 64 bits. It depends on both, even if one is 0. */
static inline u64 fold(u64 x, u64 y)
{
#ifdef __SIZEOF_INT128__
	unsigned __int128 product = (unsigned __int128)x * y;

	return likely(product) ? (u64)product ^ (u64)(product >> 64) : hash__u64(x ^ y);
#else
	return hash__u64(x * (y | 1)) ^ y;
#endif
}

/*
 * Two lanes, because each multiplication waits for the one before (as in wyhash: Wang Yi, 2019). The order
 * of words matters, their alignment does not.
 */
u64 hash__words(const u64 *p, size_t nr, u64 seed)
{
	const u64 first = 0xff51afd7ed558ccd, second = 0xc4ceb9fe1a85ec53;
	u64 a = seed ^ 0x9e3779b97f4a7c15ull, b = seed + nr;

	for (; nr >= 4; nr -= 4, p += 4) {
		a = fold(load(p) ^ first, load(p + 1) ^ a);
		b = fold(load(p + 2) ^ second, load(p + 3) ^ b);
	}
	if (nr & 2) {
		a = fold(load(p) ^ first, load(p + 1) ^ a);
		p += 2;
	}
	if (nr & 1)
		b = fold(load(p) ^ second, b ^ 0xbf58476d1ce4e5b9);
	return hash__u64(a ^ (b << 23 | b >> 41));
}

u64 hash__bytes(const void *p, size_t size, u64 seed)
{
	u64 h = hash__words(p, size / 8, seed ^ size), tail = 0;

	if (size % 8) {
		memcpy(&tail, (const u8 *)p + size / 8 * 8, size % 8);
		h = hash__add(h, tail);
	}
	return h;
}

void hash_table__exit(struct hash_table *t)
{
	free(t->slots);
	*t = (struct hash_table)HASH_TABLE_INIT;
}

static void hash_table__place(struct hash_table *t, struct hash_slot s)
{
	u32 pos = s.tag & t->mask;

	while (t->slots[pos].index)
		pos = (pos + 1) & t->mask;
	t->slots[pos] = s;
}

static void hash_table__grow(struct hash_table *t)
{
	struct hash_slot *old = t->slots;
	u32 nr_old = old ? t->mask + 1 : 0;
	u32 nr = nr_old ? nr_old * 2 : 64;

	t->slots = xcalloc_table(nr, sizeof(*t->slots));
	t->mask = nr - 1;
	for (u32 i = 0; i < nr_old; i++)
		if (old[i].index)
			hash_table__place(t, old[i]);
	free(old);
}

void hash_table__insert(struct hash_table *t, u64 hash, u32 index)
{
	if (!t->slots || (u64)t->nr * 10 >= ((u64)t->mask + 1) * 7)
		hash_table__grow(t);
	hash_table__place(t, (struct hash_slot){ .tag = (u32)hash, .index = index + 1 });
	t->nr++;
}
