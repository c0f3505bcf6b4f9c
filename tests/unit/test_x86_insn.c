/*
 * x86 instructions: their lengths by opcode, and what they do to the stack pointer and the frame pointer.
 * What is expected is from the Intel SDM, volume 2, appendix A. Each instruction is at the end of readable
 * memory.
 */
#include "unit.h"

#include "base/memory/mem.h"
#include "unwind/x86_insn.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static u8 *page_end; /* of the readable memory */

static bool decode(struct x86_insn *insn, const u8 *code, size_t size, bool is_64bit)
{
	memcpy(page_end - size, code, size);
	return x86_insn__decode(insn, page_end - size, size, is_64bit);
}

/* ---- lengths ---- */

/*
 * What follows an opcode of one byte: '.' nothing, 'm' ModRM, '1' a byte, '2' two bytes, 'z' four bytes, or
 * two with prefix 66; '4' four bytes; 'v' as z, or eight with REX.W; 'a' an address; 'b' and 'y': ModRM, then
 * 1 or z; 't', 'u': ModRM, then 1 or z if the middle bits are 0 or 1; 'f': ModRM whose middle bits are not 3,
 * 5 or 7; 'p' a prefix, 'x' another opcode; '-' unknown, '?' not checked. The first map is of 64-bit mode.
 */
static const char *const maps[2][16] = {
	{
		"mmmm1z--mmmm1z-x",
		"mmmm1z--mmmm1z--",
		"mmmm1zp-mmmm1zp-",
		"mmmm1zp-mmmm1zp-",
		"pppppppppppppppp",
		"................",
		"--xmpppp4y1b....",
		"1111111111111111",
		"bybbmmmmmmmmmmmm",
		"..........-.....",
		"aaaa....1z......",
		"11111111vvvvvvvv",
		"bb2.xxby-.--.---",
		"mmmm---.mmmmmmmm",
		"1111----44-1....",
		"p.pp..tu......mf",
	},
	{
		"mmmm1z..mmmm1z.x",
		"mmmm1z..mmmm1z..",
		"mmmm1zp.mmmm1zp.",
		"mmmm1zp.mmmm1zp.",
		"................",
		"................",
		"--xmpp??4y1b....",
		"1111111111111111",
		"bybbmmmmmmmmmmmm",
		"..........-.....",
		"aaaa....1z......",
		"11111111vvvvvvvv",
		"bb2.xxby-.--.---",
		"mmmm---.mmmmmmmm",
		"1111----44-1....",
		"p.pp..tu......mf",
	},
};

/* Forms of ModRM with what follows; the middle bits are 0. */
static const struct {
	u8 size, bytes[6];
} forms[] = {
	{ 1, { 0xc1 } },       { 1, { 0x00 } },       { 5, { 0x05 } }, { 2, { 0x04, 0x24 } },
	{ 6, { 0x04, 0x25 } }, { 6, { 0x04, 0x05 } }, { 2, { 0x40 } }, { 3, { 0x44, 0x25 } },
	{ 5, { 0x80 } },       { 6, { 0x84, 0x24 } }, { 5, { 0x85 } }, { 2, { 0x45 } },
	{ 1, { 0xc4 } },       { 2, { 0x04, 0x64 } },
};

static size_t number_size(char what, bool has_66, bool has_rex_w, bool is_64bit)
{
	switch (what) {
	case '1':
	case 'b':
	case 't':
		return 1;
	case '2':
		return 2;
	case '4':
		return 4;
	case 'a':
		return is_64bit ? 8 : 4;
	case 'v':
		return has_rex_w ? 8 : has_66 ? 2 : 4;
	case 'z':
	case 'y':
	case 'u':
		return has_66 ? 2 : 4;
	}
	return 0;
}

