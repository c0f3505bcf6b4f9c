/*
 * Code without call frame information whose instructions do not tell where its return address is: what a
 * frame pointer is worth there, and the search for the return address. The stacks are written word by
 * word.
 */
#include "unit.h"

#include "base/memory/mem.h"
#include "own_code.h"

#include <string.h>

#ifdef __x86_64__

/*
 * leaf, middle, again: without CFI; they jump away, so their ends are unknown. start calls them and has no
 * caller; other calls none. by_reg: one function for each register n, 32 bytes each, whose CFA is the value
 * of that register and 16 bytes.
 */
__asm__(".text\n"
	".balign 16\n"
	"leaf:\n"
	"	nop\n"
	"in_leaf:\n"
	"	jmp *%rax\n"
	".skip 70000, 0x90\n" /* longer than a function may be */
	"middle:\n"
	"	call leaf\n"
	"in_middle:\n"
	"	jmp *%rax\n"
	".skip 70000, 0x90\n"
	"again:\n"
	"	call again\n"
	"in_again:\n"
	"	jmp *%rax\n"
	".skip 70000, 0x90\n"
	"start:\n"
	"	.cfi_startproc\n"
	"	.cfi_undefined rip\n"
	"	call leaf\n"
	"start_leaf:\n"
	"	call middle\n"
	"start_middle:\n"
	"	call again\n"
	"start_again:\n"
	"	call *%rax\n"
	"start_any:\n"
	"	nop\n"
	"start_none:\n"
	"	nop\n"
	"	.cfi_endproc\n"
	".skip 70000, 0x90\n"
	"other:\n"
	"	.cfi_startproc\n"
	"	.cfi_undefined rip\n"
	"	call other\n"
	"other_other:\n"
	"	nop\n"
	"	.cfi_endproc\n"
	".skip 70000, 0x90\n"
	".balign 32, 0x90\n"
	"by_reg:\n"
	".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
	".balign 32, 0x90\n"
	"	.cfi_startproc\n"
	"	.cfi_def_cfa \\n, 16\n"
	"	call leaf\n" /* 5 bytes */
	"	nop\n"
	"	call *%rax\n" /* 2 bytes */
	"	nop\n"
	"	call other\n" /* 5 bytes */
	"	nop\n"
	"	.cfi_endproc\n"
	".endr\n"
	/* Where a handler returns to: the interrupted instruction is at rsp + 8, its rsp at rsp + 16. */
	"	.cfi_startproc simple\n"
	"	.cfi_signal_frame\n"
	"	.cfi_escape 0x0f, 3, 0x77, 16, 6\n"
	"	.cfi_escape 0x10, 16, 2, 0x77, 8\n"
	"	nop\n"
	"restorer:\n"
	"	nop\n"
	"	.cfi_endproc\n"
	"ends:\n" /* with a call; behind it is no function */
	"	.cfi_startproc\n"
	"	.cfi_def_cfa rbp, 16\n"
	"	call leaf\n"
	"	.cfi_endproc\n"
	"in_ends:\n"
	"	.skip 16, 0x90\n");
extern const char in_leaf[], in_middle[], in_again[], start_leaf[], start_middle[], start_again[],
	start_any[], start_none[], other_other[], by_reg[], in_ends[], restorer[];

static u64 addr_of(const char *p)
{
	return (u64)(uintptr_t)p;
}

/* Places in them, behind their calls, by DWARF's numbers of registers. */
#define BY_REG_LEAF(n) (addr_of(by_reg) + 32 * (n) + 5)
#define BY_REG_ANY(n) (addr_of(by_reg) + 32 * (n) + 8)
#define BY_REG_OTHER(n) (addr_of(by_reg) + 32 * (n) + 14)
enum { RBX = 3, RBP = 6, RSP = 7 };

enum { STACK_AT = 0x7000, TRIES = 128, SEARCHES = 64 };

struct walk {
	enum unwind_end end;
	u64 ips[2 * SEARCHES];
	unsigned nr;
};

