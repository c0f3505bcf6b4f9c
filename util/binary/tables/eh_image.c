#include "binary/tables/eh_image.h"

#include "base/memory/mem.h"
#include "base/system/file.h"

#include <dwarf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	PAGE = 4096,
	FRAME_MIN = 256 << 10, /* bytes of .eh_frame; a smaller one is read at once */
	FRAME_MAX = 1 << 30,
	TABLE_MAX = 256 << 20,
	HDR_HEAD = 12, /* bytes before the pairs, with pointers of 4 bytes */
};

/* The sections of the image. libdw wants .eh_frame_hdr before .eh_frame. */
enum { SECTION_NONE, SECTION_HDR, SECTION_FRAME, SECTION_NAMES, SECTIONS };

static const char section_names[] = "\0.eh_frame_hdr\0.eh_frame\0.shstrtab";
enum { NAME_HDR = 1, NAME_FRAME = 15, NAME_NAMES = 25 };

struct eh_image {
	u8 *map;
	size_t size;
	Elf *elf;
	int fd;
	/* the search table: pairs of 32-bit numbers relative to the section */
	const u8 *pairs;
	u64 nr_pairs, hdr_addr, hdr_size;
	/* .eh_frame */
	u8 *frame;
	u64 addr, offset, frame_size;
	u8 *is_read; /* by page */
	u64 nr_read;
};

/* ---- reading ---- */

/* Read the pages with these bytes of .eh_frame. Bytes that cannot be read stay 0. */
static void eh_image__read(struct eh_image *im, u64 at, u64 size)
{
	if (at >= im->frame_size)
		return;
	size = MIN(size, im->frame_size - at);
	for (u64 page = at / PAGE; page * PAGE < at + size; page++) {
		u64 start = page * PAGE;

		if (im->is_read[page])
			continue;
		file__pread_all(im->fd, im->frame + start, MIN((u64)PAGE, im->frame_size - start),
				im->offset + start);
		im->is_read[page] = true;
		im->nr_read++;
	}
}

static u32 eh_image__u32(const struct eh_image *im, u64 at)
{
	u32 x = 0;

	if (at < im->frame_size && im->frame_size - at >= sizeof(x))
		memcpy(&x, im->frame + at, sizeof(x));
	return x;
}

/* Read the entry at an offset of .eh_frame. Return its second word: the distance to what it refers to. */
static u32 eh_image__read_entry(struct eh_image *im, u64 at)
{
	eh_image__read(im, at, 2 * sizeof(u32));
	/* An entry of the 64-bit format has a length that leads here to the end of the section. */
	eh_image__read(im, at, sizeof(u32) + (u64)eh_image__u32(im, at));
	return eh_image__u32(im, at + sizeof(u32));
}

static u64 eh_image__word(const struct eh_image *im, u64 i)
{
	s32 x;

	memcpy(&x, im->pairs + i * sizeof(x), sizeof(x));
	return im->hdr_addr + (u64)(s64)x;
}

void eh_image__need(struct eh_image *im, u64 vaddr)
{
	u64 nr = bisect(i, (u64)0, im->nr_pairs, eh_image__word(im, 2 * i) <= vaddr), at;

	if (!nr)
		return;
	at = eh_image__word(im, 2 * nr - 1) - im->addr;
	eh_image__read_entry(im, at + sizeof(u32) - eh_image__read_entry(im, at));
}

/* ---- life ---- */

static bool is_read_here(const struct elf_file *f, const GElf_Shdr *frame, const GElf_Shdr *hdr)
{
	return f->fd >= 0 && !f->memory && f->ehdr.e_ident[EI_CLASS] == ELFCLASS64 &&
	       f->ehdr.e_ident[EI_DATA] == (__BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB) &&
	       frame->sh_type != SHT_NOBITS && hdr->sh_type != SHT_NOBITS &&
	       !((frame->sh_flags | hdr->sh_flags) & SHF_COMPRESSED) && frame->sh_size >= FRAME_MIN &&
	       frame->sh_size <= FRAME_MAX && hdr->sh_size > HDR_HEAD && hdr->sh_size <= TABLE_MAX &&
	       elf_file__holds(f, frame->sh_offset, frame->sh_size);
}