/* Expect the length of an instruction, and that nothing shorter is an instruction. */
static void expect_size(const u8 *code, size_t size, bool is_64bit)
{
	struct x86_insn insn;

	if (!decode(&insn, code, size, is_64bit) || insn.size != size)
		fail_msg("opcode %02x %02x %02x, %d bits: %u bytes, not %zu", code[0], code[1], code[2],
			 is_64bit ? 64 : 32, insn.size, size);
	assert_true(decode(&insn, code, size + 4, is_64bit));
	assert_int_equal(insn.size, size);
	for (size_t cut = 0; cut < size; cut++)
		if (decode(&insn, code, cut, is_64bit))
			fail_msg("opcode %02x %02x %02x, %d bits: %zu bytes of %zu", code[0], code[1],
				 code[2], is_64bit ? 64 : 32, cut, size);
}

static void expect_form(const u8 *prefix, size_t nr, u8 op, char what, unsigned middle, bool is_64bit)
{
	bool has_66 = nr && prefix[0] == 0x66, has_rex_w = nr && (prefix[nr - 1] & 0xf8) == 0x48;
	size_t number = number_size(what, has_66, has_rex_w, is_64bit);
	struct x86_insn insn;

	if ((what == 't' || what == 'u') && middle > 1)
		number = 0;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		u8 code[32] = { 0 };
		size_t size = nr + 1;

		memcpy(code, prefix, nr);
		code[nr] = op;
		memcpy(code + size, forms[i].bytes, sizeof(forms[i].bytes));
		code[size] = (u8)(code[size] | middle << 3);
		if (what == 'f' && middle & 1 && middle > 1)
			assert_false(decode(&insn, code, 16, is_64bit));
		else
			expect_size(code, size + forms[i].size + number, is_64bit);
	}
}

static void expect_map(const u8 *prefix, size_t nr, bool is_64bit)
{
	for (unsigned op = 0; op < 256; op++) {
		char what = maps[!is_64bit][op / 16][op % 16];
		u8 code[32] = { 0 };
		struct x86_insn insn;

		memcpy(code, prefix, nr);
		code[nr] = (u8)op;
		if (strchr("px?", what))
			continue;
		if (what == '-')
			assert_false(decode(&insn, code, 16, is_64bit));
		else if (strchr("mbytuf", what))
			for (unsigned middle = 0; middle < 8; middle++)
				expect_form(prefix, nr, (u8)op, what, middle, is_64bit);
		else if (!(op == 0x68 && nr && prefix[0] == 0x66)) /* compilers do not push 16 bits */
			expect_size(code,
				    nr + 1 +
					    number_size(what, nr && prefix[0] == 0x66,
							nr && (prefix[nr - 1] & 0xf8) == 0x48, is_64bit),
				    is_64bit);
	}
}

static void opcodes_have_lengths(void **state)
{
	static const u8 rex[] = { 0x40, 0x41, 0x44, 0x47, 0x48, 0x4f };
	static const u8 prefixes[] = { 0x66, 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0xf0, 0xf2, 0xf3 };

	(void)state;
	for (int is_64bit = 0; is_64bit < 2; is_64bit++) {
		expect_map((const u8[]){ 0 }, 0, is_64bit);
		for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
			expect_map(&prefixes[i], 1, is_64bit);
		expect_map((const u8[]){ 0x66, 0xf2 }, 2, is_64bit);
	}
	expect_map((const u8[]){ 0x67 }, 1, true);
	for (size_t i = 0; i < ARRAY_SIZE(rex); i++) {
		expect_map(&rex[i], 1, true);
		expect_map((const u8[]){ 0x66, rex[i] }, 2, true);
	}
}

