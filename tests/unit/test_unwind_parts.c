/* The parts of a step: words of the stack, registers of a sample, addresses without their signature. */
#include "unit.h"

#include "base/memory/mem.h"
#include "unwind/unwind_private.h"

#include <string.h>

enum { START = 0x10000, SIZE = 64 };

static void words_are_read_inside_the_copy(void **state)
{
	static const u64 far = 1ull << 30; /* bytes above the start that a larger copy might have */
	u8 data[SIZE];
	static const struct {
		u64 at;
		u8 word;
		bool is_read, is_cut;
	} rows[] = {
		{ START, 8, true, false },
		{ START + 3, 8, true, false },
		{ START + SIZE - 8, 8, true, false },
		{ START + SIZE - 7, 8, false, true },
		{ START + SIZE - 4, 4, true, false },
		{ START + SIZE - 4, 8, false, true },
		{ START + SIZE - 3, 4, false, true },
		{ START + SIZE - 1, 8, false, true },
		{ START + SIZE, 8, false, true },
		{ START + SIZE + 1, 8, false, true },
		{ START + far - 1, 8, false, true },
		{ START + far, 8, false, false },
		{ START - 1, 8, false, false },
		{ START - 8, 8, false, false },
		{ 0, 8, false, false },
		{ UINT64_MAX, 8, false, false },
	};

	(void)state;
	for (unsigned i = 0; i < SIZE; i++)
		data[i] = (u8)(i + 1);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct unwind_stack s = {
			.data = data, .start = START, .end = START + SIZE, .word = rows[i].word
		};
		u64 value = ~77ull, expected = 0;

		if (rows[i].is_read)
			memcpy(&expected, data + (rows[i].at - START), rows[i].word);
		assert_int_equal(unwind_stack__read(&s, rows[i].at, &value), rows[i].is_read);
		assert_int_equal(value, rows[i].is_read ? expected : ~77ull);
		assert_int_equal(s.cut, rows[i].is_cut);
		s.cut = true; /* it stays so */
		unwind_stack__read(&s, rows[i].at, &value);
		assert_true(s.cut);
	}
}

static void look_nothing_up(void *ctx, u64 ip, struct unwind_code *code)
{
	(void)ctx;
	(void)ip;
	(void)code;
}

/* The stack's address shows how many bits addresses have at least. */
static void signatures_are_in_unused_bits(void **state)
{
	static const unsigned widths[] = { 36, 39, 42, 47, 48, 52 };
	struct frame_state f = { .u = unwinder__new(unwind_arch__find("aarch64"), look_nothing_up, NULL) };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
		u64 mask = (1ull << widths[i]) - 1;

		f.stack.start = mask;
		assert_int_equal(frame_state__plain_address(&f, UINT64_MAX), mask);
		assert_int_equal(frame_state__plain_address(&f, 0x1234), 0x1234);
		f.stack.start = i ? 1ull << widths[i - 1] : 0;
		assert_int_equal(frame_state__plain_address(&f, UINT64_MAX), mask);
	}
	f.stack.start = 1ull << 52;
	assert_int_equal(frame_state__plain_address(&f, UINT64_MAX), UINT64_MAX);
	unwinder__delete(f.u);
	f.u = unwinder__new(unwind_arch__find("x86_64"), look_nothing_up, NULL);
	f.stack.start = 0x1000;
	assert_int_equal(frame_state__plain_address(&f, UINT64_MAX), UINT64_MAX);
	unwinder__delete(f.u);
}

static void registers_are_loaded_by_their_numbers(void **state)
{
	static const u64 values[] = { 100, 101, 102, 103, 104, 105, 106 };
	const struct unwind_arch *x86 = unwind_arch__find("x86_64"), *arm64 = unwind_arch__find("aarch64");
	struct unwind_sample s = { .regs = values };
	struct unwind_regs regs = { 0 };

	(void)state;
	/* bp, sp, ip, the flags, which nobody needs, r8, r15, one that there is not */
	s.regs_mask = 1 << 6 | 1 << 7 | 1 << 8 | 1 << 9 | 1 << 16 | 1 << 23 | 1 << 24;
	assert_true(unwind_regs__load(&regs, x86, &s));
	assert_int_equal(regs.known, 1 << 6 | 1 << 7 | 1 << 16 | 1 << 8 | 1 << 15);
	assert_int_equal(regs.ip, 102);
	assert_int_equal(regs.v[6], 100);
	assert_int_equal(regs.v[7], 101);
	assert_int_equal(regs.v[16], 102); /* as a register of rules */
	assert_int_equal(regs.v[8], 104);
	assert_int_equal(regs.v[15], 105);
	/* ax is the first of all */
	regs = (struct unwind_regs){ 0 };
	s.regs_mask = 1 << 0 | 1 << 1 | 1 << 7 | 1 << 8;
	assert_true(unwind_regs__load(&regs, x86, &s));
	assert_int_equal(regs.v[0], 100);
	assert_int_equal(regs.v[3], 101); /* bx */
	assert_int_equal(regs.v[7], 102);
	assert_int_equal(regs.ip, 103);
	/* without the stack pointer, or the program counter */
	regs = (struct unwind_regs){ 0 };
	s.regs_mask = 1 << 6 | 1 << 8;
	assert_false(unwind_regs__load(&regs, x86, &s));
	regs = (struct unwind_regs){ 0 };
	s.regs_mask = 1 << 6 | 1 << 7;
	assert_false(unwind_regs__load(&regs, x86, &s));
	/* x0, x30, sp, pc, VG: the program counter has no number */
	regs = (struct unwind_regs){ 0 };
	s.regs_mask = 1ull << 0 | 1ull << 30 | 1ull << 31 | 1ull << 32 | 1ull << 46;
	assert_true(unwind_regs__load(&regs, arm64, &s));
	assert_int_equal(regs.known, 1ull << 0 | 1ull << 30 | 1ull << 31 | 1ull << 46);
	assert_int_equal(regs.v[0], 100);
	assert_int_equal(regs.v[30], 101);
	assert_int_equal(regs.v[31], 102);
	assert_int_equal(regs.ip, 103);
	assert_int_equal(regs.v[46], 104);
}

