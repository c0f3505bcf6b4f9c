/*
 * Frames of arm64 whose call frame information is less usual: a frame pointer that leads to no frame
 * record, registers that expressions give, sizes that are unknown, entry points. The stack pointer of
 * a caller that a frame record led to is unknown; a wrong one would give the callers of the junk that
 * these tests put there.
 */
#include "unit.h"

#include "arm64_frames.h"

static int open_shapes(void **state)
{
	return open_binary(state, "shapes.so");
}

/*
 * A frame record of code without CFI at the stack pointer. Its caller's stack begins at words[2] or
 * later.
 */
static void start_from_record(struct frames *f, u64 fp, const char *caller)
{
	reset(f, "in_without_cfi");
	f->regs[29] = STACK_AT;
	f->words[0] = fp;
	f->words[1] = at(f, caller);
}

static void a_frame_pointer_gives_the_frame(void **state)
{
	struct frames *f = *state;
	u64 sps[16];

	start_from_record(f, STACK_AT + 8 * 10, "in_by_fp");
	f->words[10] = 0;
	f->words[11] = at(f, "after_by_fp");
	expect_chain(f, UNWIND_COMPLETE, sps, (const char *const[]){ "in_by_fp", "after_by_fp", NULL });
	assert_int_equal(sps[0], STACK_AT);
	assert_int_equal(sps[2], STACK_AT + 8 * 10 + 32);
}

static void registers_that_are_not_neighbours_are_no_record(void **state)
{
	static const struct {
		const char *place, *right, *wrong;
		unsigned fp_word, ra_word;
	} rows[] = {
		{ "in_apart", "after_apart", "after_apart_2", 0, 3 },
		{ "in_upside_down", "after_upside_down", "after_leaf", 1, 0 },
	};
	struct frames *f = *state;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const unsigned junk = 20;

		/* if the frame pointer led to a record, the return address would be at another place */
		start_from_record(f, STACK_AT + 8 * (junk + rows[i].fp_word), rows[i].place);
		f->words[junk + rows[i].ra_word] = at(f, rows[i].wrong);
		f->words[2 + rows[i].ra_word] = at(f, rows[i].right);
		expect(f, UNWIND_COMPLETE, rows[i].place, rows[i].right);
	}
}

/* The frame pointer leads to a record that has a return address, but not outwards. */
static void a_record_below_the_stack_pointer_is_none(void **state)
{
	struct frames *f = *state;

	reset(f, "in_without_cfi");
	f->regs[29] = STACK_AT + 8 * 12;
	f->words[12] = STACK_AT + 8 * 2;
	f->words[13] = at(f, "in_with_record");
	f->words[3] = at(f, "after_entry"); /* a call of another function */
	f->words[14 + 3] = at(f, "after_with_record");
	expect(f, UNWIND_COMPLETE, "in_with_record", "after_with_record");
}

/* However far out the frame is: the frame pointer leads to its record, 16 bytes into it. */
static void far_frames_are_found_by_their_record(void **state)
{
	static const char *const rows[][2] = { { "in_with_record", "after_with_record" },
					       { "in_by_expr", "after_by_expr" } };
	struct frames *f = *state;
	u64 sps[16];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (unsigned record = 6; record < 50; record += 4) {
			start_from_record(f, STACK_AT + 8 * record, rows[i][0]);
			f->words[record] = 0;
			f->words[record + 1] = at(f, rows[i][1]);
			f->words[2 + 3] = at(f, "after_apart_2"); /* nearer, of another function */
			expect_chain(f, UNWIND_COMPLETE, sps,
				     (const char *const[]){ rows[i][0], rows[i][1], NULL });
			assert_int_equal(sps[2], STACK_AT + 8 * (record - 2 + 8));
		}
}

/*
 * The caller's frame may begin anywhere after the callee's record: the frame pointer leads to its
 * record.
 */
static void a_record_in_the_middle_gives_the_stack_pointer(void **state)
{
	struct frames *f = *state;
	u64 sps[16];

	for (unsigned sp = 2; sp < 50; sp += 4) {
		start_from_record(f, STACK_AT + 8 * (sp + 2), "in_with_record");
		f->words[sp + 3] = at(f, "after_with_record");
		expect_chain(f, UNWIND_COMPLETE, sps,
			     (const char *const[]){ "in_with_record", "after_with_record", NULL });
		assert_int_equal(sps[2], STACK_AT + 8 * sp + 64);
	}
}

