#include "binary/symbols/elf_object_private.h"

#include "base/memory/arena.h"
#include "base/message/word_list.h"
#include "binary/symbols/symtab.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	OBJECT_PAGE = 4096,        /* smallest page size; maps are rounded to pages */
	VERSION_HIDDEN = 0x8000,   /* bit in .gnu.version's entries (LSB, "Symbol Version Table") */
	DEMANGLED_NAMES = 1 << 20, /* limit of names to demangle for suggestions; more take too long */
};

/* ---- opening ---- */

static int elf_object__open_binary(struct elf_object *o, const struct debug_places *places, struct err *err)
{
	u32 type = ET_NONE;
	int ret = 0;

	elf_binary__open(&o->binary, o->path, NULL, o->root, places);
	if (elf_file__is_open(&o->binary.file)) {
		type = o->binary.file.ehdr.e_type;
	} else {
		char *full = elf_object__open_path(o);

		ret = elf_file__open(&o->binary.file, full, err); /* again, for its error message */
		free(full);
	}
	if (!ret && type != ET_EXEC && type != ET_DYN)
		ret = err__set(err, -EINVAL, "'%s' is neither a program nor a library", o->path);
	return ret;
}

/* Open what names the functions of a stripped binary. */
static void elf_object__open_tables(struct elf_object *o)
{
	GElf_Shdr shdr;
	Elf_Data *packed = elf_file__data(elf_file__section(&o->binary.file, ".gnu_debugdata", 0, &shdr));

	if (packed)
		(void)elf_file__from_packed(&o->packed, packed->d_buf, packed->d_size, NULL);
	(void)go_table__open(&o->go, &o->binary.file);
}

int elf_object__open(struct elf_object **object, const char *root, const char *path, struct err *err)
{
	return elf_object__open_debug(object, root, path, NULL, err);
}

int elf_object__open_debug(struct elf_object **object, const char *root, const char *path,
			   const struct debug_places *places, struct err *err)
{
	struct elf_object *o = xcalloc(1, sizeof(*o));
	int ret;

	o->root = xstrdup(root);
	o->path = xstrdup(path);
	ret = elf_object__open_binary(o, places, err);
	if (ret) {
		elf_object__delete(o);
		return ret;
	}
	elf_file__loads(&o->binary.file, &o->loads);
	elf_binary__find(&o->binary, elf_file__has_symtab);
	if (elf_object__is_stripped(o))
		elf_object__open_tables(o);
	*object = o;
	return 0;
}

void elf_object__delete(struct elf_object *o)
{
	if (!o)
		return;
	dwarf_end(o->dwarf);
	elf_file__close(&o->packed);
	elf_binary__close(&o->binary);
	array__exit(&o->loads);
	free(o->path);
	free(o->root);
	free(o);
}

const char *elf_object__path(const struct elf_object *o)
{
	return o->path;
}

char *elf_object__open_path(const struct elf_object *o)
{
	return xasprintf("%s%s", o->root, o->path);
}

bool elf_object__is_64bit(const struct elf_object *o)
{
	return o->binary.file.ehdr.e_ident[EI_CLASS] == ELFCLASS64;
}

bool elf_object__is_stripped(const struct elf_object *o)
{
	return !elf_file__is_open(&o->binary.debug) && !elf_file__has_symtab(&o->binary.file);
}

/* ---- symbols ---- */

static const GElf_Phdr *elf_object__load_of(const struct elf_object *o, u64 addr)
{
	for (size_t i = 0; i < o->loads.nr; i++)
		if (addr >= o->loads.v[i].p_vaddr && addr - o->loads.v[i].p_vaddr < o->loads.v[i].p_memsz)
			return &o->loads.v[i];
	return NULL;
}

/*
 * Get the kind of a symbol. Return false for symbols without an address: files, undefined and absolute ones.
 */
static bool elf_object__kind(const struct elf_object *o, const GElf_Sym *sym, enum elf_name_kind *kind)
{
	const GElf_Phdr *load;

	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx == SHN_ABS)
		return false;
	switch (GELF_ST_TYPE(sym->st_info)) {
	case STT_OBJECT:
	case STT_COMMON:
		*kind = ELF_NAME_DATA;
		return true;
	case STT_FUNC:
		*kind = ELF_NAME_FUNCTION;
		return true;
	case STT_GNU_IFUNC:
		*kind = ELF_NAME_IFUNC;
		return true;
	case STT_TLS:
		*kind = ELF_NAME_TLS;
		return true;
	case STT_NOTYPE: /* assembler labels */
		load = elf_object__load_of(o, sym->st_value);
		*kind = load && load->p_flags & PF_X ? ELF_NAME_FUNCTION : ELF_NAME_DATA;
		return load != NULL;
	}
	return false;
}

