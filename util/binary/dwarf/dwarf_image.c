#include "binary/dwarf/dwarf_image.h"

#include "base/memory/mem.h"
#include "base/memory/reserve.h"
#include "base/system/file_guard.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum {
	TRUE_RATIO = 16, /* of all compressed sections together: compilers' output has 2 to 8 */
};
static const u64 UNPACKED_MAX = 2ull << 30; /* bytes of all compressed sections together */

static const struct {
	const char *name; /* after ".debug_" or ".zdebug_" */
	enum dwarf_part part;
} parts[] = {
	{ "aranges", DWARF_PART_ARANGES },   { "info", DWARF_PART_INFO },
	{ "abbrev", DWARF_PART_ABBREV },     { "ranges", DWARF_PART_RANGES },
	{ "rnglists", DWARF_PART_RANGES },   { "addr", DWARF_PART_RANGES },
	{ "str", DWARF_PART_NAMES },         { "line_str", DWARF_PART_NAMES },
	{ "str_offsets", DWARF_PART_NAMES }, { "line", DWARF_PART_LINE },
};

static enum dwarf_part part_of(const char *name)
{
	name += strspn(name, ".z");
	for (size_t i = 0; !strncmp(name, "debug_", 6) && i < ARRAY_SIZE(parts); i++)
		if (!strcmp(name + 6, parts[i].name))
			return parts[i].part;
	return DWARF_PART_NONE;
}

static void unmap_file(u8 *map, size_t size)
{
	if (!map)
		return;
	file_guard__remove(map);
	munmap(map, size);
}

void dwarf_image__close(struct dwarf_image *im)
{
	for (size_t i = 0; i < im->sections.nr; i++)
		packed_section__exit(&im->sections.v[i].packed);
	array__exit(&im->sections);
	elf_end(im->elf);
	unmap_file(im->map, im->size);
	reserve__give(im->reserved);
	*im = (struct dwarf_image){ 0 };
}

static bool is_inside(const struct dwarf_image *im, u64 offset, u64 size)
{
	return offset <= im->size && size <= im->size - offset;
}

/* Give back the whole pages in a part of the map: the kernel rounds up the size. */
static void dwarf_image__drop(const struct dwarf_image *im, u64 offset, u64 size)
{
	const u64 page = mem__page_size();
	u64 start = ROUND_UP(offset, page), end = (offset + size) / page * page;

	if (start < end && end <= im->size)
		madvise(im->map + start, end - start, MADV_DONTNEED);
}

/* All but the section headers, which dwarf_file__forget_alt may have changed. */
void dwarf_image__rest(const struct dwarf_image *im)
{
	u64 start, size;
	GElf_Ehdr ehdr;
	size_t nr;

	if (!im->is_file || im->sections.nr || !gelf_getehdr(im->elf, &ehdr) || elf_getshdrnum(im->elf, &nr))
		return;
	start = ehdr.e_shoff;
	size = nr * ehdr.e_shentsize;
	if (!is_inside(im, start, size))
		return;
	dwarf_image__drop(im, 0, start);
	dwarf_image__drop(im, start + size, im->size - start - size);
}

void dwarf_image__pack(struct dwarf_image *im)
{
	dwarf_image__rest(im);
	for (size_t i = 0; im->is_file && i < im->sections.nr; i++) {
		struct packed_section *s = &im->sections.v[i].packed;

		if (!s->done)
			continue;
		dwarf_image__drop(im, (u64)(s->out - im->map), ROUND_UP(s->size, (u64)mem__page_size()));
		packed_section__restart(s);
	}
}

/* ---- compressed sections ---- */

