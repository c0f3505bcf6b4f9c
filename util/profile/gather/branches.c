#include "profile/gather/branches.h"

#include "base/memory/hash.h"

#include <linux/perf_event.h>
#include <string.h>

_Static_assert(sizeof(struct branch) == 7 * sizeof(u32), "a branch is compared by its bytes");

void branches__exit(struct branches *b)
{
	array__exit(&b->v);
	hash_table__exit(&b->table);
}

/* Locate an end of a branch in the user's maps, then in the kernel's: the record does not say its mode. */
static struct branch_end branch_end__locate(struct places *p, const struct row *row, u64 ip, bool exact)
{
	static const struct {
		u8 cpumode;
		char level;
	} modes[] = {
		{ PERF_RECORD_MISC_USER, '.' },
		{ PERF_RECORD_MISC_KERNEL, 'k' },
	};
	struct branch_end end = { .level = 'H' };

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		struct row_space space = places__space(p, row, modes[i].cpumode);
		const struct location *loc = places__locate(p, &space, ip);

		end.place = loc->leaf;
		end.identity = exact ? places__exact(p, &space, ip) : loc->caller;
		if (!places__get(p, end.place)->mapped)
			continue;
		end.level = (u32)modes[i].level;
		break;
	}
	return end;
}

u32 branches__of_row(struct branches *b, struct places *p, const struct row *row)
{
	struct branch branch = {
		.from = branch_end__locate(p, row, row->chain[ROW_BRANCH_FROM], b->exact),
		.to = branch_end__locate(p, row, row->key.ip, b->exact),
		.flags = (u32)row->chain[ROW_BRANCH_FLAGS],
	};
	u64 hash = hash__bytes(&branch, sizeof(branch), 0);
	u32 i;

	hash_table__for_each (&b->table, hash, i)
		if (!memcmp(&b->v.v[i], &branch, sizeof(branch)))
			return i;
	i = (u32)b->v.nr;
	hash_table__insert(&b->table, hash, i);
	array__add(&b->v, branch);
	return i;
}
