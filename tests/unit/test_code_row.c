/*
 * Rows from instructions: of functions that an assembler made, at each of their instructions. What is
 * expected is their call frame information, which the assembler wrote from directives.
 */
#include "unit.h"

#include "base/memory/mem.h"
#include "own_code.h"
#include "unwind/code_row.h"
#include "unwind/x86_insn.h"

#include <string.h>

#ifdef __x86_64__

#define FUNCTION(name, body)                     \
	".type " name ", @function\n"            \
	".globl " name "\n" name ":\n"           \
	".cfi_startproc\n" body ".cfi_endproc\n" \
	".globl " name "_end\n" name "_end:\n"

#define PUSH(reg) "push %" reg "\n .cfi_adjust_cfa_offset 8\n .cfi_rel_offset " reg ", 0\n"
#define POP(reg) "pop %" reg "\n .cfi_adjust_cfa_offset -8\n .cfi_restore " reg "\n"
#define SUB(n) "sub $" #n ", %rsp\n .cfi_adjust_cfa_offset " #n "\n"
#define ADD(n) "add $" #n ", %rsp\n .cfi_adjust_cfa_offset -" #n "\n"

__asm__(".text\n"
	/* saves registers, calls, has a loop, an early return and a jump table's worth of odd instructions */
	FUNCTION(
		"saves",
		PUSH("r15") PUSH("rbx") PUSH("rbp") SUB(
			32) "mov %rdi, %rbp\n"
			    "1: movzbl (%rdi), %eax\n"
			    "vmovdqu (%rdi), %ymm0\n"
			    "lock cmpxchg %ebx, (%rdi)\n"
			    "movabs $0x1122334455667788, %rcx\n"
			    "testb $1, 8(%rsp,%rax,4)\n"
			    "imul $1000, %rax, %rdx\n"
			    "rep stosq\n"
			    "test $0x12345678, %eax\n"
			    "cmpw $0x1234, (%rdi)\n"
			    "call leaves\n"
			    "sub $1, %rdi\n"
			    "jne 1b\n"
			    ".byte 0x0f, 0x84, 0x10, 0, 0, 0\n" /* je, 16 bytes on: into the second part */
		ADD(32) POP("rbp") POP("rbx") POP(
			"r15") "ret\n"
			       ".cfi_adjust_cfa_offset 56\n"
			       ".cfi_rel_offset r15, 48\n .cfi_rel_offset rbx, 40\n .cfi_rel_offset rbp, 32\n"
			       ".balign 16, 0x90\n"
			       ".rept 32\n nop\n .endr\n"
			       "lea 32(%rsp), %rsp\n .cfi_adjust_cfa_offset -32\n" POP("rbp") POP("rbx")
				       POP("r15") ".byte 0xf2, 0xc3\n" /* bnd ret */)
	/* has a frame pointer */
	FUNCTION("leaves", "push %rbp\n .cfi_def_cfa_offset 16\n .cfi_offset rbp, -16\n"
			   "mov %rsp, %rbp\n .cfi_def_cfa_register rbp\n"
			   "push %r12\n .cfi_offset r12, -24\n"
			   "push %rbx\n .cfi_offset rbx, -32\n"
			   "sub $0x1000, %rsp\n"
			   "and $-32, %rsp\n"
			   "call saves\n"
			   "sub %rax, %rsp\n"
			   "call *%rax\n"
			   "lea -16(%rbp), %rsp\n"
			   "pop %rbx\n .cfi_restore rbx\n"
			   "pop %r12\n .cfi_restore r12\n"
			   "leave\n .cfi_def_cfa rsp, 8\n .cfi_restore rbp\n"
			   "ret $8\n")
	/* ends with a jump to another function, which saves a register on the way */
	FUNCTION("jumps", PUSH("rbx") SUB(16) "mov %rdi, %rbx\n"
					      "call saves\n" ADD(16) POP("rbx") "jmp saves\n")
	/* the same out of a frame that rbp leads to, to one that has such a frame, too */
	FUNCTION("jumps_out", "push %rbp\n .cfi_def_cfa_offset 16\n .cfi_offset rbp, -16\n"
			      "mov %rsp, %rbp\n .cfi_def_cfa_register rbp\n"
			      "push %rbx\n .cfi_offset rbx, -24\n"
			      "sub $8, %rsp\n"
			      "mov %rdi, %rbx\n"
			      "call saves\n"
			      "mov -8(%rbp), %rbx\n .cfi_restore rbx\n"
			      "leave\n .cfi_def_cfa rsp, 8\n .cfi_restore rbp\n"
			      "jmp leaves\n")
	/* restores by loads, as compilers of interpreters do */
	FUNCTION("loads", SUB(40) "mov %rbx, 8(%rsp)\n .cfi_rel_offset rbx, 8\n"
				  "mov %r14, 16(%rsp)\n .cfi_rel_offset r14, 16\n"
				  "call *8(%rax)\n"
				  "mov 8(%rsp), %rbx\n .cfi_restore rbx\n"
				  "mov 16(%rsp), %r14\n .cfi_restore r14\n" ADD(40) "repz ret\n"));

