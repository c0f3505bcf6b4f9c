/* Unwinding: this very program's stack, expressions, and what happens when stack or CFI are not to be
 * trusted. */
#include "unit.h"

#include "binary/symbols/elf_symbols.h"
#include "own_code.h"
#include "unwind/unwind_private.h"

#include <dwarf.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#ifdef __x86_64__

#include "tests/unwind_reference.h"

#if __has_attribute(noipa)
#define NOIPA noipa
#else
#define NOIPA noinline /* clang */
#endif

/* ---- a copy of our own stack ---- */

enum { STACK_MAX = 64 << 10 };

static struct {
	u64 regs[24];
	u64 mask;
	u8 stack[STACK_MAX];
	u64 size;
} taken;

static u64 end_of_stack_map(u64 sp)
{
	struct strbuf text = STRBUF_INIT;
	struct proc_map map;
	char *p;
	u64 end = 0;

	assert_int_equal(proc__maps(getpid(), &text), 0);
	p = text.buf;
	while (!end && proc_map__parse(&p, text.buf + text.len, &map))
		if (sp >= map.start && sp < map.end)
			end = map.end;
	strbuf__exit(&text);
	return end;
}

static u64 sink;

__attribute__((NOIPA, no_sanitize("address"))) static void take(void)
{
	static const int gregs[24] = {
		REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
		REG_RIP, -1,      -1,      -1,      -1,      -1,      -1,      -1,
		REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15
	};
	unsigned nr = 0;
	ucontext_t c;
	u64 sp;

	assert_int_equal(getcontext(&c), 0);
	taken.mask = 0;
	for (unsigned i = 0; i < 24; i++) {
		if (gregs[i] < 0)
			continue;
		taken.mask |= 1ull << i;
		taken.regs[nr++] = (u64)c.uc_mcontext.gregs[gregs[i]];
	}
	sp = (u64)c.uc_mcontext.gregs[REG_RSP];
	taken.size = MIN(end_of_stack_map(sp) - sp, (u64)STACK_MAX);
	for (u64 i = 0; i < taken.size; i++)
		taken.stack[i] = ((const u8 *)sp)[i];
	sink++;
}

/* Frames of different kinds: small, with registers saved, with a size that only run time knows. */
__attribute__((NOIPA)) static void inner(void)
{
	take();
	sink += 2;
}

__attribute__((NOIPA)) static void variable(unsigned n)
{
	volatile char *room = __builtin_alloca(n);

	room[n - 1] = 1;
	inner();
	sink += (u64)room[n - 1];
}

__attribute__((NOIPA)) static void aligned(unsigned n)
{
	volatile char room[64] __attribute__((aligned(64)));

	room[n % 64] = 1;
	variable(n);
	sink += (u64)room[n % 64];
}

__attribute__((NOIPA)) static u64 outer(unsigned n)
{
	u64 before = sink;

	aligned(n);
	return sink - before;
}

static const char *name_at(const struct symtab *t, const struct lookup *l, u64 ip)
{
	const struct symbol *s = symtab__find(t, ip - l->start + l->pgoff);

	return s ? symtab__name(t, s) : "";
}

static struct unwind_sample own_sample(void)
{
	return (struct unwind_sample){
		.regs_mask = taken.mask, .regs = taken.regs, .stack = taken.stack, .stack_size = taken.size
	};
}

static void own_stack_is_unwound(void **state)
{
	static const char *const expected[] = { "take",    "inner", "variable",
						"aligned", "outer", "own_stack_is_unwound" };
	const struct unwind_arch *arch = unwind_arch__find("x86_64");
	struct unwind_sample s;
	struct unwinder *u;
	struct symtab t;
	struct lookup l;
	u64 ips[64], again[64];
	unsigned nr, nr_again, asked;

	(void)state;
	assert_non_null(arch);
	find_own_code(&l);
	symtab__init(&t);
	assert_int_equal(elf_symbols__load(&t, "/proc/self/exe", NULL, NULL, NULL), 0);
	assert_true(outer(100) > 0);
	s = own_sample();
	u = unwinder__new(arch, look_up, &l);
	/* Ends in a library, of which look_up knows nothing. */
	unwinder__run(u, &s, ips, NULL, ARRAY_SIZE(ips), &nr);
	assert_true(nr > ARRAY_SIZE(expected));
	for (unsigned i = 0; i < ARRAY_SIZE(expected); i++)
		assert_string_equal(name_at(&t, &l, ips[i]), expected[i]);
	/* What is known is not asked for again, but where two addresses fight for a place. */
	asked = l.nr;
	unwinder__run(u, &s, again, NULL, ARRAY_SIZE(again), &nr_again);
	assert_true(l.nr - asked <= 4);
	assert_int_equal(nr_again, nr);
	assert_memory_equal(ips, again, nr * sizeof(*ips));
	/* The address of another space is another address. */
	s.space = 1;
	unwinder__run(u, &s, again, NULL, ARRAY_SIZE(again), &nr_again);
	assert_true(l.nr > asked);
	unwinder__delete(u);
	cfi__delete(l.cfi);
	symtab__exit(&t);
}