static void expressions_give_records(void **state)
{
	struct frames *f = *state;
	u64 sps[16];

	start_from_record(f, STACK_AT + 8 * 20, "in_by_expr");
	f->words[20] = 0;
	f->words[21] = at(f, "after_by_expr");
	expect_chain(f, UNWIND_COMPLETE, sps, (const char *const[]){ "in_by_expr", "after_by_expr", NULL });
	/* the record is 16 bytes above the function's stack pointer, and its frame has 64 */
	assert_int_equal(sps[2], STACK_AT + 8 * 20 - 16 + 64);
	/* the frame pointer leads to no return address */
	f->words[21] = at(f, "in_leaf");
	expect(f, UNWIND_CORRUPT, "in_by_expr");
	/* with a stack pointer that is known, the row is right if it leads to a return address */
	reset(f, "in_by_long_expr");
	f->regs[29] = STACK_AT + 8 * 30;
	f->words[3] = at(f, "after_by_expr");
	expect_chain(f, UNWIND_COMPLETE, sps, (const char *const[]){ "after_by_expr", NULL });
	assert_int_equal(sps[1], STACK_AT + 64);
	f->words[3] = at(f, "in_leaf");
	f->words[31] = at(f, "after_by_expr");
	expect_chain(f, UNWIND_COMPLETE, sps, (const char *const[]){ "after_by_expr", NULL });
	assert_int_equal(sps[1], STACK_AT + 8 * 32);
}

/* Whatever called the function: the stack pointer is not needed. */
static void an_expression_of_the_frame_pointer_is_enough(void **state)
{
	struct frames *f = *state;

	start_from_record(f, STACK_AT + 8 * 10, "in_by_fp_expr");
	f->words[11] = at(f, "after_entry"); /* a call of another function, which jumped here */
	expect(f, UNWIND_COMPLETE, "in_by_fp_expr", "after_entry");
}

/* Only the return address is saved: the search that begins at the callee's record finds it. */
static void a_value_is_no_place_of_a_record(void **state)
{
	struct frames *f = *state;

	start_from_record(f, STACK_AT + 8 * 20, "in_by_value");
	f->words[20 + 1] = at(f, "after_apart"); /* a record would be there */
	f->words[2 + 3] = at(f, "after_by_value");
	expect(f, UNWIND_COMPLETE, "in_by_value", "after_by_value");
	f->words[1] = at(f, "in_by_offset");
	f->words[2 + 3] = at(f, "after_apart");
	expect(f, UNWIND_COMPLETE, "in_by_offset", "after_apart");
}

static void a_return_address_that_is_unknown_ends_the_chain(void **state)
{
	struct frames *f = *state;

	start_from_record(f, STACK_AT + 8 * 2, "in_only_fp");
	f->words[2] = 0;
	f->words[3] = at(f, "after_leaf");
	f->regs[30] = at(f, "after_entry"); /* of an inner frame, and not kept by the callee */
	expect(f, UNWIND_CORRUPT, "in_only_fp");
}

/* Without the length of vectors, a leaf's frame is unknown. */
static void frames_of_unknown_size(void **state)
{
	struct frames *f = *state;

	/* the leaf still has its return address: where its caller's frame is stays unknown */
	reset(f, "in_unknown_leaf");
	f->regs[30] = at(f, "after_leaf");
	expect(f, UNWIND_COMPLETE, "after_leaf");
	f->regs[30] = at(f, "in_leaf"); /* after no call */
	expect(f, UNWIND_NO_REGS, NULL);
	f->regs[30] = 0;
	expect(f, UNWIND_NO_REGS, NULL);
	/* the caller's frame pointer is right, its stack pointer is not known: junk is not searched */
	f->regs[30] = at(f, "in_by_fp");
	f->regs[29] = STACK_AT + 8 * 20;
	f->words[20] = 0;
	f->words[21] = at(f, "after_by_fp");
	expect(f, UNWIND_COMPLETE, "in_by_fp", "after_by_fp");
	f->regs[30] = at(f, "in_apart");
	f->words[3] = at(f, "after_apart");
	expect(f, UNWIND_CORRUPT, "in_apart");
	/* it has saved x30: only the frame pointer is left */
	reset(f, "in_unknown_size");
	f->regs[30] = at(f, "after_leaf");
	f->regs[29] = 0;
	expect(f, UNWIND_NO_REGS, NULL);
	f->regs[29] = STACK_AT + 8 * 4;
	f->words[4] = 0;
	f->words[5] = at(f, "after_unknown_size");
	expect(f, UNWIND_COMPLETE, "after_unknown_size");
}

