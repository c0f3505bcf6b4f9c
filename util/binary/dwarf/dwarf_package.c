#include "binary/dwarf/dwarf_package.h"

#include "base/memory/mem.h"
#include "binary/elf/dwarf_open.h"
#include "binary/elf/elf_file.h"

#include <dwarf.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum {
	PAGE = 4096,
	SLOT = 1024,     /* bytes for a unit's headers, which are zero until they are written */
	COLUMNS_MAX = 8, /* kinds of sections */
	UNITS_MAX = 1 << 20,
};

/* Sections that a unit needs; by their numbers in the index. */
enum section {
	SECTION_INFO,
	SECTION_ABBREV,
	SECTION_LINE,
	SECTION_STR_OFFSETS,
	SECTION_RNGLISTS,
	SECTION_STR, /* in no index: all units share it */
	NR_SECTIONS,
};

static const struct {
	const char *name;
	u32 number[2]; /* in indexes of version 2 and 5; 0: it is not in there */
} sections[NR_SECTIONS] = {
	[SECTION_INFO] = { ".debug_info.dwo", { 1, 1 } },
	[SECTION_ABBREV] = { ".debug_abbrev.dwo", { 3, 3 } },
	[SECTION_LINE] = { ".debug_line.dwo", { 4, 4 } },
	[SECTION_STR_OFFSETS] = { ".debug_str_offsets.dwo", { 6, 6 } },
	[SECTION_RNGLISTS] = { ".debug_rnglists.dwo", { 0, 8 } },
	[SECTION_STR] = { ".debug_str.dwo", { 0, 0 } },
};

struct bytes {
	const u8 *at;
	u64 size;
};

/* .debug_cu_index: a hash table of ids, and for each of them a row of offsets and one of sizes. */
struct cu_index {
	u32 version, nr_columns, nr_units, nr_slots;
	const u8 *ids, *rows, *offsets, *sizes;
	int column[NR_SECTIONS]; /* -1: none */
};

struct dwarf_package {
	u8 *map; /* a slot for each unit's headers, and the file behind them */
	size_t size;
	struct bytes sections[NR_SECTIONS];
	u8 *index_bytes;
	struct cu_index index;
	pthread_mutex_t lock; /* of slots */
};

/* ---- the index ---- */

static u32 u32_at(const u8 *bytes, u64 i)
{
	u32 x;

	memcpy(&x, bytes + 4 * i, sizeof(x));
	return x;
}

static bool cu_index__read(struct cu_index *x, const void *data, size_t size)
{
	struct cursor c = cursor__make(data, size, false);
	const u8 *numbers;
	u64 cells;

	x->version = cursor__u32(&c) & 0xffff; /* in version 5 these are 2 bytes, and 2 that mean nothing */
	x->nr_columns = cursor__u32(&c);
	x->nr_units = cursor__u32(&c);
	x->nr_slots = cursor__u32(&c);
	if (c.bad || (x->version != 2 && x->version != 5) || !x->nr_columns || x->nr_columns > COLUMNS_MAX ||
	    x->nr_units > UNITS_MAX || x->nr_slots & (x->nr_slots - 1))
		return false;
	cells = (u64)x->nr_columns * x->nr_units;
	x->ids = cursor__bytes(&c, (size_t)x->nr_slots * 8);
	x->rows = cursor__bytes(&c, (size_t)x->nr_slots * 4);
	numbers = cursor__bytes(&c, (size_t)x->nr_columns * 4);
	x->offsets = cursor__bytes(&c, (size_t)cells * 4);
	x->sizes = cursor__bytes(&c, (size_t)cells * 4);
	if (c.bad)
		return false;
	for (int s = 0; s < NR_SECTIONS; s++) {
		u32 number = sections[s].number[x->version == 5];

		x->column[s] = -1;
		for (u32 i = 0; number && i < x->nr_columns; i++)
			if (u32_at(numbers, i) == number)
				x->column[s] = (int)i;
	}
	return x->column[SECTION_INFO] >= 0 && x->column[SECTION_ABBREV] >= 0;
}

/* The unit's row, from 0 on. */
static bool cu_index__find(const struct cu_index *x, u64 id, u32 *row)
{
	u32 mask = x->nr_slots - 1, slot = (u32)id & mask, step = ((u32)(id >> 32) & mask) | 1;

	for (u32 i = 0; i < x->nr_slots; i++, slot = (slot + step) & mask) {
		u64 found;

		memcpy(&found, x->ids + 8 * (u64)slot, sizeof(found));
		*row = u32_at(x->rows, slot);
		if (!*row)
			return false;
		if (found == id)
			return (*row)-- <= x->nr_units;
	}
	return false;
}

