/* Steps from frames of HotSpot's code: compiled code at each of its instructions, the interpreter, stubs. */
#include "unit.h"

#include "unwind/unwind.h"

#include <string.h>

enum {
	CODE_AT = 0x400000,
	CODE_MAX = 256,
	CALLER = 0x500010, /* a return address in compiled code that is not there to be read */
	STACK_AT = 0x7000,
	WORDS = 32,
	FRAME = 32, /* bytes: return address, rbp, two words */
	METHOD = 0x9000,
	BYTECODE = 0x9100,
};

static u8 code[CODE_MAX];
static size_t code_size;
static struct java_frame frame;
static u64 words[WORDS];
static struct {
	u64 rax, rbx, rbp, rsp, r13;
} regs;
static u64 ips[16], sps[16];
static unsigned nr, nr_methods;
static bool caller_is_interpreted;

static bool read_code(void *ctx, u64 ip, u8 *data, size_t size)
{
	(void)ctx;
	if (ip < CODE_AT || ip - CODE_AT + size > code_size)
		return false;
	memcpy(data, code + (ip - CODE_AT), size);
	return true;
}

static bool find_method(void *ctx, const struct java_method *m, u64 *shown)
{
	(void)ctx;
	nr_methods++;
	*shown = m->is_entry ? BYTECODE : 0;
	for (size_t i = 0; i < ARRAY_SIZE(m->bytecode) && !*shown; i++)
		if (m->bytecode[i] >= BYTECODE && m->bytecode[i] < BYTECODE + 64)
			*shown = m->bytecode[i];
	return m->method == METHOD && *shown;
}

static void look_up(void *ctx, u64 ip, struct unwind_code *c)
{
	(void)ctx;
	c->read = read_code;
	c->find_method = find_method;
	c->is_code = (ip >= CODE_AT && ip < CODE_AT + CODE_MAX) || (ip >= CALLER - 16 && ip < CALLER + 16);
	if (c->wants_java && ip < CODE_AT + CODE_MAX)
		c->java = frame;
	else if (c->wants_java && caller_is_interpreted)
		c->java = (struct java_frame){ .kind = JAVA_INTERPRETER, .complete = UINT64_MAX };
	else if (c->wants_java && c->is_code)
		c->java = (struct java_frame){ .kind = JAVA_SIZED, .size = 64, .complete = CALLER - 16 };
}

static enum unwind_end walk(u64 ip)
{
	const u64 values[] = { regs.rax, regs.rbx, regs.rbp, regs.rsp, ip, regs.r13 };
	struct unwind_sample s = { .regs_mask = 1 << 0 | 1 << 1 | 1 << 6 | 1 << 7 | 1 << 8 | 1 << 21,
				   .regs = values,
				   .stack = (const u8 *)words + (regs.rsp - STACK_AT),
				   .stack_size = sizeof(words) - (regs.rsp - STACK_AT) };
	struct unwinder *u = unwinder__new(unwind_arch__find("x86_64"), look_up, NULL);
	enum unwind_end end = unwinder__run(u, &s, ips, sps, 16, &nr);

	unwinder__delete(u);
	return end;
}

static void put_code(const char *bytes, size_t size)
{
	memcpy(code, bytes, size);
	code_size = size;
	memset(words, 0, sizeof(words));
	memset(&regs, 0, sizeof(regs));
	nr_methods = 0;
}

/* The caller is the next frame, with this stack pointer; its frame of 64 bytes leads out of the code. */
static void expect_caller(u64 sp)
{
	assert_true(nr >= 2);
	assert_int_equal(ips[1], CALLER - 1);
	assert_int_equal(sps[1], sp);
}

/*
 * mov [rsp-0x14000], eax; push rbp; sub rsp, 16; (complete) nop; add rsp, 16; pop rbp; cmp rsp, [r15+40];
 * ja; ret
 */
static const char with_push[] = "\x89\x84\x24\x00\xc0\xfe\xff\x55\x48\x83\xec\x10\x90\x48\x83\xc4\x10\x5d"
				"\x49\x3b\x67\x28\x0f\x87\x01\x00\x00\x00\xc3\xf4";