static bool is_exported(const GElf_Sym *sym)
{
	return GELF_ST_BIND(sym->st_info) != STB_LOCAL && GELF_ST_VISIBILITY(sym->st_other) == STV_DEFAULT;
}

typedef void (*name_fn)(const struct elf_name *n, void *ctx);

/* Is it an older version of a symbol, which the linker does not use for new programs? */
static bool is_old_version(Elf_Data *versions, size_t i)
{
	GElf_Versym version;

	return versions && gelf_getversym(versions, (int)i, &version) && version & VERSION_HIDDEN;
}

static void elf_object__for_each_in(const struct elf_object *o, const struct elf_file *f, u32 type,
				    name_fn fn, void *ctx)
{
	GElf_Shdr shdr;
	Elf_Data *data = elf_file__data(elf_file__section(f, NULL, type, &shdr));
	Elf_Data *versions = NULL;
	size_t entry = gelf_fsize(f->elf, ELF_T_SYM, 1, EV_CURRENT);
	const char *file = NULL;
	GElf_Shdr other;
	GElf_Sym sym;

	if (type == SHT_DYNSYM)
		versions = elf_file__data(elf_file__section(f, NULL, SHT_GNU_versym, &other));

	for (size_t i = 0; data && entry && i < data->d_size / entry && gelf_getsym(data, (int)i, &sym);
	     i++) {
		struct elf_name n = { .addr = sym.st_value, .size = sym.st_size };

		n.name = elf_file__str(f, shdr.sh_link, sym.st_name);
		if (GELF_ST_TYPE(sym.st_info) == STT_FILE)
			file = n.name;
		if (!*n.name || *n.name == '$' || is_old_version(versions, i) ||
		    !elf_object__kind(o, &sym, &n.kind))
			continue;
		if (GELF_ST_BIND(sym.st_info) == STB_LOCAL && file && *file)
			n.file = file;
		n.is_exported = type == SHT_DYNSYM && is_exported(&sym);
		if (f->ehdr.e_machine == EM_ARM && n.kind == ELF_NAME_FUNCTION)
			n.addr &= ~1ull; /* Thumb */
		fn(&n, ctx);
	}
}

static void elf_object__for_each_in_go(const struct elf_object *o, name_fn fn, void *ctx)
{
	struct go_functions all = { .table = &o->go, .room = o->go.size };
	struct go_function f;

	while (go_functions__next(&all, &f)) {
		struct elf_name n = { .name = f.name, .addr = f.start, .size = f.end - f.start };

		n.kind = ELF_NAME_FUNCTION;
		fn(&n, ctx);
	}
}

/* Call fn for all names. A symbol that is exported too comes twice. */
static void elf_object__for_each(const struct elf_object *o, name_fn fn, void *ctx)
{
	const struct elf_file *f = elf_file__is_open(&o->binary.debug) ? &o->binary.debug : &o->binary.file;

	elf_object__for_each_in(o, f, SHT_SYMTAB, fn, ctx);
	elf_object__for_each_in(o, &o->binary.file, SHT_DYNSYM, fn, ctx);
	if (elf_file__is_open(&o->packed))
		elf_object__for_each_in(o, &o->packed, SHT_SYMTAB, fn, ctx);
	if (o->go.data)
		elf_object__for_each_in_go(o, fn, ctx);
}

/* ---- by name ---- */

/* How well a symbol matches; only the best matches are kept. */
enum fit { FIT_NOT, FIT_SUFFIXED, FIT_DEMANGLED, FIT_EXACT };

struct search {
	const char *name, *file;
	size_t len;
	char *part; /* last identifier of a qualified name; the mangled name must contain it. "": any */
	enum fit best;
	elf_name_array *found;
};

/* "name.0", "name.lto_priv.1" */
static bool is_suffix(const char *s)
{
	return *s == '.' && s[1];
}

/* "name.cold", "name.isra.0.cold": a part of a function that was moved away. Only its exact name finds it. */
static bool is_cold_part(const struct search *s, const char *raw)
{
	return strstr(raw, ".cold") && strcmp(raw, s->name) != 0;
}

/* "function.name", "function.name.1": clang's names of variables in functions. */
static bool is_prefixed(const struct search *s, const struct elf_name *n)
{
	const char *dot = n->kind == ELF_NAME_DATA ? strchr(n->name, '.') : NULL;

	return dot && !strncmp(dot + 1, s->name, s->len) && (!dot[1 + s->len] || is_suffix(dot + 1 + s->len));
}

static enum fit fit_demangled(const struct search *s, const char *raw)
{
	enum fit fit = FIT_NOT;
	char *name;