extern const u8 saves[], saves_end[], leaves[], leaves_end[], jumps[], jumps_end[], jumps_out[],
	jumps_out_end[], loads[], loads_end[];

static bool read_memory(void *ctx, u64 ip, void *data, size_t size)
{
	(void)ctx;
	memcpy(data, (const void *)(uintptr_t)ip, size);
	return true;
}

/*
 * The rows of each instruction must say the same about the return address, and of saved registers where
 * they are. Where a register is not saved yet, the instructions show only where it will be.
 */
static void expect_rows_of_cfi(const struct lookup *l, const u8 *start, const u8 *end)
{
	struct x86_insn insn;
	unsigned nr = 0;

	for (const u8 *at = start; at < end; at += insn.size, nr++) {
		u64 ip = (u64)(uintptr_t)at;
		const struct cfi_row *want = cfi__find(l->cfi, ip - l->start + l->pgoff), *got;
		struct code_row row;

		assert_true(x86_insn__decode(&insn, at, X86_INSN_MAX, true));
		assert_non_null(want);
		if (!code_row__make(&row, ip, false, read_memory, NULL))
			fail_msg("no row at instruction %u", nr);
		got = code_row__row(&row);
		if (got->cfa_reg == want->cfa_reg && got->cfa_offset != want->cfa_offset)
			fail_msg("instruction %u: CFA %u+%d, not %d", nr, got->cfa_reg, (int)got->cfa_offset,
				 (int)want->cfa_offset);
		for (unsigned reg = 0; reg < 16; reg++) {
			const struct cfi_rule *w = cfi_row__rule(want, reg), *g = cfi_row__rule(got, reg);

			if (reg != 7 && got->cfa_reg == want->cfa_reg && w &&
			    (got->kept >> reg & 1 || (g && g->offset != w->offset)))
				fail_msg("instruction %u: register %u", nr, reg);
		}
	}
	assert_true(nr > 6);
}

static void instructions_say_what_cfi_says(void **state)
{
	struct lookup l;

	(void)state;
	find_own_code(&l);
	expect_rows_of_cfi(&l, saves, saves_end);
	expect_rows_of_cfi(&l, leaves, leaves_end);
	expect_rows_of_cfi(&l, jumps, jumps_end);
	expect_rows_of_cfi(&l, jumps_out, jumps_out_end);
	expect_rows_of_cfi(&l, loads, loads_end);
	cfi__delete(l.cfi);
}

struct bytes {
	const u8 *data;
	size_t size;
};

static bool read_bytes(void *ctx, u64 ip, void *data, size_t size)
{
	const struct bytes *b = ctx;

	if (ip < 0x1000 || ip - 0x1000 > b->size || b->size - (ip - 0x1000) < size)
		return false;
	memcpy(data, b->data + (ip - 0x1000), size);
	return true;
}

#define ROW(...)                                     \
	{                                            \
		sizeof((const u8[]){ __VA_ARGS__ }), \
		{                                    \
			__VA_ARGS__                  \
		}                                    \
	}

