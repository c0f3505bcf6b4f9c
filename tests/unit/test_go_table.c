/* .gopclntab: depths of stacks at instructions; tables that are cut or lie. */
#include "unit.h"

#include "base/memory/mem.h"
#include "binary/tables/go_table.h"

#include <string.h>

enum { TEXT = 0x401000, PCS_AT = 80, FUNCTIONS_AT = 128, DESCRIPTIONS_AT = 32, NAMES_AT = 320, SIZE = 384 };

static void put32(u8 *table, size_t at, u32 x)
{
	memcpy(table + at, &x, sizeof(x));
}

static void put64(u8 *table, size_t at, u64 x)
{
	memcpy(table + at, &x, sizeof(x));
}

/*
 * Three functions: of 0x40 bytes, whose stack is 0 deep for 4 bytes, then 0x98, then 0 again for the last; of
 * 0x20 bytes, outermost, and of 0x40 bytes that write the stack pointer, with the depths of the first one.
 */
static void make_table(u8 *table, u32 magic)
{
	static const u8 steps[] = { 0, /* at offset 0: no table */
				    2,
				    4,
				    0xb0,
				    2,
				    0x38,
				    0xaf,
				    2,
				    4,
				    0,
				    /* at 10: */ 2,
				    0x20,
				    0 };
	unsigned kind_at = magic == 0xfffffff0 ? 36 : 40;

	memset(table, 0, SIZE);
	put32(table, 0, magic);
	table[6] = 1;
	table[7] = 8;
	put64(table, 8, 3);
	put64(table, 24, TEXT);
	put64(table, 56, PCS_AT);
	put64(table, 64, FUNCTIONS_AT);
	memcpy(table + PCS_AT, steps, sizeof(steps));
	for (u32 i = 0; i < 3; i++) {
		u32 description = DESCRIPTIONS_AT + i * 48;

		put32(table, FUNCTIONS_AT + i * 8, i ? 0x20 + i * 0x20 : 0);
		put32(table, FUNCTIONS_AT + i * 8 + 4, description);
		put32(table, FUNCTIONS_AT + description + 16, i == 1 ? 10 : 1);
		table[FUNCTIONS_AT + description + kind_at + 1] = (u8)i;
	}
	put32(table, FUNCTIONS_AT + 24, 0xa0);
}

static void depths_are_found(void **state)
{
	static const u32 magics[] = { 0xfffffff0, 0xfffffff1 };
	static const struct {
		u64 offset, start, end, depth;
		enum go_caller caller;
	} expected[] = {
		{ 0, 0, 4, 0, GO_CALLER_BY_DEPTH },
		{ 3, 0, 4, 0, GO_CALLER_BY_DEPTH },
		{ 4, 4, 0x3c, 0x98, GO_CALLER_BY_DEPTH },
		{ 0x3b, 4, 0x3c, 0x98, GO_CALLER_BY_DEPTH },
		{ 0x3c, 0x3c, 0x40, 0, GO_CALLER_BY_DEPTH },
		{ 0x5f, 0x40, 0x60, 0, GO_CALLER_NONE },
		/*
		 * The stack pointer may be another stack's once the frame pointer is saved, but not in the
		 * prologue.
		 */
		{ 0x60, 0x60, 0x64, 0, GO_CALLER_BY_DEPTH },
		{ 0x64, 0x64, 0x6e, 0x98, GO_CALLER_BY_DEPTH },
		{ 0x6d, 0x64, 0x6e, 0x98, GO_CALLER_BY_DEPTH },
		{ 0x6e, 0x6e, 0x9c, 0x98, GO_CALLER_BY_FRAME_POINTER },
		{ 0x9c, 0x9c, 0xa0, 0, GO_CALLER_BY_DEPTH },
	};
	u8 table[SIZE];
	struct go_table t;
	struct go_frame f;

	(void)state;
	for (size_t m = 0; m < ARRAY_SIZE(magics); m++) {
		make_table(table, magics[m]);
		assert_true(go_table__init(&t, table, sizeof(table)));
		for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
			assert_true(go_table__find(&t, TEXT + expected[i].offset, &f));
			assert_int_equal(f.start, TEXT + expected[i].start);
			assert_int_equal(f.end, TEXT + expected[i].end);
			assert_int_equal(f.depth, expected[i].depth);
			assert_int_equal(f.caller, expected[i].caller);
		}
		assert_false(go_table__find(&t, TEXT - 1, &f));
		assert_false(go_table__find(&t, TEXT + 0xa0, &f));
	}
}

/*
 * arm64: the last instruction of a frame finds the stack pointer and the frame pointer as its caller left
 * them.
 */
