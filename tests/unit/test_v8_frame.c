/*
 * Frames in V8's code: which words of the stack tell the function, and where it is shown. Code is not to be
 * read, so all steps are by frame pointers.
 */
#include "unit.h"

#include "unwind/unwind.h"

#include <string.h>

enum {
	BUILTIN_AT = 0x400000,
	COMPILED_AT = 0x500000,
	CODE_BYTES = 0x1000,
	STACK_AT = 0x7000,
	WORDS = 64,
	CLOSURE = 0x9001,
	BYTECODES = 0x9101,
	CONTEXT = 0x9201,
	SHOWN = 0x9140,
};

static u64 words[WORDS];
static u64 ips[16], sps[16];
static unsigned nr, nr_asked;
static struct v8_frame asked[16];
static bool refuses;

/*
 * A handler that removes its frame and jumps on: mov rax, [rbp+8]; mov rbp, [rbp]; add rsp, 24; jmp to a
 * function that returns.
 */
static const u8 handler[32] = "\x48\x8b\x45\x08\x48\x8b\x6d\x00\x48\x83\xc4\x18\xeb\x02\xf4\xf4\xc3";
static bool can_read;

static bool read_code(void *ctx, u64 ip, u8 *data, size_t size)
{
	(void)ctx;
	if (!can_read || ip < BUILTIN_AT + 0x100 || ip - BUILTIN_AT - 0x100 + size > sizeof(handler))
		return false;
	memcpy(data, handler + (ip - BUILTIN_AT - 0x100), size);
	return true;
}

static bool find_function(void *ctx, const struct v8_frame *v, u64 *shown)
{
	(void)ctx;
	asked[nr_asked++] = *v;
	if (!v->is_compiled && !refuses)
		*shown = SHOWN;
	return !refuses;
}

static void look_up(void *ctx, u64 ip, struct unwind_code *c)
{
	bool is_builtin = ip >= BUILTIN_AT && ip < BUILTIN_AT + CODE_BYTES;
	bool is_compiled = ip >= COMPILED_AT && ip < COMPILED_AT + CODE_BYTES;

	(void)ctx;
	c->find_function = find_function;
	c->read = read_code;
	c->is_code = is_builtin || is_compiled;
	if (c->wants_java && c->is_code)
		c->java.kind = is_builtin ? V8_BUILTIN : V8_COMPILED;
}

static void walk(u64 ip, unsigned sp, unsigned fp)
{
	const u64 values[] = { STACK_AT + fp * 8, STACK_AT + sp * 8, ip };
	struct unwind_sample s = { .regs_mask = 1 << 6 | 1 << 7 | 1 << 8,
				   .regs = values,
				   .stack = (const u8 *)(words + sp),
				   .stack_size = sizeof(words) - sp * 8 };
	struct unwinder *u = unwinder__new(unwind_arch__find("x86_64"), look_up, NULL);

	nr_asked = 0;
	unwinder__run(u, &s, ips, sps, 16, &nr);
	unwinder__delete(u);
}

/* A frame of a function: its frame pointer leads to word fp; the caller is ra, its frame pointer at next. */
static void put_frame(unsigned fp, u64 ra, unsigned next, u64 context)
{
	words[fp - 5] = 60ull << 32;
	words[fp - 4] = BYTECODES;
	words[fp - 3] = 3;
	words[fp - 2] = CLOSURE;
	words[fp - 1] = context;
	words[fp] = STACK_AT + next * 8;
	words[fp + 1] = ra;
}

static int begin(void **state)
{
	(void)state;
	memset(words, 0, sizeof(words));
	refuses = can_read = false;
	return 0;
}

static void shows_functions(void **state)
{
	(void)state;
	put_frame(10, BUILTIN_AT + 0x20, 20, CONTEXT);  /* compiled, called by an interpreted function */
	put_frame(20, COMPILED_AT + 0x40, 30, CONTEXT); /* which was called by a compiled one */
	put_frame(30, 0, 40, CONTEXT);
	walk(COMPILED_AT + 0x10, 5, 10);
	assert_true(nr >= 3);
	assert_int_equal(ips[0], COMPILED_AT + 0x10);
	assert_int_equal(ips[1], SHOWN);
	assert_int_equal(ips[2], COMPILED_AT + 0x3f);
	assert_int_equal(asked[0].ip, COMPILED_AT + 0x10);
	assert_true(asked[0].is_compiled);
	assert_int_equal(asked[0].function, CLOSURE);
	assert_int_equal(asked[1].ip, BUILTIN_AT + 0x1f);
	assert_false(asked[1].is_compiled);
	assert_int_equal(asked[1].function, CLOSURE);
	assert_int_equal(asked[1].bytecodes, BYTECODES);
	assert_int_equal(asked[1].offset, 60ull << 32);
	assert_true(asked[2].is_compiled);
	/* the same where nothing is known of the function */
	refuses = true;
	walk(COMPILED_AT + 0x10, 5, 10);
	assert_int_equal(ips[1], BUILTIN_AT + 0x1f);
	assert_int_equal(ips[2], COMPILED_AT + 0x3f);
}