/* sub rsp, 24; mov [rsp+16], rbp; (complete) nop; call; nop */
static const char with_store[] =
	"\x48\x81\xec\x18\x00\x00\x00\x48\x89\x6c\x24\x10\x90\xe8\x00\x00\x00\x00\x90";

/* Put a frame of the interpreter at word 22, for a caller whose stack begins at word 13 or before. */
static u64 put_interpreted_caller(void)
{
	words[14] = BYTECODE + 9;
	words[19] = METHOD;
	words[21] = STACK_AT + 24 * 8;
	words[23] = CALLER;
	return STACK_AT + 22 * 8;
}

/* Walk once more, with a caller in the interpreter: it is found if its frame pointer is right. */
static void expect_interpreted_caller(u64 ip)
{
	caller_is_interpreted = true;
	walk(ip);
	caller_is_interpreted = false;
	assert_true(nr >= 2);
	assert_int_equal(ips[1], BYTECODE + 9);
}

/* rsp at each instruction, counted from the return address down, in words. */
static void step_at(unsigned at, unsigned depth, bool is_fp_saved)
{
	const u64 ra = STACK_AT + 10 * 8;
	u64 fp;

	memset(words, 0, sizeof(words));
	fp = put_interpreted_caller();
	words[10] = CALLER;
	words[9] = is_fp_saved ? fp : 0xbad;
	words[18] = CODE_AT; /* the caller's caller, if the caller's stack pointer is right */
	regs.rsp = ra - depth * 8;
	regs.rbp = is_fp_saved ? 0xbad : fp;
	walk(CODE_AT + at);
	expect_caller(ra + 8);
	expect_interpreted_caller(CODE_AT + at);
}

static void compiled(void **state)
{
	(void)state;
	put_code(with_push, sizeof(with_push) - 1);
	frame = (struct java_frame){ .kind = JAVA_SIZED, .size = FRAME, .complete = CODE_AT + 12 };
	step_at(0, 0, false);
	step_at(7, 0, false);
	step_at(8, 1, true);
	step_at(12, 3, true);
	step_at(13, 3, true);
	step_at(17, 1, true);
	step_at(18, 0, false);
	step_at(22, 0, false);
	step_at(28, 0, false);
	put_code(with_store, sizeof(with_store) - 1);
	frame.complete = CODE_AT + 12;
	step_at(0, 0, false);
	step_at(7, 3, false);
	step_at(12, 3, true);
	step_at(13, 3, true); /* then comes a call: nothing but the size of the frame says anything */
}

/* A return address is never where the frame is not complete, even if the next instructions look so. */
static void return_addresses(void **state)
{
	(void)state;
	put_code("\x90\x90\xe8\x00\x00\x00\x00\x48\x83\xc4\x10\x5d\xc3", 13);
	frame = (struct java_frame){ .kind = JAVA_SIZED, .size = FRAME, .complete = CODE_AT };
	regs.rsp = STACK_AT;
	words[3] = CODE_AT + 7;
	words[2] = 0x4444;
	words[7] = CALLER;
	walk(CODE_AT + 1);
	assert_int_equal(ips[1], CODE_AT + 6);
	assert_int_equal(ips[2], CALLER - 1);
	assert_int_equal(sps[2], STACK_AT + 64);
}

/* nop; push rsi; push rax; call; pop rsi; pop r8; jmp rax: arguments of a stub are on top of the frame. */
static void pushed_arguments(void **state)
{
	static const char check[] = "\x90\x56\x50\xe8\x00\x00\x00\x00\x5e\x41\x58\xff\xe0";

	(void)state;
	put_code(check, sizeof(check) - 1);
	frame = (struct java_frame){ .kind = JAVA_SIZED, .size = FRAME, .complete = CODE_AT };
	step_at(1, 3, true);
	step_at(2, 4, true);
	step_at(3, 5, true);
	step_at(8, 5, true);
	step_at(9, 4, true);
	step_at(11, 3, true);
	memset(words, 0, sizeof(words));
	regs.rsp = STACK_AT;
	words[3] = CODE_AT + 8; /* returns to the first pop */
	words[9] = CALLER;
	walk(CODE_AT);
	assert_int_equal(ips[1], CODE_AT + 7);
	assert_int_equal(ips[2], CALLER - 1);
	assert_int_equal(sps[2], STACK_AT + 80);
}