/* Addresses of code that cannot be read, and of JIT code; the compiler says that JIT_OUTER has no caller. */
extern const char _start[]; /* the page of the program's entry is at ENTRY, too */
enum {
	ENTRY = 0x180000,
	UNREADABLE = 0x100000,
	UNREADABLE_END = 0x101000,
	JIT = 0x200000,
	JIT_FAR = JIT + 0x20000
};
static const u8 jit_leaf[16] = { 0x90, 0xff, 0xe0 };                     /* nop; jmp *%rax */
static const u8 jit_caller[16] = { 0xe8, 0xfb, 0x0f, 0, 0, 0xff, 0xe0 }; /* call JIT + 0x2000; jmp *%rax */
static const u8 jit_outer[16] = { 0xe8, 0xfb, 0x0f, 0, 0, 0x90, 0xff, 0xd0, 0x90 };
static const u8 jit_first[16] = { 0x58, 0xc3 }; /* pop %rax; ret */
static const struct {
	u64 at;
	const u8 *bytes;
} jit[] = {
	{ JIT, jit_first }, { JIT + 0x2000, jit_leaf }, { JIT + 0x1000, jit_caller }, { JIT_FAR, jit_outer }
};
enum {
	JIT_LEAF = JIT + 0x2001,
	JIT_CALLER = JIT + 0x1005,
	JIT_OUTER = JIT_FAR + 5,
	JIT_OUTER_ANY = JIT_FAR + 8,
	JIT_OUTER_NONE = JIT_FAR + 9
};

static bool read_jit(void *ctx, u64 ip, u8 *data, size_t size)
{
	(void)ctx;
	memset(data, 0x90, size);
	for (size_t i = 0; i < ARRAY_SIZE(jit); i++)
		for (size_t k = 0; k < size; k++)
			if (ip + k - jit[i].at < sizeof(jit_leaf))
				data[k] = jit[i].bytes[ip + k - jit[i].at];
	return true;
}

static void look_up_with_unreadable(void *ctx, u64 ip, struct unwind_code *code)
{
	const struct lookup *l = ctx;

	look_up(ctx, ip, code);
	if (ip >= ENTRY && ip < ENTRY + 0x2000)
		look_up(ctx, ip - ENTRY + (addr_of(_start) & ~0xfffull), code);
	code->is_code |= ip >= UNREADABLE && ip < UNREADABLE_END;
	if (ip < JIT || ip >= JIT_FAR + 0x1000)
		return;
	code->is_code = true;
	code->read = read_jit;
	if (ip >= JIT_FAR) {
		code->jit = l->cfi;
		code->jit_addr = addr_of(start_none) - l->start + l->pgoff;
	}
}

/* The words of registers in a sample, in perf's order, and of those that DWARF numbers 0 to 15. */
enum { NR_REGS = 17, REG_BP = 6, REG_SP = 7, REG_IP = 8 };
static const u8 words_of_dwarf[] = { 0, 3, 2, 1, 4, 5, REG_BP, REG_SP, 9, 10, 11, 12, 13, 14, 15, 16 };

/* One for all walks: nothing of a walk stays for the next one. */
static struct unwinder *unwinder;
static struct lookup own;

static int setup(void **state)
{
	(void)state;
	find_own_code(&own);
	unwinder = unwinder__new(unwind_arch__find("x86_64"), look_up_with_unreadable, &own);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unwinder__delete(unwinder);
	cfi__delete(own.cfi);
	return 0;
}

/* Walk with these registers. */
static struct walk walk_with(const u64 *regs, const u64 *words, size_t nr_words)
{
	struct unwind_sample s = { .regs_mask = 0xff01ff,
				   .regs = regs,
				   .stack = (const u8 *)words,
				   .stack_size = nr_words * sizeof(*words) };
	struct walk w;

	w.end = unwinder__run(unwinder, &s, w.ips, NULL, ARRAY_SIZE(w.ips), &w.nr);
	return w;
}

/* Walk from ip with rsp = STACK_AT. */
static struct walk walk_from(u64 ip, u64 rbp, const u64 *words, size_t nr_words)
{
	const u64 regs[NR_REGS] = { [REG_BP] = rbp, [REG_SP] = STACK_AT, [REG_IP] = ip };

	return walk_with(regs, words, nr_words);
}

