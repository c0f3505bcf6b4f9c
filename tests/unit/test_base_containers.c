/* array, arena, hash table. */
#include "unit.h"

#include "base/memory/arena.h"
#include "base/memory/array.h"
#include "base/memory/hash.h"
#include "base/memory/mem.h"

#include <string.h>

static void array_grows_and_keeps_order(void **state)
{
	ARRAY(u64) a = { 0 };

	(void)state;
	for (u64 i = 0; i < 10000; i++)
		array__add(&a, i * i);
	assert_int_equal(a.nr, 10000);
	assert_true(a.alloc >= a.nr && a.alloc < 2 * a.nr + 8);
	for (u64 i = 0; i < a.nr; i++)
		assert_int_equal(a.v[i], i * i);
	*array__push(&a) = 7;
	assert_int_equal(a.v[10000], 7);
	array__reserve(&a, 50000);
	assert_true(a.alloc >= 50000);
	assert_int_equal(a.nr, 10001);
	array__exit(&a);
	assert_null(a.v);
	assert_int_equal(a.nr, 0);
}

static void array_evaluates_its_size_once(void **state)
{
	ARRAY(int) a = { 0 };
	size_t n = 5;

	(void)state;
	array__reserve(&a, n++);
	assert_int_equal(n, 6);
	array__exit(&a);
}

static void arena_frees_the_newest_first(void **state)
{
	enum { NR = 1000, SIZE = 5000 };
	struct arena a = ARENA_INIT;
	char *pieces[NR], other;

	(void)state;
	for (int i = 0; i < NR; i++)
		memset(pieces[i] = arena__alloc(&a, SIZE), i, SIZE);
	for (int i = NR; i-- > 0;) {
		assert_true(arena__free_after(&a, pieces[i]));
		assert_int_equal(pieces[i][SIZE - 1], (char)i);
	}
	assert_non_null(arena__alloc(&a, SIZE));
	assert_false(arena__free_after(&a, &other));
	assert_null(a.chunks);
	memset(arena__alloc(&a, SIZE), 1, SIZE);
	arena__exit(&a);
}

static void arena_gives_aligned_pieces_that_do_not_overlap(void **state)
{
	struct arena a = ARENA_INIT;
	u8 *pieces[3000];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pieces); i++) {
		size_t size = i % 131;

		pieces[i] = arena__alloc(&a, size);
		assert_int_equal((uintptr_t)pieces[i] % 8, 0);
		memset(pieces[i], (int)(i & 0xff), size);
	}
	for (size_t i = 0; i < ARRAY_SIZE(pieces); i++)
		for (size_t j = 0; j < i % 131; j++)
			assert_int_equal(pieces[i][j], i & 0xff);
	arena__exit(&a);
	assert_null(a.chunks);
	assert_int_equal(a.total, 0);
}

static void arena_takes_pieces_larger_than_a_chunk(void **state)
{
	struct arena a = ARENA_INIT;
	u8 *big = arena__zalloc(&a, 1 << 20), *small = arena__alloc(&a, 8);

	(void)state;
	for (size_t i = 0; i < 1 << 20; i += 4095)
		assert_int_equal(big[i], 0);
	memset(big, 1, 1 << 20);
	memset(small, 2, 8);
	assert_int_equal(big[(1 << 20) - 1], 1);
	arena__exit(&a);
	arena__exit(&a); /* harmless */
}

/* Small chunks, huge pages, and lists that outgrow their places. */
static void arena_grows(void **state)
{
	(void)state;
	for (int grows = 0; grows < 2; grows++) {
		struct arena a = { .grows = grows };
		ARRAY(u64) x = { 0 }, y = { 0 };

		for (u64 i = 0; i < 300000; i++) {
			*arena__array_push(&a, &x) = i;
			if (i % 3 == 0)
				*arena__array_push(&a, &y) = ~i;
		}
		assert_int_equal(x.nr, 300000);
		for (u64 i = 0; i < x.nr; i++)
			assert_true(x.v[i] == i && y.v[i / 3] == ~(i / 3 * 3));
		arena__exit(&a);
	}
}