/* The same frames as libunwind finds; beyond our own code neither knows any. */
static void libunwind_agrees(void **state)
{
	const struct unwind_arch *arch = unwind_arch__find("x86_64");
	struct unwind_reference *r;
	struct unwind_sample s;
	struct unwinder *u;
	struct lookup l;
	u64 ips[64], other[64];
	unsigned nr, nr_other;

	(void)state;
	find_own_code(&l);
	r = unwind_reference__new(look_up, &l);
	if (!r) {
		cfi__delete(l.cfi);
		skip();
	}
	outer(100);
	s = own_sample();
	u = unwinder__new(arch, look_up, &l);
	unwinder__run(u, &s, ips, NULL, ARRAY_SIZE(ips), &nr);
	nr_other = unwind_reference__run(r, arch, &s, other, ARRAY_SIZE(other));
	assert_true(nr_other > 5);
	assert_memory_equal(ips, other, 6 * sizeof(*ips));
	unwinder__delete(u);
	unwind_reference__delete(r);
	cfi__delete(l.cfi);
}

static void end_says_why(void **state)
{
	struct unwind_sample s;
	struct unwinder *u;
	struct lookup l;
	u64 ips[64], sp;
	unsigned nr, full;

	(void)state;
	find_own_code(&l);
	outer(100);
	s = own_sample();
	u = unwinder__new(unwind_arch__find("x86_64"), look_up, &l);
	assert_int_equal(unwinder__run(u, &s, ips, NULL, 3, &nr), UNWIND_TOO_DEEP);
	assert_int_equal(nr, 3);
	unwinder__run(u, &s, ips, NULL, ARRAY_SIZE(ips), &full);
	/* Each byte less of the stack gives the same frames or fewer of them, never others. */
	for (u64 size = 0; size < 1024; size++) {
		u64 part[64];

		s.stack_size = size;
		if (unwinder__run(u, &s, part, NULL, ARRAY_SIZE(part), &nr) == UNWIND_CUT)
			assert_true(nr < full);
		assert_true(nr >= 1 && nr <= full);
		assert_memory_equal(part, ips, nr * sizeof(*ips));
	}
	s.stack_size = 8;
	assert_int_equal(unwinder__run(u, &s, ips, NULL, ARRAY_SIZE(ips), &nr), UNWIND_CUT);
	s = own_sample();
	s.regs = NULL;
	assert_int_equal(unwinder__run(u, &s, ips, NULL, ARRAY_SIZE(ips), &nr), UNWIND_NO_REGS);
	s = own_sample();
	s.regs_mask &= ~(1ull << 7); /* no stack pointer */
	assert_int_equal(unwinder__run(u, &s, ips, NULL, ARRAY_SIZE(ips), &nr), UNWIND_NO_REGS);
	/* An unmapped place, without a frame pointer. */
	s = own_sample();
	sp = taken.regs[7];
	taken.regs[8] = 0x10;
	taken.regs[6] = 0;
	assert_int_equal(unwinder__run(u, &s, ips, NULL, ARRAY_SIZE(ips), &nr), UNWIND_UNMAPPED);
	assert_int_equal(nr, 1);
	/* Frame pointers that go round in a circle end. */
	l.all_code = true;
	taken.regs[6] = sp + 32;
	memcpy(taken.stack + 32, &sp, 8);
	assert_int_not_equal(unwinder__run(u, &s, ips, NULL, ARRAY_SIZE(ips), &nr), UNWIND_ENDS);
	assert_true(nr < ARRAY_SIZE(ips));
	unwinder__delete(u);
	cfi__delete(l.cfi);
}

/* A stack of noise must end every walk, whatever the registers say. */
static void noise_is_survived(void **state)
{
	struct unwind_sample s;
	struct unwinder *u;
	struct lookup l;
	u64 seed = 1, ips[200];
	unsigned nr;

	(void)state;
	find_own_code(&l);
	l.all_code = true;
	outer(100);
	s = own_sample();
	u = unwinder__new(unwind_arch__find("x86_64"), look_up, &l);
	for (unsigned round = 0; round < 5000; round++) {
		for (unsigned k = 0; k < 16; k++) {
			seed = seed * 6364136223846793005ull + 1442695040888963407ull;
			taken.stack[(seed >> 33) % taken.size] ^= (u8)(seed >> 25);
			if (k == 0)
				taken.regs[(seed >> 45) % 17] ^= seed & (0xff << ((seed >> 50) % 8));
		}
		unwinder__run(u, &s, ips, NULL, ARRAY_SIZE(ips), &nr);
		assert_true(nr <= ARRAY_SIZE(ips));
	}
	unwinder__delete(u);
	cfi__delete(l.cfi);
}

/* ---- CFI that is cut or broken ---- */

