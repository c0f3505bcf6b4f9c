/* Which code ends with a call. The bytes are those of the manuals' tables. */
#include "unit.h"

#include "base/memory/mem.h"
#include "unwind/call_site.h"

#include <elf.h>

enum { AT = 0x100000 };

static const struct {
	u16 machine;
	u8 size, code[CALL_SITE_BYTES];
	enum call_kind kind;
	s64 distance; /* of the target from the end of the code */
} rows[] = {
	{ EM_X86_64, 5, { 0xe8, 0x10, 0, 0, 0 }, CALL_DIRECT, 0x10 },
	{ EM_X86_64, 5, { 0xe8, 0xf0, 0xff, 0xff, 0xff }, CALL_DIRECT, -0x10 },
	{ EM_X86_64, 8, { 0x90, 0x90, 0x90, 0xe8, 0, 1, 0, 0 }, CALL_DIRECT, 0x100 },
	{ EM_X86_64, 2, { 0xff, 0xd0 }, CALL_ANY, 0 },                   /* call *%rax */
	{ EM_X86_64, 3, { 0x41, 0xff, 0xd3 }, CALL_ANY, 0 },             /* call *%r11 */
	{ EM_X86_64, 2, { 0xff, 0x10 }, CALL_ANY, 0 },                   /* call *(%rax) */
	{ EM_X86_64, 3, { 0xff, 0x14, 0x24 }, CALL_ANY, 0 },             /* call *(%rsp) */
	{ EM_X86_64, 3, { 0xff, 0x50, 0x08 }, CALL_ANY, 0 },             /* call *8(%rax) */
	{ EM_X86_64, 4, { 0xff, 0x54, 0x24, 0x08 }, CALL_ANY, 0 },       /* call *8(%rsp) */
	{ EM_X86_64, 6, { 0xff, 0x15, 1, 2, 3, 4 }, CALL_ANY, 0 },       /* call *N(%rip) */
	{ EM_X86_64, 6, { 0xff, 0x92, 1, 2, 3, 4 }, CALL_ANY, 0 },       /* call *N(%rdx) */
	{ EM_X86_64, 7, { 0xff, 0x14, 0xc5, 1, 2, 3, 4 }, CALL_ANY, 0 }, /* call *N(,%rax,8) */
	{ EM_X86_64, 7, { 0xff, 0x94, 0x24, 1, 2, 3, 4 }, CALL_ANY, 0 }, /* call *N(%rsp) */
	{ EM_X86_64, 8, { 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90 }, CALL_NONE, 0 },
	{ EM_X86_64, 2, { 0xff, 0xe0 }, CALL_NONE, 0 },          /* jmp *%rax */
	{ EM_X86_64, 2, { 0xff, 0xc0 }, CALL_NONE, 0 },          /* inc %eax */
	{ EM_X86_64, 5, { 0xe9, 0x10, 0, 0, 0 }, CALL_NONE, 0 }, /* jmp */
	{ EM_X86_64, 3, { 0xff, 0xd0, 0x90 }, CALL_NONE, 0 },    /* a call before */
	{ EM_X86_64, 4, { 0xe8, 0x10, 0, 0 }, CALL_NONE, 0 },    /* cut off */
	{ EM_X86_64, 1, { 0xd0 }, CALL_NONE, 0 },
	{ EM_X86_64, 0, { 0 }, CALL_NONE, 0 },
	{ EM_AARCH64, 4, { 0x04, 0, 0, 0x94 }, CALL_DIRECT, 0x10 - 4 },     /* bl +16 */
	{ EM_AARCH64, 4, { 0xff, 0xff, 0xff, 0x97 }, CALL_DIRECT, -4 - 4 }, /* bl -4 */
	{ EM_AARCH64, 4, { 0x60, 0x02, 0x3f, 0xd6 }, CALL_ANY, 0 },         /* blr x19 */
	{ EM_AARCH64, 4, { 0x11, 0x09, 0x3f, 0xd7 }, CALL_ANY, 0 },         /* blraa x8, x17 */
	{ EM_AARCH64, 4, { 0x1f, 0x09, 0x3f, 0xd6 }, CALL_ANY, 0 },         /* blraaz x8 */
	{ EM_AARCH64, 4, { 0x04, 0, 0, 0x14 }, CALL_NONE, 0 },              /* b +16 */
	{ EM_AARCH64, 4, { 0x60, 0x02, 0x1f, 0xd6 }, CALL_NONE, 0 },        /* br x19 */
	{ EM_AARCH64, 3, { 0, 0, 0x94 }, CALL_NONE, 0 },
	{ EM_AARCH64, 0, { 0 }, CALL_NONE, 0 },
	{ EM_AARCH64, 8, { 0x1f, 0x20, 0x03, 0xd5, 0x04, 0, 0, 0x94 }, CALL_DIRECT, 0x10 - 4 },
	{ EM_AARCH64, 8, { 0x04, 0, 0, 0x94, 0x1f, 0x20, 0x03, 0xd5 }, CALL_NONE, 0 }, /* a call before */
	{ EM_AARCH64, 4, { 0xff, 0xff, 0xff, 0x95 }, CALL_DIRECT, (1 << 27) - 4 - 4 },
	{ EM_AARCH64, 4, { 0, 0, 0, 0x96 }, CALL_DIRECT, -(1 << 27) - 4 },
	{ EM_AARCH64, 4, { 0x20, 0, 0x3f, 0xd6 }, CALL_ANY, 0 },    /* blr x1 */
	{ EM_AARCH64, 4, { 0xe0, 0x03, 0x3f, 0xd6 }, CALL_ANY, 0 }, /* blr xzr */
	{ EM_AARCH64, 4, { 0x61, 0x02, 0x3f, 0xd6 }, CALL_NONE, 0 },
	{ EM_AARCH64, 4, { 0x1f, 0x0d, 0x3f, 0xd6 }, CALL_ANY, 0 },  /* blrabz x8 */
	{ EM_AARCH64, 4, { 0x1f, 0x09, 0x1f, 0xd6 }, CALL_NONE, 0 }, /* braaz x8 */
	{ EM_AARCH64, 4, { 0xc0, 0x03, 0x5f, 0xd6 }, CALL_NONE, 0 }, /* ret */
	{ EM_386, 5, { 0xe8, 0x10, 0, 0, 0 }, CALL_DIRECT, 0x10 },
	{ EM_386, 5, { 0xe8, 0xf0, 0xff, 0xff, 0xff }, CALL_DIRECT, -0x10 },
	{ EM_386, 5, { 0xe8, 0, 0, 0, 0x80 }, CALL_DIRECT, (1ll << 31) }, /* beyond 32 bits, it is below */
	{ EM_386, 2, { 0xff, 0xd0 }, CALL_ANY, 0 },
	{ EM_386, 2, { 0xff, 0xe0 }, CALL_NONE, 0 },
	{ EM_ARM, 4, { 0x04, 0, 0, 0xeb }, CALL_NONE, 0 },
};

