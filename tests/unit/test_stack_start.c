/*
 * Where stacks begin in code without CFI: the code of a C library that makes a thread, and on arm64 the
 * arguments of a process. The code is that which musl has, and what differs from it in one point.
 */
#include "unit.h"

#include "own_code.h"

#if defined(__x86_64__) || defined(__aarch64__)

#ifdef __x86_64__
#define MACHINE "x86_64"
/* MADE: makes the thread; CALL: the call in the thread; END: what follows it */
#define CODE(name, made, call, end)                                                                    \
	"	.skip 64, 0x90\n" made                                                                 \
	"	test %eax, %eax\n	jne 1f\n	xor %ebp, %ebp\n	pop %rdi\n	" call \
	"\n" name ":	" end "\n1:	ret\n"
#define CLONE "	mov $56, %al\n	syscall\n"
#define NO_CALL "	nop\n"
#define BY_REGISTER "call *%r9"
#define BY_NAME "call direct"
#define EXIT "mov %eax, %edi\n	xor %eax, %eax\n	mov $60, %al\n	syscall\n	hlt"
#define EXIT_LONG "xor %edi, %edi\n	mov $60, %eax\n	syscall\n	hlt"
#define OTHER_EXIT "mov %eax, %edi\n	xor %eax, %eax\n	mov $61, %al\n	syscall\n	hlt"
#define LATER_EXIT "call direct\n	mov $60, %al\n	syscall\n	hlt"
#define BRANCH_EXIT "mov $60, %eax\n	jne 1f\n	syscall\n	hlt"
#define FAR "	mov $56, %al\n	syscall\n	.skip 40, 0x90\n"
#define DIRECT "direct:	jmp *%rax\n"
#define LEAF "leaf:	nop\nin_leaf:	jmp *%rax\n"
#else
#define MACHINE "arm64"
#define CODE(name, made, call, end)                   \
	"	.rept 16\n	nop\n	.endr\n" made \
	"	cbz x0, 1f\n	ret\n1:	ldp x1, x0, [sp], #16\n	" call "\n" name ":	" end "\n"
#define CLONE "	mov x8, #220\n	svc #0\n"
#define NO_CALL "	nop\n"
#define BY_REGISTER "blr x1"
#define BY_NAME "bl direct"
#define EXIT "mov x8, #93\n	svc #0\n	udf #0"
#define EXIT_LONG "mov w8, #93\n	mov x0, #0\n	svc #0\n	udf #0"
#define OTHER_EXIT "mov x8, #94\n	svc #0\n	udf #0"
#define LATER_EXIT "bl direct\n	mov x8, #93\n	svc #0\n	udf #0"
#define BRANCH_EXIT "mov x8, #93\n	cbz x0, 2f\n	svc #0\n2:	udf #0"
#define FAR "	mov x8, #220\n	svc #0\n	.rept 10\n	nop\n	.endr\n"
#define DIRECT "direct:	br x1\n"
#define LEAF "leaf:	nop\nin_leaf:	br x1\n"
#endif

__asm__(".text\n	.balign 16\n" LEAF DIRECT CODE("musl", CLONE, BY_REGISTER, EXIT)
		CODE("longer", CLONE, BY_REGISTER, EXIT_LONG) CODE("by_name", CLONE, BY_NAME, EXIT)
			CODE("makes_none", NO_CALL, BY_REGISTER, EXIT)
				CODE("made_before", FAR, BY_REGISTER, EXIT)
					CODE("other_call", CLONE, BY_REGISTER, OTHER_EXIT)
						CODE("calls_on", CLONE, BY_REGISTER, LATER_EXIT)
							CODE("branches", CLONE, BY_REGISTER,
							     BRANCH_EXIT) "	.skip 64, 0\n");
/* hidden: gas gives all local labels that are reached by way of the GOT one entry on arm64 */
#pragma GCC visibility push(hidden)
extern const char in_leaf[], musl[], longer[], by_name[], makes_none[], made_before[], other_call[],
	calls_on[], branches[];
#pragma GCC visibility pop

enum { STACK_AT = 0x7000, WORDS = 64 };

