#include "binary/code/code_refs.h"

#include <elf.h>
#include <string.h>

enum {
	PAGE_DISTANCE = 8, /* instructions after ADRP that may add the rest of the address */
};

struct code_scan {
	const u8 *code;
	size_t size;
	u64 vaddr;
	code_ref_fn fn;
	void *ctx;
};

static void code_scan__add(const struct code_scan *s, u64 target, bool is_data)
{
	if (target - s->vaddr >= s->size)
		s->fn(s->ctx, target, is_data);
}

/* ---- x86-64 (Intel SDM, volume 2, chapters 2.1 and 2.2) ---- */

/* Return the bytes of an immediate after ModRM and displacement, if modrm is a ModRM byte at code[i]. */
static size_t x86__immediate(const u8 *code, size_t i)
{
	u8 op = code[i - 1], reg = code[i] >> 3 & 7, before = i > 1 ? code[i - 2] : 0;
	bool is_word = before == 0x66 || (i > 2 && (before & 0xf0) == 0x40 && code[i - 3] == 0x66);

	if (op == 0x81 || op == 0xc7 || op == 0x69 || (op == 0xf7 && reg < 2))
		return is_word ? 2 : 4;
	if (op == 0x80 || op == 0x83 || op == 0xc0 || op == 0xc1 || op == 0xc6 || op == 0x6b ||
	    (op == 0xf6 && reg < 2))
		return 1;
	return 0;
}

/* Instructions of the maps 0F, 0F3A and VEX with an immediate of one byte; others may look like them. */
static bool x86__may_have_byte(const u8 *code, size_t i)
{
	static const u8 ops[] = { 0x70, 0x71, 0x72, 0x73, 0xa4, 0xac, 0xba, 0xc2, 0xc4, 0xc5, 0xc6 };

	if (i > 2 && code[i - 3] == 0x0f && code[i - 2] == 0x3a)
		return true;
	if (i > 3 && (code[i - 4] == 0xc4 || code[i - 4] == 0x62))
		return true;
	if (i > 5 && code[i - 6] == 0x62)
		return true;
	return i > 1 && (code[i - 2] == 0x0f || (i > 2 && code[i - 3] == 0xc5)) &&
	       memchr(ops, code[i - 1], sizeof(ops));
}

static void scan_x86(const struct code_scan *s)
{
	const u8 *code = s->code;

	for (size_t i = 0; i + 1 < s->size; i++) {
		bool is_short = (code[i] & 0xf0) == 0x70 || code[i] == 0xeb || (code[i] & 0xfc) == 0xe0;
		u64 next = s->vaddr + i + 4;
		s32 rel;

		if (is_short)
			code_scan__add(s, s->vaddr + i + 2 + (u64)(s64)(signed char)code[i + 1], false);
		if (!i || i + 4 > s->size)
			continue;
		memcpy(&rel, code + i, sizeof(rel));
		if (code[i - 1] == 0xe8 || code[i - 1] == 0xe9 ||
		    (i > 1 && code[i - 2] == 0x0f && (code[i - 1] & 0xf0) == 0x80))
			code_scan__add(s, next + (u64)(s64)rel, false);
		if (i > 1 && (code[i - 1] & 0xc7) == 0x05) {
			size_t immediate = x86__immediate(code, i - 1);

			code_scan__add(s, next + immediate + (u64)(s64)rel, true);
			if (immediate && i > 2 && code[i - 3] == 0x0f) /* XADD, CMPXCHG8B: none */
				code_scan__add(s, next + (u64)(s64)rel, true);
			if (x86__may_have_byte(code, i - 1))
				code_scan__add(s, next + 1 + (u64)(s64)rel, true);
		}
	}
}

/* ---- AArch64 (Arm ARM, C6.2) ---- */

static s64 sign_extend(u32 value, unsigned bits)
{
	return (s64)((u64)value << (64 - bits)) >> (64 - bits);
}

static u32 arm64__word(const struct code_scan *s, size_t i)
{
	u32 word;

	memcpy(&word, s->code + i, sizeof(word));
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap32(word) : word;
}

/* Instructions after an ADRP into a register that add to it, or load or store at an offset of it. */
static void arm64__add_page(const struct code_scan *s, size_t at, u64 page, u32 reg)
{
	for (size_t i = at + 4; i + 4 <= s->size && i <= at + 4 * PAGE_DISTANCE; i += 4) {
		u32 w = arm64__word(s, i), immediate = w >> 10 & 0xfff;

		if ((w >> 5 & 31) != reg)
			continue;
		if ((w & 0x7f800000) == 0x11000000) /* ADD, immediate */
			code_scan__add(s, page + (w >> 22 & 1 ? (u64)immediate << 12 : immediate), true);
		else if ((w & 0x3b000000) == 0x39000000) /* LDR, STR, unsigned offset */
			code_scan__add(
				s, page + ((u64)immediate << ((w >> 26 & 1 && w >> 23 & 1) ? 4 : w >> 30)),
				true);
		else if ((w & 0x3a000000) == 0x28000000) /* LDP, STP */
			code_scan__add(s, page, true);
	}
}

static void scan_arm64(const struct code_scan *s)
{
	for (size_t i = 0; i + 4 <= s->size; i += 4) {
		u32 w = arm64__word(s, i);
		u64 at = s->vaddr + i;

		if ((w & 0x7c000000) == 0x14000000) /* B, BL */
			code_scan__add(s, at + (u64)(sign_extend(w & 0x3ffffff, 26) * 4), false);
		else if ((w & 0x7e000000) == 0x34000000 || (w & 0xff000010) == 0x54000000) /* CBZ, B.cond */
			code_scan__add(s, at + (u64)(sign_extend(w >> 5 & 0x7ffff, 19) * 4), false);
		else if ((w & 0x7e000000) == 0x36000000) /* TBZ */
			code_scan__add(s, at + (u64)(sign_extend(w >> 5 & 0x3fff, 14) * 4), false);
		else if ((w & 0x1f000000) == 0x10000000) { /* ADR, ADRP */
			s64 rel = sign_extend((w >> 5 & 0x7ffff) << 2 | (w >> 29 & 3), 21);

			if (!(w >> 31))
				code_scan__add(s, at + (u64)rel, true);
			else
				arm64__add_page(s, i, (at & ~0xfffull) + ((u64)rel << 12), w & 31);
		}
	}
}

void code_refs__list(const u8 *code, size_t size, u64 vaddr, u16 machine, code_ref_fn fn, void *ctx)
{
	const struct code_scan s = { .code = code, .size = size, .vaddr = vaddr, .fn = fn, .ctx = ctx };

	if (machine == EM_X86_64)
		scan_x86(&s);
	else if (machine == EM_AARCH64)
		scan_arm64(&s);
}
