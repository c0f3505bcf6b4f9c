/*
 * Unwinding arm64: return addresses that are signed (pointer authentication), handlers of signals, frame
 * records, stubs, scalable vectors, leaves.
 */
#include "unit.h"

#include "unwind/unwind_private.h"

#include "arm64_frames.h"

#include <stddef.h>

enum { FRAMES = 3 };

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
	/* code without call frame information is not the outermost frame, even if the next word is 0 */
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
	unwind_signed(0xffffe0001000, (struct code){ 0xaaaad0310001, 0xaaaad0311001, 0 }, 0x5d00000000000000);
	/* a program at a fixed address */
	unwind_signed(0xffffe0001000, (struct code){ 0x400000, 0x401000, 0 }, 0x0012000000000000);
	/* smaller and larger address spaces: 39 and 52 bits */
	unwind_signed(0x7fe0001000, (struct code){ 0x55d0310000, 0x55d0311000, 0 }, 0x2a74aa8000000000);
	unwind_signed(0xfffffe0001000, (struct code){ 0xffaaad0310000, 0xffaaad0311000, 0 },
		      0x2a70000000000000);
	/* a signature with zeros in the bits of the larger spaces */
	unwind_signed(0x7fe0001000, (struct code){ 0x55d0310000, 0x55d0311000, 0 }, 0x2a0000000000);
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
	/* the stack shows that addresses have 48 bits: fewer of them are another address */
	code = (struct code){ 0xbb0000000, 0xbb0002000, 0 };
	regs[32] = code.start;
	stack[1] = 0x5d00bbbbb0001234;
	u = unwinder__new(unwind_arch__find("aarch64"), look_up, &code);
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

	/* The vdso itself is interrupted: nobody returns to there. */
	regs[29] = 0;
	regs[31] = sp + sizeof(stack.handler);
	regs[32] = code.vdso + 0x7bc;
	s.stack += sizeof(stack.handler);
	s.stack_size -= sizeof(stack.handler);
	assert_int_equal(unwinder__run(u, &s, ips, NULL, 8, &nr), UNWIND_NO_CFI);
	assert_int_equal(nr, 1);
	s.stack -= sizeof(stack.handler);
	s.stack_size += sizeof(stack.handler);
	regs[29] = regs[31] = sp;
	regs[32] = code.start + 0x100;

	/* Something else there: no harm. */
	stack.regs[32] = 0x1234;
	unwinder__run(u, &s, ips, NULL, 8, &nr);
	assert_int_equal(nr, 2);
	/* Nor does it depend on the address, some of which have the same place in the cache as the vdso's. */
	for (u64 ip = 1; ip < 1 << 16; ip++) {
		stack.regs[32] = ip;
		assert_int_equal(unwinder__run(u, &s, ips, NULL, 8, &nr), UNWIND_NO_CFI);
		assert_int_equal(nr, 2);
	}
	s.stack_size = 100;
	assert_int_equal(unwinder__run(u, &s, ips, NULL, 8, &nr), UNWIND_CUT);
	assert_int_equal(nr, 2);
	assert_int_equal(u->next_sp, 0); /* among the registers that the copy does not have */
	unwinder__delete(u);
}

/* ---- a binary: tests/data/arm64-frames ---- */

static int open_frames(void **state)
{
	return open_binary(state, "frames.so");
}

static u64 plt_at(const struct frames *f, u64 offset)
{
	GElf_Shdr shdr;

	assert_non_null(elf_file__section(&f->file, ".plt", 0, &shdr));
	return CODE_AT + shdr.sh_addr + offset;
}

/* The callee's record is at the bottom of its frame of 48 bytes, the caller's at the bottom of one of 64. */
static void a_record_does_not_tell_the_stack_pointer(void **state)
{
	struct frames *f = *state;

	reset(f, "in_without_cfi");
	f->regs[29] = STACK_AT;
	f->words[0] = STACK_AT + 48;
	f->words[1] = at(f, "in_keeps_record");
	f->words[6] = 0;
	f->words[7] = at(f, "after_keeps_record");
	expect(f, UNWIND_COMPLETE, "in_keeps_record", "after_keeps_record");
	/* with a zero where fp + 16 leads: that is not the end */
	f->words[2 + 1] = 0;
	expect(f, UNWIND_COMPLETE, "in_keeps_record", "after_keeps_record");
	f->words[7] = 0;
	expect(f, UNWIND_CORRUPT, "in_keeps_record");
}