#define WALK_FROM(ip, rbp, ...) \
	walk_from(ip, rbp, (const u64[]){ __VA_ARGS__ }, sizeof((const u64[]){ __VA_ARGS__ }) / sizeof(u64))
#define WALK(rbp, ...) WALK_FROM(addr_of(in_leaf), rbp, __VA_ARGS__)

static void expect(struct walk w, enum unwind_end end, const char *caller, const char *outer)
{
	assert_int_equal(w.end, end);
	assert_int_equal(w.nr, outer ? 3 : caller ? 2 : 1);
	if (caller)
		assert_int_equal(w.ips[1], addr_of(caller) - 1);
	if (outer)
		assert_int_equal(w.ips[2], addr_of(outer) - 1);
}

static void a_frame_pointer_is_proved_by_the_call(void **state)
{
	const u64 fp = STACK_AT + 16;

	(void)state;
	/* a frame record: the caller's frame pointer, then the return address */
	expect(WALK(fp, 1, 2, 0, addr_of(start_leaf)), UNWIND_COMPLETE, start_leaf, NULL);
	/* a call to anywhere may have led here */
	expect(WALK(fp, 1, 2, 0, addr_of(start_any)), UNWIND_COMPLETE, start_any, NULL);
	/* no call: not a frame record */
	expect(WALK(fp, 1, 2, 0, addr_of(start_none)), UNWIND_NO_CFI, NULL, NULL);
	/* below it is a return address after a call to anywhere, which may be the one of this frame */
	expect(WALK(fp, addr_of(start_any), 2, 0, addr_of(start_leaf)), UNWIND_FOUND, start_leaf, NULL);
	/* a call of another function was this function's callee or is stale */
	expect(WALK(fp, addr_of(other_other), 2, 0, addr_of(start_leaf)), UNWIND_COMPLETE, start_leaf, NULL);
	/* the call led to another function, so frames may be missing */
	expect(WALK(fp, 1, 2, 0, addr_of(other_other)), UNWIND_FOUND, other_other, NULL);
}

static void a_frame_pointer_of_an_outer_frame_is_not_followed(void **state)
{
	(void)state;
	/* this function was called from middle, whose frame record it is */
	expect(WALK(STACK_AT + 16, addr_of(in_middle), 2, 0, addr_of(start_middle)), UNWIND_FOUND, in_middle,
	       start_middle);
}

static void the_caller_is_found_on_the_stack(void **state)
{
	(void)state;
	expect(WALK(0, 1, addr_of(start_none), addr_of(start_leaf)), UNWIND_FOUND, start_leaf, NULL);
	/* the register leads beyond the copy: it is no frame pointer */
	expect(WALK(STACK_AT + 4096, 1, addr_of(start_none), addr_of(start_leaf)), UNWIND_FOUND, start_leaf,
	       NULL);
	/* a frame in the middle without CFI */
	expect(WALK(0, addr_of(in_middle), 5, addr_of(start_middle)), UNWIND_FOUND, in_middle, start_middle);
	/* stale: a call of another function */
	expect(WALK(0, addr_of(other_other), 7, addr_of(start_leaf)), UNWIND_FOUND, start_leaf, NULL);
	/* stale, as it does not lead to the direct call of the function */
	expect(WALK(0, addr_of(start_any), 7, addr_of(start_leaf)), UNWIND_FOUND, start_leaf, NULL);
}

static void a_search_that_does_not_reach_the_outermost_frame_finds_nothing(void **state)
{
	(void)state;
	expect(WALK(0, addr_of(in_middle), 5, 6, 7), UNWIND_NO_CFI, NULL, NULL);
	expect(WALK(0, 1, 2, 3), UNWIND_NO_CFI, NULL, NULL);
	expect(WALK(0, addr_of(start_none)), UNWIND_NO_CFI, NULL, NULL);
}

static void nothing_is_found_behind_code_that_cannot_be_read(void **state)
{
	(void)state;
	/* the address may be the caller's, and start_leaf an old one */
	expect(WALK(0, 1, UNREADABLE + 5, addr_of(start_leaf)), UNWIND_NO_CFI, NULL, NULL);
	expect(WALK(0, 1, addr_of(start_leaf), UNREADABLE + 5), UNWIND_FOUND, start_leaf, NULL);
	/* what the function itself has on the stack is unknown */
	expect(WALK_FROM(UNREADABLE + 5, 0, 1, addr_of(start_any)), UNWIND_NO_CFI, NULL, NULL);
}

