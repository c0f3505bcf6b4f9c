/*
 * Rows from instructions of arm64. The instructions are those of an assembler; what they do to the stack
 * pointer and to the registers that calls keep follows from the Arm ARM.
 */
#include "unit.h"

#include "base/memory/mem.h"
#include "unwind/code_row.h"

#include <string.h>

enum { FP = 29, LINK = 30, SP = 31, CODE_AT = 0x1000, KEPT = 12 };
#define BIT(n) (1u << (n))

struct want {
	u8 cfa_reg; /* 0: no row */
	s64 cfa;
	u32 lost; /* mask of registers that are neither saved nor as they were */
	struct {
		u8 reg; /* 0: no more */
		s64 at; /* from cfa_reg */
	} saved[KEPT];
};

struct code {
	size_t size;
	u32 insns[16];
	struct want want;
};

struct bytes {
	const u32 *insns;
	size_t size;
};

static bool read_bytes(void *ctx, u64 ip, void *data, size_t size)
{
	const struct bytes *b = ctx;

	if (ip < CODE_AT || ip - CODE_AT > b->size || b->size - (ip - CODE_AT) < size)
		return false;
	memcpy(data, (const u8 *)b->insns + (ip - CODE_AT), size);
	return true;
}

/* Of the code from the instruction first on. */
static void check_from(size_t nr, bool is_return, const u32 *insns, size_t size, size_t first,
		       const struct want *want)
{
	u64 kept = 0xfffull << 19 & ~(u64)want->lost;
	struct bytes b = { insns, size };
	const struct cfi_row *row;
	struct code_row made;
	bool had = code_row__make_arm64(&made, CODE_AT + 4 * first, is_return, read_bytes, &b);
	unsigned nr_rules = 0;

	if (had != !!want->cfa_reg)
		fail_msg("row %zu: %d", nr, had);
	if (!had)
		return;
	row = code_row__row(&made);
	if (row->cfa_reg != want->cfa_reg || row->cfa_offset != want->cfa)
		fail_msg("row %zu: CFA %u+%lld", nr, row->cfa_reg, (long long)row->cfa_offset);
	assert_null(row->cfa_expr);
	assert_int_equal(row->ra, LINK);
	for (; nr_rules < KEPT && want->saved[nr_rules].reg; nr_rules++) {
		const u8 reg = want->saved[nr_rules].reg;
		const struct cfi_rule *rule = cfi_row__rule(row, reg);

		if (!rule || rule->kind != CFI_AT_CFA || rule->offset != want->saved[nr_rules].at - want->cfa)
			fail_msg("row %zu: register %u", nr, reg);
		kept &= ~(1ull << reg);
	}
	if (row->nr_rules != nr_rules || row->kept != kept)
		fail_msg("row %zu: %u rules, %llx is kept", nr, row->nr_rules, (unsigned long long)row->kept);
}

static void check(size_t nr, bool is_return, const u32 *insns, size_t size, const struct want *want)
{
	check_from(nr, is_return, insns, size, 0, want);
}

static void check_rows(const struct code *rows, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		check(i, false, rows[i].insns, rows[i].size, &rows[i].want);
}

#define CODE(...)                             \
	sizeof((const u32[]){ __VA_ARGS__ }), \
	{                                     \
		__VA_ARGS__                   \
	}
#define NONE                 \
	{                    \
		.cfa_reg = 0 \
	}
#define AT(reg, off, ...)                                                \
	{                                                                \
		.cfa_reg = (reg), .cfa = (off), .saved = { __VA_ARGS__ } \
	}
#define AT_BUT(reg, mask, off, ...)                                                      \
	{                                                                                \
		.cfa_reg = (reg), .lost = (mask), .cfa = (off), .saved = { __VA_ARGS__ } \
	}

