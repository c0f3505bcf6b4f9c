#include "binary/symbols/elf_symbols.h"

#include "base/memory/reserve.h"
#include "base/message/msg.h"
#include "binary/elf/elf_binary.h"
#include "binary/elf/elf_loads.h"
#include "binary/symbols/elf_plt.h"
#include "binary/tables/go_table.h"
#include "binary/elf/kernel_file.h"

#include <errno.h>
#include <string.h>

/* ---- from virtual addresses to file offsets ---- */

struct layout {
	bool identity; /* kernel images: do not translate addresses */
	elf_phdr_array loads;
	ARRAY(GElf_Shdr) sections; /* by index, of the file with the symbols */
};

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
 * Return the file offset of a virtual address. An address after a segment, such as that of etext, counts
 * from the segment's start. Sections do not help where there are segments: those of debug files have other
 * offsets.
 */
static u64 layout__offset(const struct layout *l, u64 addr, u32 section)
{
	const GElf_Phdr *before = NULL;

	if (l->identity)
		return addr;
	for (size_t i = 0; i < l->loads.nr; i++) {
		const GElf_Phdr *p = &l->loads.v[i];

		if (addr >= p->p_vaddr && addr - p->p_vaddr < p->p_memsz)
			return addr - p->p_vaddr + p->p_offset;
		if (addr >= p->p_vaddr && (!before || before->p_vaddr <= p->p_vaddr))
			before = p;
	}
	if (before)
		return addr - before->p_vaddr + before->p_offset;
	if (section && section < l->sections.nr && !l->loads.nr)
		return addr - l->sections.v[section].sh_addr + l->sections.v[section].sh_offset;
	return addr;
}

/* ---- one symbol table section ---- */

/* Assembler labels in sections of code, or with the name of data, are symbols, too. */
static bool is_label(const struct layout *l, const struct elf_file *f, const GElf_Sym *sym, size_t names)
{
	const char *section;

	unsigned visibility = GELF_ST_VISIBILITY(sym->st_other);

	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx >= l->sections.nr || visibility == STV_HIDDEN ||
	    visibility == STV_INTERNAL)
		return false;
	if (l->sections.v[sym->st_shndx].sh_flags & SHF_EXECINSTR)
		return true;
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

/*
 * Make *addr the offset from the start of a module's code. Return false if the symbol is not in placed code.
 */
static bool place_in_module(const struct layout *l, const GElf_Sym *sym, u64 *addr)
{
	if (sym->st_shndx >= l->sections.nr || l->sections.v[sym->st_shndx].sh_addr == MODULE_NOT_PLACED)
		return false;
	*addr += l->sections.v[sym->st_shndx].sh_addr;
	return true;
}

/* ARM, AArch64 and RISC-V mark code and data inside functions with symbols such as "$a" and "$d.3". */
static bool is_mapping_symbol(const char *name, u16 machine)
{
	return name[0] == '$' && (machine == EM_ARM || machine == EM_AARCH64 || machine == EM_RISCV);
}

/*
 * Compilers' own labels, such as those that a jump table leads to, are inside functions. They stay in the
 * table where relocations name them: in 32-bit code for x86, and for RISC-V. Functions of PowerPC may have
 * such names.
 */
