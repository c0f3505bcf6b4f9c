/* Unwinding in code whose CFI says less than one needs, or nothing at all: the ends of functions, PLT stubs.
 */
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
	"	.cfi_endproc\n"
	/*
	 * Where a handler returns to: the interrupted instruction is at rsp + 8, its stack pointer at rsp +
	 * 16.
	 */
	"	.cfi_startproc simple\n"
	"	.cfi_signal_frame\n"
	"	.cfi_escape 0x0f, 3, 0x77, 16, 6\n"
	"	.cfi_escape 0x10, 16, 2, 0x77, 8\n"
	"	nop\n" /* as the C library's: the byte before belongs to it, too */
	"restorer:\n"
	"	nop\n"
	"	.cfi_endproc\n"
	/* Restorers of other C libraries, without CFI, and what is none. */
	"	nop\n"
	"own_restorer:	mov $15, %rax\n"
	"	syscall\n"
	"other_syscall:	mov $14, %rax\n"
	"	syscall\n"
	"	nop; nop; nop; nop; nop; nop; nop; nop\n"
	/* Handlers without CFI: one's frame is told by its instructions, the other's by the frame pointer. */
	"handler:	add $8, %rsp\n"
	"	ret\n"
	"fp_handler:	jmp *%rax\n"
	/*
	 * Functions after code that is no call: makecontext puts their addresses below the first function on
	 * a stack. The second one has no caller by its row; the third one follows a call.
	 */
	"	nop; nop; nop; nop; nop; nop; nop; nop\n"
	"by_hand:\n"
	"	.cfi_startproc\n"
	"	nop\n"
	"	.cfi_endproc\n"
	"	nop; nop; nop; nop; nop; nop; nop; nop\n"
	"outermost:\n"
	"	.cfi_startproc\n"
	"	.cfi_undefined rip\n"
	"	nop\n"
	"	.cfi_endproc\n"
	"	call pops\n"
	"after_call:\n"
	"	.cfi_startproc\n"
	"	nop\n"
	"	.cfi_endproc\n"
	"	jmp *%rax\n"
	/* Stubs as linkers make them, without CFI: two with a jump each, a lazy one, and the first, which
	   calls the loader. */
	".section .plt.got,\"ax\",@progbits\n"
	"stub:		.byte 0xf3, 0x0f, 0x1e, 0xfa\n"
	"stub_jump:	.byte 0xff, 0x25, 0, 0, 0, 0\n"
	"stub_bnd:	.byte 0xf2, 0xff, 0x25, 0, 0, 0, 0\n"
	"lazy:		.byte 0x68, 1, 0, 0, 0\n"
	"lazy_jump:	.byte 0xe9, 0, 0, 0, 0\n"
	"first:		.byte 0xff, 0x35, 0, 0, 0, 0\n"
	"first_jump:	.byte 0xff, 0x25, 0, 0, 0, 0\n"
	"no_stub:	.byte 0xff, 0x15, 0, 0, 0, 0, 0xc3\n"
	".text\n");
extern const char popped[], called[], restorer[], stub[], stub_jump[], stub_bnd[], lazy[], lazy_jump[],
	first[], first_jump[], no_stub[], own_restorer[], other_syscall[], handler[], fp_handler[], by_hand[],
	outermost[], after_call[];

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
	/*
	 * calls_with_frame: rbp points at words[3]; the return address after it is 0, but the frame not
	 * outermost
	 */
	assert_int_equal(walk(addr_of(popped), STACK_AT + 24, words, ARRAY_SIZE(words), ips, &nr),
			 UNWIND_UNMAPPED);
	assert_int_equal(nr, 2);
	assert_int_equal(ips[0], addr_of(popped));
	assert_int_equal(ips[1], addr_of(called) - 1);
}

static void an_interrupted_stack_that_is_elsewhere_is_cut(void **state)
{
	static const u64 places[] = { 1ull << 40, STACK_AT - 4096 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		const u64 words[] = { 0, addr_of(called), places[i], 0 };
		u64 ips[16];
		unsigned nr;

		assert_int_equal(walk(addr_of(restorer), places[i] + 16, words, ARRAY_SIZE(words), ips, &nr),
				 UNWIND_CUT);
		assert_int_equal(nr, 2);
		assert_int_equal(ips[1], addr_of(called)); /* not the byte before: nobody called */
	}
}

static void where_a_handler_returns_to_is_no_call(void **state)
{
	const u64 far = 1ull << 40;
	const u64 words[] = { addr_of(restorer), 0, addr_of(called), far };
	u64 ips[16];
	unsigned nr;

	(void)state;
	assert_int_equal(walk(addr_of(popped), far + 16, words, ARRAY_SIZE(words), ips, &nr), UNWIND_CUT);
	assert_int_equal(nr, 3);
	assert_int_equal(ips[1], addr_of(restorer));
	assert_int_equal(ips[2], addr_of(called));
}

static void stubs_have_the_frame_of_the_call_to_them(void **state)
{
	const struct {
		const char *at;
		unsigned nr_pushed;
	} places[] = {
		{ stub, 0 },      { stub_jump, 0 }, { stub_bnd, 0 },   { lazy, 0 },
		{ lazy_jump, 1 }, { first, 1 },     { first_jump, 2 },
	};
	u64 ips[16];
	unsigned nr;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		u64 words[8] = {
			1, 1, 1, 1, 0, 0, 0, 0
		}; /* [5] is the return address of calls_with_frame: none */

		words[places[i].nr_pushed] = addr_of(called);
		assert_int_equal(
			walk(addr_of(places[i].at), STACK_AT + 32, words, ARRAY_SIZE(words), ips, &nr),
			UNWIND_UNMAPPED);
		assert_int_equal(nr, 2);
		assert_int_equal(ips[1], addr_of(called) - 1);
	}
	{
		const u64 words[8] = { addr_of(called) };

		walk(addr_of(no_stub), 0, words, ARRAY_SIZE(words), ips, &nr);
		assert_int_equal(nr, 1);
	}
}

