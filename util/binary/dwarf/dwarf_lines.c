#include "binary/dwarf/dwarf_lines.h"

#include "base/memory/cursor.h"
#include "binary/dwarf/dwarf_relocate.h"
#include "binary/dwarf/dwarf_scopes.h"
#include "binary/dwarf/dwarf_unit.h"
#include "binary/elf/elf_binary.h"
#include "binary/elf/elf_loads.h"
#include "binary/elf/kernel_file.h"

#include <errno.h>
#include <string.h>

enum {
	SPANS_MAX = 1 << 24, /* of all units */
	UNITS_MAX = 1 << 20,
	UNIT_BYTES = 32, /* fewest of a true unit */
	LEAST_UNITS = 1 << 16,
};

struct unit_slot {
	u64 header;              /* offset */
	struct dwarf_unit *unit; /* NULL until its first lookup; __atomic */
	pthread_mutex_t lock;
};

struct unit_list {
	ARRAY(struct unit_slot) v; /* in the order of headers */
	struct spans spans;        /* of units; group 0 */
};

/*
 * .debug_aranges lists the addresses of units. Compilers may leave it out, for some units or all. The other
 * units are searched for in .debug_info when an address is not found in the list.
 */
struct dwarf_lines {
	struct dwarf_file file;
	struct elf_loads loads;
	struct unit_list listed; /* by .debug_aranges */
	pthread_mutex_t lock;
	bool has_others; /* .debug_info was searched for them; __atomic */
	struct unit_list others;
	struct spans stubs; /* of the linker; group 0 */
};

static void unit_list__add(struct unit_list *l, u64 header)
{
	struct unit_slot *slot = array__push(&l->v);

	*slot = (struct unit_slot){ .header = header };
	pthread_mutex_init(&slot->lock, NULL);
}

/* Return the index of the first unit whose header is at this offset or after it. */
static u32 unit_list__at(const struct unit_list *l, u64 header)
{
	return (u32)bisect(i, 0, l->v.nr, l->v.v[i].header < header);
}

static bool unit_list__has(const struct unit_list *l, u64 header)
{
	u32 i = unit_list__at(l, header);

	return i < l->v.nr && l->v.v[i].header == header;
}

static void unit_list__exit(struct unit_list *l)
{
	for (size_t i = 0; i < l->v.nr; i++) {
		dwarf_unit__delete(l->v.v[i].unit);
		pthread_mutex_destroy(&l->v.v[i].lock);
	}
	array__exit(&l->v);
	spans__exit(&l->spans);
}

/* ---- .debug_aranges ---- */

/*
 * Read a set of ranges, each an address and a size (DWARF 5, section 6.1.2). Their id is the set's number.
 */
static void read_pairs(struct cursor *c, bool is_64bit, u32 set, struct spans *spans)
{
	while (!c->bad && cursor__left(c) && spans->v.nr < SPANS_MAX) {
		u64 addr = is_64bit ? cursor__u64(c) : cursor__u32(c);
		u64 size = is_64bit ? cursor__u64(c) : cursor__u32(c);

		if (addr && addr + size > addr) /* skip those at 0: code that was not linked */
			array__add(&spans->v, ((struct span){ addr, addr + size, 0, set }));
	}
}

static bool read_set(struct cursor *c, u32 set, u64 *header, struct spans *spans)
{
	u64 length = cursor__u32(c);
	bool is_dwarf64 = length == UINT32_MAX;
	const u8 *start = c->p;
	struct cursor inside;
	u8 address_size;

	if (is_dwarf64)
		length = cursor__u64(c);
	if (c->bad || length > cursor__left(c))
		return false;
	inside = cursor__make(cursor__bytes(c, (size_t)length), (size_t)length, c->swap);
	cursor__skip(&inside, 2); /* version */
	*header = is_dwarf64 ? cursor__u64(&inside) : cursor__u32(&inside);
	address_size = cursor__u8(&inside);
	if ((address_size != 4 && address_size != 8) || cursor__u8(&inside)) /* segments */
		return !inside.bad;
	/* Pairs are aligned to their size, counted from the set's start. */
	length = (u64)(inside.p - start) + 4;
	cursor__skip(&inside, (size_t)(ROUND_UP(length, 2u * address_size) - length));
	read_pairs(&inside, address_size == 8, set, spans);
	return true;
}

/* List the units of the sets, each once, and replace the ids of ranges by indexes of units. */
static void unit_list__number(struct unit_list *l, const u64 *headers, size_t nr)
{
	u64 *sorted = xmemdup(headers, nr * sizeof(*headers));

	qsort(sorted, nr, sizeof(*sorted), u64__compare);
	for (size_t i = 0; i < nr; i++)
		if (!i || sorted[i] != sorted[i - 1])
			unit_list__add(l, sorted[i]);
	free(sorted);
	for (size_t i = 0; i < l->spans.v.nr; i++)
		l->spans.v.v[i].id = unit_list__at(l, headers[l->spans.v.v[i].id]);
	spans__sort(&l->spans);
}

