/* Rows of samples: counting in one table, and in several that are merged, against a plain list. */
#include "unit.h"

#include "profile/rows/row_parts.h"

#include <string.h>

enum { NR_KEYS = 2304, NR_SAMPLES = 20000, NR_TABLES = 5, CHAIN_MAX = 6 };

static u32 seed = 7;

static u32 rnd(u32 below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

struct oracle {
	struct row_key key;
	u64 chain[CHAIN_MAX], extra_words[2];
	struct row_extra extra;
	u64 nr, period, first_time, first_offset;
	u32 first_tid;
};

/* Keys that differ in one field, in one word of the chain or of the extra, or in its length. */
static void make_keys(struct oracle *o)
{
	memset(o, 0, NR_KEYS * sizeof(*o));
	for (u32 i = 0; i < NR_KEYS; i++) {
		o[i].key = (struct row_key){ .ip = i % 3,
					     .event = i / 3 % 2,
					     .comm = i / 6 % 2,
					     .space = i / 12 % 2,
					     .space_version = i / 24 % 2,
					     .cpumode = i / 48 % 2,
					     .nr_chain = i / 96 % 2 ? CHAIN_MAX : 2 };
		o[i].chain[1] = i / 192 % 2;
		o[i].extra = (struct row_extra){ o[i].extra_words, i / 384 % 3 };
		o[i].extra_words[0] = i / 1152;
		o[i].chain[0] = i >= 1152 && !o[i].extra.nr;
		o[i].first_time = o[i].first_offset = UINT64_MAX;
	}
}

static void oracle__count(struct oracle *o, const struct row_sample *s)
{
	o->nr++;
	o->period += s->period;
	if (s->time < o->first_time || (s->time == o->first_time && s->offset < o->first_offset)) {
		o->first_time = s->time;
		o->first_offset = s->offset;
		o->first_tid = s->tid;
	}
}

static bool oracle__is(const struct oracle *o, const struct row *r)
{
	return !memcmp(&r->key, &o->key, sizeof(r->key)) &&
	       !memcmp(r->chain, o->chain, o->key.nr_chain * sizeof(u64)) && r->extra.nr == o->extra.nr &&
	       (!r->extra.nr || !memcmp(r->extra.v, o->extra.v, r->extra.nr * sizeof(u64)));
}

static const struct row *find(const struct row_table *t, const struct oracle *o)
{
	for (size_t i = 0; i < t->rows.nr; i++) {
		const struct row *r = row_table__get(t, i);

		if (oracle__is(o, r))
			return r;
	}
	return NULL;
}

static void merged_tables_hold_what_one_would(void **state)
{
	static struct oracle o[NR_KEYS];
	struct row_table tables[NR_TABLES];
	size_t nr = 0;

	(void)state;
	make_keys(o);
	for (u32 i = 0; i < NR_TABLES; i++)
		row_table__init(&tables[i], false);
	for (u32 i = 0; i < NR_SAMPLES; i++) {
		struct oracle *k = &o[rnd(NR_KEYS)];
		const u64 hash = row_key__hash(&k->key, k->chain, &k->extra);
		struct row_sample s = {
			.nr = 1, .period = rnd(1000), .time = rnd(50), .offset = i, .tid = i
		};

		oracle__count(k, &s);
		row_table__count(&tables[rnd(NR_TABLES)], hash, &k->key, k->chain, &k->extra, &s);
	}
	for (u32 i = 1; i < NR_TABLES; i++)
		row_table__merge(&tables[0], &tables[i]);
	for (u32 i = 0; i < NR_KEYS; i++) {
		const struct row *r = find(&tables[0], &o[i]);

		if (!o[i].nr)
			continue;
		nr++;
		assert_non_null(r);
		assert_int_equal(r->nr, o[i].nr);
		assert_int_equal(r->period, o[i].period);
		assert_int_equal(r->first_time, o[i].first_time);
		assert_int_equal(r->first_tid, o[i].first_tid);
	}
	assert_int_equal(tables[0].rows.nr, nr);
	for (u32 i = 0; i < NR_TABLES; i++)
		row_table__exit(&tables[i]);
}

struct part_sample {
	u32 row;
	u64 extra[2], time;
	u32 tid;
};

static void count_parts(struct row_parts *p, const struct part_sample *samples, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		row_parts__count(
			p, samples[i].row, &(struct row_extra){ samples[i].extra, 2 },
			&(struct row_sample){
				.nr = 1, .period = 4, .time = samples[i].time, .tid = samples[i].tid });
}

/* A sample counts for the newest part of its row, and only if that has its value. */
static void parts_are_those_of_the_newest_value(void **state)
{
	static const struct part_sample one[] = {
		{ 3, { 10, 1 }, 90, 1 }, { 0, { 10, 1 }, 91, 2 }, { 3, { 10, 1 }, 89, 3 },
		{ 3, { 20, 1 }, 95, 4 }, { 3, { 10, 1 }, 96, 5 }, { 0, { 10, 2 }, 97, 6 },
	};
	static const struct part_sample other[] = {
		{ 0, { 30, 1 }, 99, 7 },
		{ 1, { 10, 2 }, 80, 8 },
		{ 0, { 10, 2 }, 81, 9 },
		{ 1, { 10, 2 }, 82, 8 },
	};
	static const struct {
		u64 value[2];
		u32 row, nr, tid;
		u64 time;
	} parts[] = {
		{ { 10, 1 }, 3, 1, 5, 96 }, { { 10, 1 }, 0, 1, 2, 91 }, { { 10, 1 }, 3, 2, 3, 89 },
		{ { 20, 1 }, 3, 1, 4, 95 }, { { 10, 2 }, 5, 1, 9, 81 }, { { 10, 2 }, 7, 2, 8, 80 },
		{ { 10, 2 }, 0, 1, 6, 97 }, { { 30, 1 }, 5, 1, 7, 99 },
	};
	static const u32 numbers[] = { 5, 7 };
	struct row_parts p = { .nr_words = 0 }, from = { .nr_words = 0 };
	size_t nr = 0;

	(void)state;
	count_parts(&p, one, ARRAY_SIZE(one));
	count_parts(&from, other, ARRAY_SIZE(other));
	row_parts__merge(&p, &from, numbers);
	assert_int_equal(p.nr, ARRAY_SIZE(parts));
	for (size_t i = 0; i < p.values.nr; i++)
		for (const struct row_part *part = p.values.v[i].newest; part; part = part->before, nr++) {
			assert_in_range(nr, 0, ARRAY_SIZE(parts) - 1);
			assert_int_equal(row_parts__extra(&p, i).nr, 2);
			assert_memory_equal(row_parts__extra(&p, i).v, parts[nr].value, 16);
			assert_int_equal(part->row, parts[nr].row);
			assert_int_equal(part->nr, parts[nr].nr);
			assert_int_equal(part->period, 4 * parts[nr].nr);
			assert_int_equal(part->first_time, parts[nr].time);
			assert_int_equal(part->first_tid, parts[nr].tid);
		}
	assert_int_equal(nr, ARRAY_SIZE(parts));
	row_parts__exit(&p);
	arena__exit(&from.arena);
}

/* More addresses than have short numbers: each row keeps its own, also after a merge. */
static void many_addresses_are_kept(void **state)
{
	enum { NR = 150000 };
	const struct row_sample s = { .nr = 1, .period = 1 };
	struct row_table tables[2];
	u64 sum = 0;

	(void)state;
	for (u32 t = 0; t < 2; t++)
		row_table__init(&tables[t], true);
	for (u64 i = 0; i < NR; i++) {
		const struct row_key key = { .ip = i << 20, .nr_chain = 2 };
		const u64 words[] = { i << 20, i % 7 };
		const struct row_extra extra = { &i, i % 2 };
		const u64 hash = row_key__hash(&key, words, &extra);

		for (u32 t = i % 3 == 2; t <= (i % 3 > 0); t++)
			row_table__count(&tables[t], hash, &key, words, &extra, &s);
	}
	free(row_table__merge(&tables[0], &tables[1]));
	assert_int_equal(tables[0].rows.nr, NR);
	for (size_t i = 0; i < NR; i++) {
		const struct row *r = row_table__get(&tables[0], i);
		u64 n = r->key.ip >> 20;

		assert_int_equal(r->nr, n % 3 == 1 ? 2 : 1);
		assert_int_equal(r->key.nr_chain, 2);
		assert_int_equal(r->extra.nr, n % 2);
		assert_true(r->chain[0] == r->key.ip && r->chain[1] == n % 7);
		assert_true(!r->extra.nr || r->extra.v[0] == n);
		sum += n;
	}
	assert_int_equal(sum, (u64)NR * (NR - 1) / 2);
	for (u32 t = 0; t < 2; t++)
		row_table__exit(&tables[t]);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(merged_tables_hold_what_one_would),
					    cmocka_unit_test(parts_are_those_of_the_newest_value),
					    cmocka_unit_test(many_addresses_are_kept) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
