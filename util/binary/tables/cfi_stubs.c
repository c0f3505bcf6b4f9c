/* Rows of PLT stubs, from their instructions. */
#include "binary/tables/cfi_source.h"

#include "base/memory/array.h"
#include "binary/tables/plt_stub.h"

#include <stdlib.h>

struct section {
	u64 addr;
	const void *data; /* NULL: none */
	size_t size;
};

static void *stubs__open(struct cfi_binary *b)
{
	struct section *sections = xcalloc(ELF_STUB_SECTIONS, sizeof(*sections));

	for (size_t i = 0; i < ELF_STUB_SECTIONS; i++) {
		GElf_Shdr shdr;
		Elf_Data *data = elf_file__data(elf_file__section(&b->file, elf_stub_sections[i], 0, &shdr));

		if (data)
			sections[i] = (struct section){ shdr.sh_addr, data->d_buf, data->d_size };
	}
	return sections;
}

/* Stubs keep all registers. The return address is in arm64's link register, on x86-64 on the stack. */
static bool stubs__find(void *source, struct cfi_binary *b, u64 vaddr, struct cfi_found *found)
{
	const struct section *s = source, *end = s + ELF_STUB_SECTIONS;
	struct plt_stub stub;

	while (s < end && vaddr - s->addr >= s->size)
		s++;
	if (s == end || !plt_stub__at(b->machine, s->data, s->size, vaddr - s->addr, &stub))
		return false;
	found->end = vaddr + stub.size;
	if (b->machine == EM_AARCH64) {
		found->row = (struct cfi_row){
			.kept = UINT64_MAX, .cfa_reg = 31, .cfa_offset = stub.depth, .ra = 30
		};
		return true;
	}
	found->row = (struct cfi_row){
		.kept = UINT64_MAX, .cfa_reg = 7, .cfa_offset = stub.depth + 8, .ra = 16, .nr_rules = 1
	};
	found->rules[0] = (struct cfi_rule){ .reg = 16, .kind = CFI_AT_CFA, .offset = -8 };
	return true;
}

const struct cfi_source cfi_stubs = { .open = stubs__open, .find = stubs__find, .close = free };