static void expect_ips(struct walk w, enum unwind_end end, const u64 *callers, unsigned nr)
{
	assert_int_equal(w.end, end);
	assert_int_equal(w.nr, nr + 1);
	for (unsigned i = 0; i < nr; i++)
		assert_int_equal(w.ips[i + 1], callers[i] - 1);
}
#define EXPECT(walk, ...)                                            \
	expect_ips(walk, UNWIND_FOUND, (const u64[]){ __VA_ARGS__ }, \
		   sizeof((const u64[]){ __VA_ARGS__ }) / sizeof(u64))
#define EXPECT_NOTHING(walk) expect_ips(walk, UNWIND_NO_CFI, NULL, 0)

/* A call may change all registers but those that the ABI names, so callers behind a gap know only these. */
static void callers_know_the_registers_that_calls_keep(void **state)
{
	const u32 kept = 1 << RBX | 1 << RBP | 1 << RSP | 0xf << 12;

	(void)state;
	for (unsigned n = 0; n < ARRAY_SIZE(words_of_dwarf); n++) {
		const u64 words[] = { 1, BY_REG_LEAF(n), 2, addr_of(start_any) };
		u64 regs[NR_REGS] = { [REG_SP] = STACK_AT, [REG_IP] = addr_of(in_leaf) };

		if (n != RSP)
			regs[words_of_dwarf[n]] = STACK_AT + 16;
		if (kept >> n & 1)
			EXPECT(walk_with(regs, words, ARRAY_SIZE(words)), BY_REG_LEAF(n), addr_of(start_any));
		else
			EXPECT_NOTHING(walk_with(regs, words, ARRAY_SIZE(words)));
	}
}

/* Each step behind a found one must be to the address after a call. */
static void callers_of_callers_made_calls(void **state)
{
	(void)state;
	EXPECT(WALK(0, 1, BY_REG_LEAF(RSP), 2, addr_of(start_any)), BY_REG_LEAF(RSP), addr_of(start_any));
	EXPECT_NOTHING(WALK(0, 1, BY_REG_LEAF(RSP), 2, addr_of(start_none)));
	/* the call of another function is allowed, if there is nothing better: functions end with jumps */
	EXPECT(WALK(0, 1, BY_REG_LEAF(RSP), 2, addr_of(other_other)), BY_REG_LEAF(RSP), addr_of(other_other));
	EXPECT_NOTHING(WALK(0, 1, addr_of(other_other)));
	EXPECT(WALK(0, 1, BY_REG_ANY(RSP), 2, addr_of(other_other)), BY_REG_ANY(RSP), addr_of(other_other));
	/* nor is there a search from code that made no call */
	EXPECT_NOTHING(WALK(0, 1, BY_REG_LEAF(RSP), 2, addr_of(in_middle) + 2, 3, 4, addr_of(start_any)));
}

/* But a handler returns to code that called nobody, and from there to what it interrupted. */
static void found_callers_may_be_handlers(void **state)
{
	struct walk w =
		WALK(0, 1, BY_REG_LEAF(RSP), 2, addr_of(restorer), 3, addr_of(start_none), STACK_AT + 64);

	(void)state;
	assert_int_equal(w.end, UNWIND_FOUND);
	assert_int_equal(w.nr, 4);
	assert_int_equal(w.ips[1], BY_REG_LEAF(RSP) - 1);
	assert_int_equal(w.ips[2], addr_of(restorer));
	assert_int_equal(w.ips[3], addr_of(start_none));
}

