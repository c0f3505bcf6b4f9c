#include "binary/code/code_step.h"

#include "binary/code/x86_length.h"

#include <elf.h>
#include <string.h>

bool code_step__knows(u16 machine)
{
	return machine == EM_X86_64 || machine == EM_386 || machine == EM_AARCH64;
}

/* ---- x86 ---- */

enum {
	X86_MAX = 15,  /* bytes of an instruction */
	XOP = 0x8f,    /* AMD's prefix, and an opcode (pop) */
	XOP_FIRST = 8, /* the first of its maps */
};

/*
 * What follows the opcode, for each opcode of the first map: - nothing, m ModRM; a byte: b, B with ModRM; 16
 * or 32 bits: z, Z with ModRM; w 16 bits, e 16 and 8 bits; i 16, 32 or 64 bits of a register; o the address
 * of a datum; p a far address j a distance of 8 bits, J of 16 or 32 bits t, T as B and Z if ModRM says test,
 * else as m x read elsewhere, or a prefix Upper case letters and digits that 64-bit code lacks are in
 * not_in_64bit().
 */
static const char map_one[257] = "mmmmbz--mmmmbz-x" /* 00 */
				 "mmmmbz--mmmmbz--" /* 10 */
				 "mmmmbzx-mmmmbzx-" /* 20 */
				 "mmmmbzx-mmmmbzx-" /* 30 */
				 "----------------" /* 40 */
				 "----------------" /* 50 */
				 "--mmxxxxzZbB----" /* 60 */
				 "jjjjjjjjjjjjjjjj" /* 70 */
				 "BZBBmmmmmmmmmmmm" /* 80 */
				 "----------p-----" /* 90 */
				 "oooo----bz------" /* a0 */
				 "bbbbbbbbiiiiiiii" /* b0 */
				 "BBw-mmBZe-w--b--" /* c0 */
				 "mmmmbb--mmmmmmmm" /* d0 */
				 "jjjjbbbbJJpj----" /* e0 */
				 "x-xx--tT------mm" /* f0 */;

/*
 * The same for the opcodes after 0F. ? invalid, c ModRM of two registers whatever it says, E ModRM and 2
 * bytes
 */
static const char map_two[257] = "mmmm?-----?-?m-B" /* 00 */
				 "mmmmmmmmmmmmmmmm" /* 10 */
				 "cccc????mmmmmmmm" /* 20 */
				 "------?-x?x?????" /* 30 */
				 "mmmmmmmmmmmmmmmm" /* 40 */
				 "mmmmmmmmmmmmmmmm" /* 50 */
				 "mmmmmmmmmmmmmmmm" /* 60 */
				 "BBBBmmm-Em??mmmm" /* 70 */
				 "JJJJJJJJJJJJJJJJ" /* 80 */
				 "mmmmmmmmmmmmmmmm" /* 90 */
				 "---mBmmm---mBmmm" /* a0 */
				 "mmmmmmmmmmBmmmmm" /* b0 */
				 "mmBmBBBm--------" /* c0 */
				 "mmmmmmmmmmmmmmmm" /* d0 */
				 "mmmmmmmmmmmmmmmm" /* e0 */
				 "mmmmmmmmmmmmmmmm" /* f0 */;

struct x86 {
	const u8 *code;
	size_t size, at; /* at: of the next byte; it may be beyond size */
	bool is_64bit;
	bool is_word;       /* operands of 16 bits */
	bool short_address; /* prefix 67 */
	bool has_ds;        /* prefix 3e, which is notrack before a jump */
	bool has_repeat;    /* prefix f2 or f3 */
	u8 rex;             /* the prefix, 0: none */
	u8 modrm;
};

/* Are operands of 64 bits? */
static bool x86__is_wide(const struct x86 *x)
{
	return x->rex & 8;
}

static u8 x86__byte(const struct x86 *x, size_t at)
{
	return at < x->size ? x->code[at] : 0;
}