static void an_address_put_by_hand_has_no_caller(void **state)
{
	const struct {
		const char *at;
		enum unwind_end end;
		u64 shown;
	} places[] = {
		{ by_hand, UNWIND_FOUND, addr_of(by_hand) },
		{ outermost, UNWIND_COMPLETE, addr_of(outermost) },
		{ after_call, UNWIND_NO_CFI, addr_of(after_call) - 1 },
		{ by_hand - 1, UNWIND_NO_CFI, addr_of(by_hand) - 2 }, /* no function begins there */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		const u64 words[8] = { addr_of(places[i].at) };
		u64 ips[16];
		unsigned nr;

		assert_int_equal(walk(addr_of(popped), 0, words, ARRAY_SIZE(words), ips, &nr), places[i].end);
		assert_int_equal(nr, 2);
		assert_int_equal(ips[1], places[i].shown);
	}
}

/*
 * Walk from a handler, after one word of its own, that returns to code without CFI.
 */
static unsigned walk_from_frame(const char *from, const char *returns_to, u64 *ips, enum unwind_end *end)
{
	enum { BEFORE = 1, RBP = 16, SP = 21, IP, FLAGS, CS, WORDS = 42 };
	u64 words[WORDS] = { 1, addr_of(returns_to), 7 };
	unsigned nr;

	words[BEFORE + RBP] = 1;
	words[BEFORE + SP] = STACK_AT + 8 * 30;
	words[BEFORE + IP] = addr_of(popped);
	words[BEFORE + FLAGS] = 0x246;
	words[BEFORE + CS] = 0x2b000000000033;
	words[30] = addr_of(called);
	*end = walk(addr_of(from), STACK_AT, words, WORDS, ips, &nr);
	return nr;
}

static void a_handler_without_cfi_returns_to_a_restorer(void **state)
{
	const char *const handlers[] = { handler, fp_handler };
	enum unwind_end end;
	u64 ips[16];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(handlers); i++) {
		assert_int_equal(walk_from_frame(handlers[i], own_restorer, ips, &end), 4);
		assert_int_equal(ips[1], addr_of(own_restorer));
		assert_int_equal(ips[2], addr_of(popped));
		assert_int_equal(ips[3], addr_of(called) - 1);
		/* no restorer, and no call before it */
		assert_int_equal(walk_from_frame(handlers[i], other_syscall, ips, &end), 1);
		assert_int_equal(end, UNWIND_NO_CFI);
		/* a function with CFI is no restorer either, whatever is on the stack */
		assert_int_equal(walk_from_frame(handlers[i], popped, ips, &end), 1);
		assert_int_equal(end, UNWIND_NO_CFI);
	}
}

/*
 * A handler that is about to return to code without CFI: the return address, then the kernel's ucontext. at:
 * index of a word that gets another value.
 */
static unsigned walk_from_handler(const char *returns_to, size_t at, u64 value, u64 *ips,
				  enum unwind_end *end)
{
	enum { RBP = 16, SP = 21, IP, FLAGS, CS, WORDS = 40 };
	u64 words[WORDS] = { addr_of(returns_to), 7 };
	unsigned nr;

	words[RBP] = 1;
	words[SP] = STACK_AT + 8 * 30; /* there: the return address of calls_with_frame */
	words[IP] = addr_of(popped);
	words[FLAGS] = 0x246;
	words[CS] = 0x2b000000000033;
	words[30] = addr_of(called);
	if (at)
		words[at] = value;
	*end = walk(addr_of(popped), 0, words, WORDS, ips, &nr);
	return nr;
}

static void a_restorer_without_cfi_leads_to_what_was_interrupted(void **state)
{
	static const struct {
		size_t at;
		u64 value;
	} wrong[] = {
		{ 1, 8 },                 /* unknown flags of ucontext */
		{ 2, 1 },                 /* a link */
		{ 22, 0x1000 },           /* interrupted where no code is */
		{ 23, 0x244 },            /* flags of the processor: bit 1 is always set, */
		{ 23, 0x100000246 },      /* and there are no more than 32 */
		{ 24, 0x2b000000000010 }, /* the kernel's code segment */
	};
	enum unwind_end end;
	u64 ips[16];

	(void)state;
	assert_true(walk_from_handler(own_restorer, 0, 0, ips, &end) >= 4);
	assert_int_equal(ips[0], addr_of(popped));
	assert_int_equal(ips[1], addr_of(own_restorer));
	assert_int_equal(ips[2], addr_of(popped)); /* interrupted: no byte before */
	assert_int_equal(ips[3], addr_of(called) - 1);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		if (walk_from_handler(own_restorer, wrong[i].at, wrong[i].value, ips, &end) > 2)
			assert_int_not_equal(ips[2], addr_of(popped));
	if (walk_from_handler(other_syscall, 0, 0, ips, &end) > 2)
		assert_int_not_equal(ips[2], addr_of(popped));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_register_that_was_popped_is_itself),
		cmocka_unit_test(an_interrupted_stack_that_is_elsewhere_is_cut),
		cmocka_unit_test(where_a_handler_returns_to_is_no_call),
		cmocka_unit_test(a_handler_without_cfi_returns_to_a_restorer),
		cmocka_unit_test(a_restorer_without_cfi_leads_to_what_was_interrupted),
		cmocka_unit_test(stubs_have_the_frame_of_the_call_to_them),
		cmocka_unit_test(an_address_put_by_hand_has_no_caller),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	return 77;
}

#endif