/* The caller's part of the stack begins behind the callee's record, or after what else the callee keeps. */
static void a_caller_without_record_lies_behind_the_callee(void **state)
{
	struct frames *f = *state;

	for (unsigned behind = 2; behind <= 34; behind += 2) {
		reset(f, "in_without_cfi");
		f->regs[29] = STACK_AT;
		f->words[0] = 0;
		f->words[1] = at(f, "in_keeps_no_record");
		f->words[behind + 4] = at(f, "after_keeps_no_record");
		if (behind < 34) /* less than 256 bytes after the record */
			expect(f, UNWIND_COMPLETE, "in_keeps_no_record", "after_keeps_no_record");
		else
			expect(f, UNWIND_CORRUPT, "in_keeps_no_record");
	}
	reset(f, "in_without_cfi");
	f->regs[29] = STACK_AT;
	f->words[0] = 0;
	f->words[1] = at(f, "in_keeps_no_record");
	/* a call of something else is none of the caller's */
	f->words[6 + 4] = at(f, "after_with_vectors");
	expect(f, UNWIND_CORRUPT, "in_keeps_no_record");
	/* nor is code that follows no call */
	f->words[6 + 4] = at(f, "in_leaf");
	expect(f, UNWIND_CORRUPT, "in_keeps_no_record");
}

static void a_zero_is_no_outermost_frame(void **state)
{
	struct frames *f = *state;

	reset(f, "in_leaf");
	f->regs[30] = 0;
	expect(f, UNWIND_UNMAPPED, NULL);
	f->regs[30] = 0x5d00000000000000; /* signed */
	expect(f, UNWIND_UNMAPPED, NULL);
	reset(f, "in_without_cfi");
	f->regs[29] = STACK_AT;
	f->words[0] = f->words[1] = 0;
	expect(f, UNWIND_NO_CFI, NULL);
	reset(f, "after_keeps_record");
	expect(f, UNWIND_COMPLETE, NULL);
}

/* The linker writes no call frame information for them: the return address is in x30, wherever x29 leads. */
static void stubs_return_by_the_link_register(void **state)
{
	struct frames *f = *state;

	for (u64 offset = 0; offset < 48; offset += offset == 16 ? 16 : 4) {
		unsigned pushed = offset && offset < 32 ? 2 : 0;

		reset(f, NULL);
		f->regs[32] = plt_at(f, offset);
		f->regs[30] = at(f, "after_stub");
		f->regs[29] = STACK_AT + 8 * pushed;
		f->words[pushed] = 0;
		f->words[pushed + 1] = at(f, "after_keeps_record");
		expect(f, UNWIND_COMPLETE, "after_stub", "after_keeps_record");
	}
}

static void vectors_are_part_of_frames(void **state)
{
	struct frames *f = *state;
	const unsigned leaf = 3 * 4, caller = 2 * 4 + 2; /* words, with 4 of them in a vector */

	for (int has_vg = 0; has_vg <= 1; has_vg++) {
		reset(f, "in_leaf_with_vectors");
		f->has_vg = has_vg;
		f->regs[30] = at(f, "in_with_vectors");
		f->regs[29] = STACK_AT + 8 * leaf;
		f->words[leaf] = STACK_AT + 8 * (leaf + caller);
		f->words[leaf + 1] = at(f, "after_with_vectors");
		expect(f, UNWIND_COMPLETE, "in_with_vectors", "after_with_vectors");
	}
	/* a vector longer than that */
	f->regs[33] = 8;
	f->words[6 * 4] = 0;
	f->words[6 * 4 + 1] = at(f, "after_with_vectors");
	expect(f, UNWIND_COMPLETE, "in_with_vectors", "after_with_vectors");
}