/* What a frame has, which was made before. */
static const struct code registers_are_loaded_from_the_frame_rows[] = {
	/* ret */
	{ CODE(0xd65f03c0), AT(SP, 0) },
	/* ldp x29, x30, [sp], #32; ret */
	{ CODE(0xa8c27bfd, 0xd65f03c0), AT(SP, 32, { 29, 0 }, { 30, 8 }) },
	/* ldp x29, x30, [sp, #16]; add sp, sp, #48; ret */
	{ CODE(0xa9417bfd, 0x9100c3ff, 0xd65f03c0), AT(SP, 48, { 29, 16 }, { 30, 24 }) },
	/* ldp x19, x20, [sp, #16]; ldp x29, x30, [sp], #32; ret */
	{ CODE(0xa94153f3, 0xa8c27bfd, 0xd65f03c0),
	  AT(SP, 32, { 19, 16 }, { 20, 24 }, { 29, 0 }, { 30, 8 }) },
	/* ldp x29, x30, [sp, #16]!; add sp, sp, #16; ret */
	{ CODE(0xa9c17bfd, 0x910043ff, 0xd65f03c0), AT(SP, 32, { 29, 16 }, { 30, 24 }) },
	/* ldnp x29, x30, [sp]; add sp, sp, #16; ret */
	{ CODE(0xa8407bfd, 0x910043ff, 0xd65f03c0), AT(SP, 16, { 29, 0 }, { 30, 8 }) },
	/* ldr x30, [sp], #16; ret */
	{ CODE(0xf84107fe, 0xd65f03c0), AT(SP, 16, { 30, 0 }) },
	/* ldr x30, [sp, #8]; add sp, sp, #16; ret */
	{ CODE(0xf94007fe, 0x910043ff, 0xd65f03c0), AT(SP, 16, { 30, 8 }) },
	/* ldur x30, [sp, #7]; add sp, sp, #16; ret */
	{ CODE(0xf84073fe, 0x910043ff, 0xd65f03c0), AT(SP, 16, { 30, 7 }) },
	/* ldr x30, [sp, #16]!; add sp, sp, #16; ret */
	{ CODE(0xf8410ffe, 0x910043ff, 0xd65f03c0), AT(SP, 32, { 30, 16 }) },
	/* ldr x30, [sp, #4088]; add sp, sp, #1, lsl #12; ret */
	{ CODE(0xf947fffe, 0x914007ff, 0xd65f03c0), AT(SP, 4096, { 30, 4088 }) },
	/* ldr x30, [sp, #8]; ret */
	{ CODE(0xf94007fe, 0xd65f03c0), NONE },
	/* ldr x30, [sp, #16]; add sp, sp, #16; ret */
	{ CODE(0xf9400bfe, 0x910043ff, 0xd65f03c0), NONE },
	/* ldr x30, [sp]; add sp, sp, #16; ret */
	{ CODE(0xf94003fe, 0x910043ff, 0xd65f03c0), AT(SP, 16, { 30, 0 }) },
	/*
	 * ldp x19, x20, [sp]; ldp x21, x22, [sp, #16]; ldp x23, x24, [sp, #32]; ldp x25, x26, [sp,
	 * #48]; ldp x27, x28, [sp, #64]; ldp x29, x30, [sp, #80]; add sp, sp, #96; ret
	 */
	{ CODE(0xa94053f3, 0xa9415bf5, 0xa94263f7, 0xa9436bf9, 0xa94473fb, 0xa9457bfd, 0x910183ff,
	       0xd65f03c0),
	  AT(SP, 96, { 19, 0 }, { 20, 8 }, { 21, 16 }, { 22, 24 }, { 23, 32 }, { 24, 40 }, { 25, 48 },
	     { 26, 56 }, { 27, 64 }, { 28, 72 }, { 29, 80 }, { 30, 88 }) },
};

