/*
 * Print the instructions of an ELF file as perf annotate reads them: list FILE [att], with ranges of linked
 * addresses on standard input, "START END" in hexadecimal on each line. Output: address, size, mnemonic.
 */
#include "binary/code/disasm.h"
#include "binary/code/elf_code.h"

#include <stdio.h>
#include <string.h>

/* Is an instruction unknown? out: print them to it; NULL: do not. */
static bool read_code(struct disasm *d, const struct strbuf *code, u64 start, FILE *out)
{
	bool has_unknown = false;
	struct insn in;

	for (size_t at = 0; at < code->len; at += in.size) {
		disasm__next(d, (const u8 *)code->buf + at, code->len - at, start + at, &in);
		has_unknown |= !*in.mnemonic;
		if (out)
			fprintf(out, "%llx %u %s\n", (unsigned long long)in.addr, in.size,
				*in.mnemonic ? in.mnemonic : "(unknown)");
	}
	return has_unknown;
}

static void list_range(struct disasm *d, const struct elf_code *c, u64 start, u64 end)
{
	struct strbuf code = STRBUF_INIT;

	if (end > start)
		elf_code__read(c, start, end - start, &code);
	if (read_code(d, &code, start, NULL))
		disasm__ask_objdump(d, NULL, (const u8 *)code.buf, code.len, start, NULL);
	read_code(d, &code, start, stdout);
	strbuf__exit(&code);
}

int main(int argc, char **argv)
{
	enum disasm_syntax syntax = argc > 2 && !strcmp(argv[2], "att") ? DISASM_ATT : DISASM_INTEL;
	unsigned long long start, end;
	struct err err = ERR_INIT;
	struct disasm *d = NULL;
	struct elf_code *c = NULL;
	int ret = argc < 2 ? 1 : elf_code__open(&c, NULL, argv[1], NULL, &err);

	if (!ret)
		ret = disasm__new(&d, elf_code__machine_at(c, 0), elf_code__is_big_endian(c), syntax, &err);
	if (ret)
		fprintf(stderr, "list: %s\n", err.text.buf);
	while (!ret && scanf("%llx %llx", &start, &end) == 2)
		list_range(d, c, start, end);
	disasm__delete(d);
	elf_code__delete(c);
	err__exit(&err);
	return ret != 0;
}