/*
 * push rbp; sub rsp, 16 in the middle of a method, for on-stack replacement; the stub that polls at a
 * return.
 */
static void other_places(void **state)
{
	static const char osr[] = "\x90\x90\x90\x55\x48\x83\xec\x10\xe8\x00\x00\x00\x00";
	static const char poll[] =
		"\x90\x4c\x8d\x15\x00\x00\x00\x00\x4d\x89\x97\x00\x03\x00\x00\xe9\x00\x00\x00\x00";

	(void)state;
	put_code(osr, sizeof(osr) - 1);
	frame = (struct java_frame){ .kind = JAVA_SIZED, .size = FRAME, .complete = CODE_AT };
	step_at(3, 0, false);
	step_at(4, 1, true);
	step_at(8, 3, true);
	put_code(poll, sizeof(poll) - 1);
	step_at(1, 0, false);
	step_at(8, 0, false);
	frame = (struct java_frame){ .kind = JAVA_BARE, .size = 8, .complete = UINT64_MAX };
	step_at(0, 0, false);
}

static void callers_are_code(void **state)
{
	static const u64 wrong[] = { 0, 1, 0x1234, CALLER + 64, UINT64_MAX };

	(void)state;
	put_code("\x90\xe8\x00\x00\x00\x00", 6);
	frame = (struct java_frame){ .kind = JAVA_SIZED, .size = FRAME, .complete = CODE_AT };
	regs.rsp = STACK_AT;
	words[3] = CALLER;
	walk(CODE_AT);
	expect_caller(STACK_AT + FRAME);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		words[3] = wrong[i];
		walk(CODE_AT);
		assert_int_equal(nr, 1);
	}
}

/* Put code with hlt after it, so that the longest instruction can be read at each of its bytes. */
static void put_padded(const char *bytes, size_t size)
{
	put_code(bytes, size);
	memset(code + size, 0xf4, 16);
	code_size += 16;
}

/* What is no end of a method, and no entry: the size of the frame tells. */
static void neither_end_nor_entry(void **state)
{
	static const struct {
		const char *code;
		unsigned size;
	} cases[] = { { "\x90\xe9\x00\x00\x00\x00\xc3", 7 },   /* jmp; ret */
		      { "\x90\xe8\x00\x00\x00\x00\xc3", 7 },   /* call; ret */
		      { "\x90\xf4\xc3", 3 },                   /* hlt; ret */
		      { "\x90\x48\x8d\x65\x10\xc3", 6 },       /* lea rsp, [rbp+16]; ret */
		      { "\x90\x48\x8b\x6c\x24\x08\xc3", 7 },   /* mov rbp, [rsp+8]; ret */
		      { "\x90\x48\x8b\x64\x24\x08\xc3", 7 } }; /* mov rsp, [rsp+8]; ret */
	char nops[26];

	(void)state;
	frame = (struct java_frame){ .kind = JAVA_SIZED, .size = FRAME, .complete = CODE_AT };
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		put_padded(cases[i].code, cases[i].size);
		step_at(0, 3, true);
	}
	/* mov rax, [rsp+8]; ret: other registers do not matter */
	put_padded("\x90\x48\x8b\x44\x24\x08\xc3", 7);
	step_at(0, 0, false);
	/* the end of a method is at most 24 instructions away */
	memset(nops, 0x90, sizeof(nops));
	nops[23] = (char)0xc3;
	put_padded(nops, 24);
	step_at(0, 0, false);
	nops[23] = (char)0x90;
	nops[24] = (char)0xc3;
	put_padded(nops, 25);
	step_at(0, 3, true);
	/* push rbp; lea rax, [rsp+16]; sub rsp, 16; call: the second one is no part of the frame */
	put_padded("\x90\x55\x48\x8d\x44\x24\x10\x48\x83\xec\x10\xe8\x00\x00\x00\x00", 16);
	step_at(1, 0, false);
	/* push rbp; lea rsp, [rbp-16]: not by the stack pointer */
	put_padded("\x90\x55\x48\x8d\x65\xf0\xe8\x00\x00\x00\x00", 11);
	step_at(1, 3, true);
	put_padded("\x90\x55\x48\x8d\x44\x24\x10\x48\x83\xec\x10\xe8\x00\x00\x00\x00", 16);
	/* so it is where the frame is not complete */
	frame.complete = CODE_AT + 11;
	step_at(0, 0, false);
	step_at(2, 1, true);
}