/* Opcodes of two bytes and more, and what VEX and EVEX introduce. */
static void longer_opcodes_have_lengths(void **state)
{
	static const u8 none[] = { 0x05, 0x06, 0x07, 0x08, 0x09, 0x0b, 0x30, 0x31, 0x32, 0x33,
				   0x34, 0x35, 0x37, 0x77, 0xa0, 0xa1, 0xa2, 0xa8, 0xa9, 0xaa,
				   0xb9, 0xc8, 0xc9, 0xca, 0xcb, 0xcc, 0xcd, 0xce, 0xcf, 0xff };
	static const struct {
		u8 size, code[10];
		bool only_64;
	} rows[] = {
		{ 3, { 0x0f, 0xa3, 0xc0 } },                         /* bt */
		{ 4, { 0x0f, 0xa4, 0xc0, 1 } },                      /* shld */
		{ 3, { 0x0f, 0xab, 0xc0 } },                         /* bts */
		{ 3, { 0x0f, 0xaf, 0xc0 } },                         /* imul */
		{ 3, { 0x0f, 0xb6, 0xc0 } },                         /* movzbl */
		{ 4, { 0x0f, 0xba, 0xe0, 1 } },                      /* bt $1 */
		{ 3, { 0x0f, 0xc7, 0xc8 } },                         /* cmpxchg8b */
		{ 3, { 0x0f, 0xd0, 0xc0 } },                         /* addsubpd */
		{ 3, { 0x0f, 0x7f, 0xc0 } },                         /* movq */
		{ 3, { 0x0f, 0x90, 0xc0 } },                         /* seto */
		{ 3, { 0x0f, 0x10, 0xc0 } },                         /* movups */
		{ 5, { 0x0f, 0x1f, 0x44, 0x24, 0 } },                /* nop */
		{ 9, { 0x66, 0x0f, 0x1f, 0x84, 0x24, 0, 0, 0, 0 } }, /* nop */
		{ 4, { 0x0f, 0x38, 0xf0, 0x07 } },                   /* movbe */
		{ 5, { 0x0f, 0x3a, 0x0f, 0xc0, 1 } },                /* palignr */
		{ 4, { 0xf3, 0x0f, 0x1e, 0xfa } },                   /* endbr64 */
		{ 4, { 0x48, 0x0f, 0xaf, 0xc0 }, true },             /* imul */
		{ 4, { 0xc5, 0xfe, 0x6f, 0xc1 } },                   /* vmovdqu */
		{ 5, { 0xc4, 0xe2, 0x7d, 0x78, 0xc0 } },             /* vpbroadcastb */
		{ 6, { 0x62, 0xf1, 0x7e, 0x28, 0x6f, 0xc1 } },       /* vmovdqu8 */
		{ 4, { 0xc5, 0x7e, 0x6f, 0x07 }, true },             /* its ModRM would be memory */
		{ 5, { 0xc4, 0x62, 0x7d, 0x78, 0xc0 }, true },
		{ 6, { 0x62, 0x71, 0x7e, 0x28, 0x6f, 0x07 }, true },
	};
	struct x86_insn insn;

	(void)state;
	for (int is_64bit = 0; is_64bit < 2; is_64bit++) {
		for (size_t i = 0; i < ARRAY_SIZE(none); i++)
			expect_size((const u8[16]){ 0x0f, none[i] }, 2, is_64bit);
		for (unsigned op = 0x80; op < 0x90; op++)
			expect_size((const u8[16]){ 0x0f, (u8)op }, 6, is_64bit);
		for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
			u8 code[32] = { 0 };

			memcpy(code, rows[i].code, sizeof(rows[i].code));
			if (rows[i].only_64 && !is_64bit)
				/* dec %eax before imul; les, lds and bound are unknown */
				assert_int_equal(decode(&insn, code, 16, false), code[0] == 0x48);
			else
				expect_size(code, rows[i].size, is_64bit);
		}
		/* the last byte decides in 32-bit code whether it is VEX, and is missing */
		assert_false(decode(&insn, (const u8[]){ 0xc5 }, 1, is_64bit));
	}
	/* les with ModRM just below the form of two registers */
	assert_false(decode(&insn, (const u8[16]){ 0xc5, 0xbf, 0x6f, 0xc1 }, 16, false));
	expect_size((const u8[16]){ 0xc5, 0xc0, 0x6f, 0xc1 }, 4, false);
}

