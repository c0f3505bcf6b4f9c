#include "binary/code/elf_code.h"

#include "base/memory/array.h"
#include "base/system/file.h"
#include "binary/elf/elf_binary.h"
#include "binary/elf/kernel_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

enum {
	STRING_MIN = 2, /* shortest string, in characters */
	NAMES_MAX = 1 << 22,
};

struct elf_datum_name {
	u64 addr, size; /* size 0: unknown; linked addresses */
	const char *name;
	bool is_slot;
};

struct elf_mode { /* from a linked address on */
	u64 addr;
	u16 machine;
};

struct elf_code {
	struct elf_binary binary;
	struct elf_file *file; /* of the binary, or own */
	struct elf_file own;   /* an image, kcore */
	elf_phdr_array loads;
	bool has_names;
	ARRAY(struct elf_datum_name) names; /* sorted by address */
	bool has_modes;
	ARRAY(struct elf_mode) modes; /* of ARM; sorted by address */
};

/* ---- life ---- */

static struct elf_code *elf_code__new(void)
{
	struct elf_code *c = xcalloc(1, sizeof(*c));

	c->binary.file.fd = c->binary.debug.fd = c->own.fd = -1;
	return c;
}

void elf_code__delete(struct elf_code *c)
{
	if (!c)
		return;
	elf_binary__close(&c->binary);
	elf_file__close(&c->own);
	array__exit(&c->loads);
	array__exit(&c->names);
	array__exit(&c->modes);
	free(c);
}

/* Take over c, whose file is open or failed to with ret. */
static int elf_code__use(struct elf_code **code, struct elf_code *c, struct elf_file *f, int ret)
{
	if (ret) {
		elf_code__delete(c);
		return ret;
	}
	c->file = f;
	elf_file__loads(f, &c->loads);
	*code = c;
	return 0;
}

int elf_code__open(struct elf_code **code, const char *root, const char *path,
		   const struct debug_places *places, struct err *err)
{
	struct elf_code *c = elf_code__new();
	int ret = 0;

	elf_binary__open(&c->binary, path, NULL, root, places);
	if (!elf_file__is_open(&c->binary.file))
		ret = elf_binary__not_found(&c->binary, err);
	return elf_code__use(code, c, &c->binary.file, ret);
}

int elf_code__open_image(struct elf_code **code, const void *image, size_t size, struct err *err)
{
	struct elf_code *c = elf_code__new();

	return elf_code__use(code, c, &c->own, elf_file__from_memory(&c->own, image, size, err));
}

int elf_code__open_kcore(struct elf_code **code, struct err *err)
{
	struct elf_code *c = elf_code__new();
	int fd = open("/proc/kcore", O_RDONLY | O_CLOEXEC), ret = fd < 0 ? -errno : 0;

	elf_version(EV_CURRENT);
	c->own.fd = fd;
	if (!ret && !(c->own.elf = elf_begin(fd, ELF_C_READ, NULL)))
		ret = -EINVAL;
	if (!ret && (elf_kind(c->own.elf) != ELF_K_ELF || !gelf_getehdr(c->own.elf, &c->own.ehdr)))
		ret = -EINVAL;
	if (ret)
		err__set(err, ret, "cannot read '/proc/kcore': %s", err__str(ret));
	return elf_code__use(code, c, &c->own, ret);
}

/* ---- ARM and Thumb ---- */

/*
 * The addresses of functions in Thumb code have bit 0 set, and $t and $a mark where such code and ARM code
 * begin. (ELF for the Arm Architecture, sections 5.5.3 and 5.5.5)
 */
static void elf_code__read_modes_of(struct elf_code *c, const struct elf_file *f, u32 type)
{
	GElf_Shdr shdr;
	Elf_Data *data = elf_file__data(elf_file__section(f, NULL, type, &shdr));
	size_t nr = data && shdr.sh_entsize ? data->d_size / shdr.sh_entsize : 0;
	GElf_Sym sym;

	for (size_t i = 0; i < MIN(nr, (size_t)NAMES_MAX) && gelf_getsym(data, (int)i, &sym); i++) {
		const char *name = elf_file__str(f, shdr.sh_link, sym.st_name);
		bool is_function = GELF_ST_TYPE(sym.st_info) == STT_FUNC;
		bool is_thumb = is_function ? sym.st_value & 1 : !strncmp(name, "$t", 2);

		if (sym.st_shndx != SHN_UNDEF && (is_function || is_thumb || !strncmp(name, "$a", 2)))
			array__add(&c->modes, ((struct elf_mode){ sym.st_value & ~1ull,
								  is_thumb ? MACHINE_THUMB : EM_ARM }));
	}
}