static unsigned barrier_depth(u64 fp, u64 mark, u64 ra)
{
	put_code("\x90\xe8\x00\x00\x00\x00\x90\xff\xe0", 9);
	frame = (struct java_frame){ .kind = JAVA_OTHER };
	regs.rsp = STACK_AT;
	words[6] = fp; /* of a compiled method, which called a stub that is not described */
	words[7] = CODE_AT + 6;
	words[12] = STACK_AT + 20 * 8;
	words[13] = mark;
	words[14] = ra;
	walk(CALLER);
	return nr;
}

/* A stub that is not described called the virtual machine before a method runs: -1 tells. */
static void barrier(void **state)
{
	const u64 fp = STACK_AT + 12 * 8;

	(void)state;
	assert_true(barrier_depth(fp, UINT64_MAX, CALLER) >= 3);
	assert_int_equal(ips[1], CODE_AT + 5);
	assert_int_equal(ips[2], CALLER - 1);
	assert_int_equal(sps[2], STACK_AT + 15 * 8);
	assert_int_equal(barrier_depth(fp, UINT64_MAX - 1, CALLER), 2);
	assert_int_equal(barrier_depth(fp, UINT64_MAX, CODE_AT + 2), 2); /* called by no compiled method */
	assert_int_equal(barrier_depth(fp + 4, UINT64_MAX, CALLER), 2);
	words[4] = UINT64_MAX;
	words[5] = CALLER;
	assert_int_equal(barrier_depth(STACK_AT + 3 * 8, UINT64_MAX, CALLER),
			 2); /* below the stack pointer */
	/* in the stub itself */
	regs.rbp = fp;
	walk(CODE_AT + 1);
	assert_int_equal(nr, 1);
}

static unsigned asked_space;

static void look_up_space(void *ctx, u64 ip, struct unwind_code *c)
{
	look_up(ctx, ip, c);
	if (c->wants_java && ip < CODE_AT + CODE_MAX)
		c->java.size = asked_space % 2 ? FRAME : FRAME + 8;
}

/* What is known of an address is known of one address space. */
static void spaces(void **state)
{
	const u64 values[] = { 0, STACK_AT, CODE_AT };
	struct unwind_sample s = { .regs_mask = 1 << 6 | 1 << 7 | 1 << 8,
				   .regs = values,
				   .stack = (const u8 *)words,
				   .stack_size = sizeof(words) };
	struct unwinder *u = unwinder__new(unwind_arch__find("x86_64"), look_up_space, NULL);

	(void)state;
	put_code("\x90\xe8\x00\x00\x00\x00", 6);
	frame = (struct java_frame){ .kind = JAVA_SIZED, .complete = CODE_AT };
	words[3] = words[4] = CALLER;
	for (asked_space = 0; asked_space < 2000; asked_space++) {
		s.space = asked_space;
		unwinder__run(u, &s, ips, sps, 16, &nr);
		assert_true(nr >= 2);
		assert_int_equal(sps[1], STACK_AT + (asked_space % 2 ? FRAME : FRAME + 8));
	}
	unwinder__delete(u);
}

/* A frame of the interpreter at words[12]: rbp, then the return address. */
static void put_interpreted(u64 method, u64 bytecode, u64 sender)
{
	regs.rbp = STACK_AT + 12 * 8;
	words[13] = CALLER;
	words[12] = 0x7777;
	words[11] = sender;
	words[9] = method;
	words[4] = bytecode;
}