/* Addresses of 16 bits have other operands: such code is not decoded. Longer than 15 bytes, no code is. */
static void prefixes_are_limited(void **state)
{
	u8 code[32];
	struct x86_insn insn;

	(void)state;
	assert_false(decode(&insn, (const u8[16]){ 0x67, 0x8b, 0x04, 0x24 }, 16, false));
	assert_false(decode(&insn, (const u8[16]){ 0x66, 0x67, 0x90 }, 16, false));
	assert_true(decode(&insn, (const u8[16]){ 0x66, 0x90, 0x67 }, 16, false));
	assert_true(decode(&insn, (const u8[16]){ 0x67, 0x8b, 0x04, 0x24 }, 16, true));
	memset(code, 0x66, sizeof(code));
	code[14] = 0x90;
	assert_true(decode(&insn, code, 16, true));
	assert_int_equal(insn.size, 15);
	assert_true(decode(&insn, code, 15, true));
	code[14] = 0x66;
	code[15] = 0x90;
	assert_false(decode(&insn, code, 32, true));
	code[14] = 0x48;
	assert_false(decode(&insn, code, 32, true));
	code[13] = 0x0f; /* its second byte is the 15th */
	code[14] = 0x05;
	assert_true(decode(&insn, code, 32, true));
	code[13] = 0x66;
	code[14] = 0x0f;
	code[15] = 0x05;
	assert_false(decode(&insn, code, 32, true));
}

/* ---- what they do ---- */

enum { NO = X86_NO_REG, BITS_32 = 1, BITS_64 = 2, BOTH = 3 };

