#include "binary/elf_symbols.h"

#include "binary/elf_binary.h"
#include "binary/elf_plt.h"

#include <errno.h>
#include <string.h>

/* ---- from virtual addresses to file offsets ---- */

struct layout {
	bool identity; /* addresses stay as they are: kernel images */
	bool guessed;  /* no binary, only its debug file, whose offsets are its own */
	ARRAY(GElf_Phdr) loads;
	ARRAY(GElf_Shdr) sections; /* by index, of the file that has the symbols */
};

static void layout__read_loads(struct layout *l, const struct elf_file *f)
{
	size_t nr = 0;

	if (elf_getphdrnum(f->elf, &nr))
		return;
	for (size_t i = 0; i < nr; i++) {
		GElf_Phdr phdr;

		if (gelf_getphdr(f->elf, (int)i, &phdr) && phdr.p_type == PT_LOAD)
			array__add(&l->loads, phdr);
	}
}

static void layout__read_sections(struct layout *l, const struct elf_file *f)
{
	size_t nr = 0;

	l->sections.nr = 0;
	if (elf_getshdrnum(f->elf, &nr))
		return;
	for (size_t i = 0; i < nr; i++) {
		Elf_Scn *scn = elf_getscn(f->elf, i);
		GElf_Shdr *shdr = array__push(&l->sections);

		if (!scn || !gelf_getshdr(scn, shdr))
			memset(shdr, 0, sizeof(*shdr));
	}
}

static void layout__exit(struct layout *l)
{
	array__exit(&l->loads);
	array__exit(&l->sections);
}

/*
 * The file offset of a virtual address. A debug file's own p_offset says nothing about the binary: then
 * the offset is taken to be the distance from the first segment, which is what linkers lay out.
 */
static u64 layout__offset(const struct layout *l, u64 addr, u32 section)
{
	if (l->identity)
		return addr;
	for (size_t i = 0; i < l->loads.nr; i++) {
		const GElf_Phdr *p = &l->loads.v[i];

		if (addr >= p->p_vaddr && addr - p->p_vaddr < p->p_memsz)
			return addr - (l->guessed ? l->loads.v[0].p_vaddr : p->p_vaddr - p->p_offset);
	}
	if (section && section < l->sections.nr)
		return addr - l->sections.v[section].sh_addr + l->sections.v[section].sh_offset;
	return addr;
}

/* ---- one symbol table section ---- */

/* Assembler labels count where code or data of the program is. */
static bool is_label(const struct layout *l, const struct elf_file *f, const GElf_Sym *sym, size_t names)
{
	const char *section;

	unsigned visibility = GELF_ST_VISIBILITY(sym->st_other);

	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx >= l->sections.nr || visibility == STV_HIDDEN ||
	    visibility == STV_INTERNAL)
		return false;
	section = elf_file__str(f, (u32)names, l->sections.v[sym->st_shndx].sh_name);
	return strstr(section, "text") || strstr(section, "data");
}