/* Stores are followed, of registers that calls keep, and of all 8 bytes. */
static const struct code what_is_stored_on_the_way_comes_back_rows[] = {
	/* stp x29, x30, [sp, #-16]!; mov x29, sp; ldp x29, x30, [sp], #16; ret */
	{ CODE(0xa9bf7bfd, 0x910003fd, 0xa8c17bfd, 0xd65f03c0), AT(SP, 0) },
	/* str x30, [sp, #-16]!; ldr x30, [sp], #16; ret */
	{ CODE(0xf81f0ffe, 0xf84107fe, 0xd65f03c0), AT(SP, 0) },
	/* stp x19, x30, [sp, #-16]!; bl .+64; ldp x19, x30, [sp], #16; ret */
	{ CODE(0xa9bf7bf3, 0x94000010, 0xa8c17bf3, 0xd65f03c0), AT(SP, 0) },
	/* stp x19, x30, [sp, #-16]!; mov x19, x0; ldp x30, x19, [sp], #16; ret */
	{ CODE(0xa9bf7bf3, 0xaa0003f3, 0xa8c14ffe, 0xd65f03c0), NONE },
	/* stp x19, x20, [sp, #-16]!; ldp x20, x19, [sp], #16; ret */
	{ CODE(0xa9bf53f3, 0xa8c14ff4, 0xd65f03c0), AT_BUT(SP, BIT(19) | BIT(20), 0) },
	/* str x19, [sp, #-16]!; str x20, [sp]; ldr x19, [sp], #16; ret */
	{ CODE(0xf81f0ff3, 0xf90003f4, 0xf84107f3, 0xd65f03c0), AT_BUT(SP, BIT(19), 0) },
	/* str x20, [sp, #-16]!; str x19, [sp]; ldr x19, [sp], #16; ret */
	{ CODE(0xf81f0ff4, 0xf90003f3, 0xf84107f3, 0xd65f03c0), AT(SP, 0) },
	/* stur x19, [sp, #-8]; mov x19, x0; ldur x19, [sp, #-8]; ret */
	{ CODE(0xf81f83f3, 0xaa0003f3, 0xf85f83f3, 0xd65f03c0), AT(SP, 0) },
	/* str x19, [sp], #16; mov x19, x0; ldr x19, [sp, #-16]!; ret */
	{ CODE(0xf80107f3, 0xaa0003f3, 0xf85f0ff3, 0xd65f03c0), AT(SP, 0) },
	/* str x18, [sp, #-16]!; ldr x19, [sp], #16; ret */
	{ CODE(0xf81f0ff2, 0xf84107f3, 0xd65f03c0), AT_BUT(SP, BIT(19), 0) },
	/* str xzr, [sp, #-16]!; ldr x19, [sp], #16; ret */
	{ CODE(0xf81f0fff, 0xf84107f3, 0xd65f03c0), AT_BUT(SP, BIT(19), 0) },
	/* str xzr, [sp, #-16]!; ldr x9, [sp], #16; mov sp, x9; ret */
	{ CODE(0xf81f0fff, 0xf84107e9, 0x9100013f, 0xd65f03c0), NONE },
	/* str w19, [sp, #-16]!; ldr x19, [sp], #16; ret */
	{ CODE(0xb81f0ff3, 0xf84107f3, 0xd65f03c0), AT_BUT(SP, BIT(19), 0) },
	/* stp w19, w20, [sp, #-16]!; ldr x19, [sp], #16; ret */
	{ CODE(0x29be53f3, 0xf84107f3, 0xd65f03c0), AT_BUT(SP, BIT(19), 0) },
	/* str x19, [sp, #-16]!; ldr w19, [sp], #16; ret */
	{ CODE(0xf81f0ff3, 0xb84107f3, 0xd65f03c0), AT_BUT(SP, BIT(19), 0) },
	/* stp x19, x20, [sp, #-16]!; ldp w19, w20, [sp], #16; ret */
	{ CODE(0xa9bf53f3, 0x28c253f3, 0xd65f03c0), AT_BUT(SP, BIT(19) | BIT(20), 0) },
	/* stp x19, x20, [sp, #-16]!; ldpsw x19, x20, [sp], #16; ret */
	{ CODE(0xa9bf53f3, 0x68c253f3, 0xd65f03c0), AT_BUT(SP, BIT(19) | BIT(20), 0) },
	/* str x19, [sp, #-16]!; ldrsw x19, [sp], #16; ret */
	{ CODE(0xf81f0ff3, 0xb88107f3, 0xd65f03c0), AT_BUT(SP, BIT(19), 0) },
	/* str x19, [sp, #-16]!; ldrb w19, [sp], #16; ret */
	{ CODE(0xf81f0ff3, 0x384107f3, 0xd65f03c0), AT_BUT(SP, BIT(19), 0) },
	/* ldr x19, [sp, #-16]!; add sp, sp, #16; ret */
	{ CODE(0xf85f0ff3, 0x910043ff, 0xd65f03c0), AT_BUT(SP, BIT(19), 0) },
	/* str x19, [x0]; mov x19, x1; ldr x19, [x0]; ret */
	{ CODE(0xf9000013, 0xaa0103f3, 0xf9400013, 0xd65f03c0), AT(SP, 0) },
	/* ldr x19, [x0]; ret */
	{ CODE(0xf9400013, 0xd65f03c0), AT_BUT(SP, BIT(19), 0) },
	/* ldr x19, [x29, #-16]; ret */
	{ CODE(0xf85f03b3, 0xd65f03c0), AT_BUT(SP, BIT(19), 0) },
	/* mov x9, #0; str x19, [x9]; mov x19, x1; ldr x19, [x9]; ret */
	{ CODE(0xd2800009, 0xf9000133, 0xaa0103f3, 0xf9400133, 0xd65f03c0), AT_BUT(SP, BIT(19), 0) },
	/* ldr x9, [sp]; ldr x19, [x9]; ret */
	{ CODE(0xf94003e9, 0xf9400133, 0xd65f03c0), AT_BUT(SP, BIT(19), 0) },
	/* ldr x19, [sp, x9]; ret */
	{ CODE(0xf8696bf3, 0xd65f03c0), AT_BUT(SP, BIT(19), 0) },
	/* ldr x30, [x29, #8]; ret */
	{ CODE(0xf94007be, 0xd65f03c0), NONE },
	/* bl .+64; str x30, [sp, #-16]!; ldr x30, [sp], #16; ret */
	{ CODE(0x94000010, 0xf81f0ffe, 0xf84107fe, 0xd65f03c0), NONE },
};

