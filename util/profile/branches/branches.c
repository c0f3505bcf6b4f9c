#include "profile/branches/branches.h"

#include "base/memory/hash.h"

#include <linux/perf_event.h>
#include <string.h>

_Static_assert(sizeof(struct branch) == 7 * sizeof(u32), "a branch is compared by its bytes");

void branches__exit(struct branches *b)
{
	array__exit(&b->v);
	hash_table__exit(&b->table);
}

struct row_space branch__space(struct places *p, const struct row *row, u64 ip)
{
	struct row_space user = places__space(p, row, PERF_RECORD_MISC_USER);

	if (places__get(p, places__locate(p, &user, ip)->leaf)->mapped)
		return user;
	return places__space(p, row, PERF_RECORD_MISC_KERNEL);
}

static struct branch_end branch_end__locate(struct places *p, const struct row *row, u64 ip, bool exact)
{
	struct row_space space = branch__space(p, row, ip);
	const struct code_places *code = places__locate(p, &space, ip);
	struct branch_end end = { .place = code->leaf, .identity = code->caller, .level = 'H' };

	if (exact)
		end.identity = places__exact(p, &space, ip);
	if (places__get(p, end.place)->mapped)
		end.level = space.cpumode == PERF_RECORD_MISC_USER ? '.' : 'k';
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
