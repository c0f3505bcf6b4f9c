/*
 * Print where functions of an ELF file end: ends FILE, with linked addresses and sizes of functions on
 * standard input, "ADDRESS SIZE" in hexadecimal on each line. Output, for each line: "function ADDRESS", then
 * "return ADDRESS", "tail ADDRESS TARGET KIND" for each end, or "unknown ADDRESS WHAT". ends FILE language:
 * print what return_probes__broken_by() says. ends FILE steps: print the addresses of all instructions from
 * ADDRESS on, in SIZE bytes.
 */
#include "binary/code/code_step.h"
#include "binary/code/elf_code.h"
#include "binary/code/function_ends.h"
#include "binary/elf/return_probes.h"

#include <stdio.h>
#include <string.h>

static void print_ends(struct function_reader *r, u64 addr, u64 size)
{
	static const char *const kinds[] = { "always", "conditional", "unsure" };
	struct err err = ERR_INIT;
	struct function_ends e;

	printf("function %llx\n", (unsigned long long)addr);
	if (function_ends__find(&e, r, addr, size, &err)) {
		printf("error %s\n", err.text.buf);
		err__exit(&err);
		return;
	}
	for (size_t i = 0; i < e.returns.nr; i++)
		printf("return %llx\n", (unsigned long long)e.returns.v[i]);
	for (size_t i = 0; i < e.tails.nr; i++)
		printf("tail %llx %llx %s\n", (unsigned long long)e.tails.v[i].addr,
		       (unsigned long long)e.tails.v[i].target, kinds[e.tails.v[i].kind]);
	if (!e.is_decoded)
		printf("unknown %llx %s\n", (unsigned long long)e.unknown_at, e.unknown);
	function_ends__exit(&e);
}

static void print_steps(struct elf_code *c, u64 addr, u64 size)
{
	struct strbuf code = STRBUF_INIT;
	struct code_step step;
	size_t n = elf_code__read(c, addr, size, &code);

	for (size_t at = 0; at < n; at += step.size) {
		bool known = code_step__read(&step, (const u8 *)code.buf + at, n - at, addr + at,
					     elf_code__machine_at(c, addr));

		printf("%llx%s\n", (unsigned long long)(addr + at), known ? "" : " unknown");
		if (!known)
			break;
	}
	strbuf__exit(&code);
}

int main(int argc, char **argv)
{
	bool steps = argc > 2 && !strcmp(argv[2], "steps");
	struct function_reader *r = NULL;
	struct err err = ERR_INIT;
	struct elf_code *c = NULL;
	unsigned long long addr, size;
	int ret = argc < 2 ? 1 : elf_code__open(&c, NULL, argv[1], NULL, &err);

	if (!ret)
		ret = function_reader__open(&r, "", argv[1], NULL, &err);
	if (ret)
		fprintf(stderr, "ends: %s\n", err.text.buf);
	if (!ret && argc > 2 && !strcmp(argv[2], "language"))
		puts(return_probes__broken_by("", argv[1]) ?: "other");
	while (!ret && scanf("%llx %llx", &addr, &size) == 2) {
		if (steps)
			print_steps(c, addr, size);
		else
			print_ends(r, addr, size);
	}
	function_reader__delete(r);
	elf_code__delete(c);
	err__exit(&err);
	return ret != 0;
}
