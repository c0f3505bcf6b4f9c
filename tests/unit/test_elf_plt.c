/* Names of PLT stubs, from small images of several machines. */
#include "unit.h"

#include "binary/symbols/elf_symbols.h"

#include <elf.h>
#include <string.h>

enum {
	PLT_AT = 0x200, /* file offset of the stubs */
	GOT = 0x5000,
	PLT_ADDR = 0x1000 + PLT_AT,
};

enum { SEC_NULL, SEC_DYNSYM, SEC_DYNSTR, SEC_RELA, SEC_PLT, SEC_NAMES, SECS };

struct image {
	Elf64_Ehdr ehdr;
	Elf64_Phdr load;
	Elf64_Sym syms[3];
	Elf64_Rela relas[2];
	char strings[16];
	char names[48];
	Elf64_Shdr sections[SECS];
	u8 pad[8];
} __attribute__((aligned(16)));

union file {
	struct image i;
	u8 bytes[1024];
};

static const char strings[] = "\0one\0_Z3twov";
static const char names[] = "\0.dynsym\0.dynstr\0.rela.plt\0.plt.sec\0.shstrtab";

static Elf64_Shdr section(const char *name, u32 type, size_t offset, size_t size, u32 link, size_t entsize)
{
	const char *at = memmem(names, sizeof(names), name, strlen(name) + 1);

	return (Elf64_Shdr){ .sh_name = (u32)(at - names),
			     .sh_type = type,
			     .sh_addr = 0x1000 + offset,
			     .sh_offset = offset,
			     .sh_size = size,
			     .sh_link = link,
			     .sh_entsize = entsize };
}

/* Two functions that two GOT slots lead to, and nothing in .plt (.plt.sec, ...) yet. */
static void make_image(union file *f, u16 machine, const char *plt, size_t plt_size, size_t plt_entry)
{
	struct image *i = &f->i;

	memset(f, 0, sizeof(*f));
	memcpy(i->ehdr.e_ident, ELFMAG, SELFMAG);
	i->ehdr.e_ident[EI_CLASS] = ELFCLASS64;
	i->ehdr.e_ident[EI_DATA] = ELFDATA2LSB;
	i->ehdr.e_ident[EI_VERSION] = EV_CURRENT;
	i->ehdr.e_type = ET_DYN;
	i->ehdr.e_machine = machine;
	i->ehdr.e_version = EV_CURRENT;
	i->ehdr.e_ehsize = sizeof(i->ehdr);
	i->ehdr.e_phoff = offsetof(struct image, load);
	i->ehdr.e_phentsize = sizeof(i->load);
	i->ehdr.e_phnum = 1;
	i->ehdr.e_shoff = offsetof(struct image, sections);
	i->ehdr.e_shentsize = sizeof(i->sections[0]);
	i->ehdr.e_shnum = SECS;
	i->ehdr.e_shstrndx = SEC_NAMES;
	i->load = (Elf64_Phdr){
		.p_type = PT_LOAD, .p_vaddr = 0x1000, .p_filesz = sizeof(*f), .p_memsz = sizeof(*f)
	};
	memcpy(i->strings, strings, sizeof(strings));
	memcpy(i->names, names, sizeof(names));
	i->syms[1] = (Elf64_Sym){ .st_name = 1, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC) };
	i->syms[2] = (Elf64_Sym){ .st_name = 5, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC) };
	i->relas[0] = (Elf64_Rela){ .r_offset = GOT, .r_info = ELF64_R_INFO(1, R_X86_64_JUMP_SLOT) };
	i->relas[1] = (Elf64_Rela){ .r_offset = GOT + 8, .r_info = ELF64_R_INFO(2, R_X86_64_JUMP_SLOT) };
	i->sections[SEC_DYNSYM] = section(".dynsym", SHT_DYNSYM, offsetof(struct image, syms),
					  sizeof(i->syms), SEC_DYNSTR, sizeof(Elf64_Sym));
	i->sections[SEC_DYNSTR] =
		section(".dynstr", SHT_STRTAB, offsetof(struct image, strings), sizeof(i->strings), 0, 0);
	i->sections[SEC_RELA] = section(".rela.plt", SHT_RELA, offsetof(struct image, relas),
					sizeof(i->relas), SEC_DYNSYM, sizeof(Elf64_Rela));
	i->sections[SEC_PLT] = section(".plt.sec", SHT_PROGBITS, PLT_AT + 0x100, plt_size, 0, plt_entry);
	i->sections[SEC_PLT].sh_addr = PLT_ADDR + 0x100;
	i->sections[SEC_NAMES] =
		section(".shstrtab", SHT_STRTAB, offsetof(struct image, names), sizeof(i->names), 0, 0);
	if (!strcmp(plt, ".plt")) {
		i->names[sizeof(names) - 1] = '\0';
		memcpy(memmem(i->names, sizeof(i->names), ".plt.sec", 8), ".plt\0xyz", 8);
	}
}

