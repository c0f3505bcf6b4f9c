#include "profile/compare/code_hash.h"

#include "base/memory/hash.h"

#include <ctype.h>
#include <string.h>

enum {
	MIN_INSNS = 6,       /* fewest instructions that tell a function from others */
	MAX_BYTES = 64 << 10 /* most bytes read of a function */
};

void code_hasher__init(struct code_hasher *h, struct symbolizer *s)
{
	*h = (struct code_hasher){ .symbolizer = s, .code = CODE_INIT };
}

void code_hasher__exit(struct code_hasher *h)
{
	code__exit(&h->code);
	disasm__delete(h->disasm);
}

/* Add a text, without its numbers if these are addresses. The digits of "%r12" and "w12" are not numbers. */
static u64 hash_text(u64 hash, const char *text, bool has_address)
{
	for (const char *p = text; *p; p++) {
		if (has_address && isdigit((u8)*p) && (p == text || !isalnum((u8)p[-1])))
			p += strspn(p, "0123456789abcdefx") - 1;
		else
			hash = hash__add(hash, (u8)*p);
	}
	return hash;
}

/* ADRP of AArch64 makes the address of a page. An instruction with data has an address as an operand. */
static bool has_address(const struct insn *insn)
{
	return insn->has_data || !strncmp(insn->mnemonic, "adr", 3);
}

u64 code_hasher__hash(struct code_hasher *h, struct dso *dso, const struct symbol *sym)
{
	u64 hash = 1, size = MIN((u64)sym->size, (u64)MAX_BYTES);
	struct insn insn;
	u32 nr = 0;

	if (h->is_useless || symbolizer__code(h->symbolizer, dso, sym->start, size, &h->code, NULL))
		return 0;
	if (disasm__switch(&h->disasm, h->code.machine, h->code.big_endian, DISASM_ATT, NULL)) {
		h->is_useless = true;
		return 0;
	}
	for (size_t at = 0; at < h->code.bytes.len; at += insn.size, nr++) {
		disasm__next(h->disasm, (const u8 *)h->code.bytes.buf + at, h->code.bytes.len - at,
			     h->code.vaddr + at, &insn);
		hash = hash_text(hash, insn.mnemonic, false);
		hash = hash_text(hash, insn.operands, has_address(&insn));
		if (insn.has_target && insn.target - h->code.vaddr < size)
			hash = hash__add(hash, insn.target - h->code.vaddr);
	}
	return nr < MIN_INSNS ? 0 : hash ?: 1;
}