/* Whether the caller of a frame that the kernel found is missing behind it. */
static void leaves_have_their_caller_in_the_link_register(void **state)
{
	static const struct {
		const char *ip, *link, *caller;
	} rows[] = {
		{ "in_leaf", "after_leaf", "after_leaf" },
		{ "keeps_record", "after_keeps_record", "after_keeps_record" },
		{ "record_is_saved", "after_keeps_record", "after_keeps_record" },
		{ "record_is_set", "after_keeps_record", NULL },
		{ "after_leaf", "after_leaf", NULL },
		{ "record_is_restored", "after_keeps_record", "after_keeps_record" },
		{ "in_without_cfi", "in_keeps_record", NULL },
		{ "after_keeps_record", "after_keeps_record", NULL },
		{ "in_leaf", "in_leaf", NULL }, /* no call is before it */
	};
	struct frames *f = *state;
	struct unwinder *u = unwinder__new(unwind_arch__find("aarch64"), look_up_frames, f);

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		u64 expected = rows[i].caller ? at(f, rows[i].caller) : 0;
		const u64 link[] = { at(f, rows[i].link) }, with_key[] = { *link | 0x5d00000000000000 };
		struct unwind_sample s = { .regs_mask = 1 << 30, .regs = link };

		assert_int_equal(unwinder__leaf_caller(u, &s, at(f, rows[i].ip)), expected);
		s.regs = with_key;
		assert_int_equal(unwinder__leaf_caller(u, &s, at(f, rows[i].ip)), expected);
		s.is_32bit = true;
		assert_int_equal(unwinder__leaf_caller(u, &s, at(f, rows[i].ip)), 0);
		/* without the register, or any */
		s = (struct unwind_sample){ .regs_mask = 1ull << 31, .regs = link };
		assert_int_equal(unwinder__leaf_caller(u, &s, at(f, rows[i].ip)), 0);
		s = (struct unwind_sample){ .regs_mask = 1 << 30 };
		assert_int_equal(unwinder__leaf_caller(u, &s, at(f, rows[i].ip)), 0);
		/* behind others */
		s = (struct unwind_sample){ .regs_mask = 1 << 30 | 1 << 5 | 1 << 2,
					    .regs = (const u64[]){ 1, 2, *link } };
		assert_int_equal(unwinder__leaf_caller(u, &s, at(f, rows[i].ip)), expected);
	}
	unwinder__delete(u);
}

static bool is_gone;

static void look_up_unless_gone(void *ctx, u64 ip, struct unwind_code *code)
{
	if (!is_gone)
		look_up_frames(ctx, ip, code);
}

/* What is known of an address is that of one process. */
static void leaves_of_other_processes_are_others(void **state)
{
	struct frames *f = *state;
	struct unwinder *u = unwinder__new(unwind_arch__find("aarch64"), look_up_unless_gone, f);
	const u64 link[] = { at(f, "after_leaf") };
	struct unwind_sample s = { .regs_mask = 1 << 30, .regs = link, .space = 1 };

	assert_int_equal(unwinder__leaf_caller(u, &s, at(f, "in_leaf")), link[0]);
	is_gone = true;
	s.space = 2;
	assert_int_equal(unwinder__leaf_caller(u, &s, at(f, "in_leaf")), 0);
	is_gone = false;
	s.space = 3;
	assert_int_equal(unwinder__leaf_caller(u, &s, at(f, "in_leaf")), link[0]);
	unwinder__delete(u);
}

/* ---- code without CFI ---- */

static void the_link_register_leads_to_a_leafs_caller(void **state)
{
	struct frames *f = *state;

	/* x29 is the caller's frame pointer, which leads to the caller's caller */
	for (unsigned signature = 0; signature <= 1; signature++) {
		reset(f, "in_leaf_without_cfi");
		f->regs[29] = STACK_AT;
		f->regs[30] = at(f, "in_told_by_code") | (signature ? 0x5d00000000000000 : 0);
		f->words[1] = at(f, "after_keeps_record");
		f->words[2] = at(f, "after_told_by_code");
		expect(f, UNWIND_COMPLETE, "in_told_by_code", "after_told_by_code");
	}
	/* the leaf was jumped to */
	f->regs[30] = at(f, "after_jumps");
	expect(f, UNWIND_COMPLETE, "after_jumps");
	/* called by a pointer */
	f->regs[30] = at(f, "after_pointer");
	expect(f, UNWIND_COMPLETE, "after_pointer");
}

