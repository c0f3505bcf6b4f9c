/*
 * What stands before a return address and where it leads: calls, jumps, stubs, and what is kept of it. Code
 * is written byte by byte, for machines of all kinds: nothing of it is run.
 */
#include "unit.h"

#include "arm64_frames.h"
#include "unwind/unwind_private.h"

/* ---- memory with code ---- */

enum { X86, I386, ARM64, REGIONS = 8 };

struct region {
	u64 start, size;
	const u8 *bytes; /* NULL: they cannot be read from memory */
	struct cfi *cfi; /* the binary; NULL: JIT code */
	u64 addr;        /* what start is in the binary */
	bool is_data;    /* can be read, and is no code */
};

static struct world {
	struct region regions[REGIONS];
	unsigned nr, nr_lookups, nr_reads;
} world;

static const struct region *region_at(u64 ip)
{
	for (unsigned i = 0; i < world.nr; i++)
		if (ip - world.regions[i].start < world.regions[i].size)
			return &world.regions[i];
	return NULL;
}

/* As from a process: what can be read is there, also if it is not all. */
static bool read_region(void *ctx, u64 ip, u8 *data, size_t size)
{
	const struct region *r = region_at(ip);
	u64 left = r ? r->start + r->size - ip : 0;

	(void)ctx;
	world.nr_reads++;
	if (r)
		memcpy(data, r->bytes + (ip - r->start), MIN(left, (u64)size));
	return left >= size;
}

static void look_up(void *ctx, u64 ip, struct unwind_code *code)
{
	const struct region *r = region_at(ip);

	(void)ctx;
	world.nr_lookups++;
	code->read = r && !r->bytes ? NULL : read_region;
	if (!r || r->is_data)
		return;
	code->is_code = true;
	code->cfi = r->cfi;
	code->addr = ip - r->start + r->addr;
}

static void add_file(u64 start, const void *bytes, u64 size, struct cfi *cfi, u64 addr)
{
	world.regions[world.nr++] =
		(struct region){ .start = start, .size = size, .bytes = bytes, .cfi = cfi, .addr = addr };
}

static void add(u64 start, const void *bytes, u64 size)
{
	add_file(start, bytes, size, NULL, 0);
}

static void add_data(u64 start, const void *bytes, u64 size)
{
	add(start, bytes, size);
	world.regions[world.nr - 1].is_data = true;
}

static struct unwinder *new_unwinder(int machine)
{
	static const char *const names[] = { "x86_64", "i386", "aarch64" };

	world = (struct world){ .nr = 0 };
	return unwinder__new(unwind_arch__find(names[machine]), look_up, NULL);
}

/* An address in a binary where no bytes are: those of memory count. */
enum { NO_BYTES = 1 << 30 };

static struct frames *frames;
static struct cfi *other;

static int setup(void **state)
{
	struct frames *f;

	assert_int_equal(open_binary(state, "shapes.so"), 0);
	f = *state;
	other = f->cfi;
	elf_file__close(&f->file);
	free(f);
	assert_int_equal(open_binary(state, "frames.so"), 0);
	frames = *state;
	return 0;
}

static int teardown(void **state)
{
	cfi__delete(other);
	return close_frames(state);
}

/* ---- reading ---- */

static void code_is_read_from_the_binary_or_from_memory(void **state)
{
	static const u8 bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	struct unwinder *u = new_unwinder(ARM64);
	u8 data[8];
	u32 insn;

	(void)state;
	add(0x10000, bytes, sizeof(bytes));
	add(0x20000, NULL, 16);
	add_file(0x30000, bytes, sizeof(bytes), frames->cfi, NO_BYTES);
	add_file(CODE_AT, NULL, 0x1000, frames->cfi, 0);
	add_data(0x50000, bytes, sizeof(bytes));
	assert_false(unwinder__read_code(u, 0x50000, data, 8));
	assert_true(unwinder__read_code(u, 0x10000, data, 8));
	assert_memory_equal(data, bytes, 8);
	assert_true(unwinder__read_code(u, 0x10007, data, 1));
	assert_int_equal(*data, 8);
	assert_false(unwinder__read_code(u, 0x10001, data, 8));
	assert_false(unwinder__read_code(u, 0x40000, data, 1));
	assert_false(unwinder__read_code(u, 0x20000, data, 1));
	assert_true(unwinder__read_code(u, 0x30001, data, 4));
	assert_memory_equal(data, bytes + 1, 4);
	assert_true(unwinder__read_code(u, at(frames, "in_leaf"), &insn, 4));
	assert_int_equal(insn, 0xd65f03c0); /* ret */
	unwinder__delete(u);
}

