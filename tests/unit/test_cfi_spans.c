/* Which row holds at an address: what has been asked for, and what lies between. */
#include "unit.h"

#include "binary/tables/cfi_spans.h"

enum { SIZE = 3 * CFI_SPANS_PAGE, ROWS = 7 };

/* Rows of pseudo-random lengths: ends[i] is the end of the row at address i. */
static void make_code(u64 *ends, u32 *rows)
{
	u64 x = 1, start = 0;

	while (start < SIZE) {
		u64 end;

		x = x * 6364136223846793005ull + 1442695040888963407ull;
		end = MIN(start + 1 + (x >> 33) % 90, (u64)SIZE);
		for (u64 i = start; i < end; i++) {
			ends[i] = end;
			rows[i] = (u32)(x >> 55) % ROWS;
		}
		start = end;
	}
}

static void answers_are_those_of_the_code(void **state)
{
	u64 *ends = xcalloc(SIZE, sizeof(*ends)), x = 99, asked = 0;
	u32 *rows = xcalloc(SIZE, sizeof(*rows)), row;
	const u64 base = 1ull << 40;
	struct cfi_spans s = { 0 };

	(void)state;
	make_code(ends, rows);
	for (int i = 0; i < 200000; i++) {
		u64 at;

		x = x * 6364136223846793005ull + 1442695040888963407ull;
		at = (x >> 33) % SIZE;
		if (cfi_spans__find(&s, base + at, &row)) {
			assert_int_equal(row, rows[at]);
			continue;
		}
		cfi_spans__add(&s, base + at, base + ends[at], rows[at]);
		assert_true(cfi_spans__find(&s, base + at, &row));
		assert_int_equal(row, rows[at]);
		asked++;
	}
	assert_false(cfi_spans__find(&s, base + SIZE, &row));
	assert_false(cfi_spans__find(&s, 5, &row));
	/* A few bytes for a row, not for an address. */
	assert_true(asked > 3000);
	assert_true(cfi_spans__bytes(&s) < asked * 12 + 1000);
	cfi_spans__exit(&s);
	free(ends);
	free(rows);
}

/* Overlapping rows, rows that end before they begin: some answer, and nothing is lost. */
static void contradictions_do_no_harm(void **state)
{
	struct cfi_spans s = { 0 };
	u32 row;
	u64 x = 3;

	(void)state;
	for (u32 i = 0; i < 20000; i++) {
		u64 at, end;

		x = x * 6364136223846793005ull + 1442695040888963407ull;
		at = (x >> 33) % 2000;
		end = (x >> 20) % 4000 ? (x >> 13) % 3000 : UINT64_MAX;
		if (cfi_spans__find(&s, at, &row))
			continue;
		cfi_spans__add(&s, at, end, i);
		assert_true(cfi_spans__find(&s, at, &row));
		assert_int_equal(row, i);
	}
	for (size_t i = 0; i < s.pages.nr; i++)
		for (u32 k = 1; k < s.pages.v[i].nr; k++)
			assert_true(s.pages.v[i].v[k - 1].last < s.pages.v[i].v[k].low);
	cfi_spans__exit(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_are_those_of_the_code),
		cmocka_unit_test(contradictions_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