static void a_size_beyond_the_copy_is_cut(void **state)
{
	struct frames *f = *state;
	struct unwind_sample s;
	struct unwinder *u;
	unsigned nr;
	u64 ip;

	reset(f, "in_far_size");
	f->regs[29] = STACK_AT;
	f->words[0] = 0;
	f->words[1] = at(f, "after_leaf");
	f->words[32] = STACK_AT + 8 * 8;
	f->words[7] = at(f, "after_leaf");
	expect(f, UNWIND_COMPLETE, "after_leaf");
	u = unwinder__new(unwind_arch__find("aarch64"), look_up_frames, f);
	s = sample_of(f);
	s.stack_size = 32 * 8;
	assert_int_equal(unwinder__run(u, &s, &ip, NULL, 1, &nr), UNWIND_CUT);
	assert_int_equal(nr, 1);
	unwinder__delete(u);
}

/* What was interrupted need not follow a call, as callers do. Here it is in a loop with itself. */
static void a_signal_frame_by_expressions_is_not_searched(void **state)
{
	struct frames *f = *state;

	reset(f, "in_leaf");
	f->regs[30] = at(f, "in_restorer");
	f->words[0] = 0;
	f->words[1] = at(f, "in_leaf");
	f->regs[29] = STACK_AT + 8 * 30;
	expect(f, UNWIND_CORRUPT, "=in_restorer", "=in_leaf");
}

static void a_frame_that_returns_to_itself_ends_the_chain(void **state)
{
	struct frames *f = *state;

	reset(f, "in_moves");
	f->regs[30] = at(f, "in_moves");
	expect(f, UNWIND_CORRUPT, NULL);
}

/* The address is shown without its signature, although nothing is there. */
static void a_signature_is_not_part_of_an_unmapped_address(void **state)
{
	struct frames *f = *state;
	struct unwinder *u = unwinder__new(unwind_arch__find("aarch64"), look_up_frames, f);
	struct unwind_sample s;
	u64 ips[8];
	unsigned nr;

	reset(f, "in_leaf");
	f->regs[30] = 0x5d5a5a4000001234; /* the stack is in the first 36 bits */
	s = sample_of(f);
	assert_int_equal(unwinder__run(u, &s, ips, NULL, 8, &nr), UNWIND_UNMAPPED);
	assert_int_equal(nr, 2);
	assert_int_equal(ips[1], 0x1234 - 1);
	unwinder__delete(u);
}

static void an_entry_has_no_caller(void **state)
{
	struct frames *f = *state;
	struct unwinder *u = unwinder__new(unwind_arch__find("aarch64"), look_up_frames, f);

	reset(f, "in_entry");
	f->regs[30] = 0;
	expect(f, UNWIND_COMPLETE, NULL);
	reset(f, "in_leaf");
	f->regs[30] = 0;
	expect(f, UNWIND_UNMAPPED, NULL);
	assert_true(unwinder__is_outermost(u, 0, at(f, "in_entry")));
	assert_true(unwinder__is_outermost(u, 0, at(f, "after_leaf") - 1));
	assert_false(unwinder__is_outermost(u, 0, at(f, "in_leaf")));
	assert_false(unwinder__is_outermost(u, 0, at(f, "in_without_cfi")));
	assert_false(unwinder__is_outermost(u, 0, 1));
	unwinder__delete(u);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(far_frames_are_found_by_their_record),
		cmocka_unit_test(a_frame_pointer_gives_the_frame),
		cmocka_unit_test(registers_that_are_not_neighbours_are_no_record),
		cmocka_unit_test(a_record_below_the_stack_pointer_is_none),
		cmocka_unit_test(expressions_give_records),
		cmocka_unit_test(a_value_is_no_place_of_a_record),
		cmocka_unit_test(a_return_address_that_is_unknown_ends_the_chain),
		cmocka_unit_test(frames_of_unknown_size),
		cmocka_unit_test(a_size_beyond_the_copy_is_cut),
		cmocka_unit_test(a_signal_frame_by_expressions_is_not_searched),
		cmocka_unit_test(a_record_in_the_middle_gives_the_stack_pointer),
		cmocka_unit_test(an_expression_of_the_frame_pointer_is_enough),
		cmocka_unit_test(a_frame_that_returns_to_itself_ends_the_chain),
		cmocka_unit_test(a_signature_is_not_part_of_an_unmapped_address),
		cmocka_unit_test(an_entry_has_no_caller),
	};

	return cmocka_run_group_tests(tests, open_shapes, close_frames);
}
