/* Sorted symbol tables: what is found where, and which of several symbols at one address wins. */
#include "unit.h"

#include "binary/symbols/kallsyms.h"
#include "binary/symbols/perf_map.h"
#include "binary/symbols/symtab.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct symtab t;

static int setup(void **state)
{
	(void)state;
	symtab__init(&t);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	symtab__exit(&t);
	return 0;
}

static const char *at(u64 addr)
{
	const struct symbol *s = symtab__find(&t, addr);

	return s ? symtab__name(&t, s) : "-";
}

static void test_find(void **state)
{
	(void)state;
	symtab__add(&t, 0x300, 0x10, "c", SYMBOL_GLOBAL);
	symtab__add(&t, 0x100, 0x10, "a", SYMBOL_GLOBAL);
	symtab__add(&t, 0x200, 0, "sizeless", SYMBOL_GLOBAL);
	symtab__finish(&t);
	assert_string_equal(at(0xff), "-");
	assert_string_equal(at(0x100), "a");
	assert_string_equal(at(0x10f), "a");
	assert_string_equal(at(0x110), "-");
	assert_string_equal(at(0x200), "sizeless");
	assert_string_equal(at(0x2ff), "sizeless"); /* up to the next one */
	assert_string_equal(at(0x30f), "c");
	assert_string_equal(at(0x310), "-");
	assert_string_equal(at(UINT64_MAX), "-");
}

static void narrow(u64 addr, const struct symbol *sym, u64 want_start, u64 want_end)
{
	u64 start = 0, end = 0x1000;

	symtab__narrow(&t, sym, addr, &start, &end);
	assert_int_equal(start, want_start);
	assert_int_equal(end, want_end);
}

static void test_gaps(void **state)
{
	(void)state;
	narrow(0x100, NULL, 0, 0x1000);
	symtab__add(&t, 0x100, 0x10, "a", SYMBOL_GLOBAL);
	symtab__add(&t, 0x200, 0, "sizeless", SYMBOL_GLOBAL);
	symtab__add(&t, 0x300, 0x10, "c", SYMBOL_GLOBAL);
	symtab__finish(&t);
	assert_false(symtab__find(&t, 0x100)->is_extended);
	assert_true(symtab__find(&t, 0x2ff)->is_extended);
	narrow(0x80, NULL, 0, 0x100);
	narrow(0x150, NULL, 0x110, 0x200);
	narrow(0x2ff, symtab__find(&t, 0x2ff), 0x200, 0x300);
	narrow(0x310, NULL, 0x310, 0x1000);
}

static void test_best_of_each_start(void **state)
{
	struct symtab_start starts[] = {
		{ .addr = 0x80 }, { .addr = 0x100 }, { .addr = 0x200 }, { .addr = 0x400 }
	};

	(void)state;
	symtab__find_starts(&t, NULL, 0);
	symtab__add(&t, 0x200, 8, "b", SYMBOL_GLOBAL);
	symtab__add(&t, 0x200, 8, "weak", SYMBOL_WEAK);
	symtab__add(&t, 0x100, 8, "__a", SYMBOL_GLOBAL);
	symtab__add(&t, 0x100, 8, "a", SYMBOL_GLOBAL);
	symtab__add(&t, 0x300, 8, "c", SYMBOL_GLOBAL);
	symtab__find_starts(&t, starts, ARRAY_SIZE(starts));
	assert_int_equal(starts[0].best, UINT32_MAX);
	assert_int_equal(starts[1].best, 3);
	assert_int_equal(starts[2].best, 0);
	assert_int_equal(starts[3].best, UINT32_MAX);
}

static void test_empty(void **state)
{
	(void)state;
	symtab__finish(&t);
	assert_string_equal(at(0), "-");
}

static void test_last_sizeless_ends_with_its_page(void **state)
{
	(void)state;
	symtab__add(&t, 0x1234, 0, "last", SYMBOL_GLOBAL);
	symtab__finish(&t);
	assert_string_equal(at(0x2fff), "last");
	assert_string_equal(at(0x3000), "-");
}

/* Two symbols at one address, in both orders: the first of the pair must win. */
static void check_winner(const char *a, u64 a_size, enum symbol_binding a_bind, const char *b, u64 b_size,
			 enum symbol_binding b_bind)
{
	for (int order = 0; order < 2; order++) {
		struct symtab two;

		symtab__init(&two);
		if (!order)
			symtab__add(&two, 16, a_size, a, a_bind);
		symtab__add(&two, 16, b_size, b, b_bind);
		if (order)
			symtab__add(&two, 16, a_size, a, a_bind);
		symtab__add(&two, 64, 1, "next", SYMBOL_GLOBAL);
		symtab__finish(&two);
		assert_int_equal(two.syms.nr, 2);
		assert_string_equal(symtab__name(&two, &two.syms.v[0]), a);
		symtab__exit(&two);
	}
}