/* ---- rows ---- */

static void each_machine_has_its_instructions(void **state)
{
	static const struct {
		int machine;
		u8 code[16];
		u8 size;
		s64 cfa; /* the distance of the CFA; -1: no row */
	} cases[] = {
		{ X86, { 0x58, 0xc3 }, 16, 16 },          /* pop %rax; ret */
		{ X86, { 0x58, 0xc3 }, 15, -1 },          /* too little to see later whether it has changed */
		{ I386, { 0x58, 0xc3 }, 16, 8 },          /* pop %eax; ret */
		{ ARM64, { 0xc0, 3, 0x5f, 0xd6 }, 4, 0 }, /* ret */
		{ ARM64, { 0xc0, 3, 0x5f, 0xd6 }, 3, -1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct unwinder *u = new_unwinder(cases[i].machine);
		const struct cfi_row *row;

		add(0x10000, cases[i].code, cases[i].size);
		row = unwinder__code_row(u, 0, 0x10000, false);
		assert_int_equal(!row, cases[i].cfa < 0);
		if (row)
			assert_int_equal(row->cfa_offset, cases[i].cfa);
		unwinder__delete(u);
	}
	{
		struct unwinder *u = unwinder__new(unwind_arch__find("armv7l"), look_up, NULL);

		world.nr = 0;
		add(0x10000, cases[0].code, 16);
		assert_null(unwinder__code_row(u, 0, 0x10000, false));
		unwinder__delete(u);
	}
}

/* Address 0, where nothing is kept yet: zeros are instructions, too (add %al, (%rax)). */
static void the_first_address_is_as_any(void **state)
{
	static const u8 code[32] = { [16] = 0xc3 };
	struct unwinder *u = new_unwinder(X86);

	(void)state;
	add(0, code, sizeof(code));
	assert_non_null(unwinder__code_row(u, 0, 0, false));
	unwinder__delete(u);
}

/*
 * Many pieces of code that begin alike, more than are kept at a time. With nr_pops of the piece they pop so
 * many words and return.
 */
enum { PIECES = 1 << 12, PIECE = 32, NOPS = 20 };

static u8 *make_pieces(unsigned add)
{
	u8 *bytes = xmalloc(PIECES * PIECE + 16);

	memset(bytes, 0x90, PIECES * PIECE + 16);
	for (unsigned i = 0; i < PIECES; i++) {
		memset(bytes + i * PIECE + NOPS, 0x58, (i + add) % 4); /* pop %rax */
		bytes[i * PIECE + NOPS + (i + add) % 4] = 0xc3;
	}
	return bytes;
}

static void rows_are_those_of_the_address(void **state)
{
	struct unwinder *u = new_unwinder(X86);
	u8 *pieces = make_pieces(0);
	const struct cfi_row *row;

	(void)state;
	add(0x100000, pieces, PIECES * PIECE + 16);
	for (unsigned i = 0; i < 2 * PIECES; i++) {
		unsigned piece = i % PIECES;

		row = unwinder__code_row(u, 5, 0x100000 + piece * PIECE, false);
		assert_non_null(row);
		assert_int_equal(row->cfa_offset, 8 * (piece % 4 + 1));
	}
	/* at a return address the stack is aligned, so an odd number of words follows */
	for (unsigned i = 0; i < PIECES * PIECE; i++)
		for (int is_return = 0; is_return < 2; is_return++) {
			unsigned n = i / PIECE % 4, at = i % PIECE,
				 left = at <= NOPS ? n : n - MIN(n, at - NOPS);

			if (at > NOPS + n)
				continue;
			row = unwinder__code_row(u, 5, 0x100000 + i, is_return);
			assert_int_equal(!row, is_return && !(left & 1));
			if (row)
				assert_int_equal(row->cfa_offset, 8 * (left + 1));
		}
	unwinder__delete(u);
	free(pieces);
}

/* In other address spaces other code is at the address. */
static void rows_are_those_of_the_space(void **state)
{
	struct unwinder *u = new_unwinder(X86);

	(void)state;
	for (u64 space = 0; space < PIECES; space++) {
		u8 *piece = make_pieces((unsigned)space);
		const struct cfi_row *row;

		world.nr = 0;
		add(0x10000, piece, 2 * PIECE);
		row = unwinder__code_row(u, space, 0x10000, false);
		assert_non_null(row);
		assert_int_equal(row->cfa_offset, 8 * (space % 4 + 1));
		free(piece);
	}
	unwinder__delete(u);
}

/* JIT compilers change their code: a row is used again only for the same code. */
static void changed_code_has_another_row(void **state)
{
	u8 code[32] = { [0 ... 14] = 0x90, 0xc3, 0x58, 0xc3 };
	struct unwinder *u = new_unwinder(X86);
	const struct cfi_row *row;
	unsigned nr;

	(void)state;
	add(0x10000, code, sizeof(code));
	row = unwinder__code_row(u, 0, 0x10000, false);
	assert_int_equal(row->cfa_offset, 8);
	nr = world.nr_reads;
	assert_ptr_equal(unwinder__code_row(u, 0, 0x10000, false), row);
	assert_int_equal(world.nr_reads, nr + 1); /* the beginning, to compare it */
	code[15] = 0x90;
	assert_int_equal(unwinder__code_row(u, 0, 0x10000, false)->cfa_offset, 16);
	code[0] = 0x58;
	assert_int_equal(unwinder__code_row(u, 0, 0x10000, false)->cfa_offset, 24);
	code[0] = 0xf4; /* hlt */
	assert_null(unwinder__code_row(u, 0, 0x10000, false));
	assert_null(unwinder__code_row(u, 0, 0x10000, false));
	unwinder__delete(u);
}

/* ---- return addresses ---- */

static void addresses_have_a_range(void **state)
{
	static const struct {
		u64 ra;
		bool is_code;
	} cases[] = { { 0, false },          { 4095, false },      { 4096, true }, { (1ull << 56) - 1, true },
		      { 1ull << 56, false }, { UINT64_MAX, false } };
	struct unwinder *u = new_unwinder(X86);

	(void)state;
	add(0, NULL, UINT64_MAX);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct return_site site = unwinder__site(u, 3, cases[i].ra);

		assert_int_equal(site.is_code, cases[i].is_code);
		assert_int_equal(site.ra, cases[i].ra);
		assert_int_equal(site.space, 3);
		assert_int_equal(site.call, CALL_NONE);
		assert_false(site.is_read);
		assert_false(site.in_file);
	}
	unwinder__delete(u);
}