static void code_that_does_not_return_has_no_row(void **state)
{
	static const struct {
		size_t size;
		u8 code[24];
	} rows[] = {
		ROW(0xeb, 0xfe),             /* jumps to itself */
		ROW(0xff, 0xe0),             /* jmp *%rax */
		ROW(0x90, 0x90),             /* the code ends */
		ROW(0x0f, 0x0b, 0xc3),       /* ud2 */
		ROW(0xcc, 0xc3),             /* int3 */
		ROW(0x06, 0xc3),             /* invalid in 64-bit mode */
		ROW(0x48, 0x89, 0xc4, 0xc3), /* mov %rax, %rsp */
		ROW(0x5c, 0xc3),             /* pop %rsp */
		ROW(0x50, 0xc3),             /* returns to what it pushed */
		ROW(0x74, 0xfe, 0xf4),       /* je to itself; hlt */
		ROW(0xe8, 0, 0, 0, 0, 0xc3), /* a call with the stack not aligned */
		/* a call that does not return, then another function: push %rbx; call; pop %rbx; ret */
		ROW(0xe8, 0, 0, 0, 0, 0x53, 0xe8, 0, 0, 0, 0, 0x5b, 0xc3),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct bytes b = { rows[i].code, rows[i].size };
		struct code_row row;

		if (code_row__make(&row, 0x1000, false, read_bytes, &b))
			fail_msg("row %zu", i);
	}
}

/* The same instructions, from a return address: rsp is aligned there. */
static void a_return_address_is_in_a_frame(void **state)
{
	static const u8 ret[] = { 0xc3 }, pops[] = { 0x5b, 0xc3 };
	struct bytes b = { ret, sizeof(ret) };
	struct code_row row;

	(void)state;
	assert_false(code_row__make(&row, 0x1000, true, read_bytes, &b));
	assert_true(code_row__make(&row, 0x1000, false, read_bytes, &b));
	assert_int_equal(code_row__row(&row)->cfa_offset, 8);
	b = (struct bytes){ pops, sizeof(pops) };
	assert_true(code_row__make(&row, 0x1000, true, read_bytes, &b));
	assert_int_equal(code_row__row(&row)->cfa_offset, 16);
}

/* ---- rows of instructions that are written out ---- */

/* DWARF's numbers. */
enum { RBX = 3, RBP = 6, RSP = 7, R12 = 12, ESP = 4, EBP = 5, ESI = 6 };

struct want {
	u8 cfa_reg; /* 0: no row */
	s64 cfa;
	struct {
		u8 reg; /* 0: no more */
		s64 at; /* from cfa_reg */
	} saved[3];
	u32 unknown; /* mask of registers that are neither saved nor as they were */
};

static void check_row(size_t nr, bool is_32, bool is_return, const u8 *code, size_t size,
		      const struct want *want)
{
	const s64 word = is_32 ? 4 : 8;
	u32 kept = (is_32 ? 1 << 3 | 1 << 5 | 1 << 6 | 1 << 7 : 1 << 3 | 1 << 6 | 0xf << 12) & ~want->unknown;
	struct bytes b = { code, size };
	const struct cfi_row *row;
	unsigned nr_rules = 1;
	struct code_row made;
	bool had = (is_32 ? code_row__make_i386 : code_row__make)(&made, 0x1000, is_return, read_bytes, &b);

	if (had != !!want->cfa_reg)
		fail_msg("row %zu: %d", nr, had);
	if (!had)
		return;
	row = code_row__row(&made);
	if (row->cfa_reg != want->cfa_reg || row->cfa_offset != want->cfa)
		fail_msg("row %zu: CFA %u+%d", nr, row->cfa_reg, (int)row->cfa_offset);
	assert_null(row->cfa_expr);
	assert_int_equal(row->ra, is_32 ? 8 : 16);
	assert_non_null(cfi_row__rule(row, row->ra));
	assert_int_equal(cfi_row__rule(row, row->ra)->kind, CFI_AT_CFA);
	assert_int_equal(cfi_row__rule(row, row->ra)->offset, -word);
	for (; nr_rules - 1 < ARRAY_SIZE(want->saved) && want->saved[nr_rules - 1].reg; nr_rules++) {
		u8 reg = want->saved[nr_rules - 1].reg;
		const struct cfi_rule *rule = cfi_row__rule(row, reg);

		if (!rule || rule->kind != CFI_AT_CFA ||
		    rule->offset != want->saved[nr_rules - 1].at - want->cfa)
			fail_msg("row %zu: register %u", nr, reg);
		kept &= ~(1u << reg);
	}
	if (row->nr_rules != nr_rules || row->kept != kept)
		fail_msg("row %zu: %u rules, %x is kept", nr, row->nr_rules, (unsigned)row->kept);
}