static void broken_images_are_survived(void **state)
{
	u64 seed = 7;
	FILE *f = fopen("/proc/self/exe", "rb");
	u8 *image, *copy;
	long size;

	(void)state;
	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	size = ftell(f);
	rewind(f);
	image = xmalloc((size_t)size);
	copy = xmalloc((size_t)size);
	assert_int_equal(fread(image, 1, (size_t)size, f), size);
	fclose(f);
	for (unsigned round = 0; round < 60; round++) {
		size_t part = (size_t)size;
		struct cfi *c;

		memcpy(copy, image, part);
		for (unsigned k = 0; k < round * 40; k++) {
			seed = seed * 6364136223846793005ull + 1442695040888963407ull;
			copy[(seed >> 20) % part] = (u8)(seed >> 56);
		}
		if (round % 3 == 0)
			part = part * round / 61;
		if (cfi__open_image(&c, copy, part, NULL))
			continue;
		for (u64 addr = 0; addr < (u64)size; addr += 211)
			cfi__find(c, addr);
		cfi__delete(c);
	}
	free(image);
	free(copy);
}

#endif

/* ---- expressions ---- */

static bool evaluate(const struct cfi_op *ops, u32 nr, u64 *value)
{
	static const u64 words[] = { 111, 222, 333 };
	struct unwind_stack stack = { .data = (const u8 *)words, .start = 0x1000, .end = 0x1018, .word = 8 };
	struct unwind_regs regs = { .known = 1 << 7 | 1 << 6, .v[7] = 0x1000, .v[6] = 5 };
	struct cfi_expr *e = xmalloc(sizeof(*e) + nr * sizeof(*ops));
	bool ok;

	*e = (struct cfi_expr){ .nr = nr };
	memcpy(e->ops, ops, nr * sizeof(*ops));
	ok = unwind_expr__value(e, &regs, 0x2000, &stack, value);
	free(e);
	return ok;
}

static void expressions_have_values(void **state)
{
	static const struct {
		struct cfi_op ops[10];
		u32 nr;
		u64 value;
	} good[] = {
		{ { { DW_OP_breg7, 8, 0 }, { DW_OP_deref, 0, 0 } }, 2, 222 },
		{ { { DW_OP_call_frame_cfa, 0, 0 }, { DW_OP_consts, (u64)-16, 0 }, { DW_OP_plus, 0, 0 } },
		  3,
		  0x1ff0 },
		{ { { DW_OP_bregx, 6, 2 }, { DW_OP_lit3, 0, 0 }, { DW_OP_shl, 0, 0 } }, 3, 56 },
		{ { { DW_OP_lit7, 0, 0 }, { DW_OP_lit15, 0, 0 }, { DW_OP_ge, 0, 0 } }, 3, 0 },
		{ { { DW_OP_lit2, 0, 0 }, { DW_OP_lit9, 0, 0 }, { DW_OP_swap, 0, 0 }, { DW_OP_minus, 0, 0 } },
		  4,
		  7 },
		/* taken: over the operation that fails */
		{ { { DW_OP_lit1, 0, 0 }, { DW_OP_bra, 3, 0 }, { DW_OP_piece, 0, 0 }, { DW_OP_lit4, 0, 0 } },
		  4,
		  4 },
		{ { { DW_OP_lit5, 0, 0 }, { DW_OP_dup, 0, 0 }, { DW_OP_mul, 0, 0 } }, 3, 25 },
	};
	static const struct {
		struct cfi_op ops[4];
		u32 nr;
	} bad[] = {
		{ { { DW_OP_breg3, 0, 0 } }, 1 },                            /* nobody knows it */
		{ { { DW_OP_plus, 0, 0 } }, 1 },                             /* nothing to add */
		{ { { DW_OP_lit1, 0, 0 }, { DW_OP_plus, 0, 0 } }, 2 },       /* one thing to add */
		{ { { DW_OP_addr, 0x1018, 0 }, { DW_OP_deref, 0, 0 } }, 2 }, /* behind the stack */
		{ { { DW_OP_addr, 0x1011, 0 }, { DW_OP_deref, 0, 0 } }, 2 }, /* half behind it */
		{ { { DW_OP_lit1, 0, 0 }, { DW_OP_lit0, 0, 0 }, { DW_OP_div, 0, 0 } }, 3 },
		{ { { DW_OP_lit1, 0, 0 }, { DW_OP_skip, 0, 0 } }, 2 }, /* for ever */
		{ { { DW_OP_lit1, 0, 0 }, { DW_OP_pick, 9, 0 } }, 2 },
		{ { { DW_OP_nop, 0, 0 } }, 1 }, /* no value */
	};
	u64 value;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		assert_true(evaluate(good[i].ops, good[i].nr, &value));
		assert_int_equal(value, good[i].value);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(evaluate(bad[i].ops, bad[i].nr, &value));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#ifdef __x86_64__
		cmocka_unit_test(own_stack_is_unwound),
		cmocka_unit_test(libunwind_agrees),
		cmocka_unit_test(end_says_why),
		cmocka_unit_test(noise_is_survived),
		cmocka_unit_test(broken_images_are_survived),
#endif
		cmocka_unit_test(expressions_have_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