/* Read the search table into the image. Return false if it is of another form. */
static bool eh_image__read_table(struct eh_image *im, const struct elf_file *f, u8 *to, const GElf_Shdr *hdr)
{
	static const u8 form[4] = { 1, DW_EH_PE_pcrel | DW_EH_PE_sdata4, DW_EH_PE_udata4,
				    DW_EH_PE_datarel | DW_EH_PE_sdata4 };
	u32 nr;

	if (!elf_file__read(f, to, hdr->sh_size, hdr->sh_offset) || memcmp(to, form, sizeof(form)) != 0)
		return false;
	memcpy(&nr, to + 8, sizeof(nr));
	im->pairs = to + HDR_HEAD;
	im->nr_pairs = nr;
	im->hdr_addr = hdr->sh_addr;
	im->hdr_size = hdr->sh_size;
	return nr && nr <= (hdr->sh_size - HDR_HEAD) / (2 * sizeof(u32));
}

/* Write the headers of the image: those of the file for these sections, at other offsets. */
static void eh_image__write_headers(const struct eh_image *im, const struct elf_file *f,
				    const GElf_Shdr *frame, const GElf_Shdr *hdr, u64 hdr_at)
{
	Elf64_Ehdr ehdr = f->ehdr;
	Elf64_Shdr sections[SECTIONS] = { [SECTION_HDR] = *hdr, [SECTION_FRAME] = *frame };

	ehdr.e_phoff = ehdr.e_phnum = 0;
	ehdr.e_shoff = sizeof(ehdr);
	ehdr.e_shnum = SECTIONS;
	ehdr.e_shstrndx = SECTION_NAMES;
	sections[SECTION_HDR].sh_name = NAME_HDR;
	sections[SECTION_HDR].sh_offset = hdr_at;
	sections[SECTION_FRAME].sh_name = NAME_FRAME;
	sections[SECTION_FRAME].sh_offset = (u64)(im->frame - im->map);
	sections[SECTION_NAMES] = (Elf64_Shdr){ .sh_name = NAME_NAMES,
						.sh_type = SHT_STRTAB,
						.sh_offset = sizeof(ehdr) + sizeof(sections),
						.sh_size = sizeof(section_names),
						.sh_addralign = 1 };
	memcpy(im->map, &ehdr, sizeof(ehdr));
	memcpy(im->map + ehdr.e_shoff, sections, sizeof(sections));
	memcpy(im->map + sections[SECTION_NAMES].sh_offset, section_names, sizeof(section_names));
}

static bool eh_image__fill(struct eh_image *im, const struct elf_file *f, const GElf_Shdr *frame,
			   const GElf_Shdr *hdr)
{
	u64 hdr_at = ROUND_UP(sizeof(Elf64_Ehdr) + SECTIONS * sizeof(Elf64_Shdr) + sizeof(section_names),
			      (size_t)64);
	u64 frame_at = ROUND_UP(hdr_at + hdr->sh_size, (u64)PAGE);

	im->addr = frame->sh_addr;
	im->offset = frame->sh_offset;
	im->frame_size = frame->sh_size;
	im->size = frame_at + frame->sh_size;
	im->map = mmap(NULL, im->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		       -1, 0);
	if (im->map == MAP_FAILED) {
		im->map = NULL;
		return false;
	}
	im->frame = im->map + frame_at;
	if (!eh_image__read_table(im, f, im->map + hdr_at, hdr))
		return false;
	eh_image__write_headers(im, f, frame, hdr, hdr_at);
	im->is_read = xcalloc(frame->sh_size / PAGE + 1, 1);
	im->fd = fcntl(f->fd, F_DUPFD_CLOEXEC, 0);
	im->elf = im->fd < 0 ? NULL : elf_memory((char *)im->map, im->size);
	return im->elf;
}

struct eh_image *eh_image__open(const struct elf_file *f)
{
	GElf_Shdr frame, hdr;
	struct eh_image *im;

	if (!elf_file__section(f, ".eh_frame", 0, &frame) ||
	    !elf_file__section(f, ".eh_frame_hdr", 0, &hdr) || !is_read_here(f, &frame, &hdr))
		return NULL;
	im = xcalloc(1, sizeof(*im));
	im->fd = -1;
	if (eh_image__fill(im, f, &frame, &hdr))
		return im;
	eh_image__delete(im);
	return NULL;
}

void eh_image__delete(struct eh_image *im)
{
	if (!im)
		return;
	elf_end(im->elf);
	if (im->map)
		munmap(im->map, im->size);
	file__close(im->fd);
	free(im->is_read);
	free(im);
}

Elf *eh_image__elf(struct eh_image *im)
{
	return im->elf;
}

u64 eh_image__bytes(const struct eh_image *im)
{
	return im->hdr_size + im->nr_read * PAGE + im->frame_size / PAGE;
}