#define CODE(...)                            \
	sizeof((const u8[]){ __VA_ARGS__ }), \
	{                                    \
		__VA_ARGS__                  \
	}
#define NONE                 \
	{                    \
		.cfa_reg = 0 \
	}
#define AT(reg, off, ...)                                                \
	{                                                                \
		.cfa_reg = (reg), .cfa = (off), .saved = { __VA_ARGS__ } \
	}
#define AT_BUT(reg, lost, off, ...)                                                              \
	{                                                                                        \
		.cfa_reg = (reg), .unknown = 1 << (lost), .cfa = (off), .saved = { __VA_ARGS__ } \
	}

static void instructions_say_where_registers_are(void **state)
{
	static const struct {
		size_t size;
		u8 code[24];
		struct want want;
	} rows[] = {
		{ CODE(0xc3), AT(RSP, 8) },
		{ CODE(0x48, 0x83, 0xc4, 0x18, 0xc3), AT(RSP, 32) }, /* add $24, %rsp */
		{ CODE(0x48, 0x83, 0xc4, 0x04, 0xc3), NONE },        /* add $4, %rsp */
		{ CODE(0x5b, 0xc3), AT(RSP, 16, { RBX, 0 }) },
		{ CODE(0x41, 0x5c, 0x5b, 0x5d, 0xc3), AT(RSP, 32, { R12, 0 }, { RBX, 8 }, { RBP, 16 }) },
		{ CODE(0x48, 0x8b, 0x5c, 0x24, 0x10, 0x48, 0x83, 0xc4, 0x18, 0xc3), /* mov 16(%rsp), %rbx */
		  AT(RSP, 32, { RBX, 16 }) },
		/* pushed on the way: push %rbx or %rax; pop %rbx */
		{ CODE(0x53, 0x5b, 0xc3), AT(RSP, 8) },
		{ CODE(0x50, 0x5b, 0xc3), AT_BUT(RSP, RBX, 8) },
		{ CODE(0x53, 0x50, 0x58, 0x5b, 0xc3), AT(RSP, 8) },
		{ CODE(0x53, 0x50, 0x5b, 0x58, 0xc3), AT_BUT(RSP, RBX, 8) },
		{ CODE(0x58, 0x50, 0x5b, 0xc3), AT_BUT(RSP, RBX, 16) },
		/* push %rbx; add $8, %rsp; push %rax; pop %rbx */
		{ CODE(0x53, 0x48, 0x83, 0xc4, 8, 0x50, 0x5b, 0xc3), AT_BUT(RSP, RBX, 8) },
		/* push %rbx; push %rax; add $8, %rsp; push %rcx; add $8, %rsp; pop %rbx */
		{ CODE(0x53, 0x50, 0x48, 0x83, 0xc4, 8, 0x51, 0x48, 0x83, 0xc4, 8, 0x5b, 0xc3), AT(RSP, 8) },
		/* push %rax, %rbx; add $16, %rsp; push %rax; sub $8, %rsp; pop %rbx, %rax: anything */
		{ CODE(0x50, 0x53, 0x48, 0x83, 0xc4, 16, 0x50, 0x48, 0x83, 0xec, 8, 0x5b, 0x58, 0xc3),
		  AT_BUT(RSP, RBX, 8) },
		/* mov -8(%rsp), %rbx: what was pushed on the way, nobody knows what */
		{ CODE(0x48, 0x8b, 0x5c, 0x24, 0xf8, 0xc3), AT_BUT(RSP, RBX, 8) },
		/* a return above what is there; pop %rsp, then leave */
		{ CODE(0x50, 0xc3), NONE },
		{ CODE(0x5c, 0xc3), NONE },
		{ CODE(0x5c, 0xc9, 0xc3), AT(RBP, 16, { RBP, 0 }) },
		{ CODE(0x48, 0x8b, 0x64, 0x24, 8, 0xc3), NONE }, /* mov 8(%rsp), %rsp */
		{ CODE(0x48, 0x8b, 0x64, 0x24, 8, 0xc9, 0xc3), AT(RBP, 16, { RBP, 0 }) },
		/* by the frame pointer */
		{ CODE(0xc9, 0xc3), AT(RBP, 16, { RBP, 0 }) },
		{ CODE(0x48, 0x8b, 0x5d, 0xf8, 0xc9, 0xc3), AT(RBP, 16, { RBX, -8 }, { RBP, 0 }) },
		{ CODE(0x48, 0x8d, 0x65, 0xf8, 0x5b, 0x5d, 0xc3), AT(RBP, 16, { RBX, -8 }, { RBP, 0 }) },
		{ CODE(0x48, 0x8b, 0x5d, 0xf8, 0xc3), AT_BUT(RSP, RBX, 8) }, /* not of this frame */
		{ CODE(0x53, 0xc9, 0xc3), AT(RBP, 16, { RBP, 0 }) },
		/* mov %rbp, %rsp; sub $16, %rsp: what is there is new */
		{ CODE(0x48, 0x89, 0xec, 0x48, 0x83, 0xec, 0x10, 0x5b, 0x58, 0x5d, 0xc3),
		  AT_BUT(RBP, RBX, 16, { RBP, 0 }) },
		/* so is what was below */
		{ CODE(0x48, 0x89, 0xec, 0x48, 0x8b, 0x5d, 0xf8, 0x5d, 0xc3),
		  AT_BUT(RBP, RBX, 16, { RBP, 0 }) },
		/* ... and what was popped: lea -16(%rbp), %rsp; pop %rbx; mov -16(%rbp), %r12 */
		{ CODE(0x48, 0x8d, 0x65, 0xf0, 0x5b, 0x4c, 0x8b, 0x65, 0xf0, 0x58, 0x5d, 0xc3),
		  AT_BUT(RBP, R12, 16, { RBX, -16 }, { RBP, 0 }) },
		{ CODE(0x48, 0x8d, 0x65, 0xf0, 0x5b, 0x4c, 0x8b, 0x65, 0xf8, 0x58, 0x5d, 0xc3),
		  AT(RBP, 16, { RBX, -16 }, { R12, -8 }, { RBP, 0 }) },
		/* push %rbx; mov %rbp, %rsp; sub $16, %rsp; push, pop, pop %rax; pop %rbx: another place */
		{ CODE(0x53, 0x48, 0x89, 0xec, 0x48, 0x83, 0xec, 0x10, 0x50, 0x58, 0x58, 0x5b, 0x5d, 0xc3),
		  AT_BUT(RBP, RBX, 16, { RBP, 0 }) },
		/* mov %rax, %rsp; push %rbx; mov %rcx, %rsp; sub $8, %rsp; pop %rbx; leave */
		{ CODE(0x48, 0x89, 0xc4, 0x53, 0x48, 0x89, 0xcc, 0x48, 0x83, 0xec, 8, 0x5b, 0xc9, 0xc3),
		  AT_BUT(RBP, RBX, 16, { RBP, 0 }) },
		/* push %rbp; mov %rax, %rbp; pop %rbp: as it was; push %rax: as %rax */
		{ CODE(0x55, 0x48, 0x89, 0xc5, 0x5d, 0xc9, 0xc3), AT(RBP, 16, { RBP, 0 }) },
		{ CODE(0x50, 0x5d, 0xc9, 0xc3), NONE },
		{ CODE(0x48, 0x89, 0xc5, 0xc9, 0xc3), NONE },
		/* mov %rsp, %rbp; push %rax; leave: to where rbp led */
		{ CODE(0x48, 0x89, 0xe5, 0x50, 0xc9, 0xc3), AT(RSP, 16, { RBP, 0 }) },
		/* push %rbp; mov %rsp, %rbp; push %rax; leave */
		{ CODE(0x55, 0x48, 0x89, 0xe5, 0x50, 0xc9, 0xc3), AT(RSP, 8) },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check_row(i, false, false, rows[i].code, rows[i].size, &rows[i].want);
}

static void calls_are_made_with_an_aligned_stack(void **state)
{
	static const struct {
		bool is_return;
		size_t size;
		u8 code[24];
		struct want want;
	} rows[] = {
		{ false, CODE(0xe8, 1, 0, 0, 0, 0x58, 0xc3), AT(RSP, 16) }, /* call; pop %rax */
		{ false, CODE(0xe8, 1, 0, 0, 0, 0xc3), NONE },
		{ false, CODE(0xe8, 1, 0, 0, 0, 0x58, 0x58, 0xc3), NONE },
		/* push %rax; call; pop %rax */
		{ false, CODE(0x50, 0xe8, 1, 0, 0, 0, 0x58, 0xc3), AT(RSP, 8) },
		/* call; push, push %rax; call; pop, pop, pop %rax */
		{ false, CODE(0xe8, 1, 0, 0, 0, 0x50, 0x50, 0xe8, 1, 0, 0, 0, 0x58, 0x58, 0x58, 0xc3),
		  AT(RSP, 16) },
		/* call; push %rax; call; pop, pop %rax: the first one did not return */
		{ false, CODE(0xe8, 1, 0, 0, 0, 0x50, 0xe8, 1, 0, 0, 0, 0x58, 0xc3), NONE },
		{ false, CODE(0xe8, 1, 0, 0, 0, 0x50, 0xe8, 1, 0, 0, 0, 0x58, 0x58, 0xc3), NONE },
		/* push, push %rax; call; pop, pop, pop %rax; call */
		{ false,
		  CODE(0x50, 0x50, 0xe8, 1, 0, 0, 0, 0x58, 0x58, 0x58, 0xe8, 1, 0, 0, 0, 0x58, 0xc3),
		  { 0 } },
		/* a register told by the frame pointer tells nothing of it: call; leave */
		{ false, CODE(0xe8, 1, 0, 0, 0, 0xc9, 0xc3), AT(RBP, 16, { RBP, 0 }) },
		{ false, CODE(0x48, 0x8d, 0x65, 0xf8, 0xe8, 1, 0, 0, 0, 0x5b, 0xe8, 1, 0, 0, 0, 0x5d, 0xc3),
		  AT(RBP, 16, { RBX, -8 }, { RBP, 0 }) },
		/* two calls with the same stack, whatever it is: sub $4, %rsp; call; call; leave */
		{ false, CODE(0x48, 0x83, 0xec, 4, 0xe8, 1, 0, 0, 0, 0xe8, 1, 0, 0, 0, 0xc9, 0xc3),
		  AT(RBP, 16, { RBP, 0 }) },
		/* mov (%rsp), %eax; ret: a function as others */
		{ false, CODE(0xe8, 1, 0, 0, 0, 0xc3, 0x8b, 0x04, 0x24, 0xc3), NONE },
		/* behind a call it is aligned */
		{ true, CODE(0xc3), NONE },
		{ true, CODE(0x58, 0xc3), AT(RSP, 16) },
		{ true, CODE(0x50, 0xe8, 1, 0, 0, 0, 0x58, 0x58, 0xc3), NONE },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check_row(i, false, rows[i].is_return, rows[i].code, rows[i].size, &rows[i].want);
}

/* Calls may pop arguments, so only the frame pointer tells; but not calls that load the program counter. */
static void calls_of_32_bit_code_may_pop(void **state)
{
	static const struct {
		size_t size;
		u8 code[24];
		struct want want;
	} rows[] = {
		{ CODE(0xc3), AT(ESP, 4) },
		{ CODE(0x83, 0xc4, 0x04, 0xc3), AT(ESP, 8) }, /* add $4, %esp */
		{ CODE(0x83, 0xc4, 0x02, 0xc3), NONE },
		{ CODE(0x5b, 0x5e, 0x5d, 0xc3), AT(ESP, 16, { RBX, 0 }, { ESI, 4 }, { EBP, 8 }) },
		{ CODE(0x53, 0x5b, 0xc3), AT(ESP, 4) },
		{ CODE(0xc9, 0xc3), AT(EBP, 8, { EBP, 0 }) },
		{ CODE(0xe8, 1, 0, 0, 0, 0x58, 0xc3), NONE }, /* call; pop %eax */
		{ CODE(0xe8, 1, 0, 0, 0, 0x58, 0x58, 0x58, 0xc3), NONE },
		{ CODE(0xe8, 1, 0, 0, 0, 0x5b, 0xc9, 0xc3), AT_BUT(EBP, RBX, 8, { EBP, 0 }) },
		/* call of mov (%esp), %ebx; ret, behind add $8, %esp; ret */
		{ CODE(0xe8, 4, 0, 0, 0, 0x83, 0xc4, 8, 0xc3, 0x8b, 0x1c, 0x24, 0xc3), AT(ESP, 12) },
		{ CODE(0xe8, 4, 0, 0, 0, 0x83, 0xc4, 8, 0xc3, 0x8b, 0x0c, 0x24, 0xc3), AT(ESP, 12) },
		/* ... of what is like it, and cut off */
		{ CODE(0xe8, 4, 0, 0, 0, 0x83, 0xc4, 8, 0xc3, 0x89, 0x1c, 0x24, 0xc3), NONE },
		{ CODE(0xe8, 4, 0, 0, 0, 0x83, 0xc4, 8, 0xc3, 0x8b, 0x5c, 0x24, 0xc3), NONE },
		{ CODE(0xe8, 4, 0, 0, 0, 0x83, 0xc4, 8, 0xc3, 0x8b, 0x1c, 0x25, 0xc3), NONE },
		{ CODE(0xe8, 4, 0, 0, 0, 0x83, 0xc4, 8, 0xc3, 0x8b, 0x1c, 0x24, 0xc2, 0xc3), NONE },
		{ CODE(0xe8, 4, 0, 0, 0, 0x83, 0xc4, 8, 0xc3, 0x8b, 0x1c, 0x24, 0xcb, 0xc3), NONE },
		{ CODE(0xe8, 4, 0, 0, 0, 0x83, 0xc4, 8, 0xc3, 0x8b, 0x1c, 0x24), NONE },
		/* a jump there */
		{ CODE(0xe9, 2, 0, 0, 0, 0x5b, 0xc3, 0x8b, 0x04, 0x24, 0xc3), AT(ESP, 4) },
		{ CODE(0xe8, 0, 0, 0, 0, 0x8b, 0x1c, 0x24, 0xc3), NONE }, /* call of the next one */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		check_row(i, true, false, rows[i].code, rows[i].size, &rows[i].want);
		check_row(i, true, true, rows[i].code, rows[i].size, &rows[i].want);
	}
}

static void paths_are_followed_to_a_return(void **state)
{
	static const struct {
		size_t size;
		u8 code[24];
		struct want want;
	} rows[] = {
		{ CODE(0x74, 2, 0xeb, 0xfe, 0xc3), AT(RSP, 8) }, /* je to the ret; a jump to itself */
		{ CODE(0x74, 2, 0x5b, 0xc3, 0xc3), AT(RSP, 16, { RBX, 0 }) }, /* the first return counts */
		{ CODE(0x74, 2, 0x5b, 0xf4, 0xc3), AT(RSP, 8) },              /* pop %rbx; hlt */
		{ CODE(0x74, 2, 0x50, 0xc3, 0xc3), AT(RSP, 8) },              /* a return that is none */
		{ CODE(0x74, 3, 0x74, 0xfc, 0xf4, 0xc3), AT(RSP, 8) },        /* back to the beginning */
		{ CODE(0x53, 0x74, 1, 0xf4, 0x5b, 0xc3), AT(RSP, 8) }, /* push %rbx; je; hlt; pop %rbx */
		{ CODE(0xeb, 1, 0xf4, 0x5b, 0xc3), AT(RSP, 16, { RBX, 0 }) },
		{ CODE(0x0f, 0x84, 1, 0, 0, 0, 0xf4, 0x5b, 0xc3), AT(RSP, 16, { RBX, 0 }) },
		{ CODE(0xeb, 3, 0x5b, 0xc3, 0xf4, 0xeb, 0xfb), AT(RSP, 16, { RBX, 0 }) }, /* backwards */
		/* push %rbx in a loop: je to pop %rbx; ret */
		{ CODE(0x53, 0x74, 2, 0xeb, 0xfb, 0x5b, 0xc3), AT(RSP, 8) },
		{ CODE(0x50, 0xc3, 0x58, 0xc3), NONE }, /* behind a return is another function */
		/* push %rax; je to the pop; jump to the ret; pop %rax; ret: reached in two ways */
		{ CODE(0x50, 0x74, 2, 0xeb, 1, 0x58, 0xc3), AT(RSP, 8) },
		{ CODE(0xf4), NONE },
		{ CODE(0x74, 0x7f, 0xf4), NONE }, /* to where nothing is */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check_row(i, false, false, rows[i].code, rows[i].size, &rows[i].want);
}

static void paths_have_a_length(void **state)
{
	enum { MOST = 1000, BRANCHES = 32, PUSHED = 16 };
	u8 code[MOST + 16];

	(void)state;
	for (size_t n = MOST - 2; n <= MOST + 1; n++) { /* with the return */
		memset(code, 0x90, sizeof(code));
		code[n - 1] = 0xc3;
		check_row(n, false, false, code, sizeof(code), &(struct want)AT(n <= MOST ? RSP : 0, 8));
	}
	/* branches to hlt, but the last one to a return: so many are kept */
	for (size_t n = BRANCHES - 1; n <= BRANCHES + 2; n++) {
		memset(code, 0xf4, sizeof(code));
		for (size_t i = 0; i < n; i++) {
			code[2 * i] = 0x74;
			code[2 * i + 1] = (u8)(80 + i); /* each elsewhere */
		}
		code[2 * n + 80 + n - 1] = 0xc3;
		check_row(n, false, false, code, sizeof(code), &(struct want)AT(n <= BRANCHES ? RSP : 0, 8));
	}
	/* the first one leads to the return: it is kept, however many follow */
	for (size_t n = BRANCHES; n <= BRANCHES + 4; n++) {
		memset(code, 0xf4, sizeof(code));
		for (size_t i = 0; i < n; i++) {
			code[2 * i] = 0x74;
			code[2 * i + 1] = (u8)(80 + i);
		}
		code[2 + 80] = 0xc3;
		check_row(n, false, false, code, sizeof(code), &(struct want)AT(RSP, 8));
	}
	/* many to the same hlt, which count once, and one to a return */
	memset(code, 0xf4, sizeof(code));
	for (size_t i = 0; i < BRANCHES + 8; i++) {
		code[2 * i] = 0x74;
		code[2 * i + 1] = (u8)(120 - 2 * i - 2);
	}
	code[2 * (BRANCHES + 8)] = 0x74;
	code[2 * (BRANCHES + 8) + 1] = 64;
	code[2 * (BRANCHES + 8) + 2 + 64] = 0xc3;
	check_row(0, false, false, code, sizeof(code), &(struct want)AT(RSP, 8));
	/* push, pop %rax so many times, which need one place; push, pop %rbx */
	for (size_t i = 0; i < PUSHED + 2; i++)
		memcpy(code + 2 * i, (const u8[]){ 0x50, 0x58 }, 2);
	memcpy(code + 2 * (PUSHED + 2), (const u8[]){ 0x53, 0x5b, 0xc3 }, 3);
	check_row(0, false, false, code, 2 * (PUSHED + 2) + 3, &(struct want)AT(RSP, 8));
	/* a jump to the last byte, the first one of ret $N */
	memset(code, 0, 69);
	code[0] = 0xe9;
	code[1] = 68 - 5;
	code[68] = 0xc2;
	check_row(0, false, false, code, 69, &(struct want)NONE);
	/* push %rax so many times; push, pop %rbx; and back */
	for (size_t n = PUSHED - 2; n <= PUSHED + 1; n++) {
		memset(code, 0x50, n);
		code[n] = 0x53;
		code[n + 1] = 0x5b;
		memset(code + n + 2, 0x58, n);
		code[2 * n + 2] = 0xc3;
		check_row(n, false, false, code, 2 * n + 3,
			  &(struct want){ RSP, 8, .unknown = n < PUSHED ? 0 : 1 << RBX });
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_say_where_registers_are),
		cmocka_unit_test(calls_are_made_with_an_aligned_stack),
		cmocka_unit_test(calls_of_32_bit_code_may_pop),
		cmocka_unit_test(paths_are_followed_to_a_return),
		cmocka_unit_test(paths_have_a_length),
		cmocka_unit_test(instructions_say_what_cfi_says),
		cmocka_unit_test(code_that_does_not_return_has_no_row),
		cmocka_unit_test(a_return_address_is_in_a_frame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	return 77;
}

#endif
