#include "binary/tables/borders.h"

#include "base/memory/cursor.h"
#include "binary/elf/elf_binary.h"
#include "binary/elf/elf_loads.h"
#include "binary/tables/arm_table.h"
#include "binary/tables/entry_code.h"

#include <dwarf.h>
#include <errno.h>
#include <string.h>

enum {
	ENTRY_BYTES = 96, /* bytes of a CIE or FDE that are read */
	/* bytes of .eh_frame that are worth reading at once; single FDEs are read from larger ones */
	EH_FRAME_MANY = 1 << 20,
};

struct span { /* virtual addresses */
	u64 start, end;
};

/* A section with frame descriptions (FDEs), each of which has the range of a function. */
struct frame_section {
	const u8 *data; /* NULL: too large to have in memory, read on demand */
	u64 addr, offset, size;
	bool is_eh; /* .eh_frame, not .debug_frame */
};

/* The search table in .eh_frame_hdr: pairs of 32-bit numbers relative to the section. */
struct search_table {
	const u8 *pairs; /* NULL: none */
	u64 nr, addr;
};

static const char *const names_of_points[] = { "_start", "main" };

struct borders {
	struct elf_file file; /* owns the sections' bytes */
	bool swap;
	struct elf_loads loads;
	ARRAY(struct span) code; /* executable sections */
	struct frame_section eh;
	struct search_table search;              /* of eh */
	ARRAY(struct span) walked;               /* ranges in sections without a search table, sorted */
	struct arm_table arm;                    /* index.data NULL: none */
	u64 points[ARRAY_SIZE(names_of_points)]; /* borders that no table has; 0: none */
};

/* ---- frame descriptions ---- */

/* Read a pointer as .eh_frame encodes it. addr: virtual address of the cursor's first byte. */
static bool read_encoded(struct cursor *c, u8 encoding, u64 addr, u64 *value)
{
	u64 base = (encoding & 0x70) == DW_EH_PE_pcrel ? addr + cursor__offset(c) : 0;

	if (encoding & 0x60) /* relative to something else, or indirect */
		return false;
	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		*value = base + cursor__u64(c);
		break;
	case DW_EH_PE_udata4:
		*value = base + cursor__u32(c);
		break;
	case DW_EH_PE_sdata4:
		*value = base + (u64)(s64)(int32_t)cursor__u32(c);
		break;
	case DW_EH_PE_udata2:
		*value = base + cursor__u16(c);
		break;
	case DW_EH_PE_sdata2:
		*value = base + (u64)(s64)(int16_t)cursor__u16(c);
		break;
	default:
		return false;
	}
	return !c->bad;
}

static size_t encoded_size(u8 encoding, size_t word)
{
	static const u8 sizes[8] = { [DW_EH_PE_udata2] = 2, [DW_EH_PE_udata4] = 4, [DW_EH_PE_udata8] = 8 };

	return encoding & 7 ? sizes[encoding & 7] : word;
}

/* A frame description or what several have in common (CIE): its first bytes. */
struct frame_entry {
	u8 bytes[ENTRY_BYTES];
	struct cursor c; /* after the id */
	u64 id_at;       /* offset in the section */
	u32 id;
	u64 next;
};

/* Read the entry at an offset of the section. */
static bool borders__read_entry(const struct borders *b, const struct frame_section *s, u64 offset,
				struct frame_entry *e)
{
	size_t nr;
	u32 length;

	if (offset >= s->size)
		return false;
	nr = MIN(s->size - offset, (u64)ENTRY_BYTES);
	if (s->data)
		memcpy(e->bytes, s->data + offset, nr);
	else if (!elf_file__read(&b->file, e->bytes, nr, s->offset + offset))
		return false;
	e->c = cursor__make(e->bytes, nr, b->swap);
	length = cursor__u32(&e->c);
	e->id_at = offset + cursor__offset(&e->c);
	e->id = cursor__u32(&e->c);
	e->next = e->id_at + length;
	return !e->c.bad && length != UINT32_MAX; /* which would begin the 64-bit format */
}

static bool frame_entry__is_cie(const struct frame_entry *e, const struct frame_section *s)
{
	return e->id == (s->is_eh ? 0 : UINT32_MAX);
}

static void skip_leb128(struct cursor *c)
{
	while (cursor__u8(c) & 0x80)
		;
}

/* Return how the addresses in FDEs of this CIE are encoded. word: as a word of the machine. */
static u8 encoding_of(struct frame_entry *cie, u8 word)
{
	struct cursor *c = &cie->c;
	u8 version = cursor__u8(c), encoding = word;
	const char *a = (const char *)c->p;

	cursor__skip(c, strnlen(a, cursor__left(c)) + 1);
	if (c->bad || *a != 'z')
		return word;
	skip_leb128(c);
	skip_leb128(c);
	if (version == 1)
		cursor__u8(c);
	else
		skip_leb128(c);
	skip_leb128(c);
	while (*++a && *a != 'R') {
		if (*a == 'L')
			cursor__u8(c);
		else if (*a == 'P')
			cursor__skip(c, encoded_size(cursor__u8(c), word == DW_EH_PE_udata4 ? 4 : 8));
	}
	if (*a == 'R')
		encoding = cursor__u8(c);
	return c->bad ? word : encoding;
}

