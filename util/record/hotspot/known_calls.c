#include "record/hotspot/known_calls.h"

void known_calls__exit(struct known_calls *k)
{
	array__exit(&k->v);
	array__exit(&k->at);
	hash_table__exit(&k->by_ra);
}

const struct known_call *known_calls__find(const struct known_calls *k, u64 ra, u64 identity)
{
	u32 i;

	hash_table__for_each (&k->by_ra, hash__u64(ra), i)
		if (k->v.v[i].ra == ra && k->v.v[i].identity == identity)
			return &k->v.v[i];
	return NULL;
}

void known_calls__add(struct known_calls *k, u64 ra, u64 identity, const u64 *at, u32 nr)
{
	struct known_call c = { .ra = ra, .identity = identity, .first = (u32)k->at.nr, .nr = nr };

	hash_table__insert(&k->by_ra, hash__u64(ra), (u32)k->v.nr);
	array__add(&k->v, c);
	for (u32 i = 0; i < nr; i++)
		array__add(&k->at, at[i]);
}