/* The unit's part of a section. False: it is not inside of it. */
static bool dwarf_package__part(const struct dwarf_package *p, u32 row, enum section s, struct bytes *part)
{
	const struct cu_index *x = &p->index;
	u64 cell, offset, size;

	*part = p->sections[s];
	if (s == SECTION_STR || !part->at)
		return true;
	*part = (struct bytes){ 0 };
	if (x->column[s] < 0)
		return true;
	cell = (u64)row * x->nr_columns + (u32)x->column[s];
	offset = u32_at(x->offsets, cell);
	size = u32_at(x->sizes, cell);
	if (offset > p->sections[s].size || size > p->sections[s].size - offset)
		return false;
	*part = (struct bytes){ p->sections[s].at + offset, size };
	return true;
}

/* ---- a unit, as a .dwo file ---- */

/* Section 0 is none, the last one has the names. */
struct slot_header {
	Elf64_Ehdr ehdr;
	Elf64_Shdr shdr[1 + NR_SECTIONS + 1];
	char names[256];
};
_Static_assert(sizeof(struct slot_header) <= SLOT, "a unit's headers have to fit");

static void slot_header__write(struct slot_header *h, const struct bytes *parts)
{
	size_t names = 1;

	for (int s = 0; s < NR_SECTIONS; s++) {
		if (!parts[s].size)
			continue; /* a header of zeros is of no section */
		h->shdr[1 + s] = (Elf64_Shdr){ .sh_name = (u32)names,
					       .sh_type = SHT_PROGBITS,
					       .sh_offset = (u64)(parts[s].at - (const u8 *)h),
					       .sh_size = parts[s].size,
					       .sh_addralign = 1 };
		strcpy(h->names + names, sections[s].name);
		names += strlen(sections[s].name) + 1;
	}
	h->shdr[1 + NR_SECTIONS] = (Elf64_Shdr){ .sh_type = SHT_STRTAB,
						 .sh_offset = offsetof(struct slot_header, names),
						 .sh_size = names,
						 .sh_addralign = 1 };
	h->ehdr =
		(Elf64_Ehdr){ .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					   __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? ELFDATA2MSB : ELFDATA2LSB,
					   EV_CURRENT },
			      .e_type = ET_REL,
			      .e_version = EV_CURRENT,
			      .e_ehsize = sizeof(h->ehdr),
			      .e_shentsize = sizeof(h->shdr[0]),
			      .e_shnum = ARRAY_SIZE(h->shdr),
			      .e_shstrndx = 1 + NR_SECTIONS,
			      .e_shoff = offsetof(struct slot_header, shdr) };
}

static Elf *dwarf_package__open_slot(struct dwarf_package *p, u32 row, const struct bytes *parts)
{
	size_t at = (size_t)row * SLOT;
	struct slot_header *h = (struct slot_header *)(void *)(p->map + at);

	pthread_mutex_lock(&p->lock);
	if (!h->ehdr.e_ident[0])
		slot_header__write(h, parts);
	pthread_mutex_unlock(&p->lock);
	return elf_memory((char *)h, p->size - at);
}

/* The unit, if it is the one with the id. */
static bool dwarf_split__open_unit(struct dwarf_split *s, const struct bytes *info, u64 id)
{
	Dwarf_Off next;
	size_t header;
	uint64_t found;
	uint8_t type;

	if (dwarf_next_unit(s->dwarf, 0, &next, &header, NULL, NULL, NULL, NULL, NULL, NULL) ||
	    !dwarf_offdie(s->dwarf, header, &s->unit) ||
	    dwarf_cu_info(s->unit.cu, &s->addresses.version, &type, NULL, NULL, &found,
			  &s->addresses.address_size, &s->addresses.offset_size))
		return false;
	s->addresses.entries = cursor__make(info->at, info->size, false);
	return type == DW_UT_split_compile && found == id &&
	       (s->addresses.address_size == 8 || s->addresses.address_size == 4);
}

struct dwarf_split *dwarf_package__find(struct dwarf_package *p, u64 id)
{
	struct bytes parts[NR_SECTIONS];
	struct dwarf_split *s;
	u32 row;