static void instructions_tell_where_the_return_address_is(void **state)
{
	static const char *const places[] = { "frame_is_made", "frame_is_gone", "told_by_code" };
	struct frames *f = *state;

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		reset(f, places[i]);
		f->regs[30] = at(f, "after_told_by_code");
		expect(f, UNWIND_COMPLETE, "after_told_by_code");
	}
	/* saved, and the register has the address of another call by now */
	reset(f, "link_is_saved");
	f->regs[30] = at(f, "in_told_by_pointer");
	f->words[2] = at(f, "after_told_by_code");
	expect(f, UNWIND_COMPLETE, "after_told_by_code");
	/* behind the call that does not return is another function, whose return is not that of this one */
	reset(f, "in_never_returns");
	f->words[1] = at(f, "in_told_by_noreturn");
	f->words[2 + 2] = at(f, "after_told_by_code");
	f->words[2 + 3] = at(f, "in_leaf_without_cfi");
	expect(f, UNWIND_FOUND, "in_told_by_noreturn", "after_told_by_code");
}

/* Behind a frame record the stack pointer is found by the call that the instructions lead to. */
static void instructions_are_applied_where_the_call_is(void **state)
{
	struct frames *f = *state;
	u64 sps[16];

	for (unsigned more = 0; more < 6; more += 2) {
		reset(f, "in_without_cfi");
		f->regs[29] = STACK_AT;
		f->words[0] = 1;
		f->words[1] = at(f, "in_told_by_code");
		f->words[2 + more + 2] = at(f, "after_told_by_code");
		expect_chain(f, UNWIND_FOUND, sps,
			     (const char *const[]){ "in_told_by_code", "after_told_by_code", NULL });
		assert_int_equal(sps[2], STACK_AT + 8 * (2 + more + 4));
	}
}

static void a_record_must_be_that_of_the_function(void **state)
{
	struct frames *f = *state;

	/* the link register says who called; the record is an older frame's */
	reset(f, "without_cfi");
	f->regs[30] = at(f, "after_without_cfi");
	f->regs[29] = STACK_AT + 16;
	f->words[2] = 0;
	f->words[3] = at(f, "after_keeps_record");
	expect(f, UNWIND_FOUND, "after_without_cfi");
	/* the function's own record */
	f->regs[32] = at(f, "in_without_cfi");
	f->words[3] = at(f, "after_without_cfi");
	expect(f, UNWIND_COMPLETE, "after_without_cfi");
	/* the register still has the address of a call that the function made itself */
	reset(f, "in_calls_back");
	f->regs[30] = at(f, "in_calls_back");
	f->regs[29] = STACK_AT + 16;
	f->words[3] = at(f, "after_calls_back");
	expect(f, UNWIND_COMPLETE, "after_calls_back");
	/* the call led to another function */
	reset(f, "in_without_cfi");
	f->regs[29] = STACK_AT + 16;
	f->words[3] = at(f, "after_told_by_code");
	expect(f, UNWIND_FOUND, "after_told_by_code");
	/* a return address below the record follows a call of this function */
	f->words[1] = at(f, "after_without_cfi");
	expect(f, UNWIND_FOUND, "after_without_cfi");
}

static void the_caller_is_found_on_the_stack(void **state)
{
	struct frames *f = *state;

	reset(f, "in_without_cfi");
	f->regs[29] = 1;
	f->words[3] = at(f, "in_leaf_without_cfi"); /* follows no call */
	f->words[5] = at(f, "after_without_cfi");
	expect(f, UNWIND_FOUND, "after_without_cfi");
	/* with signatures */
	f->words[5] |= 0x5d00000000000000;
	expect(f, UNWIND_FOUND, "after_without_cfi");
	/* that does not reach the outermost frame */
	f->words[5] = at(f, "in_leaf_without_cfi");
	expect(f, UNWIND_NO_CFI, NULL);
}

