/* Symbols that overlap, code that replaces other code, and many symbols. */
#include "unit.h"

#include "binary/symbols/perf_map.h"
#include "binary/symbols/symtab.h"

#include <stdio.h>
#include <stdlib.h>

static const char *at(const struct symtab *t, u64 addr)
{
	const struct symbol *s = symtab__find(t, addr);

	return s ? symtab__name(t, s) : "-";
}

static void the_innermost_is_found(void **state)
{
	struct symtab t;

	(void)state;
	symtab__init(&t);
	symtab__add(&t, 100, 100, "outer", SYMBOL_GLOBAL);
	symtab__add(&t, 120, 40, "middle", SYMBOL_GLOBAL);
	symtab__add(&t, 130, 10, "inner", SYMBOL_GLOBAL);
	symtab__add(&t, 150, 5, "last", SYMBOL_GLOBAL);
	symtab__add(&t, 190, 30, "across", SYMBOL_GLOBAL);
	symtab__add(&t, 250, 10, "apart", SYMBOL_GLOBAL);
	symtab__finish(&t);
	assert_string_equal(at(&t, 99), "-");
	assert_string_equal(at(&t, 100), "outer");
	assert_string_equal(at(&t, 129), "middle");
	assert_string_equal(at(&t, 139), "inner");
	assert_string_equal(at(&t, 140), "middle");
	assert_string_equal(at(&t, 154), "last");
	assert_string_equal(at(&t, 155), "middle");
	assert_string_equal(at(&t, 160), "outer");
	assert_string_equal(at(&t, 199), "across");
	assert_string_equal(at(&t, 219), "across");
	assert_string_equal(at(&t, 220), "-");
	assert_string_equal(at(&t, 259), "apart");
	symtab__exit(&t);
}

static void later_code_replaces_earlier(void **state)
{
	static const char text[] = "1000 100 old\n"
				   "2000 100 stubs\n"
				   "2010 10 stub\n"
				   "1080 100 tail\n"
				   "1000 40 same_start\n"
				   "3050 10 inside\n"
				   "3000 100 over_it\n"
				   "-10 20 sign\n"
				   " 4000 20 space\n"
				   "fffffffffffffff0 20 wraps\n";
	struct symtab t;

	(void)state;
	symtab__init(&t);
	assert_int_equal(perf_map__parse(&t, text, sizeof(text) - 1), 0);
	assert_string_equal(at(&t, 0x1000), "same_start");
	assert_string_equal(at(&t, 0x1040), "-");
	assert_string_equal(at(&t, 0x1080), "tail");
	assert_string_equal(at(&t, 0x200f), "stubs");
	assert_string_equal(at(&t, 0x2010), "stub");
	assert_string_equal(at(&t, 0x2020), "stubs");
	assert_string_equal(at(&t, 0x3055), "over_it");
	assert_string_equal(at(&t, 0x4000), "-");
	assert_string_equal(at(&t, UINT64_MAX - 15), "-");
	assert_int_equal(t.syms.nr, 5);
	symtab__exit(&t);
}

/* Against the plain definition: of those that cover the address, the one that starts last. */
static void agrees_with_a_search_of_everything(void **state)
{
	enum { NR = 300, SPACE = 4000 };
	struct symtab t;

	(void)state;
	srand(1);
	for (int round = 0; round < 20; round++) {
		symtab__init(&t);
		for (int i = 0; i < NR; i++) {
			u64 start = (u64)(rand() % SPACE) << (round % 3 * 20);
			u64 size = (u64)(1 + rand() % 60) << (round % 3 * 10);
			char name[16];

			snprintf(name, sizeof(name), "s%d", i);
			symtab__add(&t, start, size, name, SYMBOL_GLOBAL);
		}
		symtab__finish(&t);
		for (int i = 0; i < SPACE; i++) {
			u64 addr = (u64)i << (round % 3 * 20);
			const struct symbol *want = NULL;

			for (size_t k = 0; k < t.syms.nr; k++) {
				assert_true(!k || t.syms.v[k - 1].start < t.syms.v[k].start);
				if (addr >= t.syms.v[k].start && addr - t.syms.v[k].start < t.syms.v[k].size)
					want = &t.syms.v[k];
			}
			assert_ptr_equal(symtab__find(&t, addr), want);
		}
		symtab__exit(&t);
	}
}

static void a_million_nested_symbols_take_no_time(void **state)
{
	enum { NR = 1000000 };
	struct symtab t;

	(void)state;
	symtab__init(&t);
	for (u64 i = 0; i < NR; i++)
		symtab__add(&t, NR - i, 2 * i + 1, "f", SYMBOL_GLOBAL);
	symtab__finish(&t);
	assert_int_equal(t.syms.nr, NR);
	for (u64 i = 0; i < NR; i++)
		symtab__find(&t, NR + i);
	assert_non_null(symtab__find(&t, NR));
	symtab__exit(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_innermost_is_found),
		cmocka_unit_test(later_code_replaces_earlier),
		cmocka_unit_test(agrees_with_a_search_of_everything),
		cmocka_unit_test(a_million_nested_symbols_take_no_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
