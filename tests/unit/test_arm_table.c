/* Unwinding tables of 32-bit ARM: what each instruction does, and tables that are not to be trusted. */
#include "unit.h"

#include "binary/tables/arm_table.h"

#include <string.h>

enum { INDEX_AT = 0x20000, MORE_AT = 0x30000, CODE_AT = 0x10000 };

static u32 words_index[8], words_more[8];

static u32 prel31(u64 to, u64 from)
{
	return (u32)(to - from) & 0x7fffffff;
}

/* Functions at CODE_AT, + 0x100, + 0x200 (the end). The first one has this word. */
static struct arm_table make_table(u32 word)
{
	memset(words_more, 0, sizeof(words_more));
	for (u32 i = 0; i < 3; i++) {
		words_index[2 * i] = prel31(CODE_AT + 0x100 * i, INDEX_AT + 8 * i);
		words_index[2 * i + 1] = 1;
	}
	words_index[1] = word;
	return (struct arm_table){ { (const u8 *)words_index, 24, INDEX_AT },
				   { (const u8 *)words_more, sizeof(words_more), MORE_AT } };
}

static bool find(u32 word, struct arm_frame *f)
{
	struct arm_table t = make_table(word);

	return arm_table__find(&t, CODE_AT + 0x80, f);
}

static void instructions_move_the_stack_pointer(void **state)
{
	static const struct {
		u32 word;
		s64 cfa;
	} table[] = {
		{ 0x80b0b0b0, 0 },   { 0x8000b0b0, 4 },  { 0x803fb0b0, 256 },        { 0x803f40b0, 252 },
		{ 0x80a8b0b0, 8 },   { 0x80b101b0, 4 },  { 0x808001b0 | 1 << 8, 4 }, { 0x80b200b0, 516 },
		{ 0x80b210b0, 580 }, { 0x80b301b0, 20 }, { 0x80b9b0b0, 20 },         { 0x80d1b0b0, 16 },
		{ 0x80c902b0, 24 },  { 0x80c801b0, 16 }, { 0x80c2b0b0, 24 },         { 0x80c601b0, 16 },
		{ 0x80c703b0, 8 },   { 0x80b4b0b0, 4 },  { 0x80b5b0b0, 0 },
	};
	struct arm_frame f;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		assert_true(find(table[i].word, &f));
		assert_int_equal(f.base, 13);
		assert_int_equal(f.offset, table[i].cfa);
		assert_int_equal(f.end, CODE_AT + 0x100);
	}
}

static void registers_are_found(void **state)
{
	struct arm_frame f;

	(void)state;
	assert_true(find(0x8000a9b0, &f)); /* vsp += 4; pop {r4, r5, lr} */
	assert_int_equal(f.offset, 16);
	assert_int_equal(f.saved, 1 << 4 | 1 << 5 | 1 << 14);
	assert_int_equal(f.at[4] - f.offset, -12);
	assert_int_equal(f.at[5] - f.offset, -8);
	assert_int_equal(f.at[14] - f.offset, -4);

	assert_true(find(0x8097840b, &f)); /* vsp = r7; pop {r4, r5, r7, lr} */
	assert_int_equal(f.base, 7);
	assert_int_equal(f.offset, 16);
	assert_int_equal(f.at[7] - f.offset, -8);

	assert_true(find(0x80b0b0b0, &f)); /* a leaf: the link register holds the return address */
	assert_int_equal(f.saved, 0);
}

static void long_descriptions_are_elsewhere(void **state)
{
	struct arm_table t = make_table(prel31(MORE_AT + 8, INDEX_AT + 4));
	struct arm_frame f;

	(void)state;
	/* what a signal interrupted: vsp += 32; pop {r0-r3}; pop {r4-r15} */
	words_more[2] = 0x810107b1;
	words_more[3] = 0x0f8fffb0;
	assert_true(arm_table__find(&t, CODE_AT, &f));
	assert_int_equal(f.saved, 0xffff);
	assert_int_equal(f.at[15] - f.offset, -4);
	assert_int_equal(f.at[13] - f.offset, -12);

	/* a language's own routine comes first */
	words_more[2] = 0x12345678;
	words_more[3] = 0x0100a8b0;
	words_more[4] = 0xb0b0b0b0;
	assert_true(arm_table__find(&t, CODE_AT, &f));
	assert_int_equal(f.offset, 12);

	/* more words than there are */
	words_more[3] = 0xff00a8b0;
	assert_false(arm_table__find(&t, CODE_AT, &f));
	words_more[2] = 0x81ff07b1;
	assert_false(arm_table__find(&t, CODE_AT, &f));
	t.more.data = NULL;
	assert_false(arm_table__find(&t, CODE_AT, &f));
}

static void nonsense_has_no_row(void **state)
{
	static const u32 words[] = { 1,          0x808000b0, 0x809db0b0, 0x809fb0b0, 0x80b100b0,
				     0x80b110b0, 0x80b6b0b0, 0x80d8b0b0, 0x80cab0b0, 0x83b0b0b0,
				     0x8fb0b0b0, 0x80b2ffff, 0x80a897b0, 0x7fffffff };
	struct arm_table t = make_table(0x80b0b0b0);
	struct arm_frame f;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		assert_false(find(words[i], &f));
	t = make_table(0x80b0b0b0);
	assert_false(arm_table__find(&t, CODE_AT - 1, &f));
	assert_false(arm_table__find(&t, CODE_AT + 0x200, &f)); /* the last one has no end */
	for (t.index.size = 0; t.index.size < 16; t.index.size++)
		assert_false(arm_table__find(&t, CODE_AT, &f));
	assert_true(arm_table__find(&t, CODE_AT, &f));
	t.index.data = NULL;
	assert_false(arm_table__find(&t, CODE_AT, &f));
}

static void functions_have_ranges(void **state)
{
	struct arm_table t = make_table(1);
	u64 start, end;

	(void)state;
	assert_true(arm_table__range(&t, CODE_AT + 0x1ff, &start, &end));
	assert_int_equal(start, CODE_AT + 0x100);
	assert_int_equal(end, CODE_AT + 0x200);
	assert_false(arm_table__range(&t, CODE_AT + 0x200, &start, &end)); /* the last one has no end */
	assert_false(arm_table__range(&t, CODE_AT - 1, &start, &end));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_move_the_stack_pointer),
		cmocka_unit_test(registers_are_found),
		cmocka_unit_test(long_descriptions_are_elsewhere),
		cmocka_unit_test(nonsense_has_no_row),
		cmocka_unit_test(functions_have_ranges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