static void last_instruction_is_on_its_own_stack(void **state)
{
	static const struct {
		u64 offset, start, end;
		enum go_caller caller;
	} expected[] = {
		{ 0x60, 0x60, 0x64, GO_CALLER_BY_DEPTH },
		{ 0x68, 0x64, 0x6e, GO_CALLER_BY_DEPTH },
		{ 0x70, 0x6e, 0x98, GO_CALLER_BY_FRAME_POINTER },
		{ 0x94, 0x6e, 0x98, GO_CALLER_BY_FRAME_POINTER },
		{ 0x98, 0x98, 0x9c, GO_CALLER_BY_DEPTH },
		{ 0x9c, 0x9c, 0xa0, GO_CALLER_BY_DEPTH },
	};
	u8 table[SIZE];
	struct go_table t;
	struct go_frame f;

	(void)state;
	make_table(table, 0xfffffff1);
	table[6] = 4;
	table[PCS_AT + 2] = 4 / 4;
	table[PCS_AT + 5] = 0x38 / 4;
	table[PCS_AT + 8] = 4 / 4;
	assert_true(go_table__init(&t, table, sizeof(table)));
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		assert_true(go_table__find(&t, TEXT + expected[i].offset, &f));
		assert_int_equal(f.start, TEXT + expected[i].start);
		assert_int_equal(f.end, TEXT + expected[i].end);
		assert_int_equal(f.caller, expected[i].caller);
	}
}

/* The runtime's functions that change the stack in a way of their own are known by their names. */
static void stack_switches_have_names(void **state)
{
	static const struct {
		const char *name;
		enum go_caller caller;
	} expected[] = {
		{ "runtime.cgocallback", GO_CALLER_BY_DEPTH },
		{ "runtime.mcall", GO_CALLER_NONE },
		{ "runtime.morestack", GO_CALLER_NONE },
		{ "gogo", GO_CALLER_NONE },
		{ "runtime.morestack_noctxt", GO_CALLER_BY_DEPTH },
		{ "runtime.systemstack", GO_CALLER_BY_FRAME_POINTER },
		{ "runtime.mcall2", GO_CALLER_BY_FRAME_POINTER },
		{ "runtime.mcal", GO_CALLER_BY_FRAME_POINTER },
	};
	u8 table[SIZE];
	struct go_table t;
	struct go_frame f;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		make_table(table, 0xfffffff1);
		put64(table, 32, NAMES_AT);
		put32(table, FUNCTIONS_AT + DESCRIPTIONS_AT + 96 + 4, 1);
		memcpy(table + NAMES_AT + 1, expected[i].name, strlen(expected[i].name) + 1);
		assert_true(go_table__init(&t, table, sizeof(table)));
		assert_true(go_table__find(&t, TEXT + 0x90, &f));
		assert_int_equal(f.caller, expected[i].caller);
		/* A name that is cut by the end of the table is not it. */
		put32(table, FUNCTIONS_AT + DESCRIPTIONS_AT + 96 + 4, SIZE - NAMES_AT - 4);
		memcpy(table + SIZE - 4, expected[i].name, 4);
		assert_true(go_table__find(&t, TEXT + 0x90, &f));
		assert_int_equal(f.caller, GO_CALLER_BY_FRAME_POINTER);
	}
	/* Go 1.19's systemstack has no frame: the frame pointer is its caller's. */
	make_table(table, 0xfffffff0);
	put32(table, FUNCTIONS_AT + DESCRIPTIONS_AT + 96 + 16, 10);
	assert_true(go_table__init(&t, table, sizeof(table)));
	assert_true(go_table__find(&t, TEXT + 0x61, &f));
	assert_int_equal(f.caller, GO_CALLER_BY_FRAME_POINTER);
}

static void functions_have_names(void **state)
{
	struct go_functions all;
	u8 table[SIZE];
	struct go_table t;
	struct go_function f;

	(void)state;
	make_table(table, 0xfffffff1);
	put64(table, 32, NAMES_AT);
	memcpy(table + NAMES_AT, "a.B\0main.main", 14);
	put32(table, FUNCTIONS_AT + DESCRIPTIONS_AT + 48 + 4, 4);
	put32(table, FUNCTIONS_AT + DESCRIPTIONS_AT + 96 + 4, SIZE - NAMES_AT); /* outside */
	assert_true(go_table__init(&t, table, sizeof(table)));
	all = (struct go_functions){ .table = &t, .room = t.size };
	assert_true(go_functions__next(&all, &f));
	assert_string_equal(f.name, "a.B");
	assert_true(go_functions__next(&all, &f));
	assert_string_equal(f.name, "main.main");
	assert_int_equal(f.start, TEXT + 0x40);
	assert_int_equal(f.end, TEXT + 0x60);
	assert_false(go_functions__next(&all, &f));
	memset(table + NAMES_AT, 'x', SIZE - NAMES_AT); /* without an end */
	all = (struct go_functions){ .table = &t, .room = t.size };
	assert_false(go_functions__next(&all, &f));
}