/* A builtin's own frame has a number in place of the context: what kind of frame it is. */
static void leaves_stubs_alone(void **state)
{
	(void)state;
	put_frame(10, BUILTIN_AT + 0x20, 20, 0x22);
	put_frame(20, 0, 30, 0x22);
	walk(BUILTIN_AT + 0x10, 5, 10);
	assert_int_equal(nr_asked, 0);
	assert_int_equal(ips[0], BUILTIN_AT + 0x10);
	assert_int_equal(ips[1], BUILTIN_AT + 0x1f);
	put_frame(10, COMPILED_AT + 0x20, 20, 0x22); /* compiled code is known by its address */
	walk(COMPILED_AT + 0x10, 5, 10);
	assert_true(nr_asked >= 1);
	assert_int_equal(asked[0].function, 0);
	assert_int_equal(asked[0].bytecodes, 0);
}

/* Without a step, nothing tells whether the frame pointer is this frame's: only the address counts. */
static void trusts_no_other_frame(void **state)
{
	(void)state;
	put_frame(10, 0x1234, 20, CONTEXT);
	walk(BUILTIN_AT + 0x10, 5, 10);
	assert_int_equal(nr, 1);
	assert_int_equal(nr_asked, 0);
	walk(COMPILED_AT + 0x10, 5, 10);
	assert_int_equal(nr_asked, 1);
	assert_int_equal(asked[0].function, 0);
	/* the words are not on the stack any more */
	put_frame(10, BUILTIN_AT + 0x20, 20, CONTEXT);
	walk(COMPILED_AT + 0x10, 10, 10);
	assert_int_equal(asked[0].function, 0);
}

/*
 * Its code tells the caller by the stack pointer, and the caller's frame pointer by its own: where both are
 * next to each other, as in a frame record, both are right.
 */
static void follows_code(void **state)
{
	(void)state;
	can_read = true;
	put_frame(10, BUILTIN_AT + 0x20, 20, 0x22);
	put_frame(20, COMPILED_AT + 0x40, 30, CONTEXT);
	put_frame(30, 0, 40, CONTEXT);
	walk(BUILTIN_AT + 0x100, 8, 10);
	assert_int_equal(ips[1], SHOWN);
	assert_int_equal(sps[1], STACK_AT + 12 * 8);
	assert_int_equal(ips[2], COMPILED_AT + 0x3f);
	assert_int_equal(sps[2], STACK_AT + 22 * 8);
	/* the frame pointer is an outer frame's */
	walk(BUILTIN_AT + 0x104, 8, 20);
	assert_int_equal(sps[1], STACK_AT + 12 * 8);
	assert_int_not_equal(ips[1], SHOWN);
}

/* Words that are no objects: the frame is one of other code, or not complete. */
static void looks_at_words(void **state)
{
	(void)state;
	put_frame(10, BUILTIN_AT + 0x20, 20, CONTEXT);
	put_frame(20, COMPILED_AT + 0x40, 30, CONTEXT);
	put_frame(30, 0, 40, CONTEXT);
	words[8] = CLOSURE - 1;
	words[16] = BYTECODES + 1;
	walk(COMPILED_AT + 0x10, 5, 10);
	assert_int_equal(asked[0].function, 0);
	assert_int_equal(asked[0].bytecodes, 0);
	assert_int_not_equal(ips[1], SHOWN); /* an interpreter without bytecodes */
	words[8] = CLOSURE;
	words[6] = BYTECODES + 2;
	walk(COMPILED_AT + 0x10, 5, 10);
	assert_int_equal(asked[0].function, CLOSURE);
	assert_int_equal(asked[0].bytecodes, 0);
	assert_int_equal(asked[0].offset, 0);
	/* where the stack pointer is already behind some of them */
	words[6] = BYTECODES;
	walk(COMPILED_AT + 0x10, 6, 10); /* the offset */
	assert_int_equal(asked[0].function, CLOSURE);
	assert_int_equal(asked[0].bytecodes, 0);
	walk(COMPILED_AT + 0x10, 7, 10); /* the bytecodes, too */
	assert_int_equal(asked[0].function, CLOSURE);
	assert_int_equal(asked[0].bytecodes, 0);
	walk(COMPILED_AT + 0x10, 9, 10); /* and the function */
	assert_int_equal(asked[0].function, 0);
	walk(COMPILED_AT + 0x10, 5, 10);
	assert_int_equal(asked[0].bytecodes, BYTECODES);
	assert_int_equal(asked[0].offset, 60ull << 32);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(shows_functions, begin),
		cmocka_unit_test_setup(leaves_stubs_alone, begin),
		cmocka_unit_test_setup(trusts_no_other_frame, begin),
		cmocka_unit_test_setup(follows_code, begin),
		cmocka_unit_test_setup(looks_at_words, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