/* Walk from in_leaf, whose frame record is the first one of the stack. */
static enum unwind_end walk(const u64 *words, unsigned *nr)
{
#ifdef __x86_64__
	const u64 regs[] = { STACK_AT, STACK_AT, (u64)(uintptr_t)in_leaf };
	const u64 mask = 1 << 6 | 1 << 7 | 1 << 8;
#else
	const u64 regs[] = { STACK_AT, 0, STACK_AT, (u64)(uintptr_t)in_leaf };
	const u64 mask = 1ull << 29 | 1ull << 30 | 1ull << 31 | 1ull << 32;
#endif
	struct unwind_sample s = { .regs_mask = mask,
				   .regs = regs,
				   .stack = (const u8 *)words,
				   .stack_size = WORDS * sizeof(*words) };
	struct lookup own;
	struct unwinder *u;
	enum unwind_end end;
	u64 ips[8];

	find_own_code(&own);
	u = unwinder__new(unwind_arch__find(MACHINE), look_up, &own);
	end = unwinder__run(u, &s, ips, NULL, ARRAY_SIZE(ips), nr);
	unwinder__delete(u);
	cfi__delete(own.cfi);
	return end;
}

static void expect_thread(const char *name, const char *caller, bool starts)
{
	const u64 words[WORDS] = { 0, (u64)(uintptr_t)caller };
	unsigned nr;
	enum unwind_end end = walk(words, &nr);

	if ((end == UNWIND_COMPLETE) != starts || (starts && nr != 2))
		fail_msg("%s: end %d, %u frames", name, end, nr);
}

static void code_that_made_the_thread_has_no_caller(void **state)
{
	(void)state;
	expect_thread("as in musl", musl, true);
	expect_thread("other instructions before the exit", longer, true);
	expect_thread("a function that ends the program after a call", by_name, false);
	expect_thread("no system call before it", makes_none, false);
	expect_thread("the system call is far away", made_before, false);
	expect_thread("another system call after it", other_call, false);
	expect_thread("a call before the exit", calls_on, false);
	expect_thread("a branch before the exit", branches, false);
}

#ifdef __aarch64__

/* words: from the frame record on, which is two zeros */
static void expect_process(const char *name, const u64 *words, bool starts)
{
	unsigned nr;
	enum unwind_end end = walk(words, &nr);

	if (end != (starts ? UNWIND_FOUND : UNWIND_NO_CFI) || nr != 1)
		fail_msg("%s: end %d, %u frames", name, end, nr);
}

static void a_process_begins_below_its_arguments(void **state)
{
	const u64 arg = STACK_AT + 512;

	(void)state;
	expect_process("two arguments", (u64[WORDS]){ [4] = 2, arg, arg + 5, 0 }, true);
	expect_process("at the highest place", (u64[WORDS]){ [32] = 1, arg, 0 }, true);
	expect_process("one above it", (u64[WORDS]){ [34] = 1, arg, 0 }, false);
	expect_process("not aligned", (u64[WORDS]){ [5] = 1, arg, 0 }, false);
	expect_process("none", (u64[WORDS]){ 0 }, false);
	expect_process("no end of the list", (u64[WORDS]){ [4] = 1, arg, arg }, false);
	expect_process("the argument is in the list", (u64[WORDS]){ [4] = 2, STACK_AT + 48, arg, 0 }, false);
	expect_process("the argument is below", (u64[WORDS]){ [4] = 1, STACK_AT, 0 }, false);
	expect_process("the argument is far away", (u64[WORDS]){ [4] = 1, STACK_AT + (1 << 25), 0 }, false);
	expect_process("the list leaves the copy", (u64[WORDS]){ [4] = 100, arg }, false);
	expect_process("a record that is not the last", (u64[WORDS]){ 1, 0, [4] = 1, arg, 0 }, false);
}

#endif
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
#if defined(__x86_64__) || defined(__aarch64__)
		cmocka_unit_test(code_that_made_the_thread_has_no_caller),
#endif
#ifdef __aarch64__
		cmocka_unit_test(a_process_begins_below_its_arguments),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
