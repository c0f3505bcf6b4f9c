#include "binary/tables/arm_table.h"

#include "base/memory/array.h"

#include <string.h>

enum {
	ENTRY_SIZE = 8, /* bytes: two words */
	CANNOT_UNWIND = 1,
	SP = 13,
	LR = 14,
	PC = 15,
	NR_REGS = 16,
};

static bool section__word(const struct arm_section *s, u64 addr, u32 *word)
{
	u64 at = addr - s->addr;

	if (!s->data || addr < s->addr || s->size < sizeof(*word) || at > s->size - sizeof(*word))
		return false;
	memcpy(word, s->data + at, sizeof(*word));
	return true;
}

/* Return the address in a word: its lower 31 bits are relative to the word's own address. */
static u64 target(u32 word, u64 addr)
{
	return (u32)(addr + (u64)((s64)((u64)word << 33) >> 33));
}

/* ---- instructions ---- */

struct codes {
	u8 v[2 + 4 * 256]; /* 255 additional words at most */
	u32 nr, at;
};

static void codes__add(struct codes *c, u32 word, unsigned bytes)
{
	while (bytes--)
		c->v[c->nr++] = (u8)(word >> 8 * bytes);
}

/* After the last code, all codes are "finish". */
static u8 codes__next(struct codes *c)
{
	return c->at < c->nr ? c->v[c->at++] : 0xb0;
}

/*
 * Get the codes from the word that an index entry points to or contains. A language's personality routine
 * may precede them.
 */
static bool codes__read(struct codes *c, const struct arm_table *t, u32 word, u64 addr)
{
	u32 nr_more = 0;

	c->nr = c->at = 0;
	if (!(word >> 31)) {
		addr += 4;
		if (!section__word(&t->more, addr, &word))
			return false;
		nr_more = word >> 24;
		codes__add(c, word, 3);
	} else if ((word >> 24 & 15) == 0) {
		codes__add(c, word, 3);
	} else if ((word >> 24 & 15) <= 2) {
		nr_more = word >> 16 & 0xff;
		codes__add(c, word, 2);
	} else {
		return false;
	}
	while (nr_more--) {
		addr += 4;
		if (!section__word(&t->more, addr, &word))
			return false;
		codes__add(c, word, 4);
	}
	return true;
}

/* ---- what they do ---- */

static void pop(struct arm_frame *f, u32 mask)
{
	for (unsigned reg = 0; reg < NR_REGS; reg++) {
		if (!(mask >> reg & 1))
			continue;
		f->at[reg] = f->offset;
		f->offset += 4;
	}
	f->saved |= mask;
}

static bool read_uleb(struct codes *c, u64 *value)
{
	*value = 0;
	for (unsigned shift = 0; shift < 32; shift += 7) {
		u8 byte = codes__next(c);

		*value |= (u64)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return true;
	}
	return false;
}

/* 1011xxxx, except "finish" */
static bool run_b(struct arm_frame *f, struct codes *c, u8 code)
{
	u64 value;

	if (code >= 0xb8) { /* VFP d8.. by FSTMFDX */
		f->offset += 8 * ((code & 7) + 1) + 4;
		return true;
	}
	switch (code) {
	case 0xb1:
		value = codes__next(c);
		pop(f, value & 15);
		return value && value < 16;
	case 0xb2:
		if (!read_uleb(c, &value))
			return false;
		f->offset += 0x204 + (s64)(value << 2);
		return true;
	case 0xb3:
		f->offset += 8 * ((codes__next(c) & 15) + 1) + 4;
		return true;
	case 0xb4: /* authentication code of the return address */
		f->offset += 4;
		return true;
	case 0xb5:
		return true;
	}
	return false;
}

/* 11xxxxxx: registers of coprocessors */
static bool run_c(struct arm_frame *f, struct codes *c, u8 code)
{
	if ((code & 0xf8) == 0xd0 || (code & 0xf8) == 0xc0) {
		if (code == 0xc7)
			f->offset += 4 * __builtin_popcount(codes__next(c) & 15);
		else if (code == 0xc6)
			f->offset += 8 * ((codes__next(c) & 15) + 1);
		else
			f->offset += 8 * ((code & 7) + 1);
		return true;
	}
	if (code != 0xc8 && code != 0xc9)
		return false;
	f->offset += 8 * ((codes__next(c) & 15) + 1);
	return true;
}