static void interpreted(void **state)
{
	const u64 sender = STACK_AT + 17 * 8;

	(void)state;
	put_code("\x90\x90\x90\xff\xe0", 5);
	frame = (struct java_frame){ .kind = JAVA_INTERPRETER, .complete = UINT64_MAX };
	regs.rsp = STACK_AT;
	put_interpreted(METHOD, BYTECODE + 3, sender);
	walk(CODE_AT);
	assert_int_equal(ips[0], BYTECODE + 3);
	expect_caller(sender);
	regs.r13 = BYTECODE + 7; /* newer than what is on the stack */
	walk(CODE_AT);
	assert_int_equal(ips[0], BYTECODE + 7);
	/* JDK 8 has it elsewhere. */
	regs.r13 = 0;
	put_interpreted(METHOD, STACK_AT, sender);
	words[5] = BYTECODE + 5;
	walk(CODE_AT);
	assert_int_equal(ips[0], BYTECODE + 5);
	expect_caller(sender);
	words[5] = 0;
	/* What is in no method is no frame of the interpreter. */
	put_interpreted(METHOD + 8, BYTECODE + 3, sender);
	walk(CODE_AT);
	assert_int_equal(ips[0], CODE_AT);
	put_interpreted(METHOD, BYTECODE - 1, sender);
	walk(CODE_AT);
	assert_int_equal(ips[0], CODE_AT);
	/* The caller's stack pointer would be below the frame. */
	put_interpreted(METHOD, BYTECODE + 3, STACK_AT + 12 * 8);
	walk(CODE_AT);
	assert_int_equal(ips[0], CODE_AT);
}

/* pop rax; mov ...; push rax; push rbp; mov rbp, rsp; push r13; push 0; nop */
static const char entry[] = "\x90\x58\x48\x8b\x53\x10\x50\x55\x48\x8b\xec\x41\x55\x6a\x00\x90\xff\xe0";

static void method_entry(void **state)
{
	static const struct {
		unsigned at, rsp; /* rsp: index of a word */
		bool in_rax, has_fp;
	} cases[] = { { 0, 15, false, false }, { 1, 15, false, false }, { 2, 16, true, false },
		      { 6, 12, true, false },  { 7, 11, false, false }, { 11, 10, false, true },
		      { 13, 9, false, true } };
	const u64 sender = STACK_AT + 18 * 8;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		put_code(entry, sizeof(entry) - 1);
		frame = (struct java_frame){ .kind = JAVA_INTERPRETER, .complete = UINT64_MAX };
		regs.rsp = STACK_AT + cases[i].rsp * 8;
		regs.rbx = METHOD;
		regs.r13 = sender;
		regs.rax = cases[i].in_rax ? CALLER : 0xbad;
		regs.rbp = cases[i].has_fp ? STACK_AT + 10 * 8 : 0x3000;
		if (!cases[i].in_rax)
			words[cases[i].has_fp ? 11 : cases[i].rsp] = CALLER;
		if (cases[i].has_fp)
			words[9] = sender; /* pushed by the instruction at 11 */
		walk(CODE_AT + cases[i].at);
		assert_int_equal(ips[0], BYTECODE);
		expect_caller(sender);
	}
}

/* Stubs: with a frame that is described, and the one that is entered before a method runs. */
static void stubs(void **state)
{
	(void)state;
	put_code("\x90\xe8\x00\x00\x00\x00\x90\xff\xe0", 9);
	frame = (struct java_frame){ .kind = JAVA_SIZED, .size = FRAME, .complete = CODE_AT };
	regs.rsp = STACK_AT;
	words[3] = CODE_AT + 6; /* of a frame of the same kind */
	words[7] = CALLER;
	frame.kind = JAVA_STUB;
	walk(CODE_AT + 7); /* an own address: what the frame is there is not known */
	assert_int_equal(nr, 1);
	frame = (struct java_frame){ .kind = JAVA_ADAPTER };
	words[0] = CALLER;
	assert_int_not_equal(walk(CODE_AT), UNWIND_COMPLETE);
	expect_caller(STACK_AT + 8);
	words[0] = 5;
	regs.rax = CALLER;
	regs.r13 = STACK_AT + 24;
	walk(CODE_AT);
	expect_caller(STACK_AT + 24);
}