static void the_code_before_tells_the_call(void **state)
{
	static const u8 call[] = { 0x90, 0x90, 0x90, 0xe8, 0x10, 0, 0, 0, 0x90, 0x90 };
	static const u8 arm_call[] = { 4, 0, 0, 0x94, 0x1f, 0x20, 3, 0xd5 }; /* bl +16; nop */
	struct unwinder *u = new_unwinder(X86);
	struct return_site site;

	(void)state;
	add(0x10000, call, sizeof(call));
	add_file(0x20000, call, sizeof(call), frames->cfi, NO_BYTES);
	add(0x30000, NULL, 16);
	add(0x40000, call + 1, sizeof(call) - 1);
	add_data(0x50000, call, sizeof(call));
	site = unwinder__site(u, 0, 0x50008);
	assert_true(!site.is_code && !site.is_read && !site.in_file);
	assert_int_equal(site.call, CALL_NONE);
	site = unwinder__site(u, 0, 0x10008);
	assert_int_equal(site.call, CALL_DIRECT);
	assert_int_equal(site.target, 0x10018);
	assert_true(site.is_code && site.is_read && !site.in_file);
	site = unwinder__site(u, 0, 0x30008);
	assert_true(site.is_code && !site.is_read && !site.in_file);
	assert_int_equal(site.call, CALL_NONE);
	site = unwinder__site(u, 0, 0x40007); /* one byte less before it */
	assert_true(site.is_code && !site.is_read);
	assert_int_equal(site.call, CALL_NONE);
	site = unwinder__site(u, 0, 0x10009);
	assert_int_equal(site.call, CALL_NONE);
	assert_true(site.is_read);
	site = unwinder__site(u, 0, 0x20008);
	assert_int_equal(site.call, CALL_DIRECT);
	assert_int_equal(site.target, 0x20018);
	assert_true(site.is_code && site.is_read && site.in_file);
	site = unwinder__site(u, 0, 0x10000); /* the byte before is none */
	assert_false(site.is_code);
	unwinder__delete(u);

	u = new_unwinder(ARM64);
	add(0x10000, arm_call, sizeof(arm_call));
	add_file(CODE_AT, NULL, 0x1000, frames->cfi, 0);
	site = unwinder__site(u, 0, 0x10004);
	assert_int_equal(site.call, CALL_DIRECT);
	assert_int_equal(site.target, 0x10010);
	assert_int_equal(unwinder__site(u, 0, 0x10008).call, CALL_NONE);
	site = unwinder__site(u, 0, at(frames, "after_leaf"));
	assert_int_equal(site.call, CALL_DIRECT);
	assert_int_equal(site.target, at(frames, "leaf"));
	assert_true(site.in_file && site.is_read);
	assert_int_equal(unwinder__site(u, 0, at(frames, "after_pointer")).call, CALL_ANY);
	assert_int_equal(unwinder__site(u, 0, at(frames, "in_leaf")).call, CALL_NONE);
	unwinder__delete(u);
}