/* The caller's frame pointer was pushed near the return address: at most 6 words below it. */
static void a_saved_frame_pointer_is_found(void **state)
{
	enum { WORDS = 24 };

	(void)state;
	for (unsigned ra = 1; ra < 10; ra++)
		for (unsigned fp = 0; fp < ra; fp++) {
			u64 words[WORDS] = { 0 };

			words[ra] = BY_REG_LEAF(RBP);
			words[fp] = STACK_AT + 8 * 14;
			words[15] = addr_of(start_any);
			if (ra - fp <= 6)
				EXPECT(walk_from(addr_of(in_leaf), 0, words, WORDS), BY_REG_LEAF(RBP),
				       addr_of(start_any));
			else
				EXPECT_NOTHING(walk_from(addr_of(in_leaf), 0, words, WORDS));
		}
	/* behind the call may be another function, or none */
	EXPECT(WALK(0, STACK_AT + 16, addr_of(in_ends), 5, addr_of(start_any)), addr_of(in_ends),
	       addr_of(start_any));
	/* only callers with CFI have saved one */
	EXPECT_NOTHING(WALK(0, STACK_AT + 32, addr_of(in_middle), 3, 4, 0, addr_of(other_other)));
	/* the words of another frame are not this one's */
	EXPECT(WALK(0, STACK_AT + 72, addr_of(in_middle), BY_REG_ANY(RBP), 4, 5, 6, 7, 8, 9, 10,
		    addr_of(start_any)),
	       addr_of(in_middle), addr_of(start_any));
	/* it leads outwards: not to the place of the return address, nor before it */
	EXPECT_NOTHING(WALK(0, STACK_AT + 8, BY_REG_LEAF(RBP), addr_of(start_any)));
	EXPECT(WALK(0, STACK_AT + 16, BY_REG_LEAF(RBP), 5, addr_of(start_any)), BY_REG_LEAF(RBP),
	       addr_of(start_any));
	/* and is aligned: a part of a word and of the next one is no address */
	EXPECT_NOTHING(WALK(0, STACK_AT + 20, BY_REG_LEAF(RBP), 5, addr_of(start_any) << 32,
			    addr_of(start_any) >> 32));
}

/* Of two frame pointers, the one counts with which each call leads to its function. */
static void the_frame_pointer_that_fits_is_taken(void **state)
{
	u64 words[16] = { 0, STACK_AT + 8 * 8, BY_REG_LEAF(RBP) };

	(void)state;
	words[5] = addr_of(other_other); /* the register leads there */
	words[9] = addr_of(start_any);
	EXPECT(walk_from(addr_of(in_leaf), STACK_AT + 8 * 4, words, 16), BY_REG_LEAF(RBP),
	       addr_of(start_any));
	words[9] = 0;
	EXPECT(walk_from(addr_of(in_leaf), STACK_AT + 8 * 4, words, 16), BY_REG_LEAF(RBP),
	       addr_of(other_other));
}

/* Callers by pointers, before the one that fits best, count if they lead to it. */
static void callers_further_in_lead_to_the_strongest(void **state)
{
	u64 words[16] = { 1, BY_REG_ANY(RSP), 2, BY_REG_OTHER(RSP), 3, addr_of(start_leaf) };

	(void)state;
	/* a direct call of the function */
	EXPECT(walk_from(addr_of(in_leaf), 0, words, 16), BY_REG_ANY(RSP), BY_REG_OTHER(RSP),
	       addr_of(start_leaf));
	words[3] = 0;
	EXPECT(walk_from(addr_of(in_leaf), 0, words, 16), addr_of(start_leaf));
	/* calls by pointers: the first one leads to what does not call it, the last one to the end */
	words[3] = BY_REG_OTHER(RSP);
	words[5] = addr_of(start_any);
	EXPECT(walk_from(addr_of(in_leaf), 0, words, 16), BY_REG_ANY(RSP), BY_REG_OTHER(RSP),
	       addr_of(start_any));
	/* the same address, but not in the same place */
	words[2] = addr_of(start_any);
	EXPECT(walk_from(addr_of(in_leaf), 0, words, 16), addr_of(start_any));
}