/* ---- JIT code ---- */

/* Instructions of JIT code, by where they are: the rest are NOPs, too many to find a return behind. */
enum { NOP = 0xd503201f, JUMP = 0xd61f0200, CALL_BY_POINTER = 0xd63f0020, FAR = 20000, FARTHER = 40000 };

static u32 call(u32 from, u32 to)
{
	return 0x94000000 | ((to - from) & 0x3ffffff);
}

static void reset_jit(struct frames *f, const char *ip)
{
	const u32 outer = JIT_OUTERMOST;

	if (!f->jit)
		f->jit = xcalloc(JIT_INSNS, sizeof(*f->jit));
	for (u32 i = 0; i < JIT_INSNS; i++)
		f->jit[i] = NOP;
	f->outermost = at(f, "after_keeps_record") - 1 - CODE_AT;
	f->jit[1000] = CALL_BY_POINTER;
	f->jit[1001] = call(1001, FAR);
	f->jit[1002] = call(1002, FAR + 1); /* to the middle of that function */
	f->jit[FAR + 4] = CALL_BY_POINTER;
	f->jit[FAR + 5] = call(FAR + 5, FARTHER);
	f->jit[FARTHER + 4] = call(FARTHER + 4, FAR);
	f->jit[outer] = call(outer, FAR);
	f->jit[outer + 1] = call(outer + 1, FARTHER);
	f->jit[outer + 2] = CALL_BY_POINTER;
	f->jit[outer + 3] = call(outer + 3, 10);
	reset(f, ip);
}

static void free_jit(struct frames *f)
{
	free(f->jit);
	f->jit = NULL;
}

#define OUTER_FAR "+64513"
#define OUTER_FARTHER "+64514"
#define OUTER_POINTER "+64515"
#define OUTER_NOWHERE "+64516"

/* The caller of a leaf is in the link register, unless it made another call meanwhile. */
static void links_lead_to_the_callers_of_jit_code(void **state)
{
	struct frames *f = *state;

	assert_int_equal(JIT_OUTERMOST + 1, 64513);
	/* no frame record: callers before and behind the function */
	reset_jit(f, "+20003");
	f->regs[29] = 1;
	f->regs[30] = at(f, OUTER_FAR);
	expect(f, UNWIND_FOUND, OUTER_FAR);
	f->regs[30] = at(f, "+1002");
	f->words[5] = at(f, OUTER_POINTER);
	expect(f, UNWIND_FOUND, "+1002", OUTER_POINTER);
	/* the frame record is another function's, or one's own, if the link is that of a call by a pointer */
	reset_jit(f, "+20003");
	f->regs[29] = STACK_AT + 16;
	f->regs[30] = at(f, "+1001");
	f->words[2] = 0;
	f->words[3] = at(f, OUTER_FAR);
	expect(f, UNWIND_FOUND, OUTER_FAR);
	/* the function's own call */
	f->regs[32] = at(f, "+20008");
	f->regs[30] = at(f, "+20006");
	expect(f, UNWIND_COMPLETE, OUTER_FAR);
	f->regs[30] = f->words[3]; /* as in the record */
	expect(f, UNWIND_COMPLETE, OUTER_FAR);
	/* the link shows that the caller made the call; as it leads nowhere, no other call can have */
	reset_jit(f, "+40002");
	f->regs[29] = STACK_AT + 16;
	f->regs[30] = at(f, "+20006");
	f->words[5] = at(f, OUTER_NOWHERE);
	expect(f, UNWIND_NO_CFI, NULL);
	f->regs[30] = 0;
	expect(f, UNWIND_FOUND, OUTER_NOWHERE);
	/* a found caller has its frame pointer still */
	reset_jit(f, "+40002");
	f->regs[29] = STACK_AT + 8 * 8;
	f->words[3] = at(f, "+20006");
	f->words[8] = 0;
	f->words[9] = at(f, OUTER_NOWHERE);
	expect(f, UNWIND_FOUND, "+20006", OUTER_NOWHERE);
	/* the caller's register is that of its own call */
	reset_jit(f, "in_leaf");
	f->regs[29] = STACK_AT + 16;
	f->regs[30] = at(f, "+20005");
	f->words[2] = 0;
	f->words[3] = at(f, OUTER_FAR);
	expect(f, UNWIND_COMPLETE, "+20005", OUTER_FAR);
	free_jit(f);
}