/* Whatever the size of a page is, and wherever in a page the free part begins. */
static void a_trimmed_arena_leaves_its_neighbours_alone(void **state)
{
	enum { NR = 128, SIZE = 60000 };
	struct arena arenas[NR];
	u8 *others[NR];

	(void)state;
	for (size_t i = 0; i < NR; i++) {
		arenas[i] = (struct arena)ARENA_INIT;
		memset(arena__alloc(&arenas[i], i * 4096 % SIZE + 8), 1, i * 4096 % SIZE + 8);
		others[i] = xmalloc(SIZE);
		memset(others[i], 0xaa, SIZE);
	}
	for (size_t i = 0; i < NR; i++)
		arena__trim(&arenas[i]);
	for (size_t i = 0; i < NR; i++) {
		for (size_t k = 0; k < SIZE; k++)
			if (others[i][k] != 0xaa)
				fail_msg("byte %zu after arena %zu has changed", k, i);
		free(others[i]);
		arena__exit(&arenas[i]);
	}
}

static void the_last_piece_of_an_arena_grows_in_its_place(void **state)
{
	struct arena a = ARENA_INIT;
	char *x = arena__strdup(&a, "what is"), *y;

	(void)state;
	assert_ptr_equal(arena__regrow(&a, x, 8, 100), x);
	memset(x + 8, 'x', 92);
	y = arena__strdup(&a, "behind it");
	assert_true(y >= x + 100);
	assert_ptr_not_equal(arena__regrow(&a, x, 100, 200), x);
	assert_string_equal(y, "behind it");
	y = arena__regrow(&a, arena__strdup(&a, "moved"), 6, 1 << 20); /* no chunk has room for it */
	assert_string_equal(y, "moved");
	memset(y, 0, 1 << 20);
	arena__exit(&a);
}

static void large_memory_is_memory(void **state)
{
	static const size_t sizes[] = { 0, 1, 4096, 1 << 19, 3 << 20 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		u8 *p = xmalloc_large(sizes[i]);

		memset(p, 0x55, sizes[i]);
		p = xrealloc(p, sizes[i] + 100);
		assert_true(!sizes[i] || p[sizes[i] - 1] == 0x55);
		free(p);
	}
}

static void arena_copies(void **state)
{
	struct arena a = ARENA_INIT;

	(void)state;
	assert_string_equal(arena__strdup(&a, "text"), "text");
	assert_string_equal(arena__strndup(&a, "text", 2), "te");
	assert_string_equal(arena__strdup(&a, ""), "");
	assert_memory_equal(arena__memdup(&a, "\1\0\2", 3), "\1\0\2", 3);
	assert_non_null(arena__memdup(&a, NULL, 0));
	arena__exit(&a);
}

static void hash_table_finds_what_was_inserted(void **state)
{
	enum { NR = 5000 };
	struct hash_table t = HASH_TABLE_INIT;
	u32 i;

	(void)state;
	hash_table__for_each (&t, 1, i)
		fail(); /* an empty table has no slots at all */
	for (u32 n = 0; n < NR; n++)
		hash_table__insert(&t, hash__u64(n), n);
	assert_int_equal(t.nr, NR);
	assert_true((u64)t.nr * 10 <= ((u64)t.mask + 1) * 7 + 10);
	for (u32 n = 0; n < NR; n++) {
		int found = 0;

		hash_table__for_each (&t, hash__u64(n), i)
			found += i == n;
		assert_int_equal(found, 1);
	}
	hash_table__exit(&t);
	assert_null(t.slots);
}