/* A caller without CFI is searched for, too, by direct calls or others. */
static void searches_go_on_from_callers(void **state)
{
	(void)state;
	EXPECT(WALK(0, addr_of(in_middle), 5, addr_of(start_any)), addr_of(in_middle), addr_of(start_any));
	EXPECT(WALK(0, addr_of(in_middle), BY_REG_ANY(RSP), 3, addr_of(start_any)), addr_of(in_middle),
	       BY_REG_ANY(RSP), addr_of(start_any));
	/* the first leads nowhere */
	EXPECT(WALK(0, addr_of(in_middle), 7, 8, BY_REG_ANY(RSP), addr_of(start_any), 1), addr_of(in_middle),
	       addr_of(start_any));
	/* direct calls go before others */
	EXPECT(WALK(0, addr_of(in_middle), addr_of(start_any), addr_of(start_middle)), addr_of(in_middle),
	       addr_of(start_middle));
}

static void searches_have_a_depth(void **state)
{
	(void)state;
	for (unsigned nr = SEARCHES - 2; nr <= SEARCHES + 1; nr++) {
		u64 words[4 * SEARCHES] = { 0 };
		struct walk w;

		for (unsigned i = 0; i < nr; i++)
			words[3 * i] = addr_of(in_again);
		words[3 * nr] = addr_of(start_again);
		w = walk_from(addr_of(in_again), 0, words, ARRAY_SIZE(words));
		/* the first search finds one more */
		if (nr < SEARCHES) {
			assert_int_equal(w.end, UNWIND_FOUND);
			assert_int_equal(w.nr, nr + 2);
			assert_int_equal(w.ips[nr], addr_of(in_again) - 1);
			assert_int_equal(w.ips[nr + 1], addr_of(start_again) - 1);
		} else {
			EXPECT_NOTHING(w);
		}
	}
}

/* Candidates that lead nowhere, then one that does: so many are tried. */
static void searches_have_so_many_tries(void **state)
{
	enum { WORDS = 2 * TRIES };

	(void)state;
	for (unsigned nr = TRIES - 2; nr <= TRIES + 1; nr++) {
		u64 words[WORDS] = { 0 },
		    regs[NR_REGS] = { [REG_SP] = STACK_AT, [REG_IP] = addr_of(in_leaf) };

		for (unsigned i = 0; i < nr; i++)
			words[i] = BY_REG_ANY(RBX);
		words[nr] = addr_of(start_any);
		if (nr < TRIES)
			EXPECT(walk_from(addr_of(in_leaf), 0, words, WORDS), addr_of(start_any));
		else
			EXPECT_NOTHING(walk_from(addr_of(in_leaf), 0, words, WORDS));
		/* a direct call is no try; the frame pointer that leads on is found by another one */
		words[nr] = STACK_AT + 8 * (nr + 4);
		words[nr + 1] = BY_REG_LEAF(RBP);
		words[nr + 5] = addr_of(start_any);
		EXPECT(walk_from(addr_of(in_leaf), 0, words, WORDS), BY_REG_LEAF(RBP), addr_of(start_any));
		/* the first of all leads to the last one, over a call that does not lead to it */
		words[0] = BY_REG_ANY(RBX);
		for (unsigned i = 1; i < nr; i++)
			words[i] = BY_REG_ANY(0);
		words[nr] = BY_REG_OTHER(RSP);
		words[nr + 1] = 0;
		words[nr + 2] = addr_of(start_any);
		words[nr + 5] = 0;
		regs[words_of_dwarf[RBX]] = STACK_AT + 8 * (nr - 1);
		if (nr < TRIES)
			EXPECT(walk_with(regs, words, WORDS), BY_REG_ANY(RBX), BY_REG_OTHER(RSP),
			       addr_of(start_any));
		/* the first leads to the end, by another way */
		words[0] = BY_REG_ANY(RSP);
		words[2] = BY_REG_OTHER(RSP);
		words[4] = addr_of(other_other);
		words[1] = words[nr] = words[nr + 1] = BY_REG_ANY(0);
		if (nr < TRIES)
			EXPECT(walk_with(regs, words, WORDS), addr_of(start_any));
		/* the last one leads to a direct call of the function */
		for (unsigned i = 0; i < nr; i++)
			words[i] = BY_REG_ANY(0);
		words[nr] = BY_REG_ANY(RBX);
		words[nr + 1] = BY_REG_OTHER(RSP);
		words[nr + 2] = 0;
		words[nr + 3] = addr_of(start_leaf);
		regs[words_of_dwarf[RBX]] = STACK_AT + 8 * nr;
		if (nr < TRIES)
			EXPECT(walk_with(regs, words, WORDS), BY_REG_ANY(RBX), BY_REG_OTHER(RSP),
			       addr_of(start_leaf));
		else
			EXPECT(walk_with(regs, words, WORDS), addr_of(start_leaf));
	}
}