	if (!strstr(raw, s->part) || !(name = symbol__demangle(raw)))
		return FIT_NOT;
	if (!strcmp(name, s->name))
		fit = FIT_DEMANGLED;
	else if (!strncmp(name, s->name, s->len) && is_suffix(name + s->len))
		fit = FIT_SUFFIXED;
	free(name);
	return fit;
}

static enum fit fit_name(const struct search *s, const struct elf_name *n)
{
	const char *raw = n->name;

	if (is_cold_part(s, raw))
		return FIT_NOT;
	if (is_prefixed(s, n))
		return FIT_SUFFIXED;
	if (!strncmp(raw, s->name, s->len)) {
		const char *rest = raw + s->len;

		if (!*rest || !strncmp(rest, "@@", 2)) /* the default version */
			return FIT_EXACT;
		if (is_suffix(rest))
			return FIT_SUFFIXED;
	}
	return s->best < FIT_EXACT ? fit_demangled(s, raw) : FIT_NOT;
}

static bool is_same_file(const char *a, const char *b)
{
	const char *slash = strrchr(a, '/');

	return !strcmp(a, b) || (slash && !strchr(b, '/') && !strcmp(slash + 1, b));
}

static void search__look_at(const struct elf_name *n, void *ctx)
{
	struct search *s = ctx;
	enum fit fit;

	if (s->file && (!n->file || !is_same_file(n->file, s->file)))
		return;
	fit = fit_name(s, n);
	if (!fit || fit < s->best)
		return;
	if (fit > s->best)
		s->found->nr = 0;
	s->best = fit;
	for (size_t i = 0; i < s->found->nr; i++) {
		struct elf_name *other = &s->found->v[i];

		if (other->addr == n->addr && (other->kind == ELF_NAME_TLS) == (n->kind == ELF_NAME_TLS)) {
			other->is_exported |= n->is_exported;
			other->size = MAX(other->size, n->size);
			return;
		}
	}
	array__add(s->found, *n);
}

/* Return the identifier after the last "::": "var" of "ns::var<int>". To be freed. */
static char *identifier_of(const char *name)
{
	const char *p = name;
	size_t len = 0;

	for (const char *q = name; (q = strstr(q, "::"));)
		p = q += 2;
	while (isalnum((unsigned char)p[len]) || p[len] == '_')
		len++;
	if (!strncmp(p, "operator", len))
		len = 0; /* operators are mangled differently */
	return xasprintf("%.*s", (int)len, p);
}

void elf_object__find(const struct elf_object *o, const char *name, const char *file, elf_name_array *found)
{
	struct search s = { .name = name, .file = file, .len = strlen(name), .found = found };

	s.part = identifier_of(name);
	found->nr = 0;
	if (*name)
		elf_object__for_each(o, search__look_at, &s);
	free(s.part);
}

bool elf_object__find_exported(const struct elf_object *o, const char *name, struct elf_name *found)
{
	elf_name_array list = { 0 };
	struct search s = { .name = name, .len = strlen(name), .best = FIT_EXACT, .found = &list };
	bool any = false;

	elf_object__for_each_in(o, &o->binary.file, SHT_DYNSYM, search__look_at, &s);
	for (size_t i = 0; i < list.nr && !any; i++) {
		any = list.v[i].is_exported && list.v[i].kind != ELF_NAME_TLS;
		*found = list.v[i];
	}
	array__exit(&list);
	return any;
}

/* ---- suggestions ---- */

struct suggesting {
	/* qualified: "ns::x" for "x", whose spelling differs too much for near */
	struct suggest near, qualified;
	bool functions;
	struct arena names;
	unsigned nr_demangled;
};

/* Functions that differ in their parameters have one name. */
static bool is_offered(const struct suggest *s, const char *name)
{
	for (size_t i = 0; i < s->nr; i++)
		if (!strcmp(s->best[i].name, name))
			return true;
	return false;
}

static void suggesting__offer(const struct elf_name *n, void *ctx)
{
	struct suggesting *s = ctx;
	const char *tail;
	char *name;

	if ((n->kind == ELF_NAME_DATA) == s->functions || n->kind == ELF_NAME_TLS || strstr(n->name, ".cold"))
		return;
	name = s->nr_demangled < DEMANGLED_NAMES ? symbol__demangle(n->name) : NULL;
	if (!name) {
		suggest__offer(&s->near, n->name);
		return;
	}
	s->nr_demangled++;
	tail = strrchr(name, ':');
	if (tail && !strcmp(tail + 1, s->near.word) && s->qualified.nr < SUGGEST_MAX) {
		if (!is_offered(&s->qualified, name))
			s->qualified.best[s->qualified.nr++].name = arena__strdup(&s->names, name);
	} else {
		suggest__offer(&s->near, arena__strdup(&s->names, name));
	}
	free(name);
}

