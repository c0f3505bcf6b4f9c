/* Samples in time: order and numbers do not depend on how they were collected. */
#include "unit.h"

#include "base/memory/hash.h"
#include "profile/rows/sample_stream.h"

#include <stdlib.h>

enum { SAMPLES = 5000, ROWS = 37, PARTS = 7 };

static struct stream_sample sample_of(u32 i)
{
	u64 hash = hash__u64(i);

	return (struct stream_sample){ .time = 1000000000000 + hash % 1000,
				       .weight = i % 100 ? i : (u64)i << 32 | UINT32_MAX,
				       .row = hash % ROWS,
				       .cpu = i % 3 ? i % 64 : UINT32_MAX };
}

static u32 count(struct row_table *t, u32 row, u64 time, u64 offset)
{
	const struct row_key key = { .ip = row };
	const struct row_sample s = { .nr = 1, .period = 1, .time = time, .offset = offset };
	static const struct row_extra none;
	static const u64 no_chain;
	const u64 hash = row_key__hash(&key, &no_chain, &none);

	return row_table__count(t, hash, &key, &no_chain, &none, &s);
}

static ARRAY(struct arena) merged; /* of merged tables: other tables have rows in them */

static void free_merged(void)
{
	for (size_t i = 0; i < merged.nr; i++)
		arena__exit(&merged.v[i]);
	array__exit(&merged);
}

/* Collect the samples in parts, as several workers do, each in another order. */
static void collect(struct sample_stream *s, struct row_table *t, u32 nr_parts)
{
	u32 *numbers;

	for (u32 part = 0; part < nr_parts; part++) {
		struct sample_stream own = { .base = 0 };
		struct row_table rows;

		numbers = NULL;
		row_table__init(&rows, true);
		for (u32 i = part; i < SAMPLES; i += nr_parts) {
			struct stream_sample sample = sample_of(i);

			sample.row = count(&rows, sample.row, sample.time, i);
			sample_stream__add(&own, sample_stream__base(s, sample.time), &sample);
		}
		if (part) {
			numbers = row_table__merge(t, &rows);
			array__add(&merged, rows.arena);
		} else {
			*t = rows;
		}
		sample_stream__merge(s, &own, numbers);
		free(numbers);
	}
	numbers = row_table__sort(t);
	sample_stream__finish(s, numbers);
	free(numbers);
}

static void order(void **state)
{
	struct sample_stream one = { .base = 0 }, many = { .base = 0 };
	struct stream_reader a, b;
	struct row_table rows, rows_of_many;
	size_t i, k, nr = 0;
	u64 last = 0, weight = 0, want = 0;

	(void)state;
	collect(&one, &rows, 1);
	collect(&many, &rows_of_many, PARTS);
	/* reading is the same with it and without */
	sample_stream__sort(&many, xcalloc(many.v.nr, sizeof(u32)));
	assert_int_equal(rows.rows.nr, ROWS);
	for (u32 n = 0; n < SAMPLES; n++)
		want += sample_of(n).weight;
	stream_reader__init(&a, &one);
	stream_reader__init(&b, &many);
	for (; stream_reader__next(&a, &i); nr++) {
		struct stream_sample x = sample_stream__get(&one, i), y;

		assert_true(stream_reader__next(&b, &k));
		y = sample_stream__get(&many, k);
		assert_int_equal(x.time, y.time);
		assert_int_equal(x.row, y.row);
		assert_int_equal(x.cpu, y.cpu);
		assert_int_equal(row_table__get(&rows, x.row)->key.ip,
				 row_table__get(&rows_of_many, y.row)->key.ip);
		assert_true(x.time >= last);
		assert_true(x.cpu == STREAM_NO_CPU || x.cpu < 64);
		last = x.time;
		weight += x.weight;
	}
	assert_false(stream_reader__next(&b, &k));
	assert_int_equal(nr, SAMPLES);
	assert_true(weight == want);
	stream_reader__exit(&a);
	stream_reader__exit(&b);
	sample_stream__exit(&one);
	sample_stream__exit(&many);
	row_table__exit(&rows);
	row_table__exit(&rows_of_many);
	free_merged();
}