static bool is_local_label(const GElf_Sym *sym, const char *name, u16 machine)
{
	return GELF_ST_TYPE(sym->st_info) == STT_NOTYPE && GELF_ST_BIND(sym->st_info) == STB_LOCAL &&
	       !strncmp(name, ".L", 2) && machine != EM_PPC64 && machine != EM_PPC;
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

enum { SYMBOLS_MAX = 1 << 28 };

/* A symbol table section, read in pieces. */
struct symbols {
	const struct elf_file *f;
	GElf_Shdr shdr;
	size_t entry, nr; /* bytes of an entry, number of entries */
	bool swap;
	size_t names_size;
	u8 piece[1 << 16];
};

static bool symbols__open(struct symbols *s, const struct elf_file *f, Elf_Scn *scn)
{
	s->f = f;
	s->entry = f->ehdr.e_ident[EI_CLASS] == ELFCLASS64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	s->swap = (f->ehdr.e_ident[EI_DATA] == ELFDATA2MSB) != (__BYTE_ORDER == __BIG_ENDIAN);
	if (!scn || !gelf_getshdr(scn, &s->shdr) || s->shdr.sh_type == SHT_NOBITS ||
	    s->shdr.sh_flags & SHF_COMPRESSED || s->shdr.sh_size < s->entry ||
	    !elf_file__holds(f, s->shdr.sh_offset, s->shdr.sh_size))
		return false;
	s->nr = MIN(s->shdr.sh_size / s->entry, (u64)SYMBOLS_MAX);
	return true;
}

/* Limit names by the section with the names, and make it the text of the table if possible. */
static bool symbols__take_names(struct symbols *s, struct symtab *t)
{
	GElf_Shdr strings;
	char *text;

	if (!gelf_getshdr(elf_getscn(s->f->elf, s->shdr.sh_link), &strings) ||
	    strings.sh_type != SHT_STRTAB || strings.sh_flags & SHF_COMPRESSED || !strings.sh_size ||
	    !elf_file__holds(s->f, strings.sh_offset, strings.sh_size)) {
		symtab__limit_names(t, 0);
		return false;
	}
	symtab__limit_names(t, strings.sh_size);
	text = symtab__take_text(t, strings.sh_size);
	if (!text)
		return false;
	if (!elf_file__read(s->f, text, strings.sh_size, strings.sh_offset))
		memset(text, 0, strings.sh_size);
	s->names_size = strings.sh_size;
	return true;
}

static void decode_symbol(const struct symbols *s, const u8 *bytes, GElf_Sym *sym)
{
	if (s->entry == sizeof(Elf64_Sym)) {
		memcpy(sym, bytes, sizeof(*sym));
	} else {
		Elf32_Sym small;

		memcpy(&small, bytes, sizeof(small));
		*sym = (GElf_Sym){ .st_name = small.st_name,
				   .st_info = small.st_info,
				   .st_other = small.st_other,
				   .st_shndx = small.st_shndx };
		sym->st_value = s->swap ? (u64)small.st_value << 32 : small.st_value;
		sym->st_size = s->swap ? (u64)small.st_size << 32 : small.st_size;
	}
	if (s->swap) {
		sym->st_name = __builtin_bswap32(sym->st_name);
		sym->st_shndx = __builtin_bswap16(sym->st_shndx);
		sym->st_value = __builtin_bswap64(sym->st_value);
		sym->st_size = __builtin_bswap64(sym->st_size);
	}
}

/* Get symbol i; call it for ascending i. */
static bool symbols__get(struct symbols *s, size_t i, GElf_Sym *sym)
{
	size_t in_piece = sizeof(s->piece) / s->entry;

	if (i % in_piece == 0 && !elf_file__read(s->f, s->piece, MIN(in_piece, s->nr - i) * s->entry,
						 s->shdr.sh_offset + i * s->entry))
		return false;
	decode_symbol(s, s->piece + i % in_piece * s->entry, sym);
	return true;
}

/*
 * Add the section's symbols. *reference_addr: address of the symbol named reference (NULL: not wanted).
 * Return the size of the section with their names if the text of the table now begins with it, else 0.
 */
static size_t add_symbols(struct symtab *t, const struct elf_file *f, Elf_Scn *scn, const struct layout *l,
			  const char *reference, u64 *reference_addr)
{
	size_t names = 0;
	struct symbols s;
	bool in_text;
	GElf_Sym sym;

	if (!symbols__open(&s, f, scn))
		return 0;
	elf_getshdrstrndx(f->elf, &names);
	in_text = symbols__take_names(&s, t);
	symtab__expect(t, s.nr, 0);
	for (size_t i = 0; i < s.nr && symbols__get(&s, i, &sym); i++) {
		const char *name;
		u64 addr = sym.st_value;

		if (!is_wanted(l, f, &sym, names) ||
		    (f->ehdr.e_type == ET_REL && !place_in_module(l, &sym, &addr)))
			continue;
		if (in_text)
			name = sym.st_name < s.names_size ? t->text.v + sym.st_name : "";
		else
			name = elf_file__str(f, s.shdr.sh_link, sym.st_name);
		if (!*name || is_mapping_symbol(name, f->ehdr.e_machine) ||
		    is_local_label(&sym, name, f->ehdr.e_machine))
			continue;
		if (reference && !strcmp(name, reference))
			*reference_addr = addr;
		if (f->ehdr.e_machine == EM_ARM && GELF_ST_TYPE(sym.st_info) == STT_FUNC)
			addr &= ~1ull; /* Thumb */
		addr = layout__offset(l, addr, sym.st_shndx);
		name = symtab__name_within(t, name);
		if (in_text)
			symtab__add_at(t, addr, sym.st_size, (u32)(name - t->text.v), binding_of(&sym));
		else
			symtab__add(t, addr, sym.st_size, name, binding_of(&sym));
	}
	return in_text ? s.names_size : 0;
}

/* ---- which files ---- */

/* Add the symbols of f, at file offsets of the binary. Return what add_symbols returns. */
static size_t elf_binary__read(const struct elf_binary *b, struct symtab *t, const struct elf_file *f,
			       u32 type)
{
	struct layout layout = { 0 };
	GElf_Shdr shdr;
	size_t in_text;

	if (elf_file__is_open(&b->file))
		elf_file__loads(&b->file, &layout.loads);
	else
		t->is_guessed = !elf_debug_loads(f, b->places, &layout.loads);
	layout__read_sections(&layout, f);
	in_text = add_symbols(t, f, elf_file__section(f, NULL, type, &shdr), &layout, NULL, NULL);
	layout__exit(&layout);
	t->exported_only = type == SHT_DYNSYM;
	t->source = type == SHT_DYNSYM ? ".dynsym" : f == &b->file ? ".symtab" : "debug file";
	return in_text;
}

/* Add the functions of Go's traceback table. */
static void elf_binary__read_go(const struct elf_binary *b, struct symtab *t)
{
	struct layout layout = { 0 };
	struct go_functions all;
	struct go_function f;
	struct go_table go;

	if (!go_table__open(&go, &b->file))
		return;
	elf_file__loads(&b->file, &layout.loads);
	all = (struct go_functions){ .table = &go, .room = go.size };
	while (go_functions__next(&all, &f))
		symtab__add(t, layout__offset(&layout, f.start, 0), f.end - f.start, f.name, SYMBOL_GLOBAL);
	layout__exit(&layout);
	t->source = ".gopclntab";
}

/* Return the compressed symbol table in the binary, with symbols that .dynsym lacks, or NULL. */
static Elf_Data *find_debugdata(const struct elf_binary *b)
{
	GElf_Shdr shdr;

	return elf_file__data(elf_file__section(&b->file, ".gnu_debugdata", 0, &shdr));
}

/* Add exported symbols, and functions from .gopclntab and .gnu_debugdata. Return as elf_binary__read. */
static size_t elf_binary__read_stripped(const struct elf_binary *b, struct symtab *t)
{
	size_t in_text = elf_binary__read(b, t, &b->file, SHT_DYNSYM);
	struct elf_file debugdata;
	Elf_Data *packed;
	int ret;

	elf_binary__read_go(b, t);
	packed = find_debugdata(b);
	ret = packed ? elf_file__from_packed(&debugdata, packed->d_buf, packed->d_size, NULL) : -ENODATA;
	if (ret == -EFBIG) /* other errors: as if it had none */
		warning("'%s': .gnu_debugdata is left out: it unpacks to more than a true one does", b->path);
	if (ret)
		return in_text;
	elf_binary__read(b, t, &debugdata, SHT_SYMTAB);
	t->source = ".gnu_debugdata";
	elf_file__close(&debugdata);
	return in_text;
}

int elf_symbols__load(struct symtab *t, const char *path, const struct build_id *want,
		      const struct elf_symbols_opts *opts, struct err *err)
{
	struct debug_places places = { 0 };
	const struct elf_file *f;
	size_t dynstr_in_text = 0;
	struct elf_binary b;
	bool open;
	int ret = 0;

	elf_binary__open(&b, path, want, opts ? opts->symfs : NULL, &places);
	open = elf_file__is_open(&b.file);
	if (opts && opts->places)
		places = *opts->places;
	if (open && find_debugdata(&b))
		places.debuginfod = NULL; /* the binary has enough names: do not ask servers */
	t->demangled = !(opts && opts->raw_names);
	f = elf_binary__find(&b, elf_file__has_symtab);
	if (f)
		elf_binary__read(&b, t, f, SHT_SYMTAB);
	else if (open)
		dynstr_in_text = elf_binary__read_stripped(&b, t);
	else
		ret = elf_binary__not_found(&b, err);
	if (open)
		elf_plt__add_symbols(t, &b.file, dynstr_in_text);
	if (t->has_cut_names)
		warning("'%s': symbols share the bytes of long names: some names are cut to their last %d "
			"bytes",
			path, NAME_SHORT);
	if (!ret)
		symtab__finish(t);
	elf_binary__close(&b);
	return ret;
}

int elf_symbols__load_image(struct symtab *t, const void *image, size_t size, struct err *err)
{
	struct elf_binary b = { .root = "", .path = "" };
	int ret = elf_file__from_memory(&b.file, image, size, err);

	if (ret)
		return ret;
	elf_binary__read(&b, t, &b.file, elf_file__has_symtab(&b.file) ? SHT_SYMTAB : SHT_DYNSYM);
	elf_plt__add_symbols(t, &b.file, 0);
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
	if (f.ehdr.e_type == ET_REL)
		module__place_sections(&f, layout.sections.v, layout.sections.nr);
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
