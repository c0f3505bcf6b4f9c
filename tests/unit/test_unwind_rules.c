/*
 * What each kind of rule of call frame information says about a register, where a copy of the stack
 * ends, and code without such information: stacks of x86-64 written word by word, for functions that
 * are never run.
 */
#include "unit.h"

#include "base/memory/mem.h"
#include "own_code.h"
#include "unwind/unwind_private.h"

#include <string.h>

static void machines_have_names(void **state)
{
	static const char *const arm[] = { "armv6l", "armv7l", "armv8l" };
	const struct unwind_arch *arch;

	(void)state;
	assert_null(unwind_arch__find("vax"));
	assert_ptr_equal(unwind_arch__find("arm64"), unwind_arch__find("aarch64"));
	for (size_t i = 0; i < ARRAY_SIZE(arm); i++) {
		arch = unwind_arch__find(arm[i]);
		assert_non_null(arch);
		assert_int_equal(arch->word, 4);
	}
#ifdef __x86_64__
	assert_ptr_equal(unwind_arch__own(), unwind_arch__find("x86_64"));
#endif
}

static void stack_pointers_have_numbers(void **state)
{
	static const struct {
		const char *name;
		unsigned sp;
	} rows[] = { { "x86_64", 7 }, { "aarch64", 31 }, { "armv7l", 13 }, { "i686", 7 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(unwind_arch__perf_sp(unwind_arch__find(rows[i].name)), rows[i].sp);
}

#ifdef __x86_64__

/* A function with directives, and a place in it. */
#define FUNCTION(name, directives)                    \
	".type " name ", @function\n" name ":\n"      \
	"	.cfi_startproc\n" directives "	nop\n" \
	"in_" name ":	nop\n"                          \
	"	.cfi_endproc\n"
/* The same, of a place after a call. */
#define CALLER(name, directives)                             \
	".type " name ", @function\n" name ":\n"             \
	"	.cfi_startproc\n" directives "	call *%rax\n" \
	"in_" name ":	nop\n"                                 \
	"	.cfi_endproc\n"
/* An expression of one operation: register rsp + offset, at an address or as a value. */
#define AT_RSP(reg, offset) ".cfi_escape 0x10, " #reg ", 2, 0x77, " #offset "\n"
#define IS_RSP(reg, offset) ".cfi_escape 0x16, " #reg ", 2, 0x77, " #offset "\n"

__asm__(".text\n"
	/* their CFA: rsp + 8 */
	FUNCTION("in_register", ".cfi_register rbx, r12\n")
	/* DW_CFA_val_offset_sf, rbx, 24 / -8: clang does not assemble .cfi_val_offset */
	FUNCTION("is_cfa", ".cfi_escape 0x15, 3, 0x7d\n") FUNCTION("is_value", IS_RSP(3, 32))
		FUNCTION("in_memory", AT_RSP(3, 32))
			FUNCTION("is_unknown", ".cfi_escape 0x16, 3, 2, 0x70, 0\n") /* the value of rax */
	FUNCTION("below", ".cfi_offset rbx, -16\n")                                 /* below rsp */
	CALLER("calls_below", ".cfi_offset rbx, -16\n") FUNCTION("keeps", "")
		FUNCTION("at_rsp", ".cfi_def_cfa_offset 16\n .cfi_offset rbx, -16\n")
	/* by rbx */
	FUNCTION("by_rbx", ".cfi_def_cfa rbx, 16\n") CALLER("calls_by_rbx", ".cfi_def_cfa rbx, 16\n")
		FUNCTION("by_r8", ".cfi_def_cfa r8, 16\n") CALLER("calls_by_r12", ".cfi_def_cfa r12, 16\n")
			CALLER("calls_by_rax", ".cfi_def_cfa rax, 16\n")
				CALLER("calls_by_rbp", ".cfi_def_cfa rbp, 16\n")
	/* the return address is in r12 */
	FUNCTION("by_r12", ".cfi_def_cfa rbx, 8\n .cfi_register rip, r12\n")
	/* the caller's stack pointer is in r12 */
	FUNCTION("moves_stack", ".cfi_register rsp, r12\n") CALLER("recurses", ".cfi_def_cfa_offset 16\n")
		CALLER("outermost", ".cfi_undefined rip\n")
	/* what a handler returns to, as in C libraries: rsp and rip are in the signal frame at rsp */
	"	.cfi_startproc simple\n"
	"	.cfi_signal_frame\n"
	"	.cfi_escape 0x0f, 4, 0x77, 0xa0, 1, 0x06\n"
	"	.cfi_escape 0x10, 16, 3, 0x77, 0xa8, 1\n"
	"	nop\n"
	"restorer:	nop\n"
	"	.cfi_endproc\n"
	/* without CFI: only a frame pointer leads out of it */
	".skip 70000, 0x90\n"
	"jumps:	nop\n"
	"in_jumps:	jmp *%rax\n"
	/* without CFI: the instructions tell the size of the frame */
	".skip 70000, 0x90\n" /* longer than a function may be */
	"sized:\n"
	"	sub $24, %rsp\n"
	"in_sized:\n"
	"	add $24, %rsp\n"
	"	ret\n"
	".skip 70000, 0x90\n"
	"calls:\n"
	"	.cfi_startproc\n"
	"	.cfi_undefined rip\n"
	"	call sized\n"
	"calls_sized:\n"
	"	call calls\n"
	"calls_other:\n"
	"	call *%rax\n"
	"calls_any:\n"
	"	nop\n"
	"calls_none:\n"
	"	nop\n"
	"	.cfi_endproc\n");
extern const char in_in_register[], in_is_cfa[], in_is_value[], in_in_memory[], in_is_unknown[], in_below[],
	in_calls_below[], in_keeps[], in_at_rsp[], in_by_rbx[], in_calls_by_rbx[], in_calls_by_rax[],
	in_calls_by_rbp[], in_by_r12[], in_moves_stack[], in_recurses[], in_outermost[], in_by_r8[],
	in_calls_by_r12[], restorer[], in_jumps[], in_sized[], calls_sized[], calls_other[], calls_any[],
	calls_none[];

enum { STACK_AT = 0x7000, WORDS = 48, JIT_AT = 0x400000 };

static u64 addr_of(const char *p)
{
	return (u64)(uintptr_t)p;
}

/* Our own code; and code of nobody at JIT_AT, which can be read if jit is set. */
struct code {
	struct lookup own;
	const u8 *jit;
};

static bool read_jit(void *ctx, u64 ip, u8 *data, size_t size)
{
	const struct code *c = ctx;

	for (size_t i = 0; i < size; i++)
		data[i] = ip + i - JIT_AT < 64 ? c->jit[ip + i - JIT_AT] : 0x90;
	return true;
}

static void look_up_both(void *ctx, u64 ip, struct unwind_code *code)
{
	struct code *c = ctx;

	if (ip - JIT_AT >= 4096)
		return look_up(&c->own, ip, code);
	code->is_code = true;
	code->read = c->jit ? read_jit : NULL;
}

enum { RAX = 1 << 0, RBX = 1 << 1, RBP = 1 << 6, RSP = 1 << 7, RIP = 1 << 8, R12 = 1 << 20 };

/* What is walked, with the registers in the order of perf's mask, and what came of it. */
static struct walk {
	struct code code;
	u64 mask, rax, rbx, rbp, rip, r12, words[WORDS], size;
	enum unwind_end end;
	u64 before, ips[16], sps[16], next_sp; /* before: no frame, so its address does not count */
	unsigned nr;
} w;

static void start(const char *rip)
{
	const struct code code = w.code;

	w = (struct walk){ .code = code,
			   .mask = RBX | RBP | RSP | RIP | R12,
			   .rip = addr_of(rip),
			   .size = sizeof(w.words) };
	for (unsigned i = 0; i < WORDS; i++)
		w.words[i] = 0x5a5a5b00 + i;
}

static void run(void)
{
	const u64 all[] = { w.rax, w.rbx, w.rbp, STACK_AT, w.rip, w.r12 };
	static const u64 bits[] = { RAX, RBX, RBP, RSP, RIP, R12 };
	u64 regs[ARRAY_SIZE(all)];
	struct unwind_sample s = {
		.regs_mask = w.mask, .regs = regs, .stack = (const u8 *)w.words, .stack_size = w.size
	};
	struct unwinder *u = unwinder__new(unwind_arch__find("x86_64"), look_up_both, &w.code);
	unsigned nr = 0;

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (w.mask & bits[i])
			regs[nr++] = all[i];
	w.end = unwinder__run(u, &s, w.ips, w.sps, ARRAY_SIZE(w.ips), &w.nr);
	w.next_sp = u->next_sp;
	assert_false(unwinder__left_stack(u));
	unwinder__delete(u);
}

/* callers: return addresses, up to NULL */
static void expect_walk(enum unwind_end end, const char *const *callers)
{
	unsigned nr = 1;

	run();
	assert_int_equal(w.end, end);
	assert_int_equal(w.ips[0], w.rip);
	assert_int_equal(w.sps[0], STACK_AT);
	for (; callers[nr - 1]; nr++)
		assert_int_equal(w.ips[nr], addr_of(callers[nr - 1]) - 1);
	assert_int_equal(w.nr, nr);
}
#define expect(end, ...) expect_walk(end, (const char *const[]){ __VA_ARGS__, NULL })

/* The caller's frame is known only if rbx is the word at: its return address is after it. */
static void expect_rbx(const char *rip, unsigned at)
{
	w.rip = addr_of(rip);
	w.words[0] = addr_of(in_calls_by_rbx);
	w.words[at + 1] = addr_of(in_outermost);
	expect(UNWIND_COMPLETE, in_calls_by_rbx, in_outermost);
	assert_int_equal(w.sps[1], STACK_AT + 8);
	assert_int_equal(w.sps[2], STACK_AT + 8 * at + 16);
	w.words[at + 1] = 0x5a5a5b00;
}

static void expect_no_rbx(const char *rip)
{
	w.rip = addr_of(rip);
	w.words[0] = addr_of(in_calls_by_rbx);
	expect(UNWIND_CORRUPT, in_calls_by_rbx);
	assert_int_equal(w.next_sp, 0); /* not by any number in its place */
}

static void rules_give_registers(void **state)
{
	(void)state;
	start(in_keeps);
	w.rbx = STACK_AT + 8 * 20;
	w.r12 = STACK_AT + 8 * 24;
	w.words[4] = STACK_AT + 8 * 28;
	expect_rbx(in_keeps, 20);
	expect_rbx(in_in_register, 24);
	expect_rbx(in_is_cfa, 4);   /* STACK_AT + 8 + 24 */
	expect_rbx(in_is_value, 4); /* STACK_AT + 32 */
	expect_rbx(in_in_memory, 28);
	expect_no_rbx(in_is_unknown);
	/* The place is not part of the stack any more: the register was restored. */
	expect_rbx(in_below, 20);
	w.mask &= ~(u64)R12;
	expect_no_rbx(in_in_register);
	w.mask &= ~(u64)RBX;
	expect_no_rbx(in_keeps);
	expect_no_rbx(in_below);
	expect_rbx(in_in_memory, 28);
	w.size = 32;
	expect_no_rbx(in_is_unknown);
}

/* A word at the stack pointer is part of the stack. */
static void a_register_at_the_stack_pointer_is_saved(void **state)
{
	(void)state;
	start(in_at_rsp);
	w.rbx = STACK_AT + 8 * 20;
	w.words[0] = STACK_AT + 8 * 24;
	w.words[1] = addr_of(in_calls_by_rbx);
	w.words[21] = addr_of(in_keeps);
	w.words[25] = addr_of(in_outermost);
	expect(UNWIND_COMPLETE, in_calls_by_rbx, in_outermost);
}

/* Only the sample's own frame can have restored it. */
static void a_caller_has_not_restored_registers(void **state)
{
	(void)state;
	start(in_keeps);
	w.rbx = STACK_AT + 8 * 20;
	w.words[0] = addr_of(in_calls_below);
	w.words[1] = addr_of(in_calls_by_rbx);
	w.words[21] = addr_of(in_outermost);
	/* the caller's rbx would be at the word of the return address, which is no frame */
	expect(UNWIND_CORRUPT, in_calls_below, in_calls_by_rbx);
}

static void the_copy_of_the_stack_has_ends(void **state)
{
	static const u64 size = 8 * WORDS;
	const struct {
		u64 ra_at;
		enum unwind_end end;
	} rows[] = {
		{ STACK_AT, UNWIND_COMPLETE },
		{ STACK_AT - 8, UNWIND_CORRUPT },
		{ STACK_AT - 1, UNWIND_CORRUPT },
		{ STACK_AT + size - 8, UNWIND_COMPLETE },
		{ STACK_AT + size - 7, UNWIND_CUT },
		{ STACK_AT + size, UNWIND_CUT },
		{ STACK_AT + (1 << 30) - 1, UNWIND_CUT },
		{ STACK_AT + (1 << 30), UNWIND_CORRUPT }, /* no copy would be that large */
		{ STACK_AT + (1ull << 31) - 1, UNWIND_CORRUPT },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		start(in_by_rbx);
		w.words[0] = w.words[WORDS - 1] = addr_of(in_outermost);
		w.rbx = rows[i].ra_at - 8;
		run();
		assert_int_equal(w.end, rows[i].end);
		assert_int_equal(w.nr, rows[i].end == UNWIND_COMPLETE ? 2 : 1);
		if (rows[i].end == UNWIND_CUT)
			assert_int_equal(w.next_sp, w.rbx + 16);
	}
	/* a size that cannot be: nothing is read */
	start(in_keeps);
	w.words[0] = addr_of(in_outermost);
	w.size = UINT64_MAX;
	expect(UNWIND_CUT, NULL);
}

static void frames_go_outwards(void **state)
{
	(void)state;
	start(in_by_r12);
	w.r12 = addr_of(in_outermost);
	w.rbx = STACK_AT;
	expect(UNWIND_COMPLETE, in_outermost);
	w.rbx = STACK_AT - 8; /* the same stack pointer, as of a leaf that has no frame */
	expect(UNWIND_COMPLETE, in_outermost);
	w.rbx = STACK_AT - 16;
	expect(UNWIND_CORRUPT, NULL);
	/* the same place again with the same stack pointer would go on for ever */
	w.rbx = STACK_AT - 8;
	w.r12 = w.rip;
	expect(UNWIND_CORRUPT, NULL);
	w.rbx = STACK_AT - 0;
	w.r12 = addr_of(in_calls_by_rax);
	expect(UNWIND_CORRUPT, in_calls_by_rax);
	/* recursion has the same return address in each frame */
	start(in_keeps);
	w.words[0] = w.words[2] = w.words[4] = addr_of(in_recurses);
	w.words[6] = addr_of(in_outermost);
	expect(UNWIND_COMPLETE, in_recurses, in_recurses, in_recurses, in_outermost);
	assert_int_equal(w.sps[4], STACK_AT + 8 * 7);
}

static void a_stack_pointer_may_have_a_rule(void **state)
{
	(void)state;
	start(in_moves_stack);
	w.words[0] = addr_of(in_recurses);
	w.r12 = STACK_AT + 8 * 10;
	w.words[2] = addr_of(in_recurses);
	w.words[11] = addr_of(in_outermost);
	expect(UNWIND_COMPLETE, in_recurses, in_outermost);
	assert_int_equal(w.sps[1], STACK_AT + 8 * 10);
}

static void samples_without_what_is_needed(void **state)
{
	const u64 regs[] = { STACK_AT, addr_of(in_keeps) }, words[] = { addr_of(in_outermost) };
	struct unwind_sample s = {
		.regs_mask = RSP | RIP, .regs = regs, .stack = (const u8 *)words, .stack_size = sizeof(words)
	};
	struct unwinder *u = unwinder__new(unwind_arch__find("x86_64"), look_up_both, &w.code),
			*arm = unwinder__new(unwind_arch__find("armv7l"), look_up_both, &w.code),
			*unknown = unwinder__new(NULL, look_up_both, &w.code);
	u64 ips[4];
	unsigned nr;

	(void)state;
	assert_int_equal(unwinder__run(u, &s, ips, NULL, 4, &nr), UNWIND_COMPLETE);
	assert_int_equal(nr, 2);
	assert_int_equal(unwinder__run(u, &s, ips, NULL, 2, &nr), UNWIND_COMPLETE);
	assert_int_equal(unwinder__run(u, &s, ips, NULL, 1, &nr), UNWIND_TOO_DEEP);
	assert_int_equal(unwinder__run(unknown, &s, ips, NULL, 4, &nr), UNWIND_NO_REGS);
	assert_int_equal(nr, 0);
	assert_int_equal(unwinder__run(arm, &s, ips, NULL, 4, &nr), UNWIND_NO_REGS);
	s.is_32bit = true; /* the same addresses, but this is not the code of such programs */
	assert_int_equal(unwinder__run(u, &s, ips, NULL, 4, &nr), UNWIND_NO_CFI);
	s.is_32bit = false;
	assert_int_equal(unwinder__run(u, &s, ips, NULL, 4, &nr), UNWIND_COMPLETE);
	s.regs_mask = RSP | RIP | 1 << 9; /* flags, which have no number */
	s.regs = (const u64[]){ regs[0], regs[1], 0x246 };
	assert_int_equal(unwinder__run(u, &s, ips, NULL, 4, &nr), UNWIND_COMPLETE);
	s.regs = regs;
	s.regs_mask = RSP;
	assert_int_equal(unwinder__run(u, &s, ips, NULL, 4, &nr), UNWIND_NO_REGS);
	s.regs_mask = RIP;
	assert_int_equal(unwinder__run(u, &s, ips, NULL, 4, &nr), UNWIND_NO_REGS);
	unwinder__delete(u);
	unwinder__delete(arm);
	unwinder__delete(unknown);
	unwinder__delete(NULL);
}

static void instructions_lead_to_the_caller(void **state)
{
	(void)state;
	start(in_sized);
	w.words[3] = addr_of(calls_sized);
	expect(UNWIND_COMPLETE, calls_sized);
	assert_int_equal(w.sps[1], STACK_AT + 32);
	w.words[3] = addr_of(calls_any);
	expect(UNWIND_COMPLETE, calls_any);
	w.words[3] = addr_of(calls_other); /* frames may be missing */
	expect(UNWIND_FOUND, calls_other);
	w.words[3] = addr_of(calls_none);
	expect(UNWIND_NO_CFI, NULL);
	w.size = 24; /* without the return address */
	run();
	assert_int_equal(w.nr, 1);
}

/* In code of no file, return addresses need not follow a call: HotSpot's interpreter pushes others. */
static void code_of_no_file_returns_anywhere(void **state)
{
	static const u8 code[64] = {
		0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x48,
		0x83, 0xec, 0x08, 0x90, 0x48, 0x83, 0xc4, 0x08, 0xc3
	}; /* from 8 on: sub $8, %rsp; nop; add; ret */

	(void)state;
	w.code.jit = code;
	start((const char *)(uintptr_t)(JIT_AT + 12));
	w.words[1] = JIT_AT + 12; /* its caller, the same code */
	w.words[3] = addr_of(in_outermost);
	expect(UNWIND_FOUND, (const char *)(uintptr_t)(JIT_AT + 12), in_outermost);
	w.words[3] = addr_of(calls_none);
	run();
	assert_int_not_equal(w.end, UNWIND_COMPLETE);
	assert_true(w.nr <= 2);
	w.code.jit = NULL;
}

/* Code that no one can read, and that calls on with one word of its own on the stack. */
static void a_trampoline_is_stepped_over(void **state)
{
	const char *const trampoline = (const char *)(uintptr_t)(JIT_AT + 16);

	(void)state;
	start(in_keeps);
	w.words[0] = addr_of(trampoline);
	w.words[2] = addr_of(in_outermost);
	expect(UNWIND_FOUND, trampoline, in_outermost);
	assert_int_equal(w.sps[2], STACK_AT + 24);
	/* registers that calls keep are known in its caller, others are not */
	w.words[2] = addr_of(in_calls_by_rbx);
	w.rbx = STACK_AT + 8 * 20;
	w.words[21] = addr_of(in_outermost);
	expect(UNWIND_FOUND, trampoline, in_calls_by_rbx, in_outermost);
	w.mask |= RAX;
	w.rax = STACK_AT + 8 * 20;
	w.words[2] = addr_of(in_calls_by_rax);
	expect(UNWIND_CORRUPT, trampoline, in_calls_by_rax);
	w.words[2] = addr_of(in_calls_by_r12);
	w.r12 = STACK_AT + 8 * 20;
	expect(UNWIND_FOUND, trampoline, in_calls_by_r12, in_outermost);
	w.words[2] = addr_of(in_recurses);
	w.words[4] = addr_of(in_outermost);
	expect(UNWIND_FOUND, trampoline, in_recurses, in_outermost);
	w.words[4] = 0;
	/* no call */
	w.words[2] = addr_of(calls_none);
	w.words[21] = 0;
	expect(UNWIND_NO_CFI, trampoline);
	/* the callee is not of the binary that called the trampoline, or nobody was called */
	start(trampoline);
	w.words[1] = addr_of(in_outermost);
	w.before = addr_of(in_keeps);
	expect(UNWIND_NO_CFI, NULL);
	start(in_keeps);
	w.words[0] = addr_of(trampoline);
	w.words[2] = JIT_AT + 32;
	run();
	assert_int_not_equal(w.end, UNWIND_FOUND);
	assert_int_equal(w.nr, 2);
}

/* A frame that ends at its own stack pointer is none: its return address would be the one that led to it. */
static void a_frame_has_a_return_address_of_its_own(void **state)
{
	static const u8 leaves[64] = { [16] = 0xc9, 0xc3 }; /* leave; ret */
	const char *const jit = (const char *)(uintptr_t)(JIT_AT + 16);

	(void)state;
	start(in_keeps);
	w.code.jit = leaves;
	w.words[0] = addr_of(jit);
	w.rbp = STACK_AT - 8;
	expect(UNWIND_NO_CFI, jit);
	w.code.jit = NULL;
}

/* Bytes at JIT_AT + 16 + at; others are NOPs. */
static void set_jit(u8 *bytes, size_t at, u8 first, u8 second)
{
	memset(bytes, 0x90, 64);
	bytes[16 + at] = first;
	bytes[16 + at + 1] = second;
	w.code.jit = bytes;
}

/*
 * Code without CFI that reads rbp from where it points to, and finds its caller by rsp: if rbp pointed to
 * just below the return address, there was the caller's.
 */
static void a_frame_pointer_that_was_read_is_the_callers(void **state)
{
	static const u8 reads[64] = { [16] = 0x48, 0x8b, 0x6d, 0, 0x48, 0x83, 0xc4, 16, 0xc3 };
	static const u8 keeps[64] = { [16] = 0x48, 0x83, 0xc4, 16, 0xc3 }; /* add $16, %rsp; ret */
	const char *const jit = (const char *)(uintptr_t)(JIT_AT + 16);

	(void)state;
	start(jit);
	w.code.jit = reads;
	w.rbp = STACK_AT + 8;
	w.words[1] = STACK_AT + 8 * 20;
	w.words[2] = addr_of(in_calls_by_rbp);
	w.words[21] = addr_of(in_outermost);
	expect(UNWIND_COMPLETE, in_calls_by_rbp, in_outermost);
	/* rbp pointed to something else, or nobody knows where */
	w.rbp = STACK_AT + 16;
	expect(UNWIND_CORRUPT, in_calls_by_rbp);
	w.rbp = STACK_AT;
	w.words[0] = STACK_AT + 8 * 20;
	expect(UNWIND_CORRUPT, in_calls_by_rbp);
	w.rbp = STACK_AT + 8;
	w.mask &= ~(u64)RBP;
	expect(UNWIND_CORRUPT, in_calls_by_rbp);
	w.mask |= RBP;
	/* code that does not change rbp: it is the caller's as it is */
	w.code.jit = keeps;
	expect(UNWIND_CORRUPT, in_calls_by_rbp);
	w.rbp = STACK_AT + 8 * 20;
	expect(UNWIND_COMPLETE, in_calls_by_rbp, in_outermost);
	w.code.jit = NULL;
}

/*
 * A runtime puts an address of its code below the first function on a stack, with 0 as the frame pointer. The
 * address follows no call.
 */
static void code_of_nobody_may_be_outermost(void **state)
{
	const char *const jit = (const char *)(uintptr_t)(JIT_AT + 16);
	u8 bytes[64];

	(void)state;
	start(in_keeps);
	set_jit(bytes, 0, 0x90, 0x90);
	w.words[0] = addr_of(jit);
	expect(UNWIND_FOUND, jit);
	w.rbp = 8; /* another frame pointer, or none */
	expect(UNWIND_NO_CFI, jit);
	w.rbp = 0;
	w.mask &= ~(u64)RBP;
	expect(UNWIND_NO_CFI, jit);
	w.mask |= RBP;
	set_jit(bytes, (size_t)-2, 0xff, 0xd0); /* call *%rax */
	expect(UNWIND_NO_CFI, jit);
	w.code.jit = NULL; /* nobody can read it */
	expect(UNWIND_NO_CFI, jit);
	set_jit(bytes, 0, 0x90, 0x90);
	w.words[0] = addr_of(in_jumps); /* of a file */
	expect(UNWIND_NO_CFI, in_jumps);
	w.words[0] = JIT_AT + 4097; /* no code */
	run();
	assert_int_equal(w.end, UNWIND_UNMAPPED);
	w.rip = addr_of(jit); /* what runs there may have callers */
	expect(UNWIND_NO_CFI, NULL);
	w.code.jit = NULL;
}

/*
 * The return address of a signal handler leads to code that no one can read: what the kernel left on
 * the stack tells what was interrupted.
 */
static void a_signal_frame_needs_no_code(void **state)
{
	enum { REGS = 6, RBX_AT = REGS + 11, SP_AT = REGS + 15, IP_AT, FLAGS_AT, CS_AT }; /* order: r8.. */
	const char *const of_nobody = (const char *)(uintptr_t)(JIT_AT + 16);

	(void)state;
	start(in_keeps);
	w.words[0] = addr_of(of_nobody);
	w.words[1] = 7;
	w.words[2] = 0;
	w.words[RBX_AT] = STACK_AT + 8 * 40;
	w.words[SP_AT] = STACK_AT + 8 * 36;
	w.words[IP_AT] = addr_of(in_by_rbx);
	w.words[FLAGS_AT] = 0x246;
	w.words[CS_AT] = 0x2b000000000033;
	w.words[41] = addr_of(in_outermost);
	run();
	assert_int_equal(w.end, UNWIND_COMPLETE);
	assert_int_equal(w.nr, 4);
	assert_int_equal(w.ips[1], addr_of(of_nobody)); /* an address that no call is before */
	assert_int_equal(w.ips[2], addr_of(in_by_rbx));
	assert_int_equal(w.sps[2], STACK_AT + 8 * 36);
	assert_int_equal(w.ips[3], addr_of(in_outermost) - 1);
	/* the first register there */
	w.words[IP_AT] = addr_of(in_by_r8);
	w.words[REGS] = STACK_AT + 8 * 42;
	w.words[43] = addr_of(in_outermost);
	w.words[41] = 0;
	run();
	assert_int_equal(w.end, UNWIND_COMPLETE);
	assert_int_equal(w.nr, 4);
	/* rax, which was unknown before */
	w.words[IP_AT] = addr_of(in_calls_by_rax);
	w.words[REGS + 13] = STACK_AT + 8 * 44;
	w.words[45] = addr_of(in_outermost);
	w.words[43] = 0;
	run();
	assert_int_equal(w.end, UNWIND_COMPLETE);
	assert_int_equal(w.nr, 4);
	/* the sample is in that code itself: no one has called it */
	start(of_nobody);
	run();
	assert_int_equal(w.nr, 1);
}

/*
 * A handler without CFI that returns to a restorer with CFI: the byte before it is part of the
 * restorer.
 */
static void a_handler_by_instructions_returns_to_a_restorer(void **state)
{
	enum { FRAME = 4, SP_AT = FRAME + 20, IP_AT, FLAGS_AT, CS_AT };

	(void)state;
	start(in_sized);
	w.words[3] = addr_of(restorer);
	w.words[FRAME] = 7;
	w.words[FRAME + 1] = 0;
	w.words[SP_AT] = STACK_AT + 8 * 36;
	w.words[IP_AT] = addr_of(in_keeps);
	w.words[FLAGS_AT] = 0x246;
	w.words[CS_AT] = 0x2b000000000033;
	w.words[36] = addr_of(in_outermost);
	run();
	assert_int_equal(w.end, UNWIND_COMPLETE);
	assert_int_equal(w.nr, 4);
	assert_int_equal(w.ips[1], addr_of(restorer));
	assert_int_equal(w.ips[2], addr_of(in_keeps));
	/* the same by the frame pointer */
	w.rip = addr_of(in_jumps);
	w.rbp = STACK_AT + 8 * 2;
	w.words[2] = 0;
	run();
	assert_int_equal(w.end, UNWIND_COMPLETE);
	assert_int_equal(w.nr, 4);
	assert_int_equal(w.ips[2], addr_of(in_keeps));
}

static void a_frame_pointer_leads_to_a_record(void **state)
{
	(void)state;
	start(in_jumps);
	w.rbp = STACK_AT + 8 * 4;
	w.words[5] = addr_of(calls_any);
	expect(UNWIND_COMPLETE, calls_any);
	assert_int_equal(w.sps[1], STACK_AT + 8 * 6);
	/* addresses of no file need not follow a call */
	w.code.jit = (const u8[64]){ 0x90 };
	w.words[5] = JIT_AT + 32;
	run();
	assert_true(w.nr >= 2);
	assert_int_equal(w.ips[1], JIT_AT + 31);
	w.code.jit = NULL;
	/* not aligned */
	w.rbp += 4;
	memcpy((char *)w.words + 8 * 5 + 4, (u64[]){ addr_of(calls_any) }, 8);
	expect(UNWIND_NO_CFI, NULL);
	/* after the copy */
	w.rbp = STACK_AT + w.size + 16;
	expect(UNWIND_CUT, NULL);
	assert_int_equal(w.next_sp, w.rbp + 16);
	w.rbp = STACK_AT + (1ull << 31);
	expect(UNWIND_NO_CFI, NULL);
	/* that an earlier frame's register was after the copy does not count */
	w.rip = addr_of(in_in_memory);
	w.words[0] = addr_of(in_jumps) + 1;
	w.size = 32;
	run();
	assert_int_equal(w.end, UNWIND_NO_CFI);
	assert_int_equal(w.nr, 2);
}

/* A caller that was found on the stack must itself have been called. */
static void a_search_believes_in_calls_only(void **state)
{
	(void)state;
	start(in_jumps);
	w.words[2] = addr_of(in_recurses);
	w.words[4] = addr_of(calls_any);
	expect(UNWIND_FOUND, in_recurses, calls_any);
	w.words[4] = addr_of(calls_none);
	expect(UNWIND_NO_CFI, NULL);
}

static int find_code(void **state)
{
	(void)state;
	find_own_code(&w.code.own);
	return 0;
}

static int forget_code(void **state)
{
	(void)state;
	cfi__delete(w.code.own.cfi);
	return 0;
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(machines_have_names),
		cmocka_unit_test(stack_pointers_have_numbers),
#ifdef __x86_64__
		cmocka_unit_test(rules_give_registers),
		cmocka_unit_test(a_register_at_the_stack_pointer_is_saved),
		cmocka_unit_test(a_caller_has_not_restored_registers),
		cmocka_unit_test(the_copy_of_the_stack_has_ends),
		cmocka_unit_test(frames_go_outwards),
		cmocka_unit_test(a_stack_pointer_may_have_a_rule),
		cmocka_unit_test(samples_without_what_is_needed),
		cmocka_unit_test(instructions_lead_to_the_caller),
		cmocka_unit_test(code_of_no_file_returns_anywhere),
		cmocka_unit_test(a_trampoline_is_stepped_over),
		cmocka_unit_test(a_frame_has_a_return_address_of_its_own),
		cmocka_unit_test(code_of_nobody_may_be_outermost),
		cmocka_unit_test(a_frame_pointer_that_was_read_is_the_callers),
		cmocka_unit_test(a_signal_frame_needs_no_code),
		cmocka_unit_test(a_handler_by_instructions_returns_to_a_restorer),
		cmocka_unit_test(a_frame_pointer_leads_to_a_record),
		cmocka_unit_test(a_search_believes_in_calls_only),
#endif
	};

#ifdef __x86_64__
	return cmocka_run_group_tests(tests, find_code, forget_code);
#else
	return cmocka_run_group_tests(tests, NULL, NULL);
#endif
}
