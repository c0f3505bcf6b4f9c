/* Code of ELF files: which functions of an ARM file are Thumb code. */
#include "unit.h"

#include "binary/code/disasm.h"
#include "binary/code/elf_code.h"

#include <elf.h>
#include <string.h>

enum { CODE_AT = 0x1000, CODE_SIZE = 16 };

/* An ARM program with a table of symbols; names are at these offsets. */
struct arm_file {
	Elf32_Ehdr ehdr;
	Elf32_Phdr phdr;
	u8 code[CODE_SIZE];
	Elf32_Sym symbols[5];
	char names[32];
	Elf32_Shdr sections[4];
};

enum { NAME_THUMB = 1, NAME_ARM = 7, NAME_T = 11, NAME_DATA = 14 };

static Elf32_Sym symbol(u32 name, u32 value, u8 type)
{
	return (Elf32_Sym){
		.st_name = name, .st_value = value, .st_info = ELF32_ST_INFO(STB_LOCAL, type), .st_shndx = 1
	};
}

static void make_file(struct arm_file *f)
{
	static const char names[] = "\0thumb\0arm\0$t\0data";
	/* bx lr, as Thumb code and as ARM code */
	static const u8 code[CODE_SIZE] = {
		0x70, 0x47, 0, 0, 0, 0, 0, 0, 0x1e, 0xff, 0x2f, 0xe1, 0x70, 0x47
	};

	*f = (struct arm_file){
		.ehdr = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32, ELFDATA2LSB,
				       EV_CURRENT },
			  .e_type = ET_EXEC,
			  .e_machine = EM_ARM,
			  .e_version = EV_CURRENT,
			  .e_entry = CODE_AT + 1,
			  .e_phoff = offsetof(struct arm_file, phdr),
			  .e_shoff = offsetof(struct arm_file, sections),
			  .e_ehsize = sizeof(Elf32_Ehdr),
			  .e_phentsize = sizeof(Elf32_Phdr),
			  .e_phnum = 1,
			  .e_shentsize = sizeof(Elf32_Shdr),
			  .e_shnum = 4 },
		.phdr = { .p_type = PT_LOAD,
			  .p_offset = offsetof(struct arm_file, code),
			  .p_vaddr = CODE_AT,
			  .p_filesz = CODE_SIZE,
			  .p_memsz = CODE_SIZE,
			  .p_flags = PF_R | PF_X },
		.symbols = { [1] = symbol(NAME_ARM, CODE_AT + 8, STT_FUNC),
			     [2] = symbol(NAME_DATA, CODE_AT + 10, STT_OBJECT),
			     [3] = symbol(NAME_T, CODE_AT + 12, STT_NOTYPE),
			     [4] = symbol(NAME_THUMB, CODE_AT + 1, STT_FUNC) },
		.sections = { [1] = { .sh_type = SHT_PROGBITS,
				      .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
				      .sh_addr = CODE_AT,
				      .sh_offset = offsetof(struct arm_file, code),
				      .sh_size = CODE_SIZE },
			      [2] = { .sh_type = SHT_SYMTAB,
				      .sh_offset = offsetof(struct arm_file, symbols),
				      .sh_size = sizeof(f->symbols),
				      .sh_link = 3,
				      .sh_entsize = sizeof(Elf32_Sym) },
			      [3] = { .sh_type = SHT_STRTAB,
				      .sh_offset = offsetof(struct arm_file, names),
				      .sh_size = sizeof(f->names) } },
	};
	memcpy(f->code, code, sizeof(code));
	memcpy(f->names, names, sizeof(names));
}

static void symbols_tell_thumb_code(void **state)
{
	static const struct {
		u64 addr;
		u16 machine;
	} rows[] = {
		{ CODE_AT - 1, MACHINE_THUMB }, /* no symbol: as the entry point */
		{ CODE_AT, MACHINE_THUMB },      { CODE_AT + 7, MACHINE_THUMB },
		{ CODE_AT + 8, EM_ARM },         { CODE_AT + 10, EM_ARM }, /* data tells nothing */
		{ CODE_AT + 12, MACHINE_THUMB }, { CODE_AT + 15, MACHINE_THUMB },
	};
	struct arm_file f;
	struct elf_code *c;

	(void)state;
	make_file(&f);
	assert_int_equal(elf_code__open_image(&c, &f, sizeof(f), NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(elf_code__machine_at(c, rows[i].addr), rows[i].machine);
	elf_code__delete(c);
	f.ehdr.e_entry = CODE_AT + 8;
	assert_int_equal(elf_code__open_image(&c, &f, sizeof(f), NULL), 0);
	assert_int_equal(elf_code__machine_at(c, CODE_AT - 1), EM_ARM);
	elf_code__delete(c);
	f.ehdr.e_machine = EM_386;
	assert_int_equal(elf_code__open_image(&c, &f, sizeof(f), NULL), 0);
	assert_int_equal(elf_code__machine_at(c, CODE_AT), EM_386);
	elf_code__delete(c);
}

static void thumb_code_is_disassembled(void **state)
{
	static const struct {
		u8 at, size;
	} rows[] = { { 0, 2 }, { 8, 4 }, { 12, 2 } };
	struct arm_file f;
	struct elf_code *c;

	(void)state;
	make_file(&f);
	assert_int_equal(elf_code__open_image(&c, &f, sizeof(f), NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct disasm *d;
		struct insn insn;

		if (disasm__new(&d, elf_code__machine_at(c, CODE_AT + rows[i].at), false, DISASM_ATT, NULL)) {
			elf_code__delete(c);
			skip(); /* libcapstone is not there */
		}
		disasm__next(d, f.code + rows[i].at, CODE_SIZE - rows[i].at, CODE_AT + rows[i].at, &insn);
		assert_string_equal(insn.mnemonic, "bx");
		assert_string_equal(insn.operands, "lr");
		assert_int_equal(insn.size, rows[i].size);
		disasm__delete(d);
	}
	elf_code__delete(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symbols_tell_thumb_code),
		cmocka_unit_test(thumb_code_is_disassembled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