static void test_which_of_two_wins(void **state)
{
	(void)state;
	check_winner("x", 8, SYMBOL_LOCAL, "longer_but_weak", 8, SYMBOL_WEAK);
	check_winner("x", 8, SYMBOL_GLOBAL, "longer_but_local", 8, SYMBOL_LOCAL);
	check_winner("x", 8, SYMBOL_GLOBAL, "_longer_but_underscored", 8, SYMBOL_GLOBAL);
	check_winner("longer", 8, SYMBOL_GLOBAL, "short", 8, SYMBOL_GLOBAL);
}

static void test_sized_wins_over_sizeless_before_it(void **state)
{
	(void)state;
	symtab__add(&t, 16, 0, "sizeless", SYMBOL_GLOBAL);
	symtab__add(&t, 16, 8, "sized", SYMBOL_WEAK);
	symtab__finish(&t);
	assert_string_equal(at(16), "sized");
	assert_string_equal(at(24), "-");
}

/* In any order, whatever their names and bindings are: OCaml's code_begin is where its first function is. */
static void test_sized_wins_over_sizeless(void **state)
{
	(void)state;
	check_winner("camlA__f_1", 8, SYMBOL_GLOBAL, "camlA__code_begin", 0, SYMBOL_GLOBAL);
	check_winner("_f", 8, SYMBOL_WEAK, "longer", 0, SYMBOL_GLOBAL);
	check_winner("f", 8, SYMBOL_LOCAL, "longer", 0, SYMBOL_GLOBAL);
}

static const char kallsyms_text[] = "0000000000001000 T first\n"
				    "0000000000001000 T second\n"
				    "0000000000002000 r not_code\n"
				    "0000000000003000 t third\n"
				    "garbage\n"
				    "\n"
				    "ffffffffc0000000 t in_module\t[mod]\n"
				    "ffffffffc0000100 t in_other\t[mod2]\n";

static void test_kallsyms(void **state)
{
	(void)state;
	assert_int_equal(kallsyms__load(&t, kallsyms_text, sizeof(kallsyms_text) - 1, NULL), 0);
	assert_int_equal(t.syms.nr, 2);
	assert_string_equal(at(0x1000), "second"); /* of sizeless ones the last */
	assert_string_equal(at(0x2fff), "second");
	assert_string_equal(at(0x3000), "third");
}

static void test_kallsyms_of_a_module(void **state)
{
	(void)state;
	assert_int_equal(kallsyms__load(&t, kallsyms_text, sizeof(kallsyms_text) - 1, "mod"), 0);
	assert_int_equal(t.syms.nr, 1);
	assert_string_equal(at(0xffffffffc0000010), "in_module");
}

static int take_address(const struct kallsyms_line *l, void *ctx)
{
	u64 *addr = ctx;

	*addr = l->addr;
	return l->name_len == 4 ? 1 : 0; /* "name" */
}

/* The address at the front of a line, which comes behind another one; UINT64_MAX: none. */
static u64 address_of(const char *digits)
{
	u64 addr = UINT64_MAX;
	char text[128];
	int n = snprintf(text, sizeof(text), "%.8s81000000 r before\n%s t name\n", digits, digits);

	return kallsyms__parse(text, (size_t)n, take_address, &addr) ? addr : UINT64_MAX;
}

static void test_kallsyms_addresses(void **state)
{
	static const char odd[] = "/:`gGAF@\x80\xff\t~";
	char text[32];
	unsigned seed = 5;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		u64 addr = 0;

		for (int k = 0; k < 4; k++) {
			seed = seed * 1664525 + 1013904223;
			addr = addr << 16 | seed >> 16;
		}
		snprintf(text, sizeof(text), "%016llx", (unsigned long long)addr);
		assert_int_equal(address_of(text), addr);
		text[seed >> 8 & 15] = odd[(seed >> 12) % (sizeof(odd) - 1)];
		assert_int_equal(address_of(text), UINT64_MAX);
	}
	assert_int_equal(address_of("c0001000"), 0xc0001000); /* of a 32-bit machine */
	assert_int_equal(address_of("0"), 0);
	assert_int_equal(address_of(""), UINT64_MAX);
}