/* Samples bucket by bucket, without those of one row, each bucket in the order of time. */
static void buckets(void **state)
{
	enum { BUCKETS = 5, LEFT_OUT = 3 };
	struct sample_stream s = { .base = 0 };
	struct row_table rows;
	u32 bucket[ROWS], last = 0, *order;
	size_t ends[BUCKETS], nr, want = 0;
	u64 time = 0;

	(void)state;
	collect(&s, &rows, PARTS);
	for (u32 i = 0; i < ROWS; i++)
		bucket[i] = i == LEFT_OUT ? STREAM_NO_BUCKET : i % BUCKETS;
	for (size_t i = 0; i < s.v.nr; i++)
		want += s.v.v[i].row != LEFT_OUT;
	order = sample_stream__order(&s, bucket, BUCKETS, ends);
	nr = ends[BUCKETS - 1];
	assert_int_equal(nr, want);
	for (size_t i = 0; i < nr; i++) {
		struct stream_sample x = sample_stream__get(&s, order[i]);

		assert_int_not_equal(x.row, LEFT_OUT);
		assert_true(i < ends[bucket[x.row]]);
		assert_true(!bucket[x.row] || i >= ends[bucket[x.row] - 1]);
		assert_true(bucket[x.row] > last || (bucket[x.row] == last && x.time >= time));
		last = bucket[x.row];
		time = x.time;
	}
	assert_int_equal(last, BUCKETS - 1);
	free(order);
	sample_stream__exit(&s);
	row_table__exit(&rows);
	free_merged();
}

/* A weight that all samples have is kept once, until another one comes, be it by merging. */
static void weights(void **state)
{
	static const u64 of_parts[][3] = {
		{ 7, 7, 7 }, { 7, 7, 7 }, { 8, 8, 8 }, { 8, 9, UINT32_MAX }, { 7, 7, 7 }
	};
	struct sample_stream s = { .base = 1 };
	size_t nr = 0;

	(void)state;
	for (size_t part = 0; part < ARRAY_SIZE(of_parts); part++) {
		struct sample_stream own = { .base = 0 };

		for (size_t i = 0; i < ARRAY_SIZE(of_parts[part]); i++)
			sample_stream__add(&own, s.base,
					   &(struct stream_sample){ .weight = of_parts[part][i] });
		sample_stream__merge(&s, &own, NULL);
		assert_int_equal(s.weights.nr, part < 2 ? 0 : s.v.nr);
	}
	for (size_t part = 0; part < ARRAY_SIZE(of_parts); part++)
		for (size_t i = 0; i < ARRAY_SIZE(of_parts[part]); i++)
			assert_true(sample_stream__get(&s, nr++).weight == of_parts[part][i]);
	assert_int_equal(nr, s.v.nr);
	sample_stream__exit(&s);
}

/* A time that is too far from the first one is the nearest that can be told. */
static void limits(void **state)
{
	struct sample_stream s = { .base = 0 };
	const u64 base = 1000000, far = base + (1ull << 60);

	(void)state;
	assert_int_equal(sample_stream__base(&s, base), base);
	assert_int_equal(sample_stream__base(&s, far), base);
	sample_stream__add(&s, s.base, &(struct stream_sample){ .time = 0, .cpu = 8190 });
	sample_stream__add(&s, s.base, &(struct stream_sample){ .time = far, .cpu = 100000 });
	assert_int_equal(sample_stream__get(&s, 0).time, 0);
	assert_int_equal(sample_stream__get(&s, 0).cpu, 8190);
	assert_true(sample_stream__get(&s, 1).time == base + (1ull << 50) - 1);
	assert_int_equal(sample_stream__get(&s, 1).cpu, STREAM_NO_CPU);
	sample_stream__exit(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order),
		cmocka_unit_test(buckets),
		cmocka_unit_test(weights),
		cmocka_unit_test(limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