static void x86__skip_prefixes(struct x86 *x)
{
	for (; x->at < x->size; x->at++) {
		u8 byte = x->code[x->at];

		if (x->is_64bit && (byte & 0xf0) == 0x40) { /* REX: counts only before the opcode */
			x->rex = byte;
			continue;
		}
		switch (byte) {
		case 0x66:
			x->is_word = true;
			break;
		case 0x67:
			x->short_address = true;
			break;
		case 0xf2:
		case 0xf3:
			x->has_repeat = true;
			break;
		case 0x3e:
			x->has_ds = true;
			break;
		case 0x26:
		case 0x2e:
		case 0x36:
		case 0x64:
		case 0x65:
		case 0xf0:
			break;
		default:
			return;
		}
		x->rex = 0;
	}
}

/* Read ModRM, SIB and distance. */
static void x86__skip_modrm(struct x86 *x)
{
	u8 modrm = x86__byte(x, x->at++), mod = modrm >> 6, rm = modrm & 7;

	x->modrm = modrm;
	if (mod == 3)
		return;
	if (x->short_address && !x->is_64bit) {
		x->at += mod == 0 ? (rm == 6 ? 2 : 0) : mod;
		return;
	}
	if (rm == 4) {
		u8 sib = x86__byte(x, x->at++);

		if (mod == 0 && (sib & 7) == 5)
			x->at += 4;
	} else if (mod == 0 && rm == 5) {
		x->at += 4;
	}
	x->at += mod == 1 ? 1 : mod == 2 ? 4 : 0;
}

/* Bytes of a 16 or 32-bit immediate. */
static size_t x86__immediate(const struct x86 *x)
{
	return x->is_word && !x86__is_wide(x) ? 2 : 4;
}

/* Bytes of a jump's distance: 64-bit code has no short ones. */
static size_t x86__distance(const struct x86 *x)
{
	return x->is_word && !x->is_64bit ? 2 : 4;
}

/* Skip what follows an opcode. Return false if it is invalid. */
static bool x86__skip_operands(struct x86 *x, char what)
{
	if (strchr("mBZtTE", what))
		x86__skip_modrm(x);
	switch (what) {
	case '-':
	case 'm':
		break;
	case 'c':
	case 'b':
	case 'B':
	case 'j':
		x->at++;
		break;
	case 'w':
		x->at += 2;
		break;
	case 'e':
		x->at += 3;
		break;
	case 'E':
		x->at += x->is_word || x->has_repeat ? 2 : 0;
		break;
	case 'z':
	case 'Z':
		x->at += x86__immediate(x);
		break;
	case 't':
		x->at += (x->modrm >> 3 & 7) < 2 ? 1 : 0;
		break;
	case 'T':
		x->at += (x->modrm >> 3 & 7) < 2 ? x86__immediate(x) : 0;
		break;
	case 'i':
		x->at += x86__is_wide(x) ? 8 : x86__immediate(x);
		break;
	case 'o':
		x->at += (x->is_64bit ? 8 : 4) / (x->short_address ? 2 : 1);
		break;
	case 'p':
		x->at += x86__immediate(x) + 2;
		break;
	case 'J':
		x->at += x86__distance(x);
		break;
	default:
		return false;
	}
	return true;
}

/* Opcodes that 64-bit code lacks. */
static bool not_in_64bit(u8 op)
{
	static const u8 list[] = { 0x06, 0x07, 0x0e, 0x16, 0x17, 0x1e, 0x1f, 0x27, 0x2f, 0x37, 0x3f, 0x60,
				   0x61, 0x62, 0x82, 0x9a, 0xc4, 0xc5, 0xce, 0xd4, 0xd5, 0xd6, 0xea };

	return memchr(list, op, sizeof(list)) != NULL;
}

/* Do these bytes begin an instruction with a VEX or EVEX prefix? */
static bool x86__is_vector(const struct x86 *x, u8 op)
{
	return (op == 0xc4 || op == 0xc5 || op == 0x62) && (x->is_64bit || x86__byte(x, x->at) >= 0xc0);
}