static const struct {
	u8 modes;
	u8 kind, reg, base;
	s64 value;
	const char *code; /* hexadecimal */
} effects[] = {
	/* add, or, adc, sbb, and, sub, xor; cmp; in their forms */
	{ BOTH, X86_SET, X86_RSP, NO, 0, "01 c4" },
	{ BOTH, X86_SET, X86_RBP, NO, 0, "09 c5" },
	{ BOTH, X86_SET, X86_RSP, NO, 0, "13 e0" },
	{ BOTH, X86_SET, X86_RSP, NO, 0, "03 24 24" },
	{ BOTH, X86_SET, X86_RBP, NO, 0, "33 ed" },
	{ BOTH, X86_SET, X86_RSP, NO, 0, "31 e4" },
	{ BOTH, X86_OTHER, NO, NO, 0, "03 c4" },
	{ BOTH, X86_OTHER, NO, NO, 0, "01 e0" },
	{ BOTH, X86_OTHER, NO, NO, 0, "01 04 24" },
	{ BOTH, X86_OTHER, NO, NO, 0, "01 20" },
	{ BOTH, X86_OTHER, NO, NO, 0, "00 c4" },
	{ BOTH, X86_OTHER, NO, NO, 0, "02 e0" },
	{ BOTH, X86_OTHER, NO, NO, 0, "39 c4" },
	{ BOTH, X86_OTHER, NO, NO, 0, "3b e0" },
	{ BOTH, X86_SET, X86_RSP, NO, 0, "29 c4" },
	{ BITS_64, X86_OTHER, NO, NO, 0, "41 01 c4" }, /* r12 */
	{ BITS_64, X86_OTHER, NO, NO, 0, "44 03 e0" },
	{ BITS_64, X86_SET, X86_RSP, NO, 0, "44 01 c4" },
	{ BITS_64, X86_SET, X86_RSP, NO, 0, "41 03 e4" },
	/* with an immediate */
	{ BITS_64, X86_SET, X86_RSP, X86_RSP, 24, "48 83 c4 18" },
	{ BITS_64, X86_SET, X86_RSP, X86_RSP, -24, "48 83 ec 18" },
	{ BITS_64, X86_SET, X86_RSP, X86_RSP, -128, "48 83 c4 80" },
	{ BITS_64, X86_SET, X86_RSP, X86_RSP, 128, "48 83 ec 80" },
	{ BITS_64, X86_SET, X86_RBP, X86_RBP, 0x12345678, "48 81 c5 78 56 34 12" },
	{ BITS_64, X86_SET, X86_RBP, X86_RBP, -0x12345678, "48 81 ed 78 56 34 12" },
	{ BITS_64, X86_SET, X86_RSP, X86_RSP, -0x80000000ll, "48 81 c4 00 00 00 80" },
	{ BITS_64, X86_SET, X86_RSP, NO, 0, "83 c4 18" },    /* %esp */
	{ BITS_64, X86_SET, X86_RSP, NO, 0, "66 83 c4 18" }, /* %sp */
	{ BITS_64, X86_SET, X86_RSP, NO, 0, "66 83 ec 18" },
	{ BITS_32, X86_SET, X86_RSP, X86_RSP, 24, "83 c4 18" },
	{ BITS_32, X86_SET, X86_RSP, X86_RSP, -24, "83 ec 18" },
	{ BITS_32, X86_SET, X86_RSP, NO, 0, "66 83 ec 18" },
	{ BITS_32, X86_SET, X86_RSP, NO, 0, "66 81 c4 18 80" },
	{ BITS_64, X86_SET, X86_RSP, NO, 0, "48 83 e4 f0" }, /* and */
	{ BITS_64, X86_SET, X86_RSP, NO, 0, "48 83 cc 01" }, /* or */
	{ BITS_64, X86_SET, X86_RSP, NO, 0, "48 83 d4 01" }, /* adc */
	{ BITS_64, X86_SET, X86_RSP, NO, 0, "48 83 dc 01" }, /* sbb */
	{ BITS_64, X86_SET, X86_RSP, NO, 0, "48 83 f4 01" }, /* xor */
	{ BITS_64, X86_OTHER, NO, NO, 0, "48 83 fc 01" },    /* cmp */
	{ BITS_64, X86_OTHER, NO, NO, 0, "48 83 04 24 01" }, /* memory */
	{ BITS_64, X86_OTHER, NO, NO, 0, "48 83 c3 01" },    /* rbx */
	{ BITS_64, X86_OTHER, NO, NO, 0, "49 83 c4 01" },    /* r12 */
	{ BITS_64, X86_OTHER, NO, NO, 0, "49 83 c5 01" },    /* r13 */
	{ BOTH, X86_OTHER, NO, NO, 0, "80 c4 01" },          /* ah */
	/* mov and lea */
	{ BITS_64, X86_SET, X86_RBP, X86_RSP, 0, "48 89 e5" },
	{ BITS_64, X86_SET, X86_RSP, X86_RBP, 0, "48 89 ec" },
	{ BITS_64, X86_SET, X86_RSP, X86_RBP, 0, "48 8b e5" },
	{ BITS_64, X86_SET, X86_RBP, X86_RSP, 0, "48 8b ec" },
	{ BITS_64, X86_SET, X86_RSP, NO, 0, "48 89 c4" },
	{ BITS_64, X86_SET, X86_RSP, NO, 0, "4c 89 ec" }, /* r13 */
	{ BITS_64, X86_SET, X86_RSP, NO, 0, "49 8b e5" },
	{ BITS_64, X86_SET, X86_RBP, NO, 0, "89 e5" },
	{ BITS_32, X86_SET, X86_RBP, X86_RSP, 0, "89 e5" },
	{ BITS_32, X86_SET, X86_RBP, NO, 0, "66 89 e5" },
	{ BITS_64, X86_OTHER, NO, NO, 0, "48 89 e0" },
	{ BITS_64, X86_OTHER, NO, NO, 0, "49 89 e4" },
	{ BITS_64, X86_OTHER, NO, NO, 0, "48 89 24 24" }, /* to memory */
	{ BITS_64, X86_OTHER, NO, NO, 0, "48 89 65 08" },
	{ BITS_64, X86_LOAD, 3, X86_RSP, 16, "48 8b 5c 24 10" },
	{ BITS_64, X86_LOAD, 3, X86_RSP, 0, "48 8b 1c 24" },
	{ BITS_64, X86_LOAD, 3, X86_RBP, -8, "48 8b 5d f8" },
	{ BITS_64, X86_LOAD, 15, X86_RBP, -8, "4c 8b 7d f8" },
	{ BITS_64, X86_LOAD, 4, X86_RSP, 0x1000, "48 8b a4 24 00 10 00 00" },
	{ BITS_64, X86_LOAD, 5, X86_RBP, -0x1000, "48 8b ad 00 f0 ff ff" },
	{ BITS_32, X86_LOAD, 3, X86_RBP, -8, "8b 5d f8" },
	{ BITS_64, X86_OTHER, NO, NO, 0, "8b 5d f8" },
	{ BITS_64, X86_SET, X86_RBP, NO, 0, "8b 6d f8" },
	{ BITS_64, X86_SET, X86_RBP, NO, 0, "48 8b 28" },         /* from (%rax) */
	{ BITS_64, X86_SET, X86_RBP, NO, 0, "49 8b 6d 08" },      /* from r13 */
	{ BITS_64, X86_SET, X86_RBP, NO, 0, "49 8b 2c 24" },      /* from r12 */
	{ BITS_64, X86_SET, X86_RBP, NO, 0, "48 8b 2c 04" },      /* with an index */
	{ BITS_64, X86_SET, X86_RBP, NO, 0, "4a 8b 2c 24" },      /* index r12 */
	{ BITS_64, X86_SET, X86_RBP, NO, 0, "48 8b 2d 8 0 0 0" }, /* of rip */
	{ BITS_64, X86_SET, X86_RBP, NO, 0, "48 8b 2c 25 8 0 0 0" },
	{ BITS_32, X86_SET, X86_RBP, NO, 0, "8b 2d 8 0 0 0" },
	{ BITS_64, X86_LOAD, 0, X86_RBP, 8, "48 8b 44 25 08" },
	{ BITS_64, X86_LOAD, 0, X86_RBP, 8, "48 8b 84 25 8 0 0 0" },
	{ BITS_64, X86_OTHER, NO, NO, 0, "48 8b 03" },
	{ BITS_64, X86_OTHER, NO, NO, 0, "48 8b 06" }, /* rsi, rdi */
	{ BITS_64, X86_SET, X86_RSP, X86_RBP, -16, "48 8d 65 f0" },
	{ BITS_64, X86_SET, X86_RSP, X86_RSP, 32, "48 8d 64 24 20" },
	{ BITS_64, X86_SET, X86_RBP, X86_RSP, 0, "48 8d 2c 24" },
	{ BITS_64, X86_SET, X86_RSP, NO, -16, "49 8d 65 f0" }, /* of r13 */
	{ BITS_64, X86_SET, X86_RSP, NO, -16, "8d 65 f0" },
	{ BITS_64, X86_SET, X86_RSP, NO, 8, "48 8d 25 8 0 0 0" }, /* of rip */
	{ BITS_64, X86_SET, X86_RSP, NO, 0, "48 8d 24 04" },
	{ BITS_32, X86_SET, X86_RSP, X86_RBP, -12, "8d 65 f4" },
	{ BITS_32, X86_SET, X86_RSP, NO, -12, "66 8d 65 f4" },
	{ BITS_64, X86_OTHER, NO, NO, 0, "48 8d 45 f0" },
	{ BITS_64, X86_OTHER, NO, NO, 0, "4c 8d 65 f0" },
	{ BITS_64, X86_OTHER, NO, NO, 0, "4c 8d 6c 24 08" },
	{ BOTH, X86_SET, X86_RSP, NO, 0, "bc 1 2 3 4" },
	{ BOTH, X86_SET, X86_RBP, NO, 0, "bd 1 2 3 4" },
	{ BOTH, X86_OTHER, NO, NO, 0, "bb 1 2 3 4" },
	{ BOTH, X86_OTHER, NO, NO, 0, "b4 1" },
	{ BITS_64, X86_OTHER, NO, NO, 0, "41 bc 1 2 3 4" },
	{ BITS_64, X86_SET, X86_RSP, NO, 0, "48 bc 1 2 3 4 5 6 7 8" },
	/* push and pop */
	{ BOTH, X86_PUSH, 0, NO, 0, "50" },
	{ BOTH, X86_PUSH, 5, NO, 0, "55" },
	{ BOTH, X86_PUSH, 7, NO, 0, "57" },
	{ BOTH, X86_POP, 0, NO, 0, "58" },
	{ BOTH, X86_POP, 7, NO, 0, "5f" },
	{ BITS_64, X86_PUSH, 8, NO, 0, "41 50" },
	{ BITS_64, X86_PUSH, 12, NO, 0, "41 54" },
	{ BITS_64, X86_POP, 15, NO, 0, "41 5f" },
	{ BITS_64, X86_POP, 7, NO, 0, "4e 5f" },
	{ BOTH, X86_PUSH, NO, NO, 0, "68 1 2 3 4" },
	{ BOTH, X86_PUSH, NO, NO, 0, "6a 1" },
	{ BOTH, X86_PUSH, NO, NO, 0, "ff 34 24" },
	{ BITS_64, X86_PUSH, NO, NO, 0, "41 ff 34 24" },
	{ BITS_64, X86_PUSH, NO, NO, 0, "4c ff 34 24" },
	{ BOTH, X86_POP, NO, NO, 0, "8f 04 24" },
	{ BOTH, X86_PUSH, NO, NO, 0, "9c" },
	{ BOTH, X86_POP, NO, NO, 0, "9d" },
	{ BOTH, X86_PUSH, NO, NO, 0, "0f a0" },
	{ BOTH, X86_POP, NO, NO, 0, "0f a1" },
	{ BOTH, X86_PUSH, NO, NO, 0, "0f a8" },
	{ BOTH, X86_POP, NO, NO, 0, "0f a9" },
	{ BOTH, X86_OTHER, NO, NO, 0, "0f a2" },
	{ BOTH, X86_OTHER, NO, NO, 0, "0f aa" },
	{ BOTH, X86_OTHER, NO, NO, 0, "0f a3 c0" },
	{ BITS_32, X86_PUSH, NO, NO, 0, "06" },
	{ BITS_32, X86_POP, NO, NO, 0, "07" },
	{ BITS_32, X86_PUSH, NO, NO, 0, "0e" },
	{ BITS_32, X86_PUSH, NO, NO, 0, "16" },
	{ BITS_32, X86_POP, NO, NO, 0, "17" },
	{ BITS_32, X86_PUSH, NO, NO, 0, "1e" },
	{ BITS_32, X86_POP, NO, NO, 0, "1f" },
	{ BITS_32, X86_OTHER, NO, NO, 0, "27" },
	{ BITS_32, X86_OTHER, NO, NO, 0, "2f" },
	{ BITS_32, X86_OTHER, NO, NO, 0, "37" },
	{ BITS_32, X86_OTHER, NO, NO, 0, "3f" },
	{ BITS_32, X86_SET, X86_RSP, NO, 0, "44" },
	{ BITS_32, X86_SET, X86_RBP, NO, 0, "4d" },
	{ BITS_32, X86_OTHER, NO, NO, 0, "40" },
	{ BITS_32, X86_OTHER, NO, NO, 0, "4f" },
	{ BOTH, X86_LEAVE, NO, NO, 0, "c9" },
	/* groups */
	{ BOTH, X86_SET, X86_RSP, NO, 0, "ff c4" },
	{ BOTH, X86_SET, X86_RBP, NO, 0, "ff cd" },
	{ BOTH, X86_OTHER, NO, NO, 0, "ff c0" },
	{ BOTH, X86_OTHER, NO, NO, 0, "ff 04 24" },
	{ BOTH, X86_OTHER, NO, NO, 0, "ff 0c 24" },
	{ BITS_64, X86_OTHER, NO, NO, 0, "41 ff c4" },
	{ BOTH, X86_OTHER, NO, NO, 0, "f7 c4 1 2 3 4" },
	{ BOTH, X86_OTHER, NO, NO, 0, "f6 c4 1" },
	{ BOTH, X86_OTHER, NO, NO, 0, "f7 d8" },
	/* control */
	{ BOTH, X86_CALL, NO, NO, 0, "ff d0" },
	{ BOTH, X86_CALL, NO, NO, 0, "ff 54 24 08" },
	{ BITS_64, X86_CALL, NO, NO, 0, "4c ff d0" },
	{ BOTH, X86_CALL, NO, NO, 0x12345678, "e8 78 56 34 12" },
	{ BOTH, X86_CALL, NO, NO, -2, "e8 fe ff ff ff" },
	{ BOTH, X86_END, NO, NO, 0, "ff e0" },
	{ BOTH, X86_END, NO, NO, 0, "ff 24 c5 1 2 3 4" },
	{ BOTH, X86_JUMP, NO, NO, 0x12345678, "e9 78 56 34 12" },
	{ BOTH, X86_JUMP, NO, NO, -2, "eb fe" },
	{ BOTH, X86_BRANCH, NO, NO, 0x12345678, "0f 80 78 56 34 12" },
	{ BOTH, X86_BRANCH, NO, NO, -16, "0f 8f f0 ff ff ff" },
	{ BOTH, X86_OTHER, NO, NO, 0, "0f 90 c0" },
	{ BOTH, X86_OTHER, NO, NO, 0, "0f 7f c0" },
	{ BOTH, X86_BRANCH, NO, NO, 0x7f, "70 7f" },
	{ BOTH, X86_BRANCH, NO, NO, -128, "7f 80" },
	{ BOTH, X86_BRANCH, NO, NO, 2, "e0 02" },
	{ BOTH, X86_BRANCH, NO, NO, 2, "e3 02" },
	{ BOTH, X86_RET, NO, NO, 0, "c3" },
	{ BOTH, X86_RET, NO, NO, 0, "f3 c3" },
	{ BOTH, X86_RET, NO, NO, 0, "c2 08 00" },
	{ BOTH, X86_END, NO, NO, 0, "cc" },
	{ BOTH, X86_END, NO, NO, 0, "f1" },
	{ BOTH, X86_END, NO, NO, 0, "f4" },
	{ BOTH, X86_END, NO, NO, 0, "0f 0b" },
	{ BOTH, X86_END, NO, NO, 0, "0f b9" },
	{ BOTH, X86_END, NO, NO, 0, "0f ff" },
	{ BOTH, X86_OTHER, NO, NO, 0, "90" },
	{ BOTH, X86_OTHER, NO, NO, 0, "f5" },
	{ BOTH, X86_OTHER, NO, NO, 0, "f8" },
	{ BOTH, X86_OTHER, NO, NO, 0, "63 e0" },
	{ BOTH, X86_OTHER, NO, NO, 0, "88 c4" },
	{ BOTH, X86_OTHER, NO, NO, 0, "8a e0" },
	{ BOTH, X86_OTHER, NO, NO, 0, "85 e4" },
	{ BOTH, X86_OTHER, NO, NO, 0, "c7 04 24 1 2 3 4" },
	{ BOTH, X86_OTHER, NO, NO, 0, "c5 fe 6f e4" },
	{ BOTH, X86_OTHER, NO, NO, 0, "0f 05" },
};

static void effects_are_known(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(effects); i++) {
		char *p = (char *)effects[i].code;
		u8 code[16];
		size_t size = 0;

		while (*p)
			code[size++] = (u8)strtoul(p, &p, 16);
		for (int is_64bit = 0; is_64bit < 2; is_64bit++) {
			struct x86_insn insn;

			if (!(effects[i].modes & (is_64bit ? BITS_64 : BITS_32)))
				continue;
			if (!decode(&insn, code, size, is_64bit) || insn.size != size ||
			    insn.kind != effects[i].kind || insn.reg != effects[i].reg ||
			    insn.base != effects[i].base || insn.value != effects[i].value)
				fail_msg("%s, %d bits: %u bytes, kind %d, %02x = %02x + %lld",
					 effects[i].code, is_64bit ? 64 : 32, insn.size, insn.kind, insn.reg,
					 insn.base, (long long)insn.value);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(opcodes_have_lengths),
		cmocka_unit_test(longer_opcodes_have_lengths),
		cmocka_unit_test(prefixes_are_limited),
		cmocka_unit_test(effects_are_known),
	};
	u8 *pages = mmap(NULL, 2 * 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED || mprotect(pages + 65536, 65536, PROT_NONE))
		return 1;
	page_end = pages + 65536;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