/* The same of a search within a search, after its own try, and of saved frame pointers. */
static void searches_within_share_the_tries(void **state)
{
	enum { WORDS = 2 * TRIES };

	(void)state;
	for (unsigned nr = TRIES - 3; nr <= TRIES; nr++) {
		u64 words[WORDS] = { addr_of(in_middle), 1, 2 };

		for (unsigned i = 0; i < nr; i++)
			words[3 + i] = BY_REG_ANY(RBX);
		words[3 + nr] = addr_of(start_any);
		if (nr < TRIES - 1)
			EXPECT(walk_from(addr_of(in_leaf), 0, words, WORDS), addr_of(in_middle),
			       addr_of(start_any));
		else
			EXPECT_NOTHING(walk_from(addr_of(in_leaf), 0, words, WORDS));
		memset(words, 0, sizeof(words));
		for (unsigned i = 0; i < nr; i++)
			words[i] = BY_REG_ANY(RBX);
		words[nr] = STACK_AT + 8 * (nr + 4);
		words[nr + 1] = BY_REG_ANY(RBP);
		words[nr + 5] = addr_of(start_any);
		if (nr < TRIES - 1)
			EXPECT(walk_from(addr_of(in_leaf), 0, words, WORDS), BY_REG_ANY(RBP),
			       addr_of(start_any));
		else
			EXPECT_NOTHING(walk_from(addr_of(in_leaf), 0, words, WORDS));
	}
}

/* Words below a frame record are looked at, up to 512: they show that it is another frame's. */
static void frame_records_have_a_range(void **state)
{
	enum { MOST = 512, RECORD = 600 };

	(void)state;
	for (unsigned at = MOST - 1; at <= MOST; at++) {
		u64 words[RECORD + 2] = { [RECORD + 1] = addr_of(start_middle) };
		struct walk w;

		words[at] = addr_of(in_middle);
		w = walk_from(addr_of(in_leaf), STACK_AT + 8 * RECORD, words, ARRAY_SIZE(words));
		if (at < MOST)
			EXPECT(w, addr_of(in_middle), addr_of(start_middle));
		else
			EXPECT(w, addr_of(start_middle));
	}
	/* the record itself is not below it */
	expect(WALK(STACK_AT + 16, 1, 2, addr_of(start_leaf), addr_of(start_leaf)), UNWIND_COMPLETE,
	       start_leaf, NULL);
}

/* Words of the stack are looked at up to 1,024. */
static void searches_have_a_range(void **state)
{
	enum { MOST = 1024 };

	(void)state;
	for (unsigned at = MOST - 1; at <= MOST; at++) {
		u64 words[MOST + 2] = { 0 };

		words[at] = addr_of(start_leaf);
		if (at < MOST)
			EXPECT(walk_from(addr_of(in_leaf), 0, words, ARRAY_SIZE(words)), addr_of(start_leaf));
		else
			EXPECT_NOTHING(walk_from(addr_of(in_leaf), 0, words, ARRAY_SIZE(words)));
	}
}

/* 32-bit code is not searched for: its calls may pop their arguments, so no frame is where it should be. */
static void callers_of_32_bit_code_are_not_searched(void **state)
{
	const u64 regs[NR_REGS] = { [REG_SP] = STACK_AT, [REG_IP] = JIT_LEAF };
	u32 words[] = { 1, 0, 2, 3 };
	struct unwind_sample s = { .regs_mask = 0xff01ff,
				   .regs = regs,
				   .stack = (const u8 *)words,
				   .stack_size = sizeof(words),
				   .is_32bit = true };
	const u8 *at = (const u8 *)_start;
	struct walk w;

	(void)state;
	while (at[0] != 0xff || at[1] != 0x15) /* call *N(%rip), in the first function of a program */
		at++;
	words[1] = (u32)(ENTRY + (addr_of((const char *)at) & 0xfff) + 6);
	w.end = unwinder__run(unwinder, &s, w.ips, NULL, ARRAY_SIZE(w.ips), &w.nr);
	EXPECT_NOTHING(w);
}

