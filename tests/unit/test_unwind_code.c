/* Unwinding in code whose CFI says less than one needs, or nothing at all: the ends of functions, PLT stubs. */
#include "unit.h"

#include "own_code.h"

#include <string.h>

#ifdef __x86_64__

/*
 * pops: its CFI says of rbp where it was saved, and never that it has been restored, as GCC writes it.
 * calls_with_frame: whose CFA is found with rbp.
 */
__asm__(".text\n"
	".type pops, @function\n"
	"pops:\n"
	"	.cfi_startproc\n"
	"	push %rbp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.cfi_rel_offset rbp, 0\n"
	"	xor %ebp, %ebp\n"
	"	pop %rbp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"popped:\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".type calls_with_frame, @function\n"
	"calls_with_frame:\n"
	"	.cfi_startproc\n"
	"	push %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset rbp, -16\n"
	"	mov %rsp, %rbp\n"
	"	.cfi_def_cfa_register rbp\n"
	"	call pops\n"
	"called:\n"
	"	leave\n"
	"	.cfi_def_cfa rsp, 8\n"
	"	ret\n"
	"	.cfi_endproc\n");
extern const char popped[], called[];

enum { STACK_AT = 0x7000 };

static u64 addr_of(const char *p)
{
	return (u64)(uintptr_t)p;
}

/* The walk from ip on, with rsp = STACK_AT and rbp as given, over these words. */
static enum unwind_end walk(u64 ip, u64 rbp, const u64 *words, size_t nr_words, u64 *ips, unsigned *nr)
{
	const u64 regs[] = { rbp, STACK_AT, ip };
	struct unwind_sample s = { .regs_mask = 1 << 6 | 1 << 7 | 1 << 8,
				   .regs = regs,
				   .stack = (const u8 *)words,
				   .stack_size = nr_words * sizeof(*words) };
	enum unwind_end end;
	struct unwinder *u;
	struct lookup l;

	find_own_code(&l);
	u = unwinder__new(unwind_arch__find("x86_64"), look_up, &l);
	end = unwinder__run(u, &s, ips, NULL, 16, nr);
	unwinder__delete(u);
	cfi__delete(l.cfi);
	return end;
}

static void a_register_that_was_popped_is_itself(void **state)
{
	const u64 words[] = { addr_of(called), 0, 0, 0, 0 };
	u64 ips[16];
	unsigned nr;

	(void)state;
	/* the frame of calls_with_frame: rbp points at words[3], behind which is the return address 0 */
	assert_int_equal(walk(addr_of(popped), STACK_AT + 24, words, ARRAY_SIZE(words), ips, &nr), UNWIND_COMPLETE);
	assert_int_equal(nr, 2);
	assert_int_equal(ips[0], addr_of(popped));
	assert_int_equal(ips[1], addr_of(called) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_register_that_was_popped_is_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	return 77;
}

#endif