/* What is known is not looked up again, unless it is JIT code, which the next sample may find changed. */
static void what_is_known_is_not_looked_up_again(void **state)
{
	u8 code[] = { 0x90, 0x90, 0x90, 0xe8, 0x10, 0, 0, 0, 0x90 };
	struct unwinder *u = new_unwinder(X86);
	unsigned nr;

	(void)state;
	add(0x10000, code, sizeof(code));
	add_file(0x20000, code, sizeof(code), frames->cfi, NO_BYTES);
	for (u64 at = 0x10000; at <= 0x30000; at += 0x10000) {
		bool is_jit = at == 0x10000;

		u->code_round = 7;
		assert_int_equal(unwinder__site(u, 0, at + 8).is_code, at < 0x30000);
		nr = world.nr_lookups;
		assert_int_equal(unwinder__site(u, 0, at + 8).is_code, at < 0x30000);
		assert_int_equal(world.nr_lookups, nr);
		u->code_round = 8;
		code[3] = is_jit ? 0x90 : code[3];
		assert_int_equal(unwinder__site(u, 0, at + 8).call, at == 0x20000 ? CALL_DIRECT : CALL_NONE);
		assert_int_equal(world.nr_lookups, nr + is_jit);
		code[3] = 0xe8;
	}
	unwinder__delete(u);
}