static void hash_table_walks_all_elements_of_one_hash(void **state)
{
	struct hash_table t = HASH_TABLE_INIT;
	bool seen[40] = { false };
	u32 i, nr = 0;

	(void)state;
	for (u32 n = 0; n < 40; n++)
		hash_table__insert(&t, 0xffffffff, n); /* starts in the last slot and wraps */
	hash_table__insert(&t, 0, 1000);
	hash_table__for_each (&t, 0xffffffff, i) {
		assert_true(i < 40);
		assert_false(seen[i]);
		seen[i] = true;
		nr++;
	}
	assert_int_equal(nr, 40);
	hash_table__exit(&t);
}

static void hashes_depend_on_every_byte_and_the_length(void **state)
{
	u8 data[64] = { 0 };
	u64 words[4] = { 1, 2, 3, 4 }, swapped[4] = { 1, 2, 4, 3 };

	(void)state;
	for (size_t size = 0; size < sizeof(data); size++) {
		u64 h = hash__bytes(data, size, 0);

		assert_int_not_equal(h, hash__bytes(data, size + 1, 0));
		assert_int_not_equal(h, hash__bytes(data, size, 1));
		for (size_t i = 0; i < size; i++) {
			data[i] = 1;
			assert_int_not_equal(h, hash__bytes(data, size, 0));
			data[i] = 0;
		}
	}
	assert_int_equal(hash__words(words, 4, 9), hash__words(words, 4, 9));
	assert_int_not_equal(hash__words(words, 4, 9), hash__words(swapped, 4, 9));
	assert_int_not_equal(hash__words(words, 3, 9), hash__words(swapped, 3, 9));
}

/* Whatever the other words are: small numbers, or those by which words are multiplied. */
static void hashes_depend_on_every_word(void **state)
{
	static const u64 others[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0xff51afd7ed558ccd, 0xc4ceb9fe1a85ec53 };
	u64 words[9];

	(void)state;
	for (size_t nr = 1; nr <= ARRAY_SIZE(words); nr++)
		for (size_t k = 0; k < ARRAY_SIZE(others); k++)
			for (size_t i = 0; i < nr; i++) {
				u64 h;

				for (size_t n = 0; n < nr; n++)
					words[n] = others[k];
				h = hash__words(words, nr, 0);
				words[i] += 100;
				if (hash__words(words, nr, 0) == h)
					fail_msg("word %zu of %zu, others %#llx", i, nr,
						 (unsigned long long)others[k]);
			}
}

static void copies_all_bytes_and_no_others(void **state)
{
	enum { MOST = 5000, EDGE = 64 };
	static u8 from[MOST], to[MOST + 2 * EDGE];

	(void)state;
	for (size_t i = 0; i < MOST; i++)
		from[i] = (u8)(1 + i * 31 % 251);
	for (size_t size = 0; size <= MOST; size += size < 2200 ? 1 : 37) {
		memset(to, 0, sizeof(to));
		mem__copy(to + EDGE, from, size);
		assert_memory_equal(to + EDGE, from, size);
		assert_int_equal(to[EDGE - 1], 0);
		assert_int_equal(to[EDGE + size], 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(array_grows_and_keeps_order),
		cmocka_unit_test(array_evaluates_its_size_once),
		cmocka_unit_test(arena_frees_the_newest_first),
		cmocka_unit_test(arena_gives_aligned_pieces_that_do_not_overlap),
		cmocka_unit_test(arena_takes_pieces_larger_than_a_chunk),
		cmocka_unit_test(arena_grows),
		cmocka_unit_test(a_trimmed_arena_leaves_its_neighbours_alone),
		cmocka_unit_test(the_last_piece_of_an_arena_grows_in_its_place),
		cmocka_unit_test(large_memory_is_memory),
		cmocka_unit_test(copies_all_bytes_and_no_others),
		cmocka_unit_test(arena_copies),
		cmocka_unit_test(hash_table_finds_what_was_inserted),
		cmocka_unit_test(hash_table_walks_all_elements_of_one_hash),
		cmocka_unit_test(hashes_depend_on_every_byte_and_the_length),
		cmocka_unit_test(hashes_depend_on_every_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
