#include "inject/jit_elf.h"

#include "base/memory/hash.h"

#include <elf.h>
#include <string.h>

enum { TEXT = 1, EH_FRAME, SYMTAB, STRTAB, NOTE, SHSTRTAB, NR_SECTIONS };

static const char *const section_names[NR_SECTIONS] = {
	"", ".text", ".eh_frame", ".symtab", ".strtab", ".note.gnu.build-id", ".shstrtab",
};

struct id_note {
	Elf64_Nhdr header;
	char name[4];
	u8 id[BUILD_ID_MAX];
};

/* Make the build-id from three hashes of everything in which two files can differ. */
static void make_id(const struct jit_function *f, struct build_id *id)
{
	u64 words[3];

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		words[i] = hash__bytes(f->code, f->size, hash__bytes(f->name, strlen(f->name), i + 1));
	id->size = BUILD_ID_MAX;
	memcpy(id->data, words, BUILD_ID_MAX);
}

static void add_section(struct strbuf *out, Elf64_Shdr *s, const void *data, size_t size, size_t align)
{
	strbuf__addchars(out, '\0', ROUND_UP(out->len, align) - out->len);
	s->sh_offset = out->len;
	s->sh_size = size;
	s->sh_addralign = align;
	strbuf__add(out, data, size);
}

static void add_symbols(struct strbuf *out, Elf64_Shdr *sections, const struct jit_function *f)
{
	const Elf64_Sym symbols[2] = {
		{ 0 },
		{ .st_name = 1,
		  .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
		  .st_shndx = TEXT,
		  .st_value = JIT_ELF_TEXT,
		  .st_size = f->size },
	};
	struct strbuf names = STRBUF_INIT;

	strbuf__addch(&names, '\0');
	strbuf__add(&names, f->name, strlen(f->name) + 1);
	sections[SYMTAB] = (Elf64_Shdr){
		.sh_type = SHT_SYMTAB, .sh_link = STRTAB, .sh_info = 1, .sh_entsize = sizeof(symbols[0])
	};
	add_section(out, &sections[SYMTAB], symbols, sizeof(symbols), 8);
	sections[STRTAB] = (Elf64_Shdr){ .sh_type = SHT_STRTAB };
	add_section(out, &sections[STRTAB], names.buf, names.len, 1);
	strbuf__exit(&names);
}

/* At the address that the frames count with (jitdump__frames_addr): just after the code. */
static void add_frames(struct strbuf *out, Elf64_Shdr *section, const struct jit_function *f)
{
	*section = (Elf64_Shdr){ .sh_type = f->frames_size ? SHT_PROGBITS : SHT_NULL };
	if (!f->frames_size)
		return;
	section->sh_flags = SHF_ALLOC;
	add_section(out, section, f->frames, f->frames_size, 8);
	section->sh_addr = section->sh_offset;
}

static void add_note(struct strbuf *out, Elf64_Shdr *section, const struct build_id *id)
{
	struct id_note note = { .header = { 4, BUILD_ID_MAX, NT_GNU_BUILD_ID }, .name = "GNU" };

	memcpy(note.id, id->data, sizeof(note.id));
	*section = (Elf64_Shdr){ .sh_type = SHT_NOTE, .sh_flags = SHF_ALLOC };
	add_section(out, section, &note, sizeof(note), 4);
}

static void add_section_names(struct strbuf *out, Elf64_Shdr *sections)
{
	struct strbuf names = STRBUF_INIT;

	sections[SHSTRTAB] = (Elf64_Shdr){ .sh_type = SHT_STRTAB };
	for (int i = 0; i < NR_SECTIONS; i++) {
		sections[i].sh_name = (Elf64_Word)names.len;
		strbuf__add(&names, section_names[i], strlen(section_names[i]) + 1);
	}
	add_section(out, &sections[SHSTRTAB], names.buf, names.len, 1);
	strbuf__exit(&names);
}

void jit_elf__build(const struct jit_function *f, struct strbuf *out, struct build_id *id)
{
	Elf64_Shdr sections[NR_SECTIONS] = { { 0 } };
	u64 end = f->frames_size ? ROUND_UP(f->size, 8) + f->frames_size : f->size;
	const Elf64_Phdr program = { .p_type = PT_LOAD,
				     .p_flags = PF_R | PF_X,
				     .p_offset = JIT_ELF_TEXT,
				     .p_vaddr = JIT_ELF_TEXT,
				     .p_paddr = JIT_ELF_TEXT,
				     .p_filesz = end,
				     .p_memsz = end,
				     .p_align = 8 };
	Elf64_Ehdr head = { .e_type = ET_DYN,
			    .e_machine = f->machine,
			    .e_version = EV_CURRENT,
			    .e_entry = JIT_ELF_TEXT,
			    .e_phoff = sizeof(head),
			    .e_ehsize = sizeof(head),
			    .e_phentsize = sizeof(program),
			    .e_phnum = 1,
			    .e_shentsize = sizeof(sections[0]),
			    .e_shnum = NR_SECTIONS,
			    .e_shstrndx = SHSTRTAB };

	memcpy(head.e_ident, ELFMAG, SELFMAG);
	head.e_ident[EI_CLASS] = ELFCLASS64;
	head.e_ident[EI_DATA] = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	head.e_ident[EI_VERSION] = EV_CURRENT;
	make_id(f, id);
	strbuf__add(out, &head, sizeof(head));
	strbuf__add(out, &program, sizeof(program));
	sections[TEXT] = (Elf64_Shdr){ .sh_type = SHT_PROGBITS,
				       .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
				       .sh_addr = JIT_ELF_TEXT };
	add_section(out, &sections[TEXT], f->code, f->size, 16);
	add_frames(out, &sections[EH_FRAME], f);
	add_symbols(out, sections, f);
	add_note(out, &sections[NOTE], id);
	add_section_names(out, sections);
	strbuf__addchars(out, '\0', ROUND_UP(out->len, 8) - out->len);
	head.e_shoff = out->len;
	strbuf__add(out, sections, sizeof(sections));
	memcpy(out->buf, &head, sizeof(head));
}
