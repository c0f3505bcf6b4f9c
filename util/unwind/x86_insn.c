#include "unwind/x86_insn.h"

#include "binary/code/x86_length.h"

#include <stdint.h>
#include <string.h>

/* The parts of an instruction up to its operands. */
struct parts {
	const u8 *code;
	size_t size, at; /* at: of the next byte */
	bool is_64bit;   /* the mode */
	bool is_word;    /* operand size 16 bits */
	u8 rex;
	u8 mod, reg, rm, base; /* with REX; base: of the memory operand, or X86_NO_REG */
	s64 disp;
};

static bool parts__skip(struct parts *p, size_t nr)
{
	p->at += nr;
	return p->at <= p->size;
}

/* Read an immediate or a distance of 1, 2 or 4 bytes. */
static bool parts__number(struct parts *p, size_t nr, s64 *value)
{
	const u8 *from = p->code + p->at;
	int8_t byte;
	int16_t half;
	int32_t word;

	if (!parts__skip(p, nr))
		return false;
	memcpy(nr == 1 ? (void *)&byte : nr == 2 ? (void *)&half : &word, from, nr);
	*value = nr == 1 ? byte : nr == 2 ? half : word;
	return true;
}

/* Skip the whole instruction, one with several bytes of opcode that does not change the stack pointer. */
static bool parts__skip_all(struct parts *p)
{
	p->at = x86__length(p->code, p->size, p->is_64bit);
	return p->at;
}

/* Read ModRM, SIB and displacement. */
static bool parts__modrm(struct parts *p)
{
	u8 modrm, sib = 0;
	size_t disp;

	if (!parts__skip(p, 1))
		return false;
	modrm = p->code[p->at - 1];
	p->mod = modrm >> 6;
	p->reg = (u8)((modrm >> 3 & 7) | (p->rex & 4) << 1);
	p->rm = (u8)((modrm & 7) | (p->rex & 1) << 3);
	p->base = X86_NO_REG;
	if (p->mod == 3)
		return true;
	if ((modrm & 7) == 4) {
		if (!parts__skip(p, 1))
			return false;
		sib = p->code[p->at - 1];
		if ((sib >> 3 & 7) == 4 && !(p->rex & 2)) /* no index */
			p->base = (u8)((sib & 7) | (p->rex & 1) << 3);
	} else {
		p->base = p->rm;
	}
	disp = p->mod == 1 ? 1 : p->mod == 2 ? 4 : 0;
	if (!p->mod && ((modrm & 7) == 5 || ((modrm & 7) == 4 && (sib & 7) == 5))) {
		p->base = X86_NO_REG;
		disp = 4;
	}
	p->disp = 0;
	return !disp || parts__number(p, disp, &p->disp);
}

/* Are operands as wide as registers? */
static bool parts__is_wide(const struct parts *p)
{
	return p->is_64bit ? p->rex & 8 : !p->is_word;
}

static bool is_tracked(u8 reg)
{
	return reg == X86_RSP || reg == X86_RBP;
}

/* The instruction writes a register. base: what it is computed from, or X86_NO_REG. */
static void set_register(struct x86_insn *insn, u8 reg, u8 base, s64 value)
{
	if (!is_tracked(reg))
		return;
	insn->kind = X86_SET;
	insn->reg = reg;
	insn->base = is_tracked(base) ? base : X86_NO_REG;
	insn->value = value;
}

static bool decode_0f(struct x86_insn *insn, struct parts *p)
{
	/* without ModRM: syscall, sysret ..., emms, push and pop of fs and gs, cpuid, rsm */
	static const u8 plain[] = { 0x05, 0x06, 0x07, 0x08, 0x09, 0x30, 0x31, 0x32, 0x33, 0x34,
				    0x35, 0x37, 0x77, 0xa0, 0xa1, 0xa2, 0xa8, 0xa9, 0xaa };
	u8 op;

	if (!parts__skip(p, 1))
		return false;
	op = p->code[p->at - 1];
	if (op >= 0x80 && op <= 0x8f) {
		insn->kind = X86_BRANCH;
		return parts__number(p, 4, &insn->value);
	}
	if (op == 0x0b || op == 0xb9 || op == 0xff) { /* ud2, ud1, ud0 */
		insn->kind = X86_END;
		return true;
	}
	if (op == 0xa0 || op == 0xa8)
		insn->kind = X86_PUSH;
	if (op == 0xa1 || op == 0xa9)
		insn->kind = X86_POP;
	if (memchr(plain, op, sizeof(plain)) || (op >= 0xc8 && op <= 0xcf))
		return true;
	return parts__skip_all(p);
}

