#include "binary/tables/entry_code.h"

#include <string.h>

enum { ENTRY_BYTES = 80 }; /* the call of __libc_start_main is in these */

struct entry_code {
	const struct elf_file *file;
	const struct elf_loads *loads;
	u64 addr; /* virtual, of the entry point */
	u8 bytes[ENTRY_BYTES];
};

/* Read bytes of the file at a virtual address. */
static bool entry_code__read(const struct entry_code *c, u64 vaddr, void *to, size_t size)
{
	for (size_t i = 0; i < c->loads->v.nr; i++) {
		const struct elf_load *l = &c->loads->v.v[i];

		if (vaddr >= l->vaddr && vaddr - l->vaddr < l->size && l->size - (vaddr - l->vaddr) >= size)
			return elf_file__read(c->file, to, size, l->offset + (vaddr - l->vaddr));
	}
	return false;
}

/* Return the address in a slot of the global offset table, as the loader sets it; 0: of another file. */
static u64 entry_code__slot(const struct entry_code *c, u64 vaddr)
{
	u64 value = 0;

	if (!entry_code__read(c, vaddr, &value, sizeof(value)))
		return 0;
	elf_file__relocate(c->file, vaddr, &value, 1);
	return value;
}

static s32 s32_at(const struct entry_code *c, size_t at)
{
	s32 x;

	memcpy(&x, c->bytes + at, sizeof(x));
	return x;
}

static u32 insn_at(const struct entry_code *c, size_t at)
{
	return (u32)s32_at(c, at);
}

/* ---- machines ---- */

static const u8 endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa }, xor_ebp[] = { 0x31, 0xed };

/* (Intel SDM: CALL, LEA, MOV) main is put into rdi right before the call. */
static u64 main_of_x86_64(const struct entry_code *c)
{
	size_t at = memcmp(c->bytes, endbr64, sizeof(endbr64)) ? 0 : sizeof(endbr64);

	if (memcmp(c->bytes + at, xor_ebp, sizeof(xor_ebp)))
		return 0;
	for (; at + 9 < ENTRY_BYTES; at++) {
		const u8 *p = c->bytes + at;
		s32 x = s32_at(c, at + 3);

		if (p[0] != 0x48 || (p[7] != 0xe8 && (p[7] != 0xff || p[8] != 0x15) && p[7] != 0x67))
			continue;
		if (p[1] == 0x8d && p[2] == 0x3d) /* lea x(%rip),%rdi */
			return c->addr + at + 7 + (u64)(s64)x;
		if (p[1] == 0x8b && p[2] == 0x3d) /* mov x(%rip),%rdi */
			return entry_code__slot(c, c->addr + at + 7 + (u64)(s64)x);
		if (p[1] == 0xc7 && p[2] == 0xc7) /* mov $x,%rdi */
			return (u64)(s64)x;
	}
	return 0;
}

/* main is pushed right before the call. */
static u64 main_of_386(const struct entry_code *c)
{
	for (size_t at = sizeof(xor_ebp); at + 5 < ENTRY_BYTES; at++)
		if (!memcmp(c->bytes, xor_ebp, sizeof(xor_ebp)) && c->bytes[at] == 0x68 &&
		    c->bytes[at + 5] == 0xe8)
			return insn_at(c, at + 1);
	return 0;
}

/* If there is only a jump at addr, maybe after a hint, return its target: crt1.o has one to main. */
static u64 skip_jump(const struct entry_code *c, u64 addr)
{
	u64 at = addr;
	u32 insn = 0;

	if (entry_code__read(c, at, &insn, sizeof(insn)) && (insn & 0xfffff01f) == 0xd503201f)
		entry_code__read(c, at += sizeof(insn), &insn, sizeof(insn));
	return insn >> 26 == 5 ? at + (u64)((s64)((u64)insn << 38) >> 36) : addr;
}

/* Return the address that x0 gets from the instruction after an adrp, which put page into x0. */
static u64 follow_adrp(const struct entry_code *c, u64 page, u32 insn)
{
	u32 x = insn >> 10 & 0xfff;

	if ((insn & 0xffc003ff) == 0x91000000) /* add x0, x0, x */
		return skip_jump(c, page + x);
	if ((insn & 0xffc003ff) == 0xf9400000) /* ldr x0, [x0, 8x] */
		return entry_code__slot(c, page + 8 * x);
	return 0;
}

/* (Arm ARM: ADRP, ADD (immediate), LDR (immediate), B, HINT) main is put into x0, in two instructions. */
static u64 main_of_aarch64(const struct entry_code *c)
{
	for (size_t at = 0; at + 8 <= ENTRY_BYTES; at += 4) {
		u32 insn = insn_at(c, at);
		u64 pages;

		if ((insn & 0x9f00001f) != 0x90000000) /* adrp x0 */
			continue;
		pages = (u64)((s64)((u64)(insn >> 5 & 0x7ffff) << 45) >> 43) | (insn >> 29 & 3);
		return follow_adrp(c, ((c->addr + at) & ~0xfffull) + (pages << 12), insn_at(c, at + 4));
	}
	return 0;
}

u64 entry_code__find_main(const struct elf_file *f, const struct elf_loads *loads)
{
	struct entry_code c = { .file = f, .loads = loads, .addr = f->ehdr.e_entry };

	if (f->ehdr.e_ident[EI_DATA] != ELFDATA2LSB ||
	    !entry_code__read(&c, c.addr, c.bytes, sizeof(c.bytes)))
		return 0;
	switch (f->ehdr.e_machine) {
	case EM_X86_64:
		return main_of_x86_64(&c);
	case EM_386:
		return main_of_386(&c);
	case EM_AARCH64:
		return main_of_aarch64(&c);
	}
	return 0;
}