/* JIT compilers call by ways that nobody can follow: if nothing else is found, any call will do. */
static void any_call_leads_to_jit_code(void **state)
{
	(void)state;
	EXPECT(WALK_FROM(JIT_LEAF, 0, 1, JIT_OUTER), JIT_OUTER);
	EXPECT_NOTHING(WALK_FROM(JIT_LEAF, 0, 1, JIT_OUTER_NONE));
	EXPECT(WALK_FROM(JIT_LEAF, 0, JIT_CALLER, 1, JIT_OUTER_ANY), JIT_CALLER, JIT_OUTER_ANY);
	/* code of a binary is found only by calls that lead to it */
	EXPECT_NOTHING(WALK(0, 1, JIT_OUTER));
	EXPECT(WALK(0, 1, JIT_OUTER_ANY), JIT_OUTER_ANY);
	/* an address that may have been pushed for a return: only a direct call counts after it */
	EXPECT_NOTHING(WALK_FROM(JIT_LEAF, 0, JIT_FAR + 0x100, JIT_OUTER_ANY));
	EXPECT(WALK_FROM(JIT_LEAF, 0, JIT_OUTER_ANY, JIT_FAR + 0x100), JIT_OUTER_ANY);
	EXPECT(WALK_FROM(JIT_LEAF, 0, JIT_FAR + 0x100, JIT_CALLER, JIT_OUTER_ANY), JIT_CALLER, JIT_OUTER_ANY);
	EXPECT(WALK(0, JIT_FAR + 0x100, addr_of(start_any)), addr_of(start_any));
	EXPECT(WALK_FROM(JIT_LEAF, 0, addr_of(start_none), JIT_OUTER_ANY), JIT_OUTER_ANY);
}

/* No call is before the first byte of code, so nothing is known of a frame there. */
static void the_first_byte_of_code_is_no_return_address(void **state)
{
	const u64 words[] = { 1, JIT, 2, addr_of(start_any), 3 }, from = addr_of(by_reg) + 32 * RSP;

	(void)state;
	expect_ips(walk_from(from, 0, words, ARRAY_SIZE(words)), UNWIND_UNMAPPED, (const u64[]){ JIT }, 1);
	/* the next one may be one */
	EXPECT(walk_from(from, 0, (const u64[]){ 1, JIT + 1, addr_of(start_any), 3 }, 4), JIT + 1,
	       addr_of(start_any));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(callers_know_the_registers_that_calls_keep),
		cmocka_unit_test(callers_of_callers_made_calls),
		cmocka_unit_test(found_callers_may_be_handlers),
		cmocka_unit_test(a_saved_frame_pointer_is_found),
		cmocka_unit_test(the_frame_pointer_that_fits_is_taken),
		cmocka_unit_test(callers_further_in_lead_to_the_strongest),
		cmocka_unit_test(searches_go_on_from_callers),
		cmocka_unit_test(searches_have_a_depth),
		cmocka_unit_test(searches_have_so_many_tries),
		cmocka_unit_test(searches_within_share_the_tries),
		cmocka_unit_test(frame_records_have_a_range),
		cmocka_unit_test(searches_have_a_range),
		cmocka_unit_test(callers_of_32_bit_code_are_not_searched),
		cmocka_unit_test(any_call_leads_to_jit_code),
		cmocka_unit_test(the_first_byte_of_code_is_no_return_address),
		cmocka_unit_test(a_frame_pointer_is_proved_by_the_call),
		cmocka_unit_test(a_frame_pointer_of_an_outer_frame_is_not_followed),
		cmocka_unit_test(the_caller_is_found_on_the_stack),
		cmocka_unit_test(a_search_that_does_not_reach_the_outermost_frame_finds_nothing),
		cmocka_unit_test(nothing_is_found_behind_code_that_cannot_be_read),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}

#else

int main(void)
{
	return 77;
}

#endif