/* A frame pointer of 0 says nothing here: on arm64 it need not lead to records. */
static void jit_code_is_not_outermost(void **state)
{
	struct frames *f = *state;

	reset_jit(f, "in_leaf");
	f->regs[29] = 0;
	f->regs[30] = at(f, "+500");
	expect(f, UNWIND_NO_CFI, "+500");
	free_jit(f);
}

/* A file or a compiler may have rows of another machine: they say nothing. */
static void rows_of_other_machines_do_not_count(void **state)
{
	static const char *const places[] = { "after_keeps_record", OUTER_FAR };
	struct frames *f = *state;

	reset_jit(f, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		struct unwinder *u = unwinder__new(unwind_arch__find("x86_64"), look_up_frames, f);
		const u64 regs[] = { 1, STACK_AT, at(f, places[i]) };
		struct unwind_sample s = sample_of(f);
		u64 ips[8];
		unsigned nr;

		f->regs[32] = regs[2];
		expect(f, UNWIND_COMPLETE, NULL);
		s.regs_mask = 7 << 6; /* rbp, rsp, rip */
		s.regs = regs;
		assert_int_not_equal(unwinder__run(u, &s, ips, NULL, 8, &nr), UNWIND_COMPLETE);
		unwinder__delete(u);
	}
	free_jit(f);
}

/* Behind a record the stack pointer is unknown, so words before the next one may be of another frame. */
static void records_follow_records(void **state)
{
	struct frames *f = *state;

	reset_jit(f, "+40002");
	f->regs[29] = STACK_AT;
	f->words[0] = STACK_AT + 8 * 8;
	f->words[1] = at(f, "+20006");
	f->words[4] = at(f, "+40005");
	f->words[8] = 0;
	f->words[9] = at(f, OUTER_FAR);
	expect(f, UNWIND_COMPLETE, "+20006", OUTER_FAR);
	free_jit(f);
}

/* The caller's frame begins behind the word that has its address, at the next 16 bytes or farther out. */
static void a_found_caller_begins_behind_the_word(void **state)
{
	struct frames *f = *state;
	u64 sps[16];

	for (unsigned word = 1; word < 5; word++)
		for (unsigned more = 0; more < 3; more++) {
			unsigned begins = (word / 2 + 1) * 2 + 2 * more;

			reset(f, "in_without_cfi");
			f->regs[29] = 1;
			f->words[word] = at(f, "in_keeps_no_record");
			f->words[begins + 4] = at(f, "after_keeps_no_record");
			expect_chain(
				f, UNWIND_FOUND, sps,
				(const char *const[]){ "in_keeps_no_record", "after_keeps_no_record", NULL });
			assert_int_equal(sps[1], STACK_AT + 8 * (begins - 2 * more));
			assert_int_equal(sps[2], STACK_AT + 8 * (begins + 6));
		}
	/* the link register has it: behind the leaf's own part of the stack */
	for (unsigned more = 0; more < 3; more++) {
		reset(f, "without_cfi");
		f->regs[29] = 1;
		f->regs[30] = at(f, "in_keeps_no_record");
		f->words[2 * more + 4] = at(f, "after_keeps_no_record");
		expect_chain(f, UNWIND_FOUND, sps,
			     (const char *const[]){ "in_keeps_no_record", "after_keeps_no_record", NULL });
		assert_int_equal(sps[1], STACK_AT);
	}
}

/*
 * A leaf that a handler called returns to code without CFI: the signal frame proves it. The interrupted
 * function's stack may be outside of the copy: then what it saved cannot be read, and nothing is searched.
 */