/* The stack pointer is set from the frame pointer. */
static const struct code frames_are_told_by_the_frame_pointer_rows[] = {
	/* mov sp, x29; ldp x29, x30, [sp], #16; ret */
	{ CODE(0x910003bf, 0xa8c17bfd, 0xd65f03c0), AT(FP, 16, { 29, 0 }, { 30, 8 }) },
	/* sub sp, x29, #16; ldp x19, x20, [sp], #16; ldp x29, x30, [sp], #16; ret */
	{ CODE(0xd10043bf, 0xa8c153f3, 0xa8c17bfd, 0xd65f03c0),
	  AT(FP, 16, { 19, -16 }, { 20, -8 }, { 29, 0 }, { 30, 8 }) },
	/* ldr x19, [x29, #-8]; mov sp, x29; ldp x29, x30, [sp], #16; ret */
	{ CODE(0xf85f83b3, 0x910003bf, 0xa8c17bfd, 0xd65f03c0),
	  AT(FP, 16, { 19, -8 }, { 29, 0 }, { 30, 8 }) },
	/* ldr x19, [sp]; mov sp, x29; ldp x29, x30, [sp], #16; ret */
	{ CODE(0xf94003f3, 0x910003bf, 0xa8c17bfd, 0xd65f03c0),
	  AT_BUT(FP, BIT(19), 16, { 29, 0 }, { 30, 8 }) },
	/* mov sp, x29; ret */
	{ CODE(0x910003bf, 0xd65f03c0), AT(FP, 0) },
	/* sub sp, x29, #16; ret */
	{ CODE(0xd10043bf, 0xd65f03c0), AT(FP, -16) },
	/* mov sp, x0; ret */
	{ CODE(0x9100001f, 0xd65f03c0), NONE },
	/* mov sp, x0; mov sp, x29; ret */
	{ CODE(0x9100001f, 0x910003bf, 0xd65f03c0), AT(FP, 0) },
	/* ldr x9, [sp]; mov sp, x9; ret */
	{ CODE(0xf94003e9, 0x9100013f, 0xd65f03c0), NONE },
};