static bool x86__read_xop(struct x86 *x)
{
	u8 map = x86__byte(x, x->at) & 31;

	x->at += 3; /* two bytes of the prefix, and the opcode */
	return x86__skip_operands(x, map == XOP_FIRST ? 'B' : map == XOP_FIRST + 2 ? 'Z' : 'm');
}

/* Return the signed number of the instruction's last nr bytes. */
static s64 x86__number(const struct x86 *x, size_t nr)
{
	u64 number = 0;

	if (x->at > x->size)
		return 0;
	for (size_t i = nr; i--;)
		number = number << 8 | x->code[x->at - nr + i];
	return (s64)(number << (64 - 8 * nr)) >> (64 - 8 * nr);
}

/* Get the target of a jump or call whose distance is the last nr bytes of the instruction. */
static u64 x86__target(const struct x86 *x, u64 addr, size_t nr)
{
	u64 target = addr + x->at + (u64)x86__number(x, nr);

	return x->is_64bit ? target : nr == 2 ? target & 0xffff : target & 0xffffffff;
}

static void x86__goes_to(const struct x86 *x, struct code_step *s, u8 kind, u64 addr, size_t nr)
{
	s->kind = kind;
	s->target = x86__target(x, addr, nr);
}

/* Return a register that ModRM names: is_reg tells which of two. */
static u8 x86__register(const struct x86 *x, bool is_reg)
{
	u8 rex = is_reg ? 4 : 1;

	return (u8)((is_reg ? x->modrm >> 3 & 7 : x->modrm & 7) | (x->rex & rex ? 8 : 0));
}

static void x86__classify_group(const struct x86 *x, struct code_step *s)
{
	u8 what = x->modrm >> 3 & 7, mode = x->modrm & 0xc7;

	if (what == 2 || what == 3)
		s->kind = STEP_CALL;
	if (what != 4 && what != 5)
		return;
	s->kind = STEP_JUMP_INDIRECT;
	s->is_case = x->has_ds;
	s->is_slot = what == 4 && mode == 5;
	if (x->modrm >> 6 == 3)
		s->jumps_by = x86__register(x, false);
	else if (mode == 4 && (x86__byte(x, x->at - 5) & 7) == 5) /* SIB without a base */
		s->table = (u64)x86__number(x, 4);
	if (!x->is_64bit)
		s->table &= 0xffffffff;
}

static void x86__classify(const struct x86 *x, struct code_step *s, u8 op, u64 addr)
{
	if ((op >= 0x70 && op <= 0x7f) || (op >= 0xe0 && op <= 0xe3))
		x86__goes_to(x, s, STEP_BRANCH, addr, 1);
	else if (op == 0xc2 || op == 0xc3)
		s->kind = STEP_RETURN;
	else if (op == 0xe8)
		x86__goes_to(x, s, STEP_CALL, addr, x86__distance(x));
	else if (op == 0xe9)
		x86__goes_to(x, s, STEP_JUMP, addr, x86__distance(x));
	else if (op == 0xeb)
		x86__goes_to(x, s, STEP_JUMP, addr, 1);
	else if (op == 0xf4)
		s->kind = STEP_STOP;
	else if ((op == 0x01 || op == 0x03) && x->modrm >> 6 == 3)
		s->adds_to = x86__register(x, op == 0x03);
	else if (op == 0xff)
		x86__classify_group(x, s);
}

static bool x86__read_two(struct x86 *x, struct code_step *s, u64 addr)
{
	u8 op = x86__byte(x, x->at++);

	if (op == 0x38 || op == 0x3a) {
		x->at++;
		return x86__skip_operands(x, op == 0x38 ? 'm' : 'B');
	}
	if (!x86__skip_operands(x, map_two[op]))
		return false;
	if (op == 0x0b || op == 0xb9 || op == 0xff) /* ud2, ud1, ud0 */
		s->kind = STEP_STOP;
	if (map_two[op] == 'J')
		x86__goes_to(x, s, STEP_BRANCH, addr, x86__distance(x));
	return true;
}