/* ---- whole walks, of code without CFI ---- */

enum { CODE = 0x400000, CODE_SIZE = 0x1000 };

/* Code that cannot be read; a part may be the vdso. */
static u64 vdso;

static void look_up(void *ctx, u64 ip, struct unwind_code *code)
{
	(void)ctx;
	code->is_code = ip - CODE < CODE_SIZE;
	code->is_vdso = vdso && ip - vdso < 16;
}

struct walk {
	struct unwinder *u;
	u64 regs[3], words[16], ips[8], sps[8]; /* registers: fp, sp, ip */
	struct unwind_sample s;
	unsigned nr;
};

static void begin(struct walk *w)
{
	*w = (struct walk){ .u = unwinder__new(unwind_arch__find("x86_64"), look_up, NULL),
			    .regs = { START, START, CODE + 1 } };
	w->s = (struct unwind_sample){ .regs_mask = 7 << 6,
				       .regs = w->regs,
				       .stack = (const u8 *)w->words,
				       .stack_size = sizeof(w->words) };
	for (unsigned i = 0; i < 3; i++) {
		w->words[2 * i] = START + 16 * (i + 1);
		w->words[2 * i + 1] = CODE + 0x10 * (i + 1);
	}
	w->words[6] = w->words[7] = 0;
}

static enum unwind_end run(struct walk *w, unsigned max)
{
	return unwinder__run(w->u, &w->s, w->ips, w->sps, max, &w->nr);
}

static void frame_pointers_lead_outwards(void **state)
{
	struct walk w;

	(void)state;
	begin(&w);
	assert_int_equal(run(&w, 8), UNWIND_NO_CFI);
	assert_int_equal(w.nr, 4);
	assert_int_equal(w.u->next_sp, START + 64); /* after a record that leads nowhere */
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(w.ips[i], i ? CODE + 0x10 * i - 1 : CODE + 1);
		assert_int_equal(w.sps[i], START + 16 * i);
	}
	for (unsigned max = 0; max < 4; max++) {
		assert_int_equal(run(&w, max), UNWIND_TOO_DEEP);
		assert_int_equal(w.nr, max);
	}
	/* more frames than in the walk before, for a caller that wants no stack pointers */
	for (unsigned max = 0; max < 4; max++)
		assert_int_equal(unwinder__run(w.u, &w.s, w.ips, NULL, max, &w.nr), UNWIND_TOO_DEEP);
	/* a record at the last two words of the copy, at the last one, and after it */
	w.words[4] = START + sizeof(w.words) - 16;
	w.words[14] = 0;
	w.words[15] = CODE + 0x50;
	assert_int_equal(run(&w, 8), UNWIND_NO_CFI);
	assert_int_equal(w.nr, 5);
	assert_int_equal(w.ips[4], CODE + 0x50 - 1);
	for (unsigned i = 1; i < 3; i++) {
		w.words[4] = START + sizeof(w.words) - 16 + 8 * i;
		assert_int_equal(run(&w, 8), UNWIND_CUT);
		assert_int_equal(w.nr, 4);
		assert_int_equal(w.u->next_sp, w.words[4] + 16);
	}
	/* inwards, to itself, and not at a word */
	w.words[4] = START + 40;
	assert_int_equal(run(&w, 8), UNWIND_NO_CFI);
	assert_int_equal(w.nr, 4);
	assert_int_equal(w.u->next_sp, 0); /* not that of the step before */
	w.words[4] = START + 52;
	assert_int_equal(run(&w, 8), UNWIND_NO_CFI);
	assert_int_equal(w.nr, 4);
	/* to no code */
	w.words[4] = START + 48;
	w.words[7] = CODE + CODE_SIZE + 1;
	assert_int_equal(run(&w, 8), UNWIND_NO_CFI);
	assert_int_equal(w.nr, 4);
	w.words[7] = CODE + CODE_SIZE; /* after the last byte */
	assert_int_equal(run(&w, 8), UNWIND_NO_CFI);
	assert_int_equal(w.nr, 5);
	unwinder__delete(w.u);
}