/* The copy ends in the frame: the caller's stack pointer is known, for the rest of an earlier chain. */
static void cut(void **state)
{
	(void)state;
	put_code("\xe8\x00\x00\x00\x00\x90\xe8\x00\x00\x00\x00", 11);
	frame = (struct java_frame){ .kind = JAVA_SIZED, .size = 1024, .complete = CODE_AT };
	regs.rsp = STACK_AT;
	assert_int_equal(walk(CODE_AT), UNWIND_CUT);
	assert_int_equal(nr, 1);
	put_code("\x90\xff\xe0", 3);
	frame = (struct java_frame){ .kind = JAVA_INTERPRETER };
	regs.rsp = STACK_AT;
	regs.rbp = STACK_AT + WORDS * 8 - 8;
	words[WORDS - 2] = STACK_AT + 4096;
	words[WORDS - 4] = METHOD;
	words[WORDS - 9] = BYTECODE + 1;
	assert_int_equal(walk(CODE_AT), UNWIND_CUT);
	assert_int_equal(ips[0], BYTECODE + 1);
}

/*
 * Methods that were inlined around a call are frames of their own, before that of the code that they are
 * in.
 */
static void inlined(void **state)
{
	(void)state;
	put_code("\x90\x90\xe8\x00\x00\x00\x00\x90\xff\xe0", 10);
	frame = (struct java_frame){ .kind = JAVA_SIZED,
				     .size = FRAME,
				     .complete = CODE_AT,
				     .nr_inlined = 2,
				     .inlined = { 0x11, 0x22 } };
	regs.rsp = STACK_AT;
	words[3] = CODE_AT + 7;
	words[7] = CALLER;
	walk(CODE_AT + 7); /* a leaf: where it is in the inlined methods is not known */
	assert_int_equal(ips[0], CODE_AT + 7);
	assert_int_equal(ips[1], 0x11);
	assert_int_equal(ips[2], 0x22);
	assert_int_equal(ips[3], CODE_AT + 6);
	assert_int_equal(sps[1], STACK_AT + FRAME);
	assert_int_equal(sps[3], STACK_AT + FRAME);
	assert_int_equal(ips[4], CALLER - 1);
	assert_int_equal(sps[4], STACK_AT + 2 * FRAME);
}

/* Any registers and any words: the walk ends, and finds few methods. */
static void anything(void **state)
{
	u64 seed = 1;

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		put_code(entry, sizeof(entry) - 1);
		frame = (struct java_frame){ .kind = JAVA_SIZED + i % 6,
					     .size = i % 3 * 16 + 16,
					     .complete = CODE_AT + 9 };
		for (unsigned k = 0; k < WORDS; k++) {
			static const u64 likely[] = { CALLER, CODE_AT + 3, STACK_AT + 64,
						      METHOD, BYTECODE,    UINT64_MAX };

			seed = seed * 6364136223846793005ull + 1442695040888963407ull;
			words[k] = seed >> 60 ? likely[(seed >> 33) % ARRAY_SIZE(likely)] : seed;
		}
		regs.rsp = STACK_AT;
		regs.rax = words[1];
		regs.rbx = METHOD;
		regs.rbp = words[2];
		regs.r13 = words[3];
		walk(CODE_AT + i % 18);
		assert_true(nr >= 1 && nr <= 16 && nr_methods < 64);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compiled),
		cmocka_unit_test(return_addresses),
		cmocka_unit_test(other_places),
		cmocka_unit_test(pushed_arguments),
		cmocka_unit_test(interpreted),
		cmocka_unit_test(method_entry),
		cmocka_unit_test(stubs),
		cmocka_unit_test(cut),
		cmocka_unit_test(inlined),
		cmocka_unit_test(anything),
		cmocka_unit_test(neither_end_nor_entry),
		cmocka_unit_test(spaces),
		cmocka_unit_test(barrier),
		cmocka_unit_test(callers_are_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