/* Return 0 or a negative errno. */
static int dwarf_image__add_section(struct dwarf_image *im, const GElf_Ehdr *ehdr, u64 names, Elf_Scn *scn,
				    const GElf_Shdr *shdr, const char *name)
{
	bool is_old = !strncmp(name, ".zdebug_", 8), swap;
	struct image_section s = { .part = part_of(name), .index = (u32)elf_ndxscn(scn) };

	if (!is_old && !(shdr->sh_flags & SHF_COMPRESSED))
		return 0;
	if (!is_inside(im, shdr->sh_offset, shdr->sh_size))
		return -EINVAL;
	if (is_old && s.part != DWARF_PART_NONE)
		s.name = names + shdr->sh_name;
	swap = (ehdr->e_ident[EI_DATA] == ELFDATA2MSB) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	if (!packed_section__init(&s.packed, im->map + shdr->sh_offset, shdr->sh_size, is_old,
				  ehdr->e_ident[EI_CLASS] == ELFCLASS64, swap) ||
	    s.packed.size > UNPACKED_MAX)
		s.part = DWARF_PART_NONE;
	array__add(&im->sections, s);
	return 0;
}

static int dwarf_image__list_sections(struct dwarf_image *im)
{
	struct elf_file f = { .elf = im->elf };
	bool has_info = false;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	GElf_Ehdr ehdr;
	size_t names;

	if (elf_getshdrstrndx(im->elf, &names) || !gelf_getehdr(im->elf, &ehdr) ||
	    !gelf_getshdr(elf_getscn(im->elf, names), &shdr))
		return -EINVAL;
	for (u64 names_at = shdr.sh_offset; (scn = elf_nextscn(im->elf, scn));) {
		const char *name;
		int ret;

		if (!gelf_getshdr(scn, &shdr))
			return -EINVAL;
		name = elf_file__str(&f, (u32)names, shdr.sh_name);
		if (shdr.sh_type == SHT_NOBITS ||
		    (strncmp(name, ".debug_", 7) && strncmp(name, ".zdebug_", 8)))
			continue;
		has_info |= part_of(name) == DWARF_PART_INFO;
		ret = dwarf_image__add_section(im, &ehdr, names_at, scn, &shdr, name);
		if (ret)
			return ret;
	}
	return has_info ? 0 : -ENODATA;
}

/* ---- the image ---- */

static bool is_in_memory(const struct elf_file *elf)
{
	return elf->fd < 0 || elf->memory;
}

/*
 * Reserve memory for the file and extra bytes after it; map the file into it, or copy the bytes that elf has
 * in memory.
 */
static u8 *map_file(const struct elf_file *elf, size_t size, u64 extra)
{
	int flags = MAP_PRIVATE | MAP_NORESERVE;
	u8 *map = mmap(NULL, size + extra, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED)
		return NULL;
	if (is_in_memory(elf)) {
		memcpy(map, elf_rawfile(elf->elf, NULL), size);
	} else if (mmap(map, size, PROT_READ | PROT_WRITE, flags | MAP_FIXED, elf->fd, 0) == MAP_FAILED) {
		munmap(map, size + extra);
		return NULL;
	} else {
		file_guard__add(map, ROUND_UP(size, mem__page_size()));
	}
	return map;
}

/* Make libdw see an unpacked section of full size, or no section if there is no memory for it. */
static bool dwarf_image__redirect(struct dwarf_image *im, const struct image_section *s)
{
	Elf_Scn *scn = elf_getscn(im->elf, s->index);
	GElf_Shdr shdr;

	if (!scn || !gelf_getshdr(scn, &shdr))
		return false;
	if (s->part == DWARF_PART_NONE) {
		shdr.sh_type = SHT_NOBITS;
	} else {
		shdr.sh_offset = (u64)(s->packed.out - im->map);
		shdr.sh_size = s->packed.size;
		shdr.sh_flags &= ~(u64)SHF_COMPRESSED;
		shdr.sh_addralign = 1;
		shdr.sh_name += s->name != 0;
		shdr.sh_type = SHT_PROGBITS; /* plain bytes, so that libelf does not convert them */
	}
	if (!gelf_update_shdr(scn, &shdr))
		return false;
	/*
	 * libelf has noted where the section was, and would free that as a copy if only the section's raw
	 * data were ever requested.
	 */
	if (s->part != DWARF_PART_NONE)
		elf_getdata(scn, NULL);
	return true;
}

/* Return the bytes by which a section exceeds what its packed bytes become in a true file; below 0: fewer. */
static s64 excess_of(const struct image_section *s)
{
	return (s64)s->packed.size - (s64)s->packed.packed_size * TRUE_RATIO;
}