bool elf_object__suggest(const struct elf_object *o, const char *name, bool functions, struct err *err)
{
	struct suggesting s = { .functions = functions, .names = ARENA_INIT };
	bool any;

	suggest__init(&s.near, "", name);
	suggest__init(&s.qualified, "", name);
	elf_object__for_each(o, suggesting__offer, &s);
	any = err__suggest(err, s.qualified.nr ? &s.qualified : &s.near);
	arena__exit(&s.names);
	return any;
}

/* ---- addresses ---- */

bool elf_object__file_offset(const struct elf_object *o, u64 addr, u64 *offset)
{
	const GElf_Phdr *load = elf_object__load_of(o, addr);

	if (!load || addr - load->p_vaddr >= load->p_filesz)
		return false;
	*offset = addr - load->p_vaddr + load->p_offset;
	return true;
}

/* Is the first page of a segment mapped at its place? */
static bool is_mapped(const GElf_Phdr *load, u64 bias, const struct elf_mapping *maps, size_t nr)
{
	u64 start = (bias + load->p_vaddr) & ~(u64)(OBJECT_PAGE - 1);
	u64 offset = load->p_offset & ~(u64)(OBJECT_PAGE - 1);

	if (!load->p_filesz)
		return true; /* nothing to map from the file */
	for (size_t i = 0; i < nr; i++)
		if (start >= maps[i].start && start < maps[i].end &&
		    start - maps[i].start + maps[i].pgoff == offset)
			return true;
	return false;
}

bool elf_object__bias(const struct elf_object *o, const struct elf_mapping *maps, size_t nr, u64 addr,
		      u64 *bias)
{
	const GElf_Phdr *first = o->loads.v, *load = elf_object__load_of(o, addr);

	for (size_t i = 0; load && i < nr; i++) {
		*bias = maps[i].start - maps[i].pgoff - (first->p_vaddr - first->p_offset);
		if (is_mapped(first, *bias, maps, nr) && is_mapped(load, *bias, maps, nr))
			return true;
	}
	return false;
}

bool elf_object__code_addr(const struct elf_object *o, u64 offset, u64 *addr)
{
	for (size_t i = 0; i < o->loads.nr; i++) {
		const GElf_Phdr *load = &o->loads.v[i];
		u64 in_page = load->p_offset & (OBJECT_PAGE - 1), start = load->p_offset - in_page;

		if (!(load->p_flags & PF_X) || offset < start ||
		    offset - start >= ROUND_UP(in_page + load->p_filesz, OBJECT_PAGE))
			continue;
		*addr = offset - load->p_offset + load->p_vaddr;
		return true;
	}
	return false;
}

/* ---- by address ---- */

struct covering { /* the innermost variable at an address */
	u64 addr;
	struct elf_name found; /* name NULL: none */
};

static void covering__look_at(const struct elf_name *n, void *ctx)
{
	struct covering *c = ctx;

	if (n->kind == ELF_NAME_DATA && n->addr <= c->addr && c->addr - n->addr < n->size &&
	    (!c->found.name || n->addr > c->found.addr))
		c->found = *n;
}

/* Return the length without the compiler's suffix for static variables: "name.0", "name.lto_priv.1". */
static size_t length_without_suffix(const char *name)
{
	static const char *const marks[] = { ".lto_priv", ".llvm" };
	size_t len = strlen(name), digits = len;

	while (digits && isdigit((unsigned char)name[digits - 1]))
		digits--;
	if (digits > 1 && digits < len && name[digits - 1] == '.')
		len = digits - 1;
	for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
		size_t mark = strlen(marks[i]);

		if (len > mark && !memcmp(name + len - mark, marks[i], mark))
			len -= mark;
	}
	return len;
}

bool elf_object__name_at(struct elf_object *o, u64 addr, struct strbuf *name)
{
	enum { LOCK_SIZE = 64 }; /* larger variables have other parts, too */
	struct covering c = { .addr = addr };
	char *demangled;
	u64 offset;

	if (elf_object__load_of(o, addr))
		elf_object__for_each(o, covering__look_at, &c);
	if (!c.found.name)
		return false;
	offset = addr - c.found.addr;
	demangled = symbol__demangle(c.found.name);
	if (demangled)
		strbuf__addstr(name, demangled);
	else
		strbuf__add(name, c.found.name, length_without_suffix(c.found.name));
	if (!elf_object__add_members(o, c.found.addr, offset, demangled || strchr(c.found.name, '.') != NULL,
				     name) &&
	    offset && c.found.size > LOCK_SIZE)
		strbuf__addf(name, "+0x%llx", (unsigned long long)offset);
	free(demangled);
	return true;
}