/* Opcodes whose operand is ModRM alone, or no operand at all. */
static bool has_only_modrm(u8 op)
{
	return (op >= 0x84 && op <= 0x8e) || (op >= 0xd0 && op <= 0xd3) || (op >= 0xd8 && op <= 0xdf) ||
	       op == 0xfe || op == 0x63;
}

static bool has_no_operand(u8 op)
{
	return (op >= 0x6c && op <= 0x6f) || (op >= 0x90 && op <= 0x99) || op == 0x9b || op == 0x9e ||
	       op == 0x9f || (op >= 0xa4 && op <= 0xa7) || (op >= 0xaa && op <= 0xaf) || op == 0xd7 ||
	       (op >= 0xec && op <= 0xef) || op == 0xf5 || (op >= 0xf8 && op <= 0xfd);
}

/* add, or, adc, sbb, and, sub, xor, cmp in their eight forms, below 0x40 */
static bool decode_arithmetic(struct x86_insn *insn, struct parts *p, u8 op)
{
	s64 value;

	switch (op & 7) {
	case 0:
	case 1:
	case 2:
	case 3:
		if (!parts__modrm(p))
			return false;
		if (op >> 3 == 7) /* cmp */
			return true;
		if ((op & 7) == 3 || ((op & 7) == 1 && p->mod == 3))
			set_register(insn, (op & 7) == 3 ? p->reg : p->rm, X86_NO_REG, 0);
		return true;
	case 4:
		return parts__number(p, 1, &value);
	case 5:
		return parts__number(p, p->is_word ? 2 : 4, &value);
	}
	return false;
}

/* Below 0x40, what 64-bit mode has not: segment registers are pushed and popped, daa, das, aaa, aas. */
static bool decode_old(struct x86_insn *insn, u8 op)
{
	if (!(op & 0x20))
		insn->kind = op & 1 ? X86_POP : X86_PUSH;
	return true;
}

/* The same with an immediate: 0x80 to 0x83. */
static bool decode_immediate(struct x86_insn *insn, struct parts *p, u8 op)
{
	const unsigned size = op == 0x81 ? (p->is_word ? 2 : 4) : 1;
	unsigned what;
	s64 value;

	if (!parts__modrm(p) || !parts__number(p, size, &value))
		return false;
	what = p->reg & 7;
	if (op == 0x80 || p->mod != 3 || what == 7)
		return true;
	if ((what == 0 || what == 5) && parts__is_wide(p))
		set_register(insn, p->rm, p->rm, what ? -value : value);
	else
		set_register(insn, p->rm, X86_NO_REG, 0);
	return true;
}

/* mov and lea between registers and memory */
static bool decode_move(struct x86_insn *insn, struct parts *p, u8 op)
{
	const bool is_wide = parts__is_wide(p);
	u8 to, from;

	if (!parts__modrm(p))
		return false;
	to = op == 0x89 ? p->rm : p->reg;
	from = op == 0x89 ? p->reg : p->rm;
	if (op == 0x8d) {
		set_register(insn, to, is_wide ? p->base : X86_NO_REG, p->disp);
	} else if (p->mod == 3) {
		set_register(insn, to, is_wide ? from : X86_NO_REG, 0);
	} else if (op == 0x8b) {
		if (is_wide && is_tracked(p->base)) {
			insn->kind = X86_LOAD;
			insn->reg = to;
			insn->base = p->base;
			insn->value = p->disp;
		} else {
			set_register(insn, to, X86_NO_REG, 0);
		}
	}
	return true;
}

/* 0xff: inc, dec, call, jmp, push; 0xf6, 0xf7: test and others */
static bool decode_group(struct x86_insn *insn, struct parts *p, u8 op)
{
	unsigned what;
	s64 value;

	if (!parts__modrm(p))
		return false;
	what = p->reg & 7;
	if (op != 0xff) {
		if (what < 2)
			return parts__number(p, op == 0xf6 ? 1 : p->is_word ? 2 : 4, &value);
		return true;
	}
	switch (what) {
	case 2:
		insn->kind = X86_CALL;
		return true;
	case 4:
		insn->kind = X86_END;
		return true;
	case 6:
		insn->kind = X86_PUSH;
		return true;
	case 0:
	case 1:
		if (p->mod == 3)
			set_register(insn, p->rm, X86_NO_REG, 0);
		return true;
	}
	return false;
}