/* Leave out the sections with the largest excess, until the reserve has enough for the others. */
static void dwarf_image__limit(struct dwarf_image *im)
{
	for (;;) {
		struct image_section *worst = NULL;
		s64 excess = 0;
		u64 size = 0;

		for (size_t i = 0; i < im->sections.nr; i++) {
			struct image_section *s = &im->sections.v[i];

			if (s->part == DWARF_PART_NONE)
				continue;
			excess += excess_of(s);
			size += s->packed.size;
			if (!worst || excess_of(s) > excess_of(worst))
				worst = s;
		}
		im->reserved = excess > 0 ? (u64)excess : 0;
		im->justified = im->size + size - im->reserved;
		if (!im->reserved || reserve__take(im->reserved))
			return;
		worst->part = DWARF_PART_NONE;
		im->is_cut = true;
	}
}

/* Map the file again, with memory for the compressed sections. */
static int dwarf_image__make_room(struct dwarf_image *im, const struct elf_file *elf)
{
	const size_t page = mem__page_size();
	size_t file_size = im->size, room = ROUND_UP(file_size, page);
	u64 extra = 0;
	u8 *map;

	dwarf_image__limit(im);
	for (size_t i = 0; i < im->sections.nr; i++)
		if (im->sections.v[i].part != DWARF_PART_NONE)
			extra += ROUND_UP(im->sections.v[i].packed.size, page);
	if (extra > UNPACKED_MAX)
		return -EFBIG;
	map = map_file(elf, file_size, room - file_size + extra);
	if (!map)
		return -ENOMEM;
	elf_end(im->elf);
	for (size_t i = 0; i < im->sections.nr; i++) {
		struct image_section *s = &im->sections.v[i];

		if (s->part == DWARF_PART_NONE)
			continue;
		s->packed.in.in = map + (s->packed.in.in - im->map);
		s->packed.out = map + room;
		room += ROUND_UP(s->packed.size, page);
		if (s->name && is_inside(im, s->name, 2))
			map[s->name + 1] = '.'; /* .zdebug_info -> .(.debug_info) */
	}
	unmap_file(im->map, im->size);
	im->map = map;
	im->size = room;
	im->elf = elf_memory((char *)map, room);
	for (size_t i = 0; im->elf && i < im->sections.nr; i++)
		if (!dwarf_image__redirect(im, &im->sections.v[i]))
			return -EINVAL;
	return im->elf ? 0 : -EINVAL;
}

static size_t size_of(const struct elf_file *elf)
{
	struct stat st;
	size_t size = 0;

	if (is_in_memory(elf))
		return elf_rawfile(elf->elf, &size) ? size : 0;
	return !fstat(elf->fd, &st) && st.st_size > 0 ? (size_t)st.st_size : 0;
}

int dwarf_image__open(struct dwarf_image *im, const struct elf_file *elf)
{
	int ret;

	*im = (struct dwarf_image){ .size = size_of(elf),
				    .is_file = !is_in_memory(elf) && elf->ehdr.e_type != ET_REL };
	if (!im->size)
		return -EINVAL;
	im->map = map_file(elf, im->size, 0);
	if (!im->map)
		return -ENOMEM;
	im->elf = elf_memory((char *)im->map, im->size);
	ret = im->elf && elf_kind(im->elf) == ELF_K_ELF ? dwarf_image__list_sections(im) : -EINVAL;
	im->justified = im->size;
	if (!ret && im->sections.nr)
		ret = dwarf_image__make_room(im, elf);
	if (ret)
		dwarf_image__close(im);
	return ret;
}

void dwarf_image__unpack(struct dwarf_image *im, enum dwarf_part part, u64 end)
{
	for (size_t i = 0; i < im->sections.nr; i++) {
		struct packed_section *s = &im->sections.v[i].packed;

		if (im->sections.v[i].part != part || s->done == s->size)
			continue;
		packed_section__unpack(s, end);
		if (s->done == s->size && im->is_file)
			dwarf_image__drop(im, (u64)(s->in.in - im->map) + s->in.size - s->packed_size,
					  s->packed_size);
	}
}