static void sites_are_those_of_the_address_and_the_space(void **state)
{
	enum { CALLS = 1 << 12 };
	u8 *code = xcalloc(CALLS, 8);
	struct unwinder *u = new_unwinder(X86);

	(void)state;
	for (u32 i = 0; i < CALLS; i++) {
		code[8 * i + 3] = 0xe8;
		memcpy(code + 8 * i + 4, &i, sizeof(i));
	}
	add(0x100000, code, CALLS * 8);
	for (u32 i = 0; i < 2 * CALLS; i++) {
		u64 ra = 0x100000 + 8 * (i % CALLS + 1);

		assert_int_equal(unwinder__site(u, 1, ra).target, ra + i % CALLS);
		assert_int_equal(unwinder__site(u, 1, ra).ra, ra);
	}
	for (u64 space = 0; space < CALLS; space++) {
		world.nr = 0;
		if (space & 1)
			add(0x100000, code, CALLS * 8);
		assert_int_equal(unwinder__site(u, space, 0x100008).call,
				 space & 1 ? CALL_DIRECT : CALL_NONE);
		assert_int_equal(unwinder__site(u, space, 0x100008).space, space);
	}
	unwinder__delete(u);
	free(code);
}

/* ---- where calls lead ---- */

static struct return_site direct(u64 target)
{
	return (struct return_site){ .target = target, .call = CALL_DIRECT };
}

static void functions_begin_near_before(void **state)
{
	struct unwinder *u = new_unwinder(X86);
	struct return_site site = direct(0x100000);

	(void)state;
	add(0x100000, NULL, 0x80000);
	add_file(0x200000, NULL, 0x1000, frames->cfi, NO_BYTES);
	add_file(0x201000, NULL, 0x1000, other, NO_BYTES);
	assert_true(unwinder__calls(u, &site, 0x100000, 1));
	assert_true(unwinder__calls(u, &site, 0x100007, 8));
	assert_false(unwinder__calls(u, &site, 0x100008, 8));
	assert_false(unwinder__calls(u, &site, 0xfffff, 8));
	assert_true(unwinder__leads_to(u, &site, 0x100000 + FUNCTION_MAX - 1));
	assert_false(unwinder__leads_to(u, &site, 0x100000 + FUNCTION_MAX));
	assert_false(unwinder__leads_to(u, &site, 0xfffff));
	site.call = CALL_ANY;
	assert_false(unwinder__calls(u, &site, 0x100000, 8));
	assert_true(unwinder__leads_to(u, &site, 0xfffff));
	site.call = CALL_NONE;
	assert_false(unwinder__calls(u, &site, 0x100000, 8));
	assert_false(unwinder__leads_to(u, &site, 0x100000));
	/* the next binary has other functions */
	site = direct(0x200ff8);
	assert_true(unwinder__calls(u, &site, 0x200fff, 64));
	assert_false(unwinder__calls(u, &site, 0x201000, 64));
	unwinder__delete(u);
}

/*
 * A jump at the target of a call, in the last bytes that can be read: where does a call of it lead? The jump
 * is at 0x100000000 - 8.
 */
