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

int main(void)
{
	const struct CMUnitTest tests[] = {
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