static bool x86__read(struct code_step *s, const u8 *code, size_t size, u64 addr, bool is_64bit)
{
	struct x86 x = { .code = code, .size = MIN(size, (size_t)X86_MAX), .is_64bit = is_64bit };
	bool known;
	u8 op;

	x86__skip_prefixes(&x);
	if (x.at >= x.size)
		return false;
	op = code[x.at++];
	if (x86__is_vector(&x, op)) {
		x.at = x86__length(code, x.size, is_64bit);
		known = x.at && !(x.short_address && !is_64bit);
	} else if (op == 0x0f) {
		known = x86__read_two(&x, s, addr);
	} else if (op == XOP && (x86__byte(&x, x.at) & 31) >= XOP_FIRST) {
		known = x86__read_xop(&x);
	} else {
		known = !(is_64bit && not_in_64bit(op)) && x86__skip_operands(&x, map_one[op]);
		if (known)
			x86__classify(&x, s, op, addr);
	}
	s->size = (u8)x.at;
	return known && x.at <= x.size;
}

/* ---- arm64 ---- */

/* Return the distance, in bytes, in the bits from low on of an instruction. */
static u64 arm64__distance(u32 insn, unsigned low, unsigned bits)
{
	u64 value = (u64)insn >> low << (64 - bits);

	return (u64)((s64)value >> (64 - bits)) * 4;
}

/* brk ends the program, as compilers use it, but for clang's __builtin_debugtrap() */
static bool arm64__is_stop(u32 insn)
{
	enum { BRK = 0xd4200000, NUMBER = 0xffff << 5, DEBUG_TRAP = 0xf000 << 5 };

	return insn >> 16 == 0 || ((insn & ~(u32)NUMBER) == (u32)BRK && (insn & NUMBER) != DEBUG_TRAP);
}

static bool arm64__read(struct code_step *s, const u8 *code, size_t size, u64 addr)
{
	u32 insn;

	s->size = sizeof(insn);
	if (size < sizeof(insn))
		return false;
	insn = code[0] | (u32)code[1] << 8 | (u32)code[2] << 16 | (u32)code[3] << 24;
	if ((insn & 0xfffffc1f) == 0xd65f0000 || insn == 0xd65f0bff || insn == 0xd65f0fff) {
		s->kind = STEP_RETURN; /* ret, retaa, retab */
	} else if ((insn & 0xfffffc1f) == 0xd61f0000 || (insn & 0xfefff800) == 0xd61f0800) {
		s->kind = STEP_JUMP_INDIRECT; /* br, braa ... */
		s->jumps_by = insn >> 5 & 31;
	} else if ((insn & 0xfffffc1f) == 0xd63f0000 || (insn & 0xfefff800) == 0xd63f0800) {
		s->kind = STEP_CALL; /* blr, blraa ... */
	} else if ((insn & 0x7c000000) == 0x14000000) {
		s->kind = insn >> 31 ? STEP_CALL : STEP_JUMP;
		s->target = addr + arm64__distance(insn, 0, 26);
	} else if ((insn & 0xff000000) == 0x54000000 || (insn & 0x7e000000) == 0x34000000) {
		s->kind = STEP_BRANCH; /* b.cond, cbz, cbnz */
		s->target = addr + arm64__distance(insn, 5, 19);
	} else if ((insn & 0x7e000000) == 0x36000000) {
		s->kind = STEP_BRANCH; /* tbz, tbnz */
		s->target = addr + arm64__distance(insn, 5, 14);
	} else if (arm64__is_stop(insn)) {
		s->kind = STEP_STOP;
	} else if ((insn & 0xff000000) == 0x8b000000) {
		s->adds_to = insn & 31;
	}
	return true;
}

bool code_step__read(struct code_step *s, const u8 *code, size_t size, u64 addr, u16 machine)
{
	*s = (struct code_step){ .adds_to = STEP_NO_REGISTER, .jumps_by = STEP_NO_REGISTER };
	if (machine == EM_AARCH64)
		return arm64__read(s, code, size, addr);
	return (machine == EM_X86_64 || machine == EM_386) &&
	       x86__read(s, code, size, addr, machine == EM_X86_64);
}