/* Run one code. Return false if it is unknown, or refuses to unwind. */
static bool run(struct arm_frame *f, struct codes *c, u8 code)
{
	u32 mask;

	switch (code >> 4) {
	case 0 ... 3:
		f->offset += (code << 2) + 4;
		return true;
	case 4 ... 7:
		f->offset -= ((code & 0x3f) << 2) + 4;
		return true;
	case 8:
		mask = (u32)((code & 15) << 8 | codes__next(c)) << 4;
		pop(f, mask);
		return mask;
	case 9: /* the stack pointer is in a register */
		f->base = code & 15;
		f->offset = 0;
		return f->base != SP && f->base != PC && !(f->saved >> f->base & 1);
	case 10:
		pop(f, ((2u << (code & 7)) - 1) << 4 | (code & 8 ? 1u << LR : 0));
		return true;
	case 11:
		return run_b(f, c, code);
	default:
		return run_c(f, c, code);
	}
}

static bool run_all(struct arm_frame *f, struct codes *c)
{
	u8 code, base_of_saved = SP;

	while ((code = codes__next(c)) != 0xb0) {
		/* Registers saved earlier are at offsets from another register. */
		if (!run(f, c, code) || (f->saved && f->base != base_of_saved))
			return false;
		base_of_saved = f->base;
	}
	return true;
}

/* ---- the index ---- */

bool arm_table__open(struct arm_table *t, const struct elf_file *f)
{
	static const char *const names[] = { ".ARM.exidx", ".ARM.extab" };
	struct arm_section sections[2] = { { 0 } };

	*t = (struct arm_table){ 0 };
	if (f->ehdr.e_machine != EM_ARM || f->ehdr.e_ident[EI_DATA] != ELFDATA2LSB)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		GElf_Shdr shdr;
		Elf_Data *data = elf_file__data(elf_file__section(f, names[i], 0, &shdr));

		if (data)
			sections[i] = (struct arm_section){ data->d_buf, data->d_size, shdr.sh_addr };
	}
	if (sections[0].data)
		*t = (struct arm_table){ sections[0], sections[1] };
	return sections[0].data;
}

static u64 function_at(const struct arm_table *t, size_t entry)
{
	u64 addr = t->index.addr + entry * ENTRY_SIZE;
	u32 word = 0;

	section__word(&t->index, addr, &word);
	return target(word, addr);
}

/* Return the index of the entry after the function at vaddr; 0: there is none. */
static size_t entry_after(const struct arm_table *t, u64 vaddr)
{
	size_t nr = t->index.data ? t->index.size / ENTRY_SIZE : 0;
	size_t after = bisect(i, (size_t)0, nr, function_at(t, i) <= vaddr);

	/* The last entry has no end; linkers end the index with one that cannot be unwound. */
	return after == nr ? 0 : after;
}

bool arm_table__range(const struct arm_table *t, u64 vaddr, u64 *start, u64 *end)
{
	size_t after = entry_after(t, vaddr);

	if (!after)
		return false;
	*start = function_at(t, after - 1);
	*end = function_at(t, after);
	return *end > *start;
}

bool arm_table__find(const struct arm_table *t, u64 vaddr, struct arm_frame *frame)
{
	size_t after = entry_after(t, vaddr);
	struct codes codes;
	u64 addr;
	u32 word;

	if (!after)
		return false;
	addr = t->index.addr + (after - 1) * ENTRY_SIZE + 4;
	*frame = (struct arm_frame){ .end = function_at(t, after), .base = SP };
	/* Outermost functions and functions compiled without tables are marked as "cannot be unwound". */
	if (!section__word(&t->index, addr, &word) || word == CANNOT_UNWIND)
		return false;
	if (!(word >> 31)) {
		addr = target(word, addr);
		if (!section__word(&t->more, addr, &word))
			return false;
	}
	return codes__read(&codes, t, word, addr) && run_all(frame, &codes);
}