static void dwarf_lines__read_aranges(struct dwarf_lines *d)
{
	struct elf_file f = { .elf = d->file.main.elf };
	GElf_Shdr shdr;
	Elf_Scn *scn = elf_file__section(&f, ".debug_aranges", 0, &shdr);
	Elf_Data *data = scn && shdr.sh_type != SHT_NOBITS ? elf_rawdata(scn, NULL) : NULL;
	ARRAY(u64) headers = { 0 };
	struct cursor c;
	GElf_Ehdr ehdr;
	u64 header;

	if (!data || !data->d_buf || !gelf_getehdr(f.elf, &ehdr))
		return;
	dwarf_file__need(&d->file, DWARF_PART_ARANGES, DWARF_WHOLE);
	c = cursor__make(data->d_buf, data->d_size,
			 (ehdr.e_ident[EI_DATA] == ELFDATA2MSB) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__));
	while (cursor__left(&c) && headers.nr < UNITS_MAX &&
	       read_set(&c, (u32)headers.nr, &header, &d->listed.spans))
		array__add(&headers, header);
	if (headers.nr)
		unit_list__number(&d->listed, headers.v, headers.nr);
	array__exit(&headers);
}

/* ---- the other units ---- */

static void dwarf_lines__add_other(struct dwarf_lines *d, struct dwarf_handle *h, u64 header, u64 first,
				   u32 *left)
{
	size_t before = d->others.spans.v.nr;
	Dwarf_Die die;

	if (!dwarf_offdie(h->dwarf, first, &die))
		return;
	dwarf_die__add_spans(&die, &d->others.spans, 0, (u32)d->others.v.nr, left);
	if (d->others.spans.v.nr > before)
		unit_list__add(&d->others, header);
}

static void dwarf_lines__list_others(struct dwarf_lines *d)
{
	struct dwarf_handle *h = dwarf_file__get(&d->file);
	u64 header = 0, first, end;
	u32 left = dwarf_file__room(&d->file, 2 * sizeof(struct span), SPANS_MAX), nr = 0;
	u32 most = (u32)MIN(d->file.main.justified / UNIT_BYTES + LEAST_UNITS, (u64)UNITS_MAX);

	if (!h)
		return;
	for (enum dwarf_part part = DWARF_PART_INFO; part <= DWARF_PART_RANGES; part++)
		dwarf_file__need(&d->file, part, DWARF_WHOLE);
	for (; nr++ < most && left && dwarf_file__unit_at(&d->file, h, header, &first, &end); header = end)
		if (!unit_list__has(&d->listed, header))
			dwarf_lines__add_other(d, h, header, first, &left);
	dwarf_file__count(&d->file, d->others.spans.v.nr * sizeof(struct span), !left || nr > most);
	dwarf_file__put(&d->file, h);
	spans__sort(&d->others.spans);
}

/*
 * Note where the linker's stubs are. No unit describes them, and to search all of .debug_info for one takes
 * longer than everything else in a small report.
 */
static void dwarf_lines__note_stubs(struct dwarf_lines *d)
{
	struct elf_file f = { .elf = d->file.main.elf };
	GElf_Shdr shdr;

	for (u32 i = 0; i < ELF_STUB_SECTIONS; i++)
		if (elf_file__section(&f, elf_stub_sections[i], 0, &shdr))
			array__add(&d->stubs.v,
				   ((struct span){ shdr.sh_addr, shdr.sh_addr + shdr.sh_size, 0, i }));
	spans__sort(&d->stubs);
}

/* ---- lookup ---- */

static struct dwarf_unit *dwarf_lines__unit(struct dwarf_lines *d, struct unit_list *l, u64 vaddr)
{
	u32 i = spans__find(&l->spans, 0, vaddr);
	struct unit_slot *slot;
	struct dwarf_unit *u;

	if (i == UINT32_MAX)
		return NULL;
	slot = &l->v.v[i];
	u = __atomic_load_n(&slot->unit, __ATOMIC_ACQUIRE);
	if (u)
		return u;
	pthread_mutex_lock(&slot->lock);
	u = slot->unit;
	if (!u) {
		u = dwarf_unit__new(&d->file, slot->header);
		__atomic_store_n(&slot->unit, u, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&slot->lock);
	return u;
}

static struct dwarf_unit *dwarf_lines__find_unit(struct dwarf_lines *d, u64 vaddr)
{
	struct dwarf_unit *u = dwarf_lines__unit(d, &d->listed, vaddr);

