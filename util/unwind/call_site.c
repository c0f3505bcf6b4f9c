#include "unwind/call_site.h"

#include <elf.h>
#include <string.h>

/*
 * Return the bytes of the instruction whose opcode is followed by this ModRM byte in 32-bit and 64-bit
 * mode, without prefixes and immediates (Intel SDM volume 2, 2.1.5). sib: the byte after it.
 */
static size_t size_with_modrm(u8 modrm, u8 sib)
{
	const unsigned mod = modrm >> 6, rm = modrm & 7;
	size_t size = 2 + (mod != 3 && rm == 4); /* opcode, ModRM, SIB */

	if (mod == 1)
		return size + 1;
	if (mod == 2 || (mod == 0 && (rm == 5 || (rm == 4 && (sib & 7) == 5))))
		return size + 4;
	return size;
}

/*
 * CALL is e8 with a distance of 32 bits, or ff /2 (Intel SDM volume 2). Instructions cannot be decoded
 * backwards: bytes of another instruction may look like a call. A direct call counts first.
 */
static enum call_kind decode_x86(const u8 *code, size_t size, u64 addr, u64 *target)
{
	s32 distance;

	if (size >= 5 && code[size - 5] == 0xe8) {
		memcpy(&distance, code + size - sizeof(distance), sizeof(distance));
		*target = addr + (u64)(s64)distance;
		return CALL_DIRECT;
	}
	for (size_t n = 2; n <= size; n++) {
		const u8 *insn = code + size - n;

		if (insn[0] == 0xff && (insn[1] >> 3 & 7) == 2 &&
		    size_with_modrm(insn[1], n > 2 ? insn[2] : 0) == n)
			return CALL_ANY;
	}
	return CALL_NONE;
}

/* (Arm Architecture Reference Manual for A-profile, BL, BLR, BLRAA) */
static enum call_kind decode_aarch64(const u8 *code, size_t size, u64 addr, u64 *target)
{
	u32 insn;

	if (size < sizeof(insn))
		return CALL_NONE;
	memcpy(&insn, code + size - sizeof(insn), sizeof(insn));
	if (insn >> 26 == 0x25) { /* 26 bits: signed distance in words */
		*target = addr - sizeof(insn) + (u64)((s64)((u64)insn << 38) >> 36);
		return CALL_DIRECT;
	}
	if ((insn & 0xfffffc1f) == 0xd63f0000 || (insn & 0xfefff800) == 0xd63f0800)
		return CALL_ANY;
	return CALL_NONE;
}

enum call_kind call_site__decode(u16 machine, const u8 *code, size_t size, u64 addr, u64 *target)
{
	enum call_kind kind;

	switch (machine) {
	case EM_X86_64:
		return decode_x86(code, size, addr, target);
	case EM_386:
		kind = decode_x86(code, size, addr, target);
		*target &= UINT32_MAX;
		return kind;
	case EM_AARCH64:
		return decode_aarch64(code, size, addr, target);
	}
	return CALL_NONE;
}