/* Read the FDE at an offset of the section. Return false unless it is one and has a range. */
static bool borders__read_fde(const struct borders *b, const struct frame_section *s, u64 offset, u64 *next,
			      struct span *range)
{
	u8 word = b->file.ehdr.e_ident[EI_CLASS] == ELFCLASS64 ? DW_EH_PE_udata8 : DW_EH_PE_udata4;
	struct frame_entry fde, cie;
	u64 size;

	*next = UINT64_MAX;
	if (!borders__read_entry(b, s, offset, &fde))
		return false;
	*next = fde.next;
	if (frame_entry__is_cie(&fde, s) ||
	    !borders__read_entry(b, s, s->is_eh ? fde.id_at - fde.id : fde.id, &cie) ||
	    !frame_entry__is_cie(&cie, s))
		return false;
	if (s->is_eh)
		word = encoding_of(&cie, word);
	if (!read_encoded(&fde.c, word, s->addr + offset, &range->start) ||
	    !read_encoded(&fde.c, word & 0x0f, 0, &size) || !range->start || !size)
		return false;
	range->end = range->start + size;
	return range->end > range->start;
}

static int span__compare(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Collect all ranges of a section. */
static void borders__walk(struct borders *b, const struct frame_section *s)
{
	struct span range;
	u64 next;

	for (u64 at = 0; at < s->size; at = next) {
		if (borders__read_fde(b, s, at, &next, &range))
			array__add(&b->walked, range);
		if (next <= at)
			break;
	}
	if (b->walked.nr)
		qsort(b->walked.v, b->walked.nr, sizeof(*b->walked.v), span__compare);
}

/* ---- the search table ---- */

static u64 search_table__word(const struct borders *b, u64 i)
{
	u32 x;

	memcpy(&x, b->search.pairs + i * sizeof(x), sizeof(x));
	return b->search.addr + (u64)(s64)(int32_t)(b->swap ? __builtin_bswap32(x) : x);
}

static void borders__open_search(struct borders *b)
{
	GElf_Shdr shdr;
	Elf_Data *data = elf_file__data(elf_file__section(&b->file, ".eh_frame_hdr", 0, &shdr));
	u64 ignored, nr = 0;
	struct cursor c;
	u8 head[4];

	if (!data)
		return;
	c = cursor__make(data->d_buf, data->d_size, b->swap);
	for (size_t i = 0; i < sizeof(head); i++)
		head[i] = cursor__u8(&c);
	if (head[0] != 1 || head[3] != (DW_EH_PE_datarel | DW_EH_PE_sdata4) ||
	    !read_encoded(&c, head[1], shdr.sh_addr, &ignored) ||
	    !read_encoded(&c, head[2], shdr.sh_addr, &nr) || !nr || nr > cursor__left(&c) / 8)
		return;
	b->search = (struct search_table){ c.p, nr, shdr.sh_addr };
}

/*
 * Narrow range, which contains vaddr, to the FDE there, or to the gap between two. before: the last FDE that
 * starts at or before vaddr; next: start of the one after it.
 */
static void span__narrow(struct span *range, u64 vaddr, const struct span *before, u64 next)
{
	range->end = MIN(range->end, next);
	if (before->end > vaddr) {
		range->start = MAX(range->start, before->start);
		range->end = MIN(range->end, before->end);
	} else {
		range->start = MAX(range->start, before->end);
	}
}

static void borders__search(const struct borders *b, u64 vaddr, struct span *range)
{
	u64 nr = bisect(i, (u64)0, b->search.nr, search_table__word(b, 2 * i) <= vaddr), ignored;
	u64 next = nr < b->search.nr ? search_table__word(b, 2 * nr) : UINT64_MAX;
	struct span before = { 0, 0 };

	if (nr) {
		u64 start = search_table__word(b, 2 * nr - 2), fde = search_table__word(b, 2 * nr - 1);

		if (!borders__read_fde(b, &b->eh, fde - b->eh.addr, &ignored, &before) ||
		    before.start != start)
			before = (struct span){ start, next };
	}
	span__narrow(range, vaddr, &before, next);
}

/* ---- the function at an address ---- */

/* Find the executable section at vaddr. */
static bool borders__find_code(const struct borders *b, u64 vaddr, struct span *section)
{
	for (size_t i = 0; i < b->code.nr; i++) {
		*section = b->code.v[i];
		if (vaddr >= section->start && vaddr < section->end)
			return true;
	}
	return false;
}

static void borders__look_up_walked(const struct borders *b, u64 vaddr, struct span *range)
{
	size_t nr = bisect(i, (size_t)0, b->walked.nr, b->walked.v[i].start <= vaddr);
	struct span before = { 0, 0 };

	if (nr)
		before = b->walked.v[nr - 1];
	span__narrow(range, vaddr, &before, nr < b->walked.nr ? b->walked.v[nr].start : UINT64_MAX);
}

bool borders__find(const struct borders *b, u64 addr, struct code_range *range)
{
	struct span span;
	u64 bias, vaddr, start, end;

	if (!elf_loads__bias(&b->loads, addr, &bias))
		return false;
	vaddr = addr + bias;
	if (!borders__find_code(b, vaddr, &span))
		return false;
	if (b->search.nr)
		borders__search(b, vaddr, &span);
	if (b->walked.nr)
		borders__look_up_walked(b, vaddr, &span);
	if (arm_table__range(&b->arm, vaddr, &start, &end))
		span__narrow(&span, vaddr, &(struct span){ start, end }, end);
	for (size_t i = 0; i < ARRAY_SIZE(b->points); i++) {
		if (b->points[i] > vaddr)
			span.end = MIN(span.end, b->points[i]);
		else
			span.start = MAX(span.start, b->points[i]);
	}
	*range = (struct code_range){ .start = span.start - bias, .end = span.end - bias, .bias = bias };
	/* The names are known where the entry code is the usual one. */
	for (size_t i = 0; b->points[1] && i < ARRAY_SIZE(b->points); i++)
		if (span.start == b->points[i])
			range->name = names_of_points[i];
	return range->start <= addr && addr < range->end; /* false: a section is outside its segment */
}

/* ---- life ---- */

static void borders__open_code(struct borders *b)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(b->file.elf, scn)))
		if (gelf_getshdr(scn, &shdr) && shdr.sh_flags & SHF_EXECINSTR && shdr.sh_flags & SHF_ALLOC)
			array__add(&b->code, ((struct span){ shdr.sh_addr, shdr.sh_addr + shdr.sh_size }));
}

