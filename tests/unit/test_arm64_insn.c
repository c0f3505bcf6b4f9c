/*
 * Where arm64 instructions lead. Encodings are those of the Arm Architecture Reference Manual, and of
 * neighbours that differ in one bit.
 */
#include "unit.h"

#include "base/memory/mem.h"
#include "unwind/arm64_insn.h"

static const struct {
	u32 insn;
	enum arm64_flow flow;
	s64 distance; /* bytes */
} rows[] = {
	{ 0x14000000, ARM64_JUMP, 0 }, /* b */
	{ 0x14000001, ARM64_JUMP, 4 },          { 0x15ffffff, ARM64_JUMP, 0x7fffffc },
	{ 0x16000000, ARM64_JUMP, -0x8000000 }, { 0x17ffffff, ARM64_JUMP, -4 },
	{ 0x94000000, ARM64_CALL, 0 }, /* bl */
	{ 0x94000003, ARM64_CALL, 12 },         { 0x97ffffff, ARM64_CALL, -4 },
	{ 0x10000000, ARM64_GOES_ON, 0 },                                        /* adr */
	{ 0x18000000, ARM64_GOES_ON, 0 },                                        /* ldr, literal */
	{ 0x1c000001, ARM64_GOES_ON, 0 },       { 0x54000000, ARM64_BRANCH, 0 }, /* b.eq */
	{ 0x5400002b, ARM64_BRANCH, 4 },                                         /* b.lt */
	{ 0x547fffe1, ARM64_BRANCH, 0xffffc },  { 0x54800001, ARM64_BRANCH, -0x100000 },
	{ 0x54ffffe1, ARM64_BRANCH, -4 },       { 0x5600002b, ARM64_GOES_ON, 0 },
	{ 0x55000000, ARM64_GOES_ON, 0 },       { 0x34000020, ARM64_BRANCH, 4 }, /* cbz w0 */
	{ 0x35000041, ARM64_BRANCH, 8 },                                         /* cbnz w1 */
	{ 0xb4ffffe2, ARM64_BRANCH, -4 },                                        /* cbz x2 */
	{ 0xb5ffffe3, ARM64_BRANCH, -4 },       { 0x347fffe4, ARM64_BRANCH, 0xffffc },
	{ 0x36000020, ARM64_BRANCH, 4 }, /* tbz w0, #0 */
	{ 0x37f80041, ARM64_BRANCH, 8 }, /* tbnz w1, #31 */
	{ 0xb607ffe2, ARM64_BRANCH, -4 },       { 0xb703ffe3, ARM64_BRANCH, 0x7ffc },
	{ 0xb7040003, ARM64_BRANCH, -0x8000 },  { 0x38000020, ARM64_GOES_ON, 0 }, /* sturb */
	{ 0x3c000020, ARM64_GOES_ON, 0 },       { 0xd65f03c0, ARM64_RETURN, 0 },  /* ret */
	{ 0xd65f0bff, ARM64_RETURN, 0 },                                          /* retaa */
	{ 0xd65f0fff, ARM64_RETURN, 0 },                                          /* retab */
	{ 0xd65f03a0, ARM64_END, 0 },                                             /* ret x29 */
	{ 0xd65f03c1, ARM64_END, 0 },           { 0xd65f0bfe, ARM64_END, 0 },
	{ 0xd65f13ff, ARM64_END, 0 },           { 0xd63f0000, ARM64_CALL, 0 }, /* blr x0 */
	{ 0xd63f03c0, ARM64_CALL, 0 },          { 0xd63f0100, ARM64_CALL, 0 },
	{ 0xd63f0001, ARM64_END, 0 },           { 0xd63f081f, ARM64_CALL, 0 }, /* blraaz x0 */
	{ 0xd63f0c3f, ARM64_CALL, 0 },                                         /* blrabz x1 */
	{ 0xd73f0801, ARM64_CALL, 0 },                                         /* blraa x0, x1 */
	{ 0xd73f0fff, ARM64_CALL, 0 },          { 0xd63f1000, ARM64_END, 0 },
	{ 0xd61f0000, ARM64_END, 0 },                                         /* br x0 */
	{ 0xd61f0081, ARM64_END, 0 },           { 0xd71f0801, ARM64_END, 0 }, /* braa */
	{ 0xd69f03e0, ARM64_END, 0 },                                         /* eret */
	{ 0xd4000002, ARM64_END, 0 },                                         /* hvc */
	{ 0xd4000003, ARM64_END, 0 },                                         /* smc */
	{ 0xd4200000, ARM64_END, 0 },                                         /* brk */
	{ 0xd4207d00, ARM64_END, 0 },           { 0xd4400000, ARM64_END, 0 }, /* hlt */
	{ 0xd4000001, ARM64_GOES_ON, 0 },                                     /* svc */
	{ 0xd41fffe1, ARM64_GOES_ON, 0 },       { 0xd4000021, ARM64_GOES_ON, 0 },
	{ 0xd5033fdf, ARM64_GOES_ON, 0 },                                         /* isb */
	{ 0xd503201f, ARM64_GOES_ON, 0 },                                         /* nop */
	{ 0xd2000000, ARM64_GOES_ON, 0 },       { 0xda000020, ARM64_GOES_ON, 0 }, /* sbc */
	{ 0x00000000, ARM64_END, 0 },                                             /* udf */
	{ 0x0000ffff, ARM64_END, 0 },           { 0x00010000, ARM64_GOES_ON, 0 },
	{ 0xa9bf7bfd, ARM64_GOES_ON, 0 }, /* stp x29, x30, [sp, #-16]! */
	{ 0xffffffff, ARM64_GOES_ON, 0 },
};

static void instructions_lead_where_the_manual_says(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		s64 distance = 0;
		enum arm64_flow flow = arm64_insn__flow(rows[i].insn, &distance);

		if (flow != rows[i].flow || distance != rows[i].distance)
			fail_msg("%08x: %d, distance %lld", rows[i].insn, flow, (long long)distance);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_lead_where_the_manual_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