/* "jmp *GOT(%rip)" at offset at of the stubs. */
static void put_jump(union file *f, size_t at, u64 got)
{
	u8 *p = f->bytes + PLT_AT + 0x100 + at;
	s32 disp = (s32)(got - (PLT_ADDR + 0x100 + at + 6));

	p[0] = 0xff;
	p[1] = 0x25;
	memcpy(p + 2, &disp, sizeof(disp));
}

static void check(const union file *f, size_t nr, const size_t *offsets, const char *const *want)
{
	struct symtab t;

	symtab__init(&t);
	assert_int_equal(elf_symbols__load_image(&t, f, sizeof(*f), NULL), 0);
	for (size_t i = 0; i < nr; i++) {
		const struct symbol *s = symtab__find(&t, PLT_AT + 0x100 + offsets[i]);

		if (want[i]) {
			assert_non_null(s);
			assert_string_equal(symtab__name(&t, s), want[i]);
		} else {
			assert_null(s);
		}
	}
	symtab__exit(&t);
}

/* The stubs stand in the other order than the relocations: the code decides. */
static void x86_stubs_are_named_by_their_jump(void **state)
{
	static const size_t offsets[] = { 0, 15, 16, 31, 32 };
	static const char *const want[] = { "_Z3twov@plt", "_Z3twov@plt", "one@plt", "one@plt", NULL };
	union file f;

	(void)state;
	make_image(&f, EM_X86_64, ".plt.sec", 48, 16);
	put_jump(&f, 4, GOT + 8); /* behind an endbr64 */
	put_jump(&f, 16, GOT);
	put_jump(&f, 32, GOT + 64); /* a slot that nothing fills */
	check(&f, ARRAY_SIZE(offsets), offsets, want);
}

static void static_stubs_are_8_bytes(void **state)
{
	static const size_t offsets[] = { 0, 7, 8, 16 };
	static const char *const want[] = { "one@plt", "one@plt", "_Z3twov@plt", NULL };
	union file f;

	(void)state;
	make_image(&f, EM_X86_64, ".plt.sec", 16, 0);
	put_jump(&f, 0, GOT);
	put_jump(&f, 8, GOT + 8);
	check(&f, ARRAY_SIZE(offsets), offsets, want);
}

static void other_machines_go_by_order(void **state)
{
	static const size_t offsets[] = { 0, 15, 16, 31, 32, 47, 48 };
	static const char *const want[] = { NULL,          NULL,          "one@plt", "one@plt",
					    "_Z3twov@plt", "_Z3twov@plt", NULL };
	union file f;

	(void)state;
	make_image(&f, EM_386, ".plt", 48, 16);
	check(&f, ARRAY_SIZE(offsets), offsets, want);
}

static void put_arm64_stub(union file *f, size_t at, u64 got, u32 branch)
{
	u64 addr = PLT_ADDR + 0x100 + at, pages = (got >> 12) - (addr >> 12);
	u32 code[] = { 0x90000010 | (u32)(pages & 3) << 29 | (u32)(pages >> 2 & 0x7ffff) << 5,
		       0xf9400211 | (u32)(got & 0xfff) / 8 << 10, 0x91000210, branch };

	memcpy(f->bytes + PLT_AT + 0x100 + at, code, sizeof(code));
}

/* As on x86-64; with a landing pad, and with a signed pointer, which makes stubs longer. */
static void arm64_stubs_are_named_by_their_load(void **state)
{
	static const size_t offsets[] = { 0, 31, 32, 47, 48, 56, 71, 72 };
	static const char *const want[] = { NULL, NULL,      "_Z3twov@plt", "_Z3twov@plt",
					    NULL, "one@plt", "one@plt",     NULL };
	static const u32 bti_c = 0xd503245f;
	union file f;

	(void)state;
	make_image(&f, EM_AARCH64, ".plt", 96, 16);
	put_arm64_stub(&f, 4, GOT + 64, 0xd61f0220); /* of the loader: a slot that has no name */
	put_arm64_stub(&f, 32, GOT + 8, 0xd61f0220);
	memcpy(f.bytes + PLT_AT + 0x100 + 56, &bti_c, 4);
	put_arm64_stub(&f, 60, GOT, 0xd71f0a30);
	check(&f, 5, offsets, want);
	check(&f, 1, &offsets[5], &want[5]);
}

static void nonsense_is_survived(void **state)
{
	union file f, g;

	(void)state;
	make_image(&f, EM_X86_64, ".plt.sec", 32, 16);
	put_jump(&f, 0, GOT);
	for (size_t i = EI_CLASS; i < sizeof(f); i++)
		for (unsigned value = 0; value < 256; value += 51) {
			struct symtab t;

			g = f;
			g.bytes[i] = (u8)value;
			symtab__init(&t);
			elf_symbols__load_image(&t, &g, sizeof(g), NULL);
			symtab__exit(&t);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(x86_stubs_are_named_by_their_jump),
		cmocka_unit_test(static_stubs_are_8_bytes),
		cmocka_unit_test(other_machines_go_by_order),
		cmocka_unit_test(arm64_stubs_are_named_by_their_load),
		cmocka_unit_test(nonsense_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
