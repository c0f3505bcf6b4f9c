/*
 * Code as the unwinder reads it where there is no call frame information: any bytes, at any address. Rows may
 * be wrong, but must not read outside of the code, and must end.
 */
#include "fuzz.h"
#include "unwind/code_row.h"
#include "unwind/x86_insn.h"

#include <string.h>

struct bytes {
	const uint8_t *data;
	size_t size;
	u64 at; /* memory address; it may be near the end of the address space */
};

static bool read_bytes(void *ctx, u64 ip, void *data, size_t size)
{
	const struct bytes *b = ctx;
	u64 offset = ip - b->at;

	if (offset > b->size || size > b->size - offset)
		return false;
	if (size)
		memcpy(data, b->data + offset, size);
	return true;
}

/* sp, fp: DWARF's numbers */
static void check_row(const struct cfi_row *row, unsigned sp, unsigned fp)
{
	if (row->nr_rules > CODE_ROW_RULES || (row->cfa_reg != sp && row->cfa_reg != fp))
		__builtin_trap();
	for (unsigned i = 0; i < row->nr_rules; i++)
		if (row->rules[i].kind != CFI_AT_CFA || row->kept >> row->rules[i].reg & 1)
			__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes b = { .data = data, .size = size };
	struct code_row row;
	struct x86_insn insn;

	for (size_t at = 0; at < size && at < 4096; at++) {
		/* a copy that ends where the instruction may end, so that a sanitizer sees reads behind it */
		size_t nr = size - at < X86_INSN_MAX ? size - at : X86_INSN_MAX;
		uint8_t *code = malloc(nr);

		if (!code)
			abort();
		memcpy(code, data + at, nr);
		for (int is_64bit = 0; is_64bit < 2; is_64bit++)
			if (x86_insn__decode(&insn, code, nr, is_64bit) && (!insn.size || insn.size > nr))
				__builtin_trap();
		free(code);
	}
	for (size_t i = 0; i < 64 && i < size; i++) {
		b.at = i % 2 ? 0x400000 : (u64) - (s64)(size / 2);
		if (code_row__make(&row, b.at + i, i % 4 < 2, read_bytes, &b))
			check_row(code_row__row(&row), 7, 6);
		if (code_row__make_i386(&row, b.at + i, i % 4 < 2, read_bytes, &b))
			check_row(code_row__row(&row), 4, 5);
	}
	return 0;
}
