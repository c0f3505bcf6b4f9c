/*
 * Code without call frame information whose instructions do not tell where its return address is: what a
 * frame pointer is worth there, and the search for the return address. The stacks are written word by
 * word.
 */
#include "unit.h"

#include "own_code.h"

#ifdef __x86_64__

/*
 * leaf, middle: without CFI; both jump away, so their ends are unknown. start calls leaf and middle and
 * has no caller; other calls neither.
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
	"start:\n"
	"	.cfi_startproc\n"
	"	.cfi_undefined rip\n"
	"	call leaf\n"
	"start_leaf:\n"
	"	call middle\n"
	"start_middle:\n"
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
	"	.cfi_endproc\n");
extern const char in_leaf[], in_middle[], start_leaf[], start_middle[], start_any[], start_none[],
	other_other[];

enum { STACK_AT = 0x7000 };

static u64 addr_of(const char *p)
{
	return (u64)(uintptr_t)p;
}

struct walk {
	enum unwind_end end;
	u64 ips[16];
	unsigned nr;
};

/* Addresses of code that cannot be read. */
enum { UNREADABLE = 0x100000, UNREADABLE_END = 0x101000 };

static void look_up_with_unreadable(void *ctx, u64 ip, struct unwind_code *code)
{
	look_up(ctx, ip, code);
	code->is_code |= ip >= UNREADABLE && ip < UNREADABLE_END;
}

/* Walk from ip with rsp = STACK_AT. */
static struct walk walk_from(u64 ip, u64 rbp, const u64 *words, size_t nr_words)
{
	const u64 regs[] = { rbp, STACK_AT, ip };
	struct unwind_sample s = { .regs_mask = 1 << 6 | 1 << 7 | 1 << 8,
				   .regs = regs,
				   .stack = (const u8 *)words,
				   .stack_size = nr_words * sizeof(*words) };
	struct unwinder *u;
	struct walk w;
	struct lookup l;

	find_own_code(&l);
	u = unwinder__new(unwind_arch__find("x86_64"), look_up_with_unreadable, &l);
	w.end = unwinder__run(u, &s, w.ips, NULL, ARRAY_SIZE(w.ips), &w.nr);
	unwinder__delete(u);
	cfi__delete(l.cfi);
	return w;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_frame_pointer_is_proved_by_the_call),
		cmocka_unit_test(a_frame_pointer_of_an_outer_frame_is_not_followed),
		cmocka_unit_test(the_caller_is_found_on_the_stack),
		cmocka_unit_test(a_search_that_does_not_reach_the_outermost_frame_finds_nothing),
		cmocka_unit_test(nothing_is_found_behind_code_that_cannot_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	return 77;
}

#endif