/* Arithmetic of the stack pointer and of numbers. */
static const struct code numbers_are_added_up_rows[] = {
	/* sub sp, sp, #32; add sp, sp, #32; ret */
	{ CODE(0xd10083ff, 0x910083ff, 0xd65f03c0), AT(SP, 0) },
	/* sub sp, sp, #16; ret */
	{ CODE(0xd10043ff, 0xd65f03c0), NONE },
	/* add sp, sp, #16; ret */
	{ CODE(0x910043ff, 0xd65f03c0), AT(SP, 16) },
	/* add sp, sp, #1, lsl #12; ret */
	{ CODE(0x914007ff, 0xd65f03c0), AT(SP, 4096) },
	/* sub sp, sp, #1, lsl #12; add sp, sp, #4095; add sp, sp, #3; ret */
	{ CODE(0xd14007ff, 0x913fffff, 0x91000fff, 0xd65f03c0), AT(SP, 2) },
	/* add w9, wsp, #16; mov x10, #16; add sp, sp, x10; ret */
	{ CODE(0x110043e9, 0xd280020a, 0x8b2a63ff, 0xd65f03c0), AT(SP, 16) },
	/* adds x9, sp, #16; mov sp, x9; ret */
	{ CODE(0xb10043e9, 0x9100013f, 0xd65f03c0), NONE },
	/* cmp sp, #16; ret */
	{ CODE(0xf10043ff, 0xd65f03c0), AT(SP, 0) },
	/* cmn sp, #16; ret */
	{ CODE(0xb10043ff, 0xd65f03c0), AT(SP, 0) },
	/* tst x0, #1; ret */
	{ CODE(0xf240001f, 0xd65f03c0), AT(SP, 0) },
	/* add x19, x0, x1; ret */
	{ CODE(0x8b010013, 0xd65f03c0), AT_BUT(SP, BIT(19), 0) },
	/* mul x19, x0, x1; ret */
	{ CODE(0x9b017c13, 0xd65f03c0), AT_BUT(SP, BIT(19), 0) },
	/* csel x19, x0, x1, eq; ret */
	{ CODE(0x9a810013, 0xd65f03c0), AT_BUT(SP, BIT(19), 0) },
	/* ubfx x19, x19, #1, #2; ret */
	{ CODE(0xd3410a73, 0xd65f03c0), AT_BUT(SP, BIT(19), 0) },
	/* adr x30, .+8; ret */
	{ CODE(0x1000005e, 0xd65f03c0), NONE },
	/* cmp x0, x1; ret */
	{ CODE(0xeb01001f, 0xd65f03c0), AT(SP, 0) },
	/* and sp, x9, #0xfffffffffffffff0; ret */
	{ CODE(0x927ced3f, 0xd65f03c0), NONE },
	/* orr sp, x9, #16; ret */
	{ CODE(0xb27c013f, 0xd65f03c0), NONE },
	/* eor sp, x9, #16; ret */
	{ CODE(0xd27c013f, 0xd65f03c0), NONE },
	/* and sp, x9, #0xfffffffffffffff0; mov sp, x29; ret */
	{ CODE(0x927ced3f, 0x910003bf, 0xd65f03c0), AT(FP, 0) },
	/* mov x9, #4096; add sp, sp, x9; ret */
	{ CODE(0xd2820009, 0x8b2963ff, 0xd65f03c0), AT(SP, 4096) },
	/* mov x9, #32; sub sp, sp, x9; add sp, sp, #48; ret */
	{ CODE(0xd2800409, 0xcb2963ff, 0x9100c3ff, 0xd65f03c0), AT(SP, 16) },
	/* mov x9, #2; add sp, sp, x9, lsl #3; ret */
	{ CODE(0xd2800049, 0x8b296fff, 0xd65f03c0), AT(SP, 16) },
	/* mov x9, #2; sub sp, sp, x9, lsl #3; add sp, sp, #32; ret */
	{ CODE(0xd2800049, 0xcb296fff, 0x910083ff, 0xd65f03c0), AT(SP, 16) },
	/* add sp, sp, x9; ret */
	{ CODE(0x8b2963ff, 0xd65f03c0), NONE },
	/* add sp, sp, xzr; ret */
	{ CODE(0x8b3f63ff, 0xd65f03c0), AT(SP, 0) },
	/* movn x9, #15; sub sp, sp, x9; ret */
	{ CODE(0x928001e9, 0xcb2963ff, 0xd65f03c0), AT(SP, 16) },
	/* movn w9, #15; add sp, sp, x9; ret */
	{ CODE(0x128001e9, 0x8b2963ff, 0xd65f03c0), AT(SP, 4294967280) },
	/* movn x9, #1, lsl #16; sub sp, sp, x9; ret */
	{ CODE(0x92a00029, 0xcb2963ff, 0xd65f03c0), AT(SP, 65537) },
	/* movz x9, #1, lsl #16; add sp, sp, x9; ret */
	{ CODE(0xd2a00029, 0x8b2963ff, 0xd65f03c0), AT(SP, 65536) },
	/* movz x9, #1, lsl #32; add sp, sp, x9; ret */
	{ CODE(0xd2c00029, 0x8b2963ff, 0xd65f03c0), AT(SP, 1ll << 32) },
	/* movz x9, #16; movk x9, #1, lsl #16; add sp, sp, x9; ret */
	{ CODE(0xd2800209, 0xf2a00029, 0x8b2963ff, 0xd65f03c0), AT(SP, 65552) },
	/* movn x9, #0; movk x9, #0, lsl #48; movk x9, #0, lsl #32; add sp, sp, x9; ret */
	{ CODE(0x92800009, 0xf2e00009, 0xf2c00009, 0x8b2963ff, 0xd65f03c0), AT(SP, 4294967295) },
	/* movz x9, #0x1111; movk x9, #32; add sp, sp, x9; ret */
	{ CODE(0xd2822229, 0xf2800409, 0x8b2963ff, 0xd65f03c0), AT(SP, 32) },
	/* movk x9, #32; add sp, sp, x9; ret */
	{ CODE(0xf2800409, 0x8b2963ff, 0xd65f03c0), NONE },
	/* mov x9, #16; mov x10, x9; add sp, sp, x10; ret */
	{ CODE(0xd2800209, 0xaa0903ea, 0x8b2a63ff, 0xd65f03c0), AT(SP, 16) },
	/* mov x9, #16; add x9, x9, #32; add sp, sp, x9; ret */
	{ CODE(0xd2800209, 0x91008129, 0x8b2963ff, 0xd65f03c0), AT(SP, 48) },
	/* mov x9, xzr; add sp, sp, x9; ret */
	{ CODE(0xaa1f03e9, 0x8b2963ff, 0xd65f03c0), AT(SP, 0) },
	/* mov xzr, x19; ret */
	{ CODE(0xaa1303ff, 0xd65f03c0), AT(SP, 0) },
	/* mov w9, w19; mov x9, #16; add sp, sp, x9; ret */
	{ CODE(0x2a1303e9, 0xd2800209, 0x8b2963ff, 0xd65f03c0), AT(SP, 16) },
	/* mov x9, #16; orr x9, x9, x0; add sp, sp, x9; ret */
	{ CODE(0xd2800209, 0xaa000129, 0x8b2963ff, 0xd65f03c0), NONE },
	/* mov x9, #16; mov w9, w0; add sp, sp, x9; ret */
	{ CODE(0xd2800209, 0x2a0003e9, 0x8b2963ff, 0xd65f03c0), NONE },
	/* mov x19, x30; bl .+64; mov x30, x19; ret */
	{ CODE(0xaa1e03f3, 0x94000010, 0xaa1303fe, 0xd65f03c0), AT_BUT(SP, BIT(19), 0) },
	/* mov x9, x30; bl .+64; mov x30, x9; ret */
	{ CODE(0xaa1e03e9, 0x94000010, 0xaa0903fe, 0xd65f03c0), NONE },
	/* mov x18, x30; bl .+64; mov x30, x18; ret */
	{ CODE(0xaa1e03f2, 0x94000010, 0xaa1203fe, 0xd65f03c0), NONE },
	/* mrs x30, tpidr_el0; ret */
	{ CODE(0xd53bd05e, 0xd65f03c0), NONE },
	/* msr tpidr_el0, x30; ret */
	{ CODE(0xd51bd05e, 0xd65f03c0), AT(SP, 0) },
	/* addvl sp, sp, #1; ret */
	{ CODE(0x043f503f, 0xd65f03c0), NONE },
	/* addpl sp, sp, #1; ret */
	{ CODE(0x047f503f, 0xd65f03c0), NONE },
	/* addvl sp, sp, #-1; mov sp, x29; ret */
	{ CODE(0x043f57ff, 0x910003bf, 0xd65f03c0), AT(FP, 0) },
	/* addvl x9, sp, #1; ret */
	{ CODE(0x043f5029, 0xd65f03c0), AT(SP, 0) },
};