/* Longer than the pieces it is read in: no line is lost where they meet, nor the last one without an end. */
static void test_kallsyms_file(void **state)
{
	char path[] = "kallsyms.XXXXXX", last[32];
	int fd = mkstemp(path), nr = 40000;
	FILE *f = fdopen(fd, "w");
	u64 reference;

	(void)state;
	assert_non_null(f);
	for (int i = 0; i < nr; i++)
		fprintf(f, "%016x t function_%d%s", 0x1000 + i * 16, i, i + 1 < nr ? "\n" : "");
	fclose(f);
	assert_int_equal(kallsyms__load_file(&t, path, "function_77", &reference), 0);
	assert_int_equal(t.syms.nr, nr);
	assert_int_equal(reference, 0x1000 + 77 * 16);
	snprintf(last, sizeof(last), "function_%d", nr - 1);
	assert_string_equal(at(0x1000 + (u64)(nr - 1) * 16), last);
	unlink(path);
	assert_int_equal(kallsyms__load_file(&t, path, NULL, &reference), -ENOENT);
}

static void test_hidden_and_broken_kallsyms(void **state)
{
	static const char hidden[] = "0000000000000000 T _text\n0000000000000000 T start\n";

	(void)state;
	assert_int_equal(kallsyms__load(&t, hidden, sizeof(hidden) - 1, NULL), -EPERM);
	assert_int_equal(kallsyms__load(&t, "no line", 7, NULL), -EINVAL);
}

static void test_perf_map(void **state)
{
	static const char text[] =
		"1000 20 js function with spaces\n0x2000 0x10 prefixed\nbad line\n3000 0 empty\n4000 8 last";

	(void)state;
	assert_int_equal(perf_map__parse(&t, text, sizeof(text) - 1), 0);
	assert_int_equal(t.syms.nr, 3);
	assert_string_equal(at(0x101f), "js function with spaces");
	assert_string_equal(at(0x1020), "-");
	assert_string_equal(at(0x2000), "prefixed");
	assert_string_equal(at(0x4007), "last");
}

static void test_perf_map_without_a_good_line(void **state)
{
	(void)state;
	assert_int_equal(perf_map__parse(&t, "nothing", 7), -EINVAL);
}

static void check_demangled(const char *name, const char *want)
{
	char *got = symbol__demangle(name);

	if (want)
		assert_string_equal(got, want);
	else
		assert_null(got);
	free(got);
}

static void test_demangle(void **state)
{
	(void)state;
	check_demangled("main", NULL);
	check_demangled("_start", NULL);
	check_demangled("_Z3fooi", "foo");
	check_demangled("_ZN3foo3barEv@plt", "foo::bar@plt");
	check_demangled("_ZNSt6vectorIiSaIiEE9push_backERKi",
			"std::vector<int, std::allocator<int> >::push_back");
	check_demangled("_Z", NULL);
	check_demangled("malloc@plt", NULL);
	check_demangled("_RNvCsgStHSCytQ6I_7mycrate7example", "mycrate::example");
	check_demangled("_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE",
			"core::fmt::Formatter::write_str");
	check_demangled("_D3foo3barFiZv", "foo.bar(int)");
	check_demangled("_DYNAMIC", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_find, setup, teardown),
		cmocka_unit_test_setup_teardown(test_gaps, setup, teardown),
		cmocka_unit_test_setup_teardown(test_empty, setup, teardown),
		cmocka_unit_test_setup_teardown(test_best_of_each_start, setup, teardown),
		cmocka_unit_test_setup_teardown(test_last_sizeless_ends_with_its_page, setup, teardown),
		cmocka_unit_test(test_which_of_two_wins),
		cmocka_unit_test_setup_teardown(test_kallsyms, setup, teardown),
		cmocka_unit_test_setup_teardown(test_kallsyms_of_a_module, setup, teardown),
		cmocka_unit_test_setup_teardown(test_kallsyms_addresses, setup, teardown),
		cmocka_unit_test_setup_teardown(test_kallsyms_file, setup, teardown),
		cmocka_unit_test_setup_teardown(test_hidden_and_broken_kallsyms, setup, teardown),
		cmocka_unit_test_setup_teardown(test_sized_wins_over_sizeless_before_it, setup, teardown),
		cmocka_unit_test(test_sized_wins_over_sizeless),
		cmocka_unit_test_setup_teardown(test_perf_map, setup, teardown),
		cmocka_unit_test_setup_teardown(test_perf_map_without_a_good_line, setup, teardown),
		cmocka_unit_test(test_demangle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
