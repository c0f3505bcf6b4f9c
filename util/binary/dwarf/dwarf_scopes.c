#include "binary/dwarf/dwarf_scopes.h"

#include "base/memory/cursor.h"
#include "binary/elf/elf_file.h"

#include <dwarf.h>
#include <stdlib.h>

enum {
	RANGES_MAX = 1 << 22,          /* for all scopes of one function */
	DEPTH_MAX = 1 << 12,           /* nesting of entries */
	ORIGINS_MAX = 16,              /* length of a chain of abstract origins */
	AT_GNU_DISCRIMINATOR = 0x2136, /* dwarf.h of elfutils lacks it; of LLVM and gcc */
};

/*
 * Is the entry of the table that refers to the list of ranges inside its section? libdw (0.188) does not
 * check that, and reads at any 64-bit offset. (DWARF 5, section 7.28)
 */
static bool range_list_is_inside(Dwarf_Die *die)
{
	struct elf_file f;
	Dwarf_Word base, nr;
	Dwarf_Attribute attr;
	Dwarf_Die unit;
	GElf_Shdr shdr;
	Elf_Data *data;
	struct cursor c;
	uint8_t offset_size;
	u64 offset;

	if (dwarf_cu_info(die->cu, NULL, NULL, &unit, NULL, NULL, NULL, &offset_size) || offset_size != 8 ||
	    !dwarf_attr(die, DW_AT_ranges, &attr) || dwarf_whatform(&attr) != DW_FORM_rnglistx)
		return true;
	f = (struct elf_file){ .elf = dwarf_getelf(dwarf_cu_getdwarf(die->cu)) };
	if (dwarf_formudata(&attr, &nr) || !dwarf_attr(&unit, DW_AT_rnglists_base, &attr) ||
	    dwarf_formudata(&attr, &base))
		return false;
	data = elf_rawdata(elf_file__section(&f, ".debug_rnglists", 0, &shdr), NULL);
	if (!data || !data->d_buf || base > data->d_size || nr > data->d_size ||
	    !gelf_getehdr(f.elf, &f.ehdr))
		return false;
	c = cursor__make(data->d_buf, data->d_size,
			 (f.ehdr.e_ident[EI_DATA] == ELFDATA2MSB) !=
				 (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__));
	cursor__skip(&c, base);
	cursor__skip(&c, nr * 8);
	offset = cursor__u64(&c);
	return !c.bad && offset < data->d_size - base;
}

void dwarf_die__add_spans(Dwarf_Die *die, struct spans *spans, u32 group, u32 id, u32 *left)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	if (!range_list_is_inside(die))
		return;
	while (*left && (at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
		--*left;
		if (low && low < high)
			array__add(&spans->v, ((struct span){ low, high, group, id }));
	}
}

static u32 attr_number(Dwarf_Die *die, unsigned name, u32 otherwise)
{
	Dwarf_Attribute attr;
	Dwarf_Word x;

	return dwarf_attr(die, name, &attr) && !dwarf_formudata(&attr, &x) && x <= UINT32_MAX ? (u32)x
											      : otherwise;
}

/* Add the entry of a function inlined into scope number around. */
static void dwarf_scopes__add(struct dwarf_scopes *s, Dwarf_Die *die, u32 around, u32 *left)
{
	dwarf_die__add_spans(die, &s->spans, around, (u32)s->v.nr, left);
	array__add(&s->v, ((struct dwarf_scope){ .inlined.call_line = attr_number(die, DW_AT_call_line, 0),
						 .inlined.call_discriminator =
							 attr_number(die, AT_GNU_DISCRIMINATOR, 0),
						 .call_file = attr_number(die, DW_AT_call_file, UINT32_MAX),
						 .offset = dwarf_dieoffset(die),
						 .around = around }));
}

/*
 * Search blocks and the like for inlined functions, but not nested functions: those have their own entry in
 * the unit's list.
 */
struct dwarf_scopes *dwarf_scopes__new(struct dwarf_file *file, Dwarf_Die *code, u64 offset,
				       struct dwarf_abbrevs *abbrevs)
{
	struct dwarf_scopes *s = xcalloc(1, sizeof(*s));
	Dwarf *dwarf = dwarf_cu_getdwarf(code->cu);
	ARRAY(u32)
	around = { 0 }; /* by depth: the scope that the entries are in; UINT32_MAX: skip them */
	u32 left = dwarf_file__room(file, 2 * sizeof(struct span) + sizeof(struct dwarf_scope), RANGES_MAX);
	struct dwarf_scan scan;
	struct dwarf_die die;
	Dwarf_Die entry;

	array__add(&s->v, ((struct dwarf_scope){ .offset = offset }));
	array__add(&around, 0);
	for (bool is_there = dwarf_scan__begin(&scan, code, offset, abbrevs);
	     is_there && left > s->v.nr && dwarf_scan__next(&scan, &die) && die.depth < DEPTH_MAX;) {
		u32 in = around.v[die.depth], inside = in;

		if (die.abbrev->kind == DWARF_FUNCTION && die.depth) {
			inside = UINT32_MAX;
		} else if (die.abbrev->kind == DWARF_INLINED && in != UINT32_MAX &&
			   dwarf_offdie(dwarf, die.offset, &entry)) {
			inside = (u32)s->v.nr;
			dwarf_scopes__add(s, &entry, in, &left);
		}
		around.nr = die.depth + 1;
		array__add(&around, inside);
	}
	array__exit(&around);
	dwarf_file__count(file, s->spans.v.nr * sizeof(struct span) + s->v.nr * sizeof(struct dwarf_scope),
			  left <= s->v.nr);
	for (size_t i = 0; i < s->v.nr; i++)
		if (s->v.v[i].around)
			s->v.v[i].inlined.caller = &s->v.v[s->v.v[i].around].inlined;
	spans__sort(&s->spans);
	return s;
}