/* Vectors and parts of registers. */
static const struct code other_accesses_change_the_address_only_rows[] = {
	/* ldp q8, q9, [sp], #32; ret */
	{ CODE(0xacc127e8, 0xd65f03c0), AT(SP, 32) },
	/* ldp d8, d9, [sp], #16; ret */
	{ CODE(0x6cc127e8, 0xd65f03c0), AT(SP, 16) },
	/* ldp s8, s9, [sp], #8; ret */
	{ CODE(0x2cc127e8, 0xd65f03c0), AT(SP, 8) },
	/* ldp w8, w9, [sp], #8; ret */
	{ CODE(0x28c127e8, 0xd65f03c0), AT(SP, 8) },
	/* ldpsw x8, x9, [sp], #8; ret */
	{ CODE(0x68c127e8, 0xd65f03c0), AT(SP, 8) },
	/* ldp q19, q30, [sp], #32; ret */
	{ CODE(0xacc17bf3, 0xd65f03c0), AT(SP, 32) },
	/* ldr q19, [sp], #16; ret */
	{ CODE(0x3cc107f3, 0xd65f03c0), AT(SP, 16) },
	/* ldr d30, [sp], #16; ret */
	{ CODE(0xfc4107fe, 0xd65f03c0), AT(SP, 16) },
	/* stp q8, q9, [sp, #-32]!; add sp, sp, #32; ret */
	{ CODE(0xadbf27e8, 0x910083ff, 0xd65f03c0), AT(SP, 0) },
	/* str q8, [sp, #-16]!; ldr q8, [sp], #16; ret */
	{ CODE(0x3c9f0fe8, 0x3cc107e8, 0xd65f03c0), AT(SP, 0) },
	/* ldr q19, [sp, #16]; ret */
	{ CODE(0x3dc007f3, 0xd65f03c0), AT(SP, 0) },
	/* ldr w0, [sp], #4; ret */
	{ CODE(0xb84047e0, 0xd65f03c0), AT(SP, 4) },
	/* ldrh w0, [sp], #2; ret */
	{ CODE(0x784027e0, 0xd65f03c0), AT(SP, 2) },
	/* ldr q19, [sp, x0]; ret */
	{ CODE(0x3ce06bf3, 0xd65f03c0), AT(SP, 0) },
	/* ldr x19, [x0, x1, lsl #3]; ret */
	{ CODE(0xf8617813, 0xd65f03c0), AT_BUT(SP, BIT(19), 0) },
	/* ldxr x19, [x0]; ret */
	{ CODE(0xc85f7c13, 0xd65f03c0), AT_BUT(SP, BIT(19), 0) },
	/* ldar x19, [x0]; ret */
	{ CODE(0xc8dffc13, 0xd65f03c0), AT_BUT(SP, BIT(19), 0) },
	/* ldr x19, .+8; ret */
	{ CODE(0x58000053, 0xd65f03c0), AT_BUT(SP, BIT(19), 0) },
	/* ldr d19, .+8; ret */
	{ CODE(0x5c000053, 0xd65f03c0), AT(SP, 0) },
	/* ldtr x19, [x0]; ret */
	{ CODE(0xf8400813, 0xd65f03c0), AT_BUT(SP, BIT(19), 0) },
	/* mov x19, x30; nop; ret */
	{ CODE(0xaa1e03f3, 0xd503201f, 0xd65f03c0), AT_BUT(SP, BIT(19), 0) },
};

