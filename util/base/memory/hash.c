#include "base/memory/hash.h"

#include "base/memory/mem.h"

#include <string.h>

/* Two interleaved multiply-xor lanes; the words' order matters, their alignment does not. */
u64 hash__words(const u64 *p, size_t nr, u64 seed)
{
	u64 a = seed ^ 0x9e3779b97f4a7c15ull, b = seed + nr;
	size_t i = 0;

	for (; i + 2 <= nr; i += 2) {
		u64 x, y;

		memcpy(&x, p + i, 8);
		memcpy(&y, p + i + 1, 8);
		a = (a ^ x) * 0xff51afd7ed558ccdull;
		a ^= a >> 32;
		b = (b ^ y) * 0xc4ceb9fe1a85ec53ull;
		b ^= b >> 29;
	}
	if (i < nr) {
		u64 x;

		memcpy(&x, p + i, 8);
		a = (a ^ x) * 0xff51afd7ed558ccdull;
	}
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