void dwarf_scopes__delete(struct dwarf_scopes *s)
{
	if (!s)
		return;
	spans__exit(&s->spans);
	array__exit(&s->v);
	array__exit(&s->borders);
	free(s);
}

u32 dwarf_scopes__find(const struct dwarf_scopes *s, u64 vaddr)
{
	u32 id = 0, inner;

	/* Inner scopes have higher numbers, so this ends. */
	while ((inner = spans__find(&s->spans, id, vaddr)) != UINT32_MAX)
		id = inner;
	return id;
}

void dwarf_scopes__list_borders(struct dwarf_scopes *s, u64 start, u64 end, u64_array *borders)
{
	const u64_array *all = &s->borders;

	if (!all->nr && s->spans.v.nr) {
		for (size_t i = 0; i < s->spans.v.nr; i++) {
			array__add(&s->borders, s->spans.v.v[i].low);
			array__add(&s->borders, s->spans.v.v[i].high);
		}
		qsort(all->v, all->nr, sizeof(*all->v), u64__compare);
	}
	for (size_t i = bisect(k, 0, all->nr, all->v[k] < start); i < all->nr && all->v[i] < end; i++)
		array__add(borders, all->v[i]);
}

/* ---- names ---- */

/* Unpack everything that the entry may refer to: the references may lead to any unit. */
static void need_origins(struct dwarf_file *file, Dwarf_Die die)
{
	for (int i = 0; i < ORIGINS_MAX; i++) {
		Dwarf_Attribute attr;

		if (!dwarf_attr(&die, DW_AT_abstract_origin, &attr) &&
		    !dwarf_attr(&die, DW_AT_specification, &attr))
			return;
		if (dwarf_whatform(&attr) == DW_FORM_ref_addr)
			dwarf_file__need(file, DWARF_PART_INFO, DWARF_WHOLE);
		if (!dwarf_formref_die(&attr, &die))
			return;
	}
}

static const char *name_of(Dwarf_Die *die)
{
	static const unsigned names[] = { DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name };
	Dwarf_Attribute attr;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *name =
			dwarf_attr_integrate(die, names[i], &attr) ? dwarf_formstring(&attr) : NULL;

		if (name && *name)
			return name;
	}
	return "??";
}

static u32 own_decl_line(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Word line;

	return dwarf_attr_integrate(die, DW_AT_decl_line, &attr) && !dwarf_formudata(&attr, &line) &&
			       line <= UINT32_MAX
		       ? (u32)line
		       : 0;
}

/*
 * gcc gives no line to functions that it declares itself, such as that of a lambda: they are where their
 * class begins. It is what the first parameter points to.
 */
static u32 decl_line_of(struct dwarf_file *file, Dwarf_Die *function)
{
	u32 line = own_decl_line(function);
	unsigned next = DW_AT_object_pointer;
	Dwarf_Die die = *function;

	for (int i = 0; !line && i < ORIGINS_MAX; i++) {
		Dwarf_Attribute attr;

		if (!dwarf_attr_integrate(&die, next, &attr))
			return 0;
		if (dwarf_whatform(&attr) == DW_FORM_ref_addr)
			dwarf_file__need(file, DWARF_PART_INFO, DWARF_WHOLE);
		if (!dwarf_formref_die(&attr, &die))
			return 0;
		need_origins(file, die);
		next = DW_AT_type;
		line = dwarf_tag(&die) == DW_TAG_formal_parameter ? 0 : own_decl_line(&die);
	}
	return line;
}

static void dwarf_scope__name(struct dwarf_scope *scope, struct dwarf_file *file, Dwarf_Die *code)
{
	const char *name = "??";
	Dwarf_Die die;

	if (dwarf_offdie(dwarf_cu_getdwarf(code->cu), scope->offset, &die)) {
		need_origins(file, die);
		name = name_of(&die);
		scope->inlined.decl_line = decl_line_of(file, &die);
	}
	__atomic_store_n(&scope->inlined.name, dwarf_file__intern(file, name), __ATOMIC_RELEASE);
}

/* Name outer scopes first: readers that see a name go on outwards. */
void dwarf_scopes__name(struct dwarf_scopes *s, struct dwarf_file *file, Dwarf_Die *code, u32 id,
			bool with_function)
{
	ARRAY(u32) nameless = { 0 };

	for (; id && !s->v.v[id].inlined.name; id = s->v.v[id].around)
		array__add(&nameless, id);
	if (with_function && !s->v.v[0].inlined.name)
		array__add(&nameless, 0);
	if (nameless.nr)
		dwarf_file__need(file, DWARF_PART_NAMES, DWARF_WHOLE);
	while (nameless.nr)
		dwarf_scope__name(&s->v.v[nameless.v[--nameless.nr]], file, code);
	array__exit(&nameless);
}

void dwarf_scopes__set_files(struct dwarf_scopes *s, const char *const *files, size_t nr)
{
	for (size_t i = 0; i < s->v.nr; i++)
		if (s->v.v[i].call_file < nr)
			s->v.v[i].inlined.call_file = files[s->v.v[i].call_file];
	__atomic_store_n(&s->has_files, true, __ATOMIC_RELEASE);
}
