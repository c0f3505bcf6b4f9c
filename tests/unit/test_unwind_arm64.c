/* Unwinding arm64: return addresses that are signed (pointer authentication), handlers of signals. */
#include "unit.h"

#include "unwind/unwind.h"

#include <stddef.h>

enum { FRAMES = 3, PERF_REGS = 33 };

struct code {
	u64 start, end, vdso; /* memory addresses; the vdso has 4 KiB */
};

static void look_up(void *ctx, u64 ip, struct unwind_code *code)
{
	const struct code *c = ctx;

	code->is_vdso = c->vdso && ip >= c->vdso && ip < c->vdso + 0x1000;
	code->is_code = (ip >= c->start && ip < c->end) || code->is_vdso;
}

/* Unwinds a stack of frame records whose return addresses have the bits of signature, and expects all frames.
 */
static void unwind_signed(u64 sp, struct code code, u64 signature)
{
	u64 stack[2 * FRAMES] = { 0 }, regs[PERF_REGS] = { 0 }, ips[8];
	struct unwind_sample s = { .regs_mask = (1ull << PERF_REGS) - 1,
				   .regs = regs,
				   .stack = (const u8 *)stack,
				   .stack_size = sizeof(stack) };
	struct unwinder *u = unwinder__new(unwind_arch__find("aarch64"), look_up, &code);
	unsigned nr;

	for (unsigned i = 0; i < FRAMES; i++) {
		stack[2 * i] = sp + 16 * (i + 1);
		stack[2 * i + 1] = (code.start + 0x100 * (i + 1)) | signature;
	}
	stack[2 * FRAMES - 1] = signature; /* no caller: the word is 0 without its signature */
	regs[29] = regs[31] = sp;
	regs[32] = code.start + 0x40;
	assert_int_equal(unwinder__run(u, &s, ips, NULL, 8, &nr), UNWIND_NO_CFI);
	assert_int_equal(nr, FRAMES);
	assert_int_equal(ips[0], code.start + 0x40);
	for (unsigned i = 1; i < FRAMES; i++)
		assert_int_equal(ips[i], code.start + 0x100 * i - 1);
	unwinder__delete(u);
}

static void signatures_are_taken_off(void **state)
{
	(void)state;
	unwind_signed(0xffffe0001000, (struct code){ 0xaaaad0310000, 0xaaaad0311000, 0 }, 0);
	unwind_signed(0xffffe0001000, (struct code){ 0xaaaad0310000, 0xaaaad0311000, 0 }, 0x5d00000000000000);
	unwind_signed(0xffffe0001000, (struct code){ 0xaaaad0310000, 0xaaaad0311000, 0 }, 0xff7f000000000000);
	/* a program at a fixed address */
	unwind_signed(0xffffe0001000, (struct code){ 0x400000, 0x401000, 0 }, 0x0012000000000000);
	/* smaller and larger address spaces: 39 and 52 bits */
	unwind_signed(0x7fe0001000, (struct code){ 0x55d0310000, 0x55d0311000, 0 }, 0x2a74aa8000000000);
	unwind_signed(0xfffffe0001000, (struct code){ 0xffaaad0310000, 0xffaaad0311000, 0 },
		      0x2a70000000000000);
}

static void code_of_nobody_ends_the_chain(void **state)
{
	u64 stack[2] = { 0xffffe0001010, 0x5d00bbbb00001234 }, regs[PERF_REGS] = { 0 }, ips[8];
	struct unwind_sample s = { .regs_mask = (1ull << PERF_REGS) - 1,
				   .regs = regs,
				   .stack = (const u8 *)stack,
				   .stack_size = sizeof(stack) };
	struct code code = { 0xaaaad0310000, 0xaaaad0311000, 0 };
	struct unwinder *u = unwinder__new(unwind_arch__find("aarch64"), look_up, &code);
	unsigned nr;

	(void)state;
	regs[29] = regs[31] = 0xffffe0001000;
	regs[32] = code.start;
	assert_int_equal(unwinder__run(u, &s, ips, NULL, 8, &nr), UNWIND_NO_CFI);
	assert_int_equal(nr, 1);
	unwinder__delete(u);
}

/* A handler, in a frame of its own, over a signal frame; the function that was interrupted has none. */
static void signals_lead_to_what_they_interrupted(void **state)
{
	struct {
		u64 handler[2];
		u64 before_regs[39], regs[PERF_REGS]; /* struct rt_sigframe: x0.., sp, pc */
		u64 caller[2];
	} stack = { 0 };
	u64 sp = 0xffffe0001000, regs[PERF_REGS] = { 0 }, ips[8];
	u64 at_caller = sp + offsetof(typeof(stack), caller);
	struct code code = { 0xaaaad0310000, 0xaaaad0311000, 0xffffb0000000 };
	struct unwind_sample s = { .regs_mask = (1ull << PERF_REGS) - 1,
				   .regs = regs,
				   .stack = (const u8 *)&stack,
				   .stack_size = sizeof(stack) };
	struct unwinder *u = unwinder__new(unwind_arch__find("arm64"), look_up, &code);
	unsigned nr;

	(void)state;
	regs[29] = regs[31] = sp;
	regs[32] = code.start + 0x100;
	stack.handler[1] = code.vdso + 0x7bc;
	stack.regs[29] = stack.regs[31] = at_caller;
	stack.regs[32] = code.start + 0x200;
	stack.caller[1] = code.start + 0x300;
	stack.caller[0] = at_caller + 0x100; /* not in the copy any more */
	assert_int_equal(unwinder__run(u, &s, ips, NULL, 8, &nr), UNWIND_CUT);
	assert_int_equal(nr, 4);
	assert_int_equal(ips[0], code.start + 0x100);
	assert_int_equal(ips[1], code.vdso + 0x7bc);
	assert_int_equal(ips[2], code.start + 0x200);
	assert_int_equal(ips[3], code.start + 0x300 - 1);

	/* Something else there: no harm. */
	stack.regs[32] = 0x1234;
	unwinder__run(u, &s, ips, NULL, 8, &nr);
	assert_int_equal(nr, 2);
	s.stack_size = 100;
	assert_int_equal(unwinder__run(u, &s, ips, NULL, 8, &nr), UNWIND_CUT);
	assert_int_equal(nr, 2);
	unwinder__delete(u);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signatures_are_taken_off),
		cmocka_unit_test(code_of_nobody_ends_the_chain),
		cmocka_unit_test(signals_lead_to_what_they_interrupted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
