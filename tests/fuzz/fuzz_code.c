/* Any bytes as code of each processor, and any image as a file that has code, variables and strings. */
#include "binary/code/disasm.h"
#include "binary/code/elf_code.h"
#include "binary/code/objdump.h"
#include "binary/code/x86_length.h"
#include "fuzz.h"

#include <elf.h>
#include <string.h>

static void instructions(struct disasm *d, const uint8_t *code, size_t size)
{
	struct insn in;

	for (size_t at = 0; at < size; at += in.size) {
		disasm__next(d, code + at, size - at, 0xfffffffffffff000 + at, &in);
		if (!in.size || in.size > size - at)
			__builtin_trap();
		fuzz__touch(in.mnemonic, strlen(in.mnemonic));
		fuzz__touch(in.operands, strlen(in.operands));
	}
}

static void file(const uint8_t *data, size_t size)
{
	struct strbuf text = STRBUF_INIT;
	struct elf_datum datum = { .text = STRBUF_INIT };
	struct elf_code *c;
	u64 vaddr;

	if (elf_code__open_image(&c, data, size, NULL))
		return;
	for (u64 offset = 0; offset < size; offset += 61) {
		if (!elf_code__vaddr(c, offset, &vaddr))
			continue;
		strbuf__reset(&text);
		elf_code__read(c, vaddr, 1u << 20, &text);
		fuzz__touch(text.buf, text.len);
		if (elf_code__find_datum(c, vaddr, &datum) && datum.name)
			fuzz__touch(datum.name, strlen(datum.name));
	}
	elf_code__find_datum(c, UINT64_MAX, &datum);
	elf_code__read(c, UINT64_MAX, UINT64_MAX, &text);
	strbuf__exit(&datum.text);
	strbuf__exit(&text);
	elf_code__delete(c);
}

/* What objdump prints may be anything, too. */
static void listing(const uint8_t *data, size_t size)
{
	struct objdump o = { .texts = STRBUF_INIT };

	objdump__parse(&o, (const char *)data, size, size & 1 ? EM_X86_64 : EM_AARCH64, 4096, 0);
	for (size_t i = 0; i < o.insns.nr; i++) {
		const struct objdump_insn *in = &o.insns.v[i];

		if (!in->size || in->offset >= 4096 || objdump__find(&o, in->offset) != in)
			__builtin_trap();
		fuzz__touch(objdump__text(&o, in->mnemonic), strlen(objdump__text(&o, in->mnemonic)));
		fuzz__touch(objdump__text(&o, in->operands), strlen(objdump__text(&o, in->operands)));
	}
	objdump__exit(&o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const u16 machines[] = { EM_X86_64, EM_386,  EM_AARCH64, EM_ARM, EM_PPC64,
					EM_S390,   EM_MIPS, EM_SPARCV9, EM_68K, EM_RISCV };
	enum disasm_syntax syntax = size & 1 ? DISASM_INTEL : DISASM_ATT;
	struct disasm *d;

	for (size_t i = 0; i < ARRAY_SIZE(machines); i++) {
		if (disasm__new(&d, machines[i], size & 2, syntax, NULL))
			continue;
		instructions(d, data, size < 4096 ? size : 4096);
		disasm__delete(d);
	}
	for (size_t i = 0; i < size; i++)
		if (x86__length(data + i, size - i, true) > size - i ||
		    x86__length(data + i, size - i, false) > size - i)
			__builtin_trap();
	file(data, size);
	listing(data, size);
	return 0;
}