static bool is_wanted(const struct layout *l, const struct elf_file *f, const GElf_Sym *sym, size_t names)
{
	if (!sym->st_name || sym->st_shndx == SHN_UNDEF || sym->st_shndx == SHN_ABS)
		return false;
	switch (GELF_ST_TYPE(sym->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
	case STT_OBJECT:
		return true;
	case STT_NOTYPE:
		return is_label(l, f, sym, names);
	}
	return false;
}

/* A module's sections have no addresses yet; its map starts with .text. */
static bool is_elsewhere_in_module(const struct layout *l, const struct elf_file *f, const GElf_Sym *sym,
				   size_t names)
{
	return f->ehdr.e_type == ET_REL &&
	       (sym->st_shndx >= l->sections.nr ||
		strcmp(elf_file__str(f, (u32)names, l->sections.v[sym->st_shndx].sh_name), ".text"));
}

/* ARM, AArch64 and RISC-V mark code and data inside functions with symbols like "$a", "$d.3". */
static bool is_mapping_symbol(const char *name, u16 machine)
{
	return name[0] == '$' && (machine == EM_ARM || machine == EM_AARCH64 || machine == EM_RISCV);
}

static enum symbol_binding binding_of(const GElf_Sym *sym)
{
	switch (GELF_ST_BIND(sym->st_info)) {
	case STB_GLOBAL:
		return SYMBOL_GLOBAL;
	case STB_WEAK:
		return SYMBOL_WEAK;
	}
	return SYMBOL_LOCAL;
}

/* Adds the table's symbols; *reference_addr: the address of the one named reference (NULL: not wanted). */
static void add_symbols(struct symtab *t, const struct elf_file *f, Elf_Scn *scn, const struct layout *l,
			const char *reference, u64 *reference_addr)
{
	Elf_Data *data = elf_file__data(scn);
	size_t entry = gelf_fsize(f->elf, ELF_T_SYM, 1, EV_CURRENT), nr, names = 0;
	GElf_Shdr shdr;
	GElf_Sym sym;

	if (!data || !gelf_getshdr(scn, &shdr) || !entry)
		return;
	elf_getshdrstrndx(f->elf, &names);
	nr = data->d_size / entry;
	array__reserve(&t->syms, nr);
	array__reserve(&t->rank, nr);
	for (size_t i = 0; i < nr && gelf_getsym(data, (int)i, &sym); i++) {
		const char *name;
		u64 addr = sym.st_value;

		if (!is_wanted(l, f, &sym, names) || is_elsewhere_in_module(l, f, &sym, names))
			continue;
		name = elf_file__str(f, shdr.sh_link, sym.st_name);
		if (!*name || is_mapping_symbol(name, f->ehdr.e_machine))
			continue;
		if (reference && !strcmp(name, reference))
			*reference_addr = addr;
		if (f->ehdr.e_machine == EM_ARM && GELF_ST_TYPE(sym.st_info) == STT_FUNC)
			addr &= ~1ull; /* Thumb */
		symtab__add(t, layout__offset(l, addr, sym.st_shndx), sym.st_size, name, binding_of(&sym));
	}
}

/* ---- which files ---- */

/* Symbols from f, at the offsets of the binary. */
static void elf_binary__read(const struct elf_binary *b, struct symtab *t, const struct elf_file *f, u32 type)
{
	struct layout layout = { 0 };
	GElf_Shdr shdr;

	layout.guessed = !elf_file__is_open(&b->file);
	layout__read_loads(&layout, elf_file__is_open(&b->file) ? &b->file : f);
	layout__read_sections(&layout, f);
	add_symbols(t, f, elf_file__section(f, NULL, type, &shdr), &layout, NULL, NULL);
	layout__exit(&layout);
	t->exported_only = type == SHT_DYNSYM;
	t->source = type == SHT_DYNSYM ? ".dynsym" : f == &b->file ? ".symtab" : "debug file";
}

/* Only what it exports, and what it has of the rest in .gnu_debugdata. */
static void elf_binary__read_stripped(const struct elf_binary *b, struct symtab *t)
{
	struct elf_file debugdata;

	elf_binary__read(b, t, &b->file, SHT_DYNSYM);
	if (!elf_binary__open_debugdata(b, &debugdata))
		return;
	elf_binary__read(b, t, &debugdata, SHT_SYMTAB);
	t->source = ".gnu_debugdata";
	elf_file__close(&debugdata);
}

int elf_symbols__load(struct symtab *t, const char *path, const struct build_id *want,
		      const struct elf_symbols_opts *opts, struct err *err)
{
	struct elf_file debug = { .fd = -1 };
	struct elf_binary b;
	bool open;
	int ret = 0;

	elf_binary__open(&b, path, want, opts ? opts->symfs : NULL);
	open = elf_file__is_open(&b.file);
	b.places = opts ? opts->places : NULL;
	t->demangled = !(opts && opts->raw_names);
	if (open && elf_file__has_symtab(&b.file)) {
		elf_binary__read(&b, t, &b.file, SHT_SYMTAB);
	} else if (!(opts && opts->skip_debug_files) &&
		   elf_binary__find_debug(&b, &debug, elf_file__has_symtab)) {
		elf_binary__read(&b, t, &debug, SHT_SYMTAB);
		elf_file__close(&debug);
	} else if (open) {
		elf_binary__read_stripped(&b, t);
	} else {
		ret = elf_binary__not_found(&b, err);
	}
	if (open)
		elf_plt__add_symbols(t, &b.file);
	if (!ret)
		symtab__finish(t);
	elf_binary__close(&b);
	return ret;
}

int elf_symbols__load_image(struct symtab *t, const void *image, size_t size, struct err *err)
{
	struct elf_binary b = { .symfs = "", .path = "" };
	int ret = elf_file__from_memory(&b.file, image, size, err);

	if (ret)
		return ret;
	elf_binary__read(&b, t, &b.file, elf_file__has_symtab(&b.file) ? SHT_SYMTAB : SHT_DYNSYM);
	elf_plt__add_symbols(t, &b.file);
	symtab__finish(t);
	elf_file__close(&b.file);
	return 0;
}

int elf_symbols__load_kernel(struct symtab *t, const char *path, const struct build_id *want,
			     const char *reference, u64 *reference_addr, struct err *err)
{
	struct layout layout = { .identity = true };
	struct build_id id;
	struct elf_file f;
	GElf_Shdr shdr;
	int ret = elf_file__open(&f, path, err);

	*reference_addr = 0;
	if (ret)
		return ret;
	if (want && want->size && !(elf_file__build_id(&f, &id) && build_id__equal(&id, want))) {
		elf_file__close(&f);
		return err__set(err, -ESTALE, "'%s' is another build than the recorded kernel", path);
	}
	layout__read_sections(&layout, &f);
	add_symbols(t, &f, elf_file__section(&f, NULL, SHT_SYMTAB, &shdr), &layout, reference,
		    reference_addr);
	layout__exit(&layout);
	elf_file__close(&f);
	t->source = "vmlinux";
	symtab__finish(t);
	if (!t->syms.nr)
		return err__set(err, -ENOENT, "'%s' has no symbols", path);
	return 0;
}