static void samples_need_registers(void **state)
{
	struct walk w;

	(void)state;
	begin(&w);
	w.words[4] = START + sizeof(w.words);
	assert_int_equal(run(&w, 8), UNWIND_CUT);
	assert_int_not_equal(w.u->next_sp, 0);
	w.s.regs = NULL;
	assert_int_equal(run(&w, 8), UNWIND_NO_REGS);
	assert_int_equal(w.nr, 0);
	assert_int_equal(w.u->next_sp, 0);
	assert_false(unwinder__left_stack(w.u));
	w.s.regs = w.regs;
	w.s.regs_mask = 3 << 6;
	assert_int_equal(run(&w, 8), UNWIND_NO_REGS);
	assert_int_equal(w.nr, 0);
	w.s.regs_mask = 7 << 6;
	w.regs[1] = UINT64_MAX - 8; /* the copy would go beyond the address space */
	run(&w, 8);
	assert_int_equal(w.nr, 1);
	unwinder__delete(w.u);
	/* of an unknown machine */
	w.u = unwinder__new(NULL, look_up, NULL);
	assert_int_equal(run(&w, 8), UNWIND_NO_REGS);
	unwinder__delete(w.u);
	/* of 32-bit programs on a machine that has none */
	w.u = unwinder__new(unwind_arch__find("i386"), look_up, NULL);
	assert_int_equal(run(&w, 8), UNWIND_NO_REGS);
	unwinder__delete(w.u);
}

/* What was looked for before beyond the end of the copy does not count: the frame pointer leads elsewhere. */
static void a_far_frame_pointer_is_not_cut(void **state)
{
	struct walk w;

	(void)state;
	begin(&w);
	w.words[0] = START + (2ull << 30);
	w.words[2] = w.words[3] = 0; /* as in a signal frame, whose other words are not in the copy */
	assert_int_equal(run(&w, 8), UNWIND_NO_CFI);
	assert_int_equal(w.nr, 2);
	w.words[0] = START + (1ull << 29);
	assert_int_equal(run(&w, 8), UNWIND_CUT);
	assert_int_equal(w.nr, 2);
	unwinder__delete(w.u);
}

/* On x86-64, handlers return to the C library: the vdso has functions as others. */
static void the_vdso_restores_nothing(void **state)
{
	u64 words[40] = { 0 };
	struct walk w;

	(void)state;
	begin(&w);
	for (unsigned i = 0; i < ARRAY_SIZE(words); i++)
		words[i] = CODE + 0x100;
	memcpy(words, w.words, sizeof(w.words));
	vdso = CODE + 0x8;
	w.s.stack = (const u8 *)words;
	w.s.stack_size = sizeof(words);
	assert_int_equal(run(&w, 8), UNWIND_NO_CFI);
	assert_int_equal(w.nr, 4);
	assert_int_equal(w.ips[1], CODE + 0x10 - 1);
	assert_int_equal(w.ips[2], CODE + 0x20 - 1);
	vdso = 0;
	unwinder__delete(w.u);
}

/* Words of four bytes, and frame pointers as in 64-bit code. */
static void programs_of_32_bits_have_shorter_words(void **state)
{
	u32 words[] = { START + 8, CODE + 0x10, START + 16, CODE + 0x20, 0, 0 };
	struct walk w;

	(void)state;
	begin(&w);
	for (int i = 0; i < 2; i++) { /* on a machine of 64 bits, and on one of 32 */
		w.s.is_32bit = true;
		w.s.stack = (const u8 *)words;
		w.s.stack_size = sizeof(words);
		assert_int_equal(run(&w, 8), UNWIND_NO_CFI);
		assert_int_equal(w.nr, 3);
		assert_int_equal(w.ips[1], CODE + 0x10 - 1);
		assert_int_equal(w.ips[2], CODE + 0x20 - 1);
		assert_int_equal(w.sps[2], START + 16);
		unwinder__delete(w.u);
		w.u = unwinder__new(unwind_arch__find("i386"), look_up, NULL);
	}
	unwinder__delete(w.u);
	unwinder__delete(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_read_inside_the_copy),
		cmocka_unit_test(signatures_are_in_unused_bits),
		cmocka_unit_test(registers_are_loaded_by_their_numbers),
		cmocka_unit_test(frame_pointers_lead_outwards),
		cmocka_unit_test(samples_need_registers),
		cmocka_unit_test(a_far_frame_pointer_is_not_cut),
		cmocka_unit_test(the_vdso_restores_nothing),
		cmocka_unit_test(programs_of_32_bits_have_shorter_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