static void jumps_are_followed(void **state)
{
	static const struct {
		int machine;
		u8 size, code[8];
		enum call_kind kind;
		u64 target;
	} cases[] = {
		{ X86, 5, { 0xe9, 0x0b, 0, 0, 0 }, CALL_DIRECT, 0x100000008 },
		{ X86, 5, { 0xe9, 0xf3, 0xfe, 0xff, 0xff }, CALL_DIRECT, 0xfffffef0 },
		{ X86, 4, { 0xe9, 0x0b, 0, 0 }, CALL_NONE, 0x100000008 }, /* cut off */
		{ X86, 4, { 0xff, 0xe0, 0x90, 0x90 }, CALL_NONE, 0x100000008 },
		{ X86, 5, { 0xe8, 0x0b, 0, 0, 0 }, CALL_NONE, 0x100000008 }, /* call */
		{ X86, 5, { 0x90, 0xe9, 0x0a, 0, 0 }, CALL_NONE, 0x100000008 },
		{ X86, 5, { 0xff, 0xe0, 0, 0, 0 }, CALL_ANY, 0 },    /* jmp *%rax */
		{ X86, 6, { 0xff, 0x25, 1, 2, 3, 4 }, CALL_ANY, 0 }, /* jmp *N(%rip) */
		{ X86, 5, { 0xff, 0xd0, 0, 0, 0 }, CALL_NONE, 0 },   /* call *%rax */
		{ X86, 5, { 0xff, 0x28, 0, 0, 0 }, CALL_NONE, 0 },   /* a far jump */
		{ X86, 5, { 0xfe, 0xe0, 0, 0, 0 }, CALL_NONE, 0 },
		{ I386, 5, { 0xe9, 0x0b, 0, 0, 0 }, CALL_DIRECT, 8 },
		{ I386, 5, { 0xe9, 0xf3, 0xfe, 0xff, 0xff }, CALL_DIRECT, 0xfffffef0 },
		{ I386, 5, { 0xff, 0xe0, 0, 0, 0 }, CALL_ANY, 0 },
		{ ARM64, 4, { 4, 0, 0, 0x14 }, CALL_DIRECT, 0x100000008 }, /* b +16 */
		{ ARM64, 3, { 4, 0, 0, 0x14 }, CALL_NONE, 0x100000008 },
		{ ARM64, 4, { 0xc0, 0xff, 0xff, 0x17 }, CALL_DIRECT, 0xfffffef8 },
		{ ARM64, 4, { 4, 0, 0, 0x94 }, CALL_NONE, 0x100000008 }, /* bl */
		{ ARM64, 4, { 0x20, 2, 0x1f, 0xd6 }, CALL_ANY, 0 },      /* br x17 */
		{ ARM64, 4, { 0xc0, 3, 0x5f, 0xd6 }, CALL_NONE, 0 },     /* ret */
		{ ARM64, 4, { 0x20, 2, 0x3f, 0xd6 }, CALL_NONE, 0 },     /* blr x17 */
	};
	const u64 at = 0x100000000 - 8;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		bool is_direct = cases[i].kind == CALL_DIRECT;
		struct unwinder *u = new_unwinder(cases[i].machine);
		struct return_site site = direct(at);
		u8 *code = xcalloc(1, 8); /* nothing behind them */

		memcpy(code, cases[i].code, cases[i].size);
		add(at, code, cases[i].size);
		if (unwinder__calls(u, &site, cases[i].target, 1) != is_direct)
			fail_msg("row %zu", i);
		if (unwinder__leads_to(u, &site, is_direct ? cases[i].target : 0x5000) !=
		    (cases[i].kind != CALL_NONE))
			fail_msg("row %zu", i);
		assert_false(unwinder__calls(u, &site, at + 1, 1));
		assert_int_equal(site.target, at);
		unwinder__delete(u);
		free(code);
	}
}

/* A call leads over three jumps at most. */
static void few_jumps_are_followed(void **state)
{
	/* each jumps over 3 bytes, to the next one */
	enum { JUMPS = 5, EACH = 8, AT = 0x10000 };
	u8 code[EACH * (JUMPS + 1)] = { 0 };
	struct unwinder *u = new_unwinder(X86);

	(void)state;
	for (unsigned i = 0; i < JUMPS; i++) {
		code[EACH * i] = 0xe9;
		code[EACH * i + 1] = 3;
	}
	add(AT, code, sizeof(code));
	for (u64 nr = 0; nr <= JUMPS; nr++) {
		struct return_site site = direct(AT + EACH * (JUMPS - nr));

		assert_int_equal(unwinder__calls(u, &site, AT + EACH * JUMPS, 1), nr <= 3);
	}
	/* a jump of the whole range of a function, so that it is not in one */
	code[0] = 0xff;
	code[1] = 0xe0;
	for (u64 nr = 1; nr <= JUMPS; nr++) {
		const u32 back = (u32) - (EACH + 5);
		struct return_site site = direct(AT + EACH * (nr - 1));

		memcpy(code + EACH * nr + 1, &back, sizeof(back));
		assert_int_equal(unwinder__leads_to(u, &site, 0x900000), nr - 1 <= 3);
	}
	unwinder__delete(u);
}