	if (u || spans__find(&d->stubs, 0, vaddr) != UINT32_MAX)
		return u;
	if (!__atomic_load_n(&d->has_others, __ATOMIC_ACQUIRE)) {
		pthread_mutex_lock(&d->lock);
		if (!d->has_others)
			dwarf_lines__list_others(d);
		__atomic_store_n(&d->has_others, true, __ATOMIC_RELEASE);
		pthread_mutex_unlock(&d->lock);
	}
	return dwarf_lines__unit(d, &d->others, vaddr);
}

bool dwarf_lines__find(struct dwarf_lines *d, u64 addr, unsigned wants, struct source_line *line)
{
	struct dwarf_unit *u = NULL;
	u64 bias;

	if (elf_loads__bias(&d->loads, addr, &bias))
		u = dwarf_lines__find_unit(d, addr + bias);
	if (u)
		return dwarf_unit__find(u, addr + bias, wants, line);
	*line = (struct source_line){ 0 };
	return false;
}

void dwarf_lines__list_borders(struct dwarf_lines *d, u64 start, u64 end, unsigned wants, u64_array *borders)
{
	size_t first = borders->nr;
	struct dwarf_unit *u;
	u64 bias;

	if (!elf_loads__bias(&d->loads, start, &bias))
		return;
	u = dwarf_lines__find_unit(d, start + bias);
	if (u)
		dwarf_unit__list_borders(u, start + bias, end + bias, wants, borders);
	for (size_t i = first; i < borders->nr; i++)
		borders->v[i] -= bias;
}

void dwarf_lines__rest(struct dwarf_lines *d, bool is_done)
{
	dwarf_file__rest(&d->file, is_done);
}

/* ---- life ---- */

static struct dwarf_lines *dwarf_lines__new(void)
{
	struct dwarf_lines *d = xcalloc(1, sizeof(*d));

	pthread_mutex_init(&d->lock, NULL);
	return d;
}

void dwarf_lines__delete(struct dwarf_lines *d)
{
	if (!d)
		return;
	unit_list__exit(&d->listed);
	unit_list__exit(&d->others);
	spans__exit(&d->stubs);
	elf_loads__exit(&d->loads);
	dwarf_file__close(&d->file);
	pthread_mutex_destroy(&d->lock);
	free(d);
}

/* Use the DWARF in f. */
static int dwarf_lines__use(struct dwarf_lines *d, const struct elf_file *f, const char *symfs,
			    struct err *err)
{
	int ret = dwarf_file__open(&d->file, f, symfs, err);

	if (ret)
		return ret;
	dwarf_lines__note_stubs(d);
	dwarf_lines__read_aranges(d);
	return 0;
}

/* Set the translation from dso addresses of a kernel file to the addresses in its DWARF. */
static void dwarf_lines__place_kernel(struct dwarf_lines *d, const struct elf_file *f,
				      const struct dwarf_lines_opts *opts)
{
	u64 bias = 0, linked;

	if (f->ehdr.e_type == ET_REL)
		bias = MODULE_BASE;
	else if (opts->reference && (linked = elf_file__symbol_value(f, opts->reference)))
		bias = linked - opts->reference_addr;
	array__add(&d->loads.v, ((struct elf_load){ 0, bias, UINT64_MAX }));
}

int dwarf_lines__open(struct dwarf_lines **lines, const char *path, const struct build_id *want,
		      const struct dwarf_lines_opts *opts, struct err *err)
{
	struct dwarf_lines *d = dwarf_lines__new();
	bool is_kernel = opts && opts->is_kernel;
	bool (*has)(const struct elf_file *) = is_kernel ? dwarf_file__has_kernel_info : dwarf_file__has_info;
	const struct elf_file *f;
	struct elf_binary b;
	int ret;

	elf_binary__open(&b, path, want, opts ? opts->symfs : NULL, opts ? opts->places : NULL);
	f = elf_binary__find(&b, has);
	if (f) {
		if (is_kernel)
			dwarf_lines__place_kernel(d, f, opts);
		else if (elf_file__is_open(&b.file))
			elf_loads__read(&d->loads, &b.file);
		else
			elf_loads__read_debug(&d->loads, f, b.places);
		ret = dwarf_lines__use(d, f, b.root, err);
	} else {
		ret = elf_file__is_open(&b.file)
			      ? err__set(err, -ENODATA, "'%s' has no debug information", path)
			      : elf_binary__not_found(&b, err);
	}
	elf_binary__close(&b);
	if (ret)
		dwarf_lines__delete(d);
	else
		*lines = d;
	return ret;
}

int dwarf_lines__open_image(struct dwarf_lines **lines, const void *image, size_t size, struct err *err)
{
	struct dwarf_lines *d = dwarf_lines__new();
	struct elf_file f;
	int ret = elf_file__from_memory(&f, image, size, err);

	if (!ret) {
		elf_loads__read(&d->loads, &f);
		ret = dwarf_file__has_info(&f)
			      ? dwarf_lines__use(d, &f, "", err)
			      : err__set(err, -ENODATA, "the image in memory has no debug information");
		elf_file__close(&f);
	}
	if (ret)
		dwarf_lines__delete(d);
	else
		*lines = d;
	return ret;
}