/* Jumps, branches, calls, and what ends a path. */
static const struct code paths_lead_to_a_return_rows[] = {
	/* b 1f; udf #0; 1: ret */
	{ CODE(0x14000002, 0x00000000, 0xd65f03c0), AT(SP, 0) },
	/* b 1f; 2: ret; 1: b 2b */
	{ CODE(0x14000002, 0xd65f03c0, 0x17ffffff), AT(SP, 0) },
	/* b . */
	{ CODE(0x14000000), NONE },
	/* b.eq 1f; udf #0; 1: ret */
	{ CODE(0x54000040, 0x00000000, 0xd65f03c0), AT(SP, 0) },
	/* b.al 1f; udf #0; 1: ret */
	{ CODE(0x5400004e, 0x00000000, 0xd65f03c0), AT(SP, 0) },
	/* cbz x0, 1f; udf #0; 1: ret */
	{ CODE(0xb4000040, 0x00000000, 0xd65f03c0), AT(SP, 0) },
	/* cbnz w0, 1f; udf #0; 1: ret */
	{ CODE(0x35000040, 0x00000000, 0xd65f03c0), AT(SP, 0) },
	/* tbz x0, #3, 1f; udf #0; 1: ret */
	{ CODE(0x36180040, 0x00000000, 0xd65f03c0), AT(SP, 0) },
	/* tbnz x0, #40, 1f; udf #0; 1: ret */
	{ CODE(0xb7400040, 0x00000000, 0xd65f03c0), AT(SP, 0) },
	/* b 1f; 2: ret; 1: b.ne 2b; udf #0 */
	{ CODE(0x14000002, 0xd65f03c0, 0x54ffffe1, 0x00000000), AT(SP, 0) },
	/* b 1f; 2: ret; 1: cbz w0, 2b; udf #0 */
	{ CODE(0x14000002, 0xd65f03c0, 0x34ffffe0, 0x00000000), AT(SP, 0) },
	/* b 1f; 2: ret; 1: tbz w0, #3, 2b; udf #0 */
	{ CODE(0x14000002, 0xd65f03c0, 0x361fffe0, 0x00000000), AT(SP, 0) },
	/* cbz x0, 1f; add sp, sp, #16; ret; 1: ret */
	{ CODE(0xb4000060, 0x910043ff, 0xd65f03c0, 0xd65f03c0), AT(SP, 16) },
	/* cbz x0, 1f; add sp, sp, #16; br x16; 1: ret */
	{ CODE(0xb4000060, 0x910043ff, 0xd61f0200, 0xd65f03c0), AT(SP, 0) },
	/* cbz x0, 1f; b .; 1: ret */
	{ CODE(0xb4000040, 0x14000000, 0xd65f03c0), AT(SP, 0) },
	/* cbz x0, 1f; 2: nop; b 2b; 1: ret */
	{ CODE(0xb4000060, 0xd503201f, 0x17ffffff, 0xd65f03c0), AT(SP, 0) },
	/* cbz x0, 1f; sub sp, sp, #16; ret; 1: ret */
	{ CODE(0xb4000060, 0xd10043ff, 0xd65f03c0, 0xd65f03c0), AT(SP, 0) },
	/* cbz x0, 1f; bl .+64; str x30, [sp, #-16]!; ldr x30, [sp], #16; 1: ret */
	{ CODE(0xb4000080, 0x94000010, 0xf81f0ffe, 0xf84107fe, 0xd65f03c0), AT(SP, 0) },
	/* cbz x0, 1f; 1: cbz x0, 1b; udf #0 */
	{ CODE(0xb4000020, 0xb4000000, 0x00000000), NONE },
	/* bl .+64; ret */
	{ CODE(0x94000010, 0xd65f03c0), NONE },
	/* blr x1; ret */
	{ CODE(0xd63f0020, 0xd65f03c0), NONE },
	/* blraa x1, x2; ret */
	{ CODE(0xd73f0822, 0xd65f03c0), NONE },
	/* blrabz x1; ret */
	{ CODE(0xd63f0c3f, 0xd65f03c0), NONE },
	/* stp x29, x30, [sp, #-16]!; blr x1; ldp x29, x30, [sp], #16; ret */
	{ CODE(0xa9bf7bfd, 0xd63f0020, 0xa8c17bfd, 0xd65f03c0), AT(SP, 0) },
	/* stp x29, x30, [sp, #-16]!; blraaz x1; ldp x29, x30, [sp], #16; ret */
	{ CODE(0xa9bf7bfd, 0xd63f083f, 0xa8c17bfd, 0xd65f03c0), AT(SP, 0) },
	/* retaa */
	{ CODE(0xd65f0bff), AT(SP, 0) },
	/* retab */
	{ CODE(0xd65f0fff), AT(SP, 0) },
	/* ret x1 */
	{ CODE(0xd65f0020), NONE },
	/* br x16; ret */
	{ CODE(0xd61f0200, 0xd65f03c0), NONE },
	/* braa x16, x17; ret */
	{ CODE(0xd71f0a11, 0xd65f03c0), NONE },
	/* brk #0; ret */
	{ CODE(0xd4200000, 0xd65f03c0), NONE },
	/* hlt #0; ret */
	{ CODE(0xd4400000, 0xd65f03c0), NONE },
	/* svc #0; ret */
	{ CODE(0xd4000001, 0xd65f03c0), AT(SP, 0) },
	/* svc #7; ret */
	{ CODE(0xd40000e1, 0xd65f03c0), AT(SP, 0) },
	/* hvc #0; ret */
	{ CODE(0xd4000002, 0xd65f03c0), NONE },
	/* udf #7; ret */
	{ CODE(0x00000007, 0xd65f03c0), NONE },
	/* autiasp; ret */
	{ CODE(0xd50323bf, 0xd65f03c0), AT(SP, 0) },
	/* nop */
	{ CODE(0xd503201f), NONE },
};

static void registers_are_loaded_from_the_frame(void **state)
{
	(void)state;
	check_rows(registers_are_loaded_from_the_frame_rows,
		   ARRAY_SIZE(registers_are_loaded_from_the_frame_rows));
}

static void what_is_stored_on_the_way_comes_back(void **state)
{
	(void)state;
	check_rows(what_is_stored_on_the_way_comes_back_rows,
		   ARRAY_SIZE(what_is_stored_on_the_way_comes_back_rows));
}

static void frames_are_told_by_the_frame_pointer(void **state)
{
	(void)state;
	check_rows(frames_are_told_by_the_frame_pointer_rows,
		   ARRAY_SIZE(frames_are_told_by_the_frame_pointer_rows));
}