static void borders__open_frames(struct borders *b)
{
	static const char *const names[] = { ".eh_frame", ".debug_frame" };
	GElf_Shdr shdr;

	borders__open_search(b);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		Elf_Scn *scn = elf_file__section(&b->file, names[i], 0, &shdr);
		struct frame_section s = { NULL, shdr.sh_addr, shdr.sh_offset, shdr.sh_size, i == 0 };
		bool has_search = s.is_eh && b->search.nr;
		Elf_Data *data;

		if (!scn || shdr.sh_flags & SHF_COMPRESSED)
			continue;
		data = has_search && s.size > EH_FRAME_MANY ? NULL : elf_file__data(scn);
		if (data) {
			s.data = data->d_buf;
			s.size = data->d_size;
		}
		if (has_search)
			b->eh = s;
		else if (data)
			borders__walk(b, &s);
	}
}

static void borders__open_points(struct borders *b)
{
	u64 entry = b->file.ehdr.e_entry;

	if (!entry)
		return;
	b->points[0] = b->file.ehdr.e_machine == EM_ARM ? entry & ~1ull : entry; /* Thumb */
	b->points[1] = entry_code__find_main(&b->file, &b->loads);
}

int borders__open(struct borders **borders, const char *path, const struct build_id *want, const char *root,
		  struct err *err)
{
	struct borders *b;
	struct elf_binary binary;
	int ret;

	elf_binary__open(&binary, path, want, root, NULL);
	if (!elf_file__is_open(&binary.file)) {
		ret = elf_binary__not_found(&binary, err);
		elf_binary__close(&binary);
		return ret;
	}
	b = xcalloc(1, sizeof(*b));
	b->file = binary.file;
	b->swap = (b->file.ehdr.e_ident[EI_DATA] == ELFDATA2MSB) != (__BYTE_ORDER == __BIG_ENDIAN);
	elf_loads__read(&b->loads, &b->file);
	borders__open_code(b);
	borders__open_frames(b);
	arm_table__open(&b->arm, &b->file);
	borders__open_points(b);
	if (b->eh.data || !b->eh.size)
		elf_file__forget_fd(&b->file);
	if (b->search.nr || b->walked.nr || b->arm.index.data) {
		*borders = b;
		return 0;
	}
	borders__delete(b);
	return err__set(err, -ENODATA, "'%s' has no table of functions", path);
}

void borders__delete(struct borders *b)
{
	if (!b)
		return;
	elf_file__close(&b->file);
	elf_loads__exit(&b->loads);
	array__exit(&b->code);
	array__exit(&b->walked);
	free(b);
}