static int compare_modes(const void *a, const void *b)
{
	const struct elf_mode *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static const struct elf_file *elf_code__file_with_symtab(struct elf_code *c)
{
	return c->file == &c->binary.file ? elf_binary__find(&c->binary, elf_file__has_symtab) : c->file;
}

static void elf_code__read_modes(struct elf_code *c)
{
	const struct elf_file *f = elf_code__file_with_symtab(c);

	c->has_modes = true;
	if (f)
		elf_code__read_modes_of(c, f, SHT_SYMTAB);
	elf_code__read_modes_of(c, c->file, SHT_DYNSYM);
	if (c->modes.nr)
		qsort(c->modes.v, c->modes.nr, sizeof(*c->modes.v), compare_modes);
}

u16 elf_code__machine_at(struct elf_code *c, u64 vaddr)
{
	const GElf_Ehdr *ehdr = &c->file->ehdr;
	size_t i;

	if (ehdr->e_machine != EM_ARM)
		return ehdr->e_machine;
	if (!c->has_modes)
		elf_code__read_modes(c);
	i = bisect(k, 0, c->modes.nr, c->modes.v[k].addr <= vaddr);
	if (i)
		return c->modes.v[i - 1].machine;
	return ehdr->e_entry & 1 ? MACHINE_THUMB : EM_ARM;
}

bool elf_code__is_big_endian(const struct elf_code *c)
{
	return c->file->ehdr.e_ident[EI_DATA] == ELFDATA2MSB;
}

bool elf_code__has_section(const struct elf_code *c, const char *name)
{
	GElf_Shdr shdr;

	return elf_file__section(c->file, name, 0, &shdr) != NULL;
}

/* ---- addresses ---- */

bool elf_code__vaddr(const struct elf_code *c, u64 offset, u64 *vaddr)
{
	for (size_t i = 0; i < c->loads.nr; i++) {
		const GElf_Phdr *p = &c->loads.v[i];

		if (offset < p->p_offset || offset - p->p_offset >= p->p_filesz)
			continue;
		*vaddr = p->p_vaddr + (offset - p->p_offset);
		return true;
	}
	return false;
}

static const GElf_Phdr *elf_code__load(const struct elf_code *c, u64 vaddr)
{
	for (size_t i = 0; i < c->loads.nr; i++)
		if (vaddr >= c->loads.v[i].p_vaddr && vaddr - c->loads.v[i].p_vaddr < c->loads.v[i].p_filesz)
			return &c->loads.v[i];
	return NULL;
}

bool elf_code__offset(const struct elf_code *c, u64 vaddr, u64 *offset)
{
	const GElf_Phdr *p = elf_code__load(c, vaddr);

	if (p)
		*offset = vaddr - p->p_vaddr + p->p_offset;
	return p;
}

size_t elf_code__read(const struct elf_code *c, u64 vaddr, u64 size, struct strbuf *out)
{
	const GElf_Phdr *p = elf_code__load(c, vaddr);
	u64 at = p ? vaddr - p->p_vaddr : 0, offset = p ? p->p_offset + at : 0;
	size_t len = out->len, n;

	if (!p || offset < at)
		return 0;
	n = (size_t)MIN(size, p->p_filesz - at);
	while (n && !elf_file__holds(c->file, offset, n)) /* the file was cut off */
		n /= 2;
	strbuf__grow(out, n);
	if (!n || !elf_file__read(c->file, out->buf + len, n, offset))
		return 0;
	strbuf__setlen(out, len + n);
	return n;
}

u64 elf_code__symbol(const struct elf_code *c, const char *name)
{
	return elf_file__symbol_value(c->file, name);
}

/* ---- names of data ---- */

static int compare_names(const void *a, const void *b)
{
	const struct elf_datum_name *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->is_slot != y->is_slot)
		return x->is_slot ? 1 : -1;
	return strcmp(x->name, y->name);
}