	if (!cu_index__find(&p->index, id, &row))
		return NULL;
	for (int i = 0; i < NR_SECTIONS; i++)
		if (!dwarf_package__part(p, row, (enum section)i, &parts[i]))
			return NULL;
	s = xcalloc(1, sizeof(*s));
	s->elf = dwarf_package__open_slot(p, row, parts);
	s->dwarf = s->elf ? dwarf_open(s->elf) : NULL;
	if (!s->dwarf || !dwarf_split__open_unit(s, &parts[SECTION_INFO], id)) {
		dwarf_split__delete(s);
		return NULL;
	}
	if (parts[SECTION_RNGLISTS].at)
		s->addresses.ranges =
			cursor__make(parts[SECTION_RNGLISTS].at, parts[SECTION_RNGLISTS].size, false);
	return s;
}

void dwarf_split__delete(struct dwarf_split *s)
{
	if (!s)
		return;
	if (s->dwarf)
		dwarf_end(s->dwarf);
	if (s->elf)
		elf_end(s->elf);
	free(s);
}

/* ---- the file ---- */

struct section_places { /* where sections are in the file */
	u64 offset[NR_SECTIONS], size[NR_SECTIONS];
};

static void section_places__read(struct section_places *places, const struct elf_file *f, u64 file_size)
{
	*places = (struct section_places){ 0 };
	for (int s = 0; s < NR_SECTIONS; s++) {
		GElf_Shdr shdr;

		if (!elf_file__section(f, sections[s].name, 0, &shdr) || shdr.sh_type == SHT_NOBITS ||
		    shdr.sh_flags & SHF_COMPRESSED || shdr.sh_offset > file_size ||
		    shdr.sh_size > file_size - shdr.sh_offset)
			continue;
		places->offset[s] = shdr.sh_offset;
		places->size[s] = shdr.sh_size;
	}
}

/* Maps the file with slots in front of it. */
static bool dwarf_package__map(struct dwarf_package *p, const struct elf_file *f, u64 file_size)
{
	size_t slots = ROUND_UP((size_t)p->index.nr_units * SLOT, PAGE);
	struct section_places places;
	u8 *map = mmap(NULL, slots + file_size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_NORESERVE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED)
		return false;
	p->map = map;
	p->size = slots + file_size;
	if (mmap(map + slots, file_size, PROT_READ, MAP_PRIVATE | MAP_FIXED, f->fd, 0) == MAP_FAILED)
		return false;
	section_places__read(&places, f, file_size);
	for (int s = 0; s < NR_SECTIONS; s++)
		if (places.size[s])
			p->sections[s] = (struct bytes){ map + slots + places.offset[s], places.size[s] };
	return true;
}

static bool dwarf_package__read_index(struct dwarf_package *p, const struct elf_file *f)
{
	GElf_Shdr shdr;
	Elf_Data *data = elf_file__data(elf_file__section(f, ".debug_cu_index", 0, &shdr));

	if (!data || shdr.sh_flags & SHF_COMPRESSED)
		return false;
	p->index_bytes = xmemdup(data->d_buf, data->d_size);
	return cu_index__read(&p->index, p->index_bytes, data->d_size);
}

/* Bytes in the other order are not worth a way of their own. */
static bool is_native(const struct elf_file *f)
{
	return f->ehdr.e_ident[EI_DATA] ==
	       (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? ELFDATA2MSB : ELFDATA2LSB);
}

struct dwarf_package *dwarf_package__open(const char *path)
{
	struct dwarf_package *p;
	struct elf_file f;
	struct stat st;

	if (elf_file__open(&f, path, NULL))
		return NULL;
	p = xcalloc(1, sizeof(*p));
	pthread_mutex_init(&p->lock, NULL);
	if (f.fd < 0 || f.memory || fstat(f.fd, &st) || st.st_size <= 0 || !is_native(&f) ||
	    !dwarf_package__read_index(p, &f) || !dwarf_package__map(p, &f, (u64)st.st_size)) {
		dwarf_package__close(p);
		p = NULL;
	}
	elf_file__close(&f);
	return p;
}

void dwarf_package__close(struct dwarf_package *p)
{
	if (!p)
		return;
	if (p->map)
		munmap(p->map, p->size);
	free(p->index_bytes);
	pthread_mutex_destroy(&p->lock);
	free(p);
}