static void calls_are_recognised(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		u64 target = 0;

		if (call_site__decode(rows[i].machine, rows[i].code, rows[i].size, AT, &target) !=
		    rows[i].kind)
			fail_msg("row %zu", i);
		if (rows[i].kind == CALL_DIRECT)
			assert_int_equal(target, AT + rows[i].distance);
	}
}

/*
 * Bytes of ff /2 with each ModRM byte (Intel SDM volume 2, table 2-2), by its upper and its lower bits. With
 * 4 as its lower bits a SIB byte follows, which adds 4 bytes if mod is 0 and its lower bits are 5.
 */
static const u8 sizes[4][8] = { { 2, 2, 2, 2, 3, 6, 2, 2 },
				{ 3, 3, 3, 3, 4, 3, 3, 3 },
				{ 6, 6, 6, 6, 7, 6, 6, 6 },
				{ 2, 2, 2, 2, 2, 2, 2, 2 } };

static void calls_have_all_operands(void **state)
{
	(void)state;
	for (unsigned k = 0; k < 4 * 8 * 8; k++) {
		const unsigned mod = k >> 6, rm = k & 7, base = k >> 3 & 7;
		const size_t size = sizes[mod][rm] + (!mod && rm == 4 && base == 5 ? 4 : 0);
		u64 target = 0;

		for (size_t n = 0; n <= CALL_SITE_BYTES; n++) {
			u8 code[1 + CALL_SITE_BYTES] = { 0xff, (u8)(mod << 6 | 2 << 3 | rm),
							 (u8)(3 << 6 | base) };
			enum call_kind kind;

			/* n bytes from the opcode on */
			kind = call_site__decode(EM_X86_64, code, n, AT, &target);
			if (kind != (n == size ? CALL_ANY : CALL_NONE))
				fail_msg("mod %u, rm %u, base %u: %zu bytes", mod, rm, base, n);
			/* without the opcode */
			if (n)
				assert_int_equal(call_site__decode(EM_X86_64, code + 1, n - 1, AT, &target),
						 CALL_NONE);
		}
	}
}

/* The byte before the code does not count. */
static void nothing_before_the_code_counts(void **state)
{
	static const u8 code[] = { 0xe8, 1, 2, 3, 4 }, arm_code[] = { 4, 0, 0, 0x94 };
	u64 target = 0;

	(void)state;
	for (size_t n = 0; n < sizeof(code); n++)
		assert_int_equal(call_site__decode(EM_X86_64, code + sizeof(code) - n, n, AT, &target),
				 CALL_NONE);
	for (size_t n = 0; n < sizeof(arm_code); n++)
		assert_int_equal(
			call_site__decode(EM_AARCH64, arm_code + sizeof(arm_code) - n, n, AT, &target),
			CALL_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(calls_are_recognised),
					    cmocka_unit_test(calls_have_all_operands),
					    cmocka_unit_test(nothing_before_the_code_counts) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