static bool decode_rest(struct x86_insn *insn, struct parts *p, u8 op)
{
	const size_t word = p->is_word ? 2 : 4;
	s64 value;

	switch (op) {
	case 0x68:
		insn->kind = X86_PUSH;
		return parts__number(p, 4, &value);
	case 0x6a:
		insn->kind = X86_PUSH;
		return parts__number(p, 1, &value);
	case 0x69:
	case 0xc7:
		return parts__modrm(p) && parts__number(p, word, &value);
	case 0x6b:
	case 0xc0:
	case 0xc1:
	case 0xc6:
		return parts__modrm(p) && parts__number(p, 1, &value);
	case 0x8f:
		insn->kind = X86_POP;
		return parts__modrm(p);
	case 0x9c:
		insn->kind = X86_PUSH;
		return true;
	case 0x9d:
		insn->kind = X86_POP;
		return true;
	case 0xa8:
		return parts__number(p, 1, &value);
	case 0xa9:
		return parts__number(p, word, &value);
	case 0xc2:
		insn->kind = X86_RET;
		return parts__skip(p, 2);
	case 0xc3:
		insn->kind = X86_RET;
		return true;
	case 0xc9:
		insn->kind = X86_LEAVE;
		return true;
	case 0xe8:
		insn->kind = X86_CALL;
		return parts__number(p, 4, &insn->value);
	case 0xe9:
		insn->kind = X86_JUMP;
		return parts__number(p, 4, &insn->value);
	case 0xeb:
		insn->kind = X86_JUMP;
		return parts__number(p, 1, &insn->value);
	case 0xcc: /* int3, int1, hlt */
	case 0xf1:
	case 0xf4:
		insn->kind = X86_END;
		return true;
	}
	return false;
}

static bool decode_opcode(struct x86_insn *insn, struct parts *p, u8 op)
{
	const u8 low = (u8)((op & 7) | (p->rex & 1) << 3);
	s64 value;

	if (op < 0x40 && (op & 7) > 5 && !p->is_64bit)
		return decode_old(insn, op);
	if (op < 0x40)
		return decode_arithmetic(insn, p, op);
	if (op < 0x50) { /* inc, dec; in 64-bit mode these are prefixes */
		set_register(insn, low, X86_NO_REG, 0);
		return true;
	}
	if (op < 0x60) {
		insn->kind = op < 0x58 ? X86_PUSH : X86_POP;
		insn->reg = low;
		return true;
	}
	if ((op >= 0x70 && op <= 0x7f) || (op >= 0xe0 && op <= 0xe3)) {
		insn->kind = X86_BRANCH;
		return parts__number(p, 1, &insn->value);
	}
	if (op >= 0x80 && op <= 0x83)
		return decode_immediate(insn, p, op);
	if (op == 0x89 || op == 0x8b || op == 0x8d)
		return decode_move(insn, p, op);
	if (op >= 0xa0 && op <= 0xa3)
		return parts__skip(p, p->is_64bit ? 8 : 4);
	if (op >= 0xb0 && op <= 0xb7)
		return parts__number(p, 1, &value);
	if (op >= 0xb8 && op <= 0xbf) {
		set_register(insn, low, X86_NO_REG, 0);
		return parts__skip(p, p->rex & 8 ? 8 : p->is_word ? 2 : 4);
	}
	if (op == 0xff || op == 0xf6 || op == 0xf7)
		return decode_group(insn, p, op);
	if (has_only_modrm(op))
		return parts__modrm(p);
	return has_no_operand(op) || decode_rest(insn, p, op);
}

/* VEX and EVEX prefixes; in 32-bit mode these bytes are other instructions, too. */
static bool is_vex(const struct parts *p, u8 op)
{
	return (op == 0xc4 || op == 0xc5 || op == 0x62) &&
	       (p->is_64bit || (p->at < p->size && p->code[p->at] >= 0xc0));
}

bool x86_insn__decode(struct x86_insn *insn, const u8 *code, size_t size, bool is_64bit)
{
	static const u8 prefixes[] = { 0x66, 0x67, 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0xf0, 0xf2, 0xf3 };
	struct parts p = { .code = code, .size = MIN(size, (size_t)X86_INSN_MAX), .is_64bit = is_64bit };
	bool done;
	u8 op;

	*insn = (struct x86_insn){ .reg = X86_NO_REG, .base = X86_NO_REG };
	while (p.at < p.size && memchr(prefixes, code[p.at], sizeof(prefixes)))
		p.is_word |= code[p.at++] == 0x66;
	if (!is_64bit && memchr(code, 0x67, p.at)) /* addresses of 16 bits */
		return false;
	if (is_64bit && p.at < p.size && (code[p.at] & 0xf0) == 0x40)
		p.rex = code[p.at++];
	if (p.at == p.size)
		return false;
	op = code[p.at++];
	if (op == 0x0f)
		done = decode_0f(insn, &p);
	else
		done = is_vex(&p, op) ? parts__skip_all(&p) : decode_opcode(insn, &p, op);
	insn->size = (u8)p.at;
	return done;
}