static void interrupted_stacks_may_be_elsewhere(void **state)
{
	enum { REGS = 39, SIZE = 90 }; /* words up to the interrupted registers, and in all */
	static const struct {
		const char *ip;
		s64 sp; /* from the start of the copy, bytes */
		enum unwind_end end;
		const char *caller;
	} rows[] = {
		{ "in_keeps_record", -4096, UNWIND_CUT, NULL },
		{ "in_keeps_record", 8 * SIZE, UNWIND_CUT, NULL },
		{ "in_without_cfi", 8 * SIZE - 16, UNWIND_FOUND, "after_without_cfi" },
		{ "in_without_cfi", 8 * SIZE, UNWIND_NO_CFI, NULL },
		{ "in_without_cfi", -16, UNWIND_NO_CFI, NULL },
	};
	struct frames *f = *state;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		u64 words[SIZE] = { 0 }, ips[16];
		struct unwind_sample s;
		struct unwinder *u;
		unsigned nr;

		reset_jit(f, "in_leaf");
		f->regs[30] = at(f, "+500");
		words[REGS + 29] = 1;
		words[REGS + 30] = at(f, "after_without_cfi");
		words[REGS + 31] = STACK_AT + (u64)rows[i].sp;
		words[REGS + 32] = at(f, rows[i].ip);
		s = sample_of(f);
		s.stack = (const u8 *)words;
		s.stack_size = sizeof(words);
		u = unwinder__new(unwind_arch__find("aarch64"), look_up_frames, f);
		assert_int_equal(unwinder__run(u, &s, ips, NULL, 16, &nr), rows[i].end);
		assert_int_equal(nr, rows[i].caller ? 4 : 3);
		assert_int_equal(ips[1], at(f, "+500"));
		assert_int_equal(ips[2], at(f, rows[i].ip));
		if (rows[i].caller)
			assert_int_equal(ips[3], at(f, rows[i].caller) - 1);
		/* the leaf returns to an outermost function that has CFI, or to no code, whatever is there */
		f->regs[30] = at(f, OUTER_FAR);
		assert_int_equal(unwinder__run(u, &s, ips, NULL, 16, &nr), UNWIND_COMPLETE);
		assert_int_equal(nr, 2);
		f->regs[30] = 0x70000000;
		assert_int_equal(unwinder__run(u, &s, ips, NULL, 16, &nr), UNWIND_UNMAPPED);
		assert_int_equal(nr, 2);
		/* a sample in the code itself was not returned to */
		f->regs[32] = at(f, "+500");
		f->regs[29] = 1;
		words[REGS + 30] = 0;
		assert_int_equal(unwinder__run(u, &s, ips, NULL, 16, &nr), UNWIND_NO_CFI);
		assert_int_equal(nr, 1);
		unwinder__delete(u);
		free_jit(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signatures_are_taken_off),
		cmocka_unit_test(code_of_nobody_ends_the_chain),
		cmocka_unit_test(signals_lead_to_what_they_interrupted),
		cmocka_unit_test(a_record_does_not_tell_the_stack_pointer),
		cmocka_unit_test(a_caller_without_record_lies_behind_the_callee),
		cmocka_unit_test(a_zero_is_no_outermost_frame),
		cmocka_unit_test(stubs_return_by_the_link_register),
		cmocka_unit_test(vectors_are_part_of_frames),
		cmocka_unit_test(leaves_have_their_caller_in_the_link_register),
		cmocka_unit_test(leaves_of_other_processes_are_others),
		cmocka_unit_test(the_link_register_leads_to_a_leafs_caller),
		cmocka_unit_test(instructions_tell_where_the_return_address_is),
		cmocka_unit_test(instructions_are_applied_where_the_call_is),
		cmocka_unit_test(a_record_must_be_that_of_the_function),
		cmocka_unit_test(the_caller_is_found_on_the_stack),
		cmocka_unit_test(links_lead_to_the_callers_of_jit_code),
		cmocka_unit_test(jit_code_is_not_outermost),
		cmocka_unit_test(rows_of_other_machines_do_not_count),
		cmocka_unit_test(records_follow_records),
		cmocka_unit_test(a_found_caller_begins_behind_the_word),
		cmocka_unit_test(interrupted_stacks_may_be_elsewhere),
	};

	return cmocka_run_group_tests(tests, open_frames, close_frames);
}