/* A table of a few bytes must not stand for names of gigabytes. */
static void names_do_not_overlap(void **state)
{
	struct go_functions all;
	u8 table[SIZE];
	struct go_table t;
	struct go_function f;
	unsigned nr = 0;

	(void)state;
	make_table(table, 0xfffffff1);
	memset(table + NAMES_AT, 'x', SIZE - NAMES_AT);
	table[SIZE - 1] = 0;
	put64(table, 32, NAMES_AT);
	assert_true(go_table__init(&t, table, sizeof(table)));
	all = (struct go_functions){ .table = &t, .room = 2 * (SIZE - NAMES_AT - 1) + 1 };
	while (go_functions__next(&all, &f))
		nr++;
	assert_int_equal(nr, 2);
}

/* Go 1.26 and newer write 0 in the header: the module data has the words minpc, maxpc, text. */
static void the_module_data_says_where_code_begins(void **state)
{
	const u64 module[] = { 0x4000, 77, 0x5000, 0x5000, 0x50a0, 0x5000, 0x50a0 };
	const u64 liar[] = { 0, 0xa0, 0, 0x5000, 0x50a1, 0x5000, 1, 0x50a0, 0x5000 };
	u8 table[SIZE];
	struct go_table t;
	struct go_frame f;

	(void)state;
	make_table(table, 0xfffffff1);
	put64(table, GO_TABLE_TEXT, 0);
	assert_true(go_table__init(&t, table, sizeof(table)));
	assert_int_equal(t.text, 0);
	for (size_t nr = 0; nr < 6; nr++)
		assert_false(go_table__set_text(&t, module, nr));
	assert_false(go_table__set_text(&t, liar, ARRAY_SIZE(liar)));
	assert_int_equal(t.text, 0);
	assert_true(go_table__set_text(&t, module, ARRAY_SIZE(module)));
	assert_int_equal(t.text, 0x5000);
	assert_true(go_table__find(&t, 0x5004, &f));
	assert_int_equal(f.depth, 0x98);
}

static void other_tables_are_refused(void **state)
{
	u8 table[SIZE];
	struct go_table t;

	(void)state;
	make_table(table, 0xfffffffa); /* Go 1.16 */
	assert_false(go_table__init(&t, table, sizeof(table)));
	make_table(table, 0xfffffff0);
	put64(table, 8, UINT64_MAX);
	assert_false(go_table__init(&t, table, sizeof(table)));
	make_table(table, 0xfffffff0);
	put64(table, 56, SIZE + 1);
	assert_false(go_table__init(&t, table, sizeof(table)));
	for (size_t size = 0; size < 72; size++)
		assert_false(go_table__init(&t, table, size));
}

/* Whatever stands in it, cut anywhere: an answer, and no read outside (the sanitizers look). */
static void noise_is_survived(void **state)
{
	u64 seed = 3;

	(void)state;
	for (unsigned round = 0; round < 20000; round++) {
		size_t size = round % 3 ? SIZE : round % SIZE;
		u8 whole[SIZE], *table = xmalloc(size + 1);
		struct go_function function;
		struct go_table t;
		struct go_frame f;

		make_table(whole, 0xfffffff1);
		for (unsigned i = 0; i < 3; i++) {
			seed = seed * 6364136223846793005ull + 1442695040888963407ull;
			whole[8 + (seed >> 33) % (SIZE - 8)] = (u8)(seed >> 25);
		}
		memcpy(table, whole, size);
		if (go_table__init(&t, table, size))
			for (u64 at = 0; at < 0xb0; at += 3)
				if (go_table__find(&t, t.text + at, &f))
					assert_true(f.end > t.text + at);
		if (go_table__init(&t, table, size)) {
			struct go_functions all = { .table = &t, .room = size };

			while (go_functions__next(&all, &function))
				assert_true(strlen(function.name) < size);
		}
		free(table);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(depths_are_found),
		cmocka_unit_test(last_instruction_is_on_its_own_stack),
		cmocka_unit_test(stack_switches_have_names),
		cmocka_unit_test(functions_have_names),
		cmocka_unit_test(names_do_not_overlap),
		cmocka_unit_test(the_module_data_says_where_code_begins),
		cmocka_unit_test(other_tables_are_refused),
		cmocka_unit_test(noise_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