static void numbers_are_added_up(void **state)
{
	(void)state;
	check_rows(numbers_are_added_up_rows, ARRAY_SIZE(numbers_are_added_up_rows));
}

static void other_accesses_change_the_address_only(void **state)
{
	(void)state;
	check_rows(other_accesses_change_the_address_only_rows,
		   ARRAY_SIZE(other_accesses_change_the_address_only_rows));
}

static void paths_lead_to_a_return(void **state)
{
	(void)state;
	check_rows(paths_lead_to_a_return_rows, ARRAY_SIZE(paths_lead_to_a_return_rows));
}

/* Behind a call, the link register is not the function's own any more. */
static void return_addresses_are_in_frames(void **state)
{
	static const struct code rows[] = {
		{ CODE(0xd65f03c0), NONE },                              /* ret */
		{ CODE(0xf84107fe, 0xd65f03c0), AT(SP, 16, { 30, 0 }) }, /* ldr x30, [sp], #16; ret */
		{ CODE(0x9100025e, 0xd65f03c0), NONE },                  /* add x30, x18, #0; ret */
		{ CODE(0xf90003fe, 0xf84107fe, 0xd65f03c0), NONE },      /* str x30, [sp]; ... */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check(i, true, rows[i].insns, rows[i].size, &rows[i].want);
}

/* The code ends within an instruction, or with it. */
static void code_may_end(void **state)
{
	static const u32 insns[] = { 0xd503201f, 0xd65f03c0 }; /* nop; ret */
	/* cbz x0 to where no code is; sub sp, sp, #16; ret, which is none: its stack is not empty */
	static const u32 leaves[] = { 0xb4008000, 0xd10043ff, 0xd65f03c0 };

	(void)state;
	for (size_t size = 0; size <= sizeof(insns); size++)
		check(size, false, insns, size, &(struct want)AT(size == sizeof(insns) ? SP : 0, 0));
	check(9, false, leaves, sizeof(leaves), &(struct want)NONE);
}

enum { NOP = 0xd503201f, RET = 0xd65f03c0, UDF = 0, CBZ = 0xb4000000 };

static void paths_have_a_length(void **state)
{
	enum { MOST = 1000, BRANCHES = 32, SLOTS = 32 };
	u32 code[MOST + 16];

	(void)state;
	for (size_t n = MOST - 2; n <= MOST + 1; n++) { /* with the return */
		for (size_t i = 0; i < ARRAY_SIZE(code); i++)
			code[i] = i == n - 1 ? RET : NOP;
		check(n, false, code, sizeof(code), &(struct want)AT(n <= MOST ? SP : 0, 0));
		/* from any place in it */
		check_from(n, false, code, sizeof(code), n - 100, &(struct want)AT(SP, 0));
	}
	/* branches to traps, but the last one to a return: so many are kept */
	for (size_t n = BRANCHES - 1; n <= BRANCHES + 2; n++) {
		memset(code, UDF, sizeof(code));
		for (size_t i = 0; i < n; i++)
			code[i] = CBZ | (u32)(100 + i) << 5; /* cbz x0, each elsewhere */
		code[n - 1 + 100 + n - 1] = RET;
		check(n, false, code, sizeof(code), &(struct want)AT(n <= BRANCHES ? SP : 0, 0));
	}
	/* many to the same trap, which count once, and one to a return */
	memset(code, UDF, sizeof(code));
	for (size_t i = 0; i < BRANCHES + 8; i++)
		code[i] = CBZ | (u32)(200 - i) << 5;
	code[BRANCHES + 8] = CBZ | 100 << 5;
	code[BRANCHES + 8 + 100] = RET;
	check(0, false, code, sizeof(code), &(struct want)AT(SP, 0));
	/* str x19, [sp]; str x20, ... above it; ldr x19, [sp]: so many stores are kept */
	for (size_t n = SLOTS - 2; n <= SLOTS + 1; n++) {
		code[0] = 0xd11003ff; /* sub sp, sp, #1024 */
		code[1] = 0xf90003f3;
		for (size_t i = 0; i < n; i++)
			code[2 + i] = 0xf90007f4 | (u32)i << 10;
		code[2 + n] = 0xaa0003f3; /* mov x19, x0 */
		code[3 + n] = 0xf94003f3;
		code[4 + n] = 0x911003ff; /* add sp, sp, #1024 */
		code[5 + n] = RET;
		check(n, false, code, sizeof(code), &(struct want)AT_BUT(SP, n < SLOTS ? 0 : BIT(19), 0));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registers_are_loaded_from_the_frame),
		cmocka_unit_test(what_is_stored_on_the_way_comes_back),
		cmocka_unit_test(frames_are_told_by_the_frame_pointer),
		cmocka_unit_test(numbers_are_added_up),
		cmocka_unit_test(other_accesses_change_the_address_only),
		cmocka_unit_test(paths_lead_to_a_return),
		cmocka_unit_test(return_addresses_are_in_frames),
		cmocka_unit_test(code_may_end),
		cmocka_unit_test(paths_have_a_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