/* Code of a binary may jump to other binaries; a stub jumps anywhere. */
static void binaries_jump_to_others(void **state)
{
	struct unwinder *u = new_unwinder(ARM64);
	struct return_site site = direct(0x200000);
	GElf_Shdr plt;

	(void)state;
	assert_non_null(elf_file__section(&frames->file, ".plt", 0, &plt));
	add(0x100000, NULL, 0x1000);
	add_file(0x200000, NULL, 0x1000, frames->cfi, NO_BYTES);
	add_file(0x300000, NULL, 0x1000, other, NO_BYTES);
	add_file(CODE_AT, NULL, 0x1000, frames->cfi, 0);
	assert_true(unwinder__leads_to(u, &site, 0x300000));
	assert_true(unwinder__leads_to(u, &site, 0x100000));
	assert_true(unwinder__leads_to(u, &site, 0x200010));
	assert_false(unwinder__leads_to(u, &site, CODE_AT)); /* of the same binary */
	assert_false(unwinder__calls(u, &site, 0x300000, 64));
	site = direct(CODE_AT + plt.sh_addr + 32);
	assert_true(unwinder__leads_to(u, &site, 0x200000));
	site = direct(at(frames, "leaf"));
	assert_false(unwinder__leads_to(u, &site, 0x200000));
	/* JIT code does not */
	site = direct(0x100000);
	assert_false(unwinder__leads_to(u, &site, 0x200000));
	site = direct(0x400000); /* nothing is there */
	assert_false(unwinder__leads_to(u, &site, 0x200000));
	unwinder__delete(u);
}

static void return_addresses_follow_calls(void **state)
{
	static const u8 code[] = { 0x90, 0x90, 0x90, 0xe8, 0x08, 0,    0,   0,
				   0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0xd0 };
	const u64 ra = 0x100008, callee = 0x100010;
	struct unwinder *u = new_unwinder(X86);

	(void)state;
	add(0x100000, code, sizeof(code));
	add(0x200000, NULL, 0x1000);
	assert_true(unwinder__is_after_call(u, 0, ra, callee, false));
	assert_true(unwinder__is_after_call(u, 0, ra, callee, true));
	assert_true(unwinder__is_after_call(u, 0, ra, callee + 8, true));
	assert_false(unwinder__is_after_call(u, 0, ra, callee - 1, true));
	assert_true(unwinder__is_after_call(u, 0, ra, callee - 1, false));
	assert_false(unwinder__is_after_call(u, 0, ra + 1, callee, false));
	assert_false(unwinder__is_after_call(u, 0, ra + 1, callee, true));
	assert_true(unwinder__is_after_call(u, 0, 0x10000f, callee - 1, true)); /* call *%rax */
	/* what cannot be read may be one */
	assert_true(unwinder__is_after_call(u, 0, 0x200010, callee, true));
	assert_false(unwinder__is_after_call(u, 0, 0x300010, callee, false));
	unwinder__delete(u);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_is_read_from_the_binary_or_from_memory),
		cmocka_unit_test(each_machine_has_its_instructions),
		cmocka_unit_test(the_first_address_is_as_any),
		cmocka_unit_test(rows_are_those_of_the_address),
		cmocka_unit_test(rows_are_those_of_the_space),
		cmocka_unit_test(changed_code_has_another_row),
		cmocka_unit_test(addresses_have_a_range),
		cmocka_unit_test(the_code_before_tells_the_call),
		cmocka_unit_test(what_is_known_is_not_looked_up_again),
		cmocka_unit_test(sites_are_those_of_the_address_and_the_space),
		cmocka_unit_test(functions_begin_near_before),
		cmocka_unit_test(jumps_are_followed),
		cmocka_unit_test(few_jumps_are_followed),
		cmocka_unit_test(binaries_jump_to_others),
		cmocka_unit_test(return_addresses_follow_calls),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