static void elf_code__read_symbols(struct elf_code *c, const struct elf_file *f, u32 type)
{
	GElf_Shdr shdr;
	Elf_Data *data = elf_file__data(elf_file__section(f, NULL, type, &shdr));
	size_t nr = data && shdr.sh_entsize ? data->d_size / shdr.sh_entsize : 0;
	GElf_Sym sym;

	for (size_t i = 0; i < MIN(nr, (size_t)NAMES_MAX); i++)
		if (gelf_getsym(data, (int)i, &sym) && GELF_ST_TYPE(sym.st_info) == STT_OBJECT &&
		    sym.st_shndx != SHN_UNDEF && sym.st_shndx != SHN_ABS)
			array__add(&c->names, ((struct elf_datum_name){
						      .addr = sym.st_value,
						      .size = sym.st_size,
						      .name = elf_file__str(f, shdr.sh_link, sym.st_name) }));
}

/* Slots that the loader fills with the address of a symbol. */
static void elf_code__read_slots(struct elf_code *c, const char *section)
{
	const struct elf_file *f = c->file;
	GElf_Shdr shdr, symbols;
	Elf_Data *data = elf_file__data(elf_file__section(f, section, 0, &shdr));
	Elf_Data *dynsym = elf_file__data(elf_file__section(f, NULL, SHT_DYNSYM, &symbols));
	size_t nr = data && dynsym && shdr.sh_entsize ? data->d_size / shdr.sh_entsize : 0;

	for (size_t i = 0; i < MIN(nr, (size_t)NAMES_MAX); i++) {
		GElf_Rela rela;
		GElf_Sym sym;
		u32 symbol = gelf_getrela(data, (int)i, &rela) ? (u32)GELF_R_SYM(rela.r_info) : 0;

		if (symbol && !rela.r_addend && gelf_getsym(dynsym, (int)symbol, &sym))
			array__add(&c->names, ((struct elf_datum_name){
						      .addr = rela.r_offset,
						      .size = 8,
						      .name = elf_file__str(f, symbols.sh_link, sym.st_name),
						      .is_slot = true }));
	}
}

static void elf_code__read_names(struct elf_code *c)
{
	const struct elf_file *f = elf_code__file_with_symtab(c);

	c->has_names = true;
	if (f)
		elf_code__read_symbols(c, f, SHT_SYMTAB);
	if (!c->names.nr)
		elf_code__read_symbols(c, c->file, SHT_DYNSYM);
	elf_code__read_slots(c, ".rela.dyn");
	elf_code__read_slots(c, ".rela.plt");
	if (c->names.nr)
		qsort(c->names.v, c->names.nr, sizeof(*c->names.v), compare_names);
}

/* Is the text at an address that is neither written nor run printable, and ends with NUL? */
static bool elf_code__find_string(const struct elf_code *c, u64 vaddr, struct strbuf *text)
{
	const GElf_Phdr *p = elf_code__load(c, vaddr);
	size_t n;

	if (!p || p->p_flags & PF_W || !elf_code__read(c, vaddr, ELF_STRING_MAX, text))
		return false;
	n = strnlen(text->buf, text->len);
	if (n < STRING_MIN || (n == text->len && n < ELF_STRING_MAX))
		return false;
	for (size_t i = 0; i < n; i++) {
		u8 byte = (u8)text->buf[i];

		if (byte == 0x7f || (byte < ' ' && !strchr("\t\n\r\033", (char)byte)))
			return false;
	}
	strbuf__setlen(text, n);
	return true;
}

bool elf_code__find_datum(struct elf_code *c, u64 vaddr, struct elf_datum *d)
{
	size_t i;

	if (!c->has_names)
		elf_code__read_names(c);
	i = bisect(k, 0, c->names.nr, c->names.v[k].addr <= vaddr);
	while (i > 1 && c->names.v[i - 1].addr == c->names.v[i - 2].addr)
		i--; /* the first of several at one address */
	d->name = NULL;
	if (i > 0) {
		const struct elf_datum_name *n = &c->names.v[i - 1];

		d->offset = vaddr - n->addr;
		d->is_slot = n->is_slot;
		if (d->offset < n->size || !d->offset)
			d->name = n->name;
	}
	if (d->name && *d->name)
		return true;
	d->name = NULL;
	strbuf__reset(&d->text);
	return elf_code__find_string(c, vaddr, &d->text);
}
