#include "binary/elf/elf_segments.h"

#include "base/memory/array.h"

#include <dwarf.h>
#include <string.h>

struct segments {
	Elf *elf;
	GElf_Ehdr ehdr;
	bool is_64bit, swap;
	struct strbuf *image;
	ARRAY(GElf_Phdr) v;
	ARRAY(Elf64_Shdr) sections;
	struct strbuf names;
	u64 dynamic[DT_NUM]; /* values of the dynamic section by tag; 0: none */
	u64 gnu_hash;
};

bool elf_segments__are_all(Elf *elf, const GElf_Ehdr *ehdr, u64 size)
{
	size_t nr = 0;

	return (ehdr->e_type == ET_EXEC || ehdr->e_type == ET_DYN) && ehdr->e_phnum &&
	       (!ehdr->e_shoff || ehdr->e_shoff >= size || elf_getshdrnum(elf, &nr) || !nr);
}

/* ---- the file ---- */

/* Get the file offset of a virtual address, and the bytes of its segment from there on. */
static bool segments__find(const struct segments *s, u64 vaddr, u64 *offset, u64 *left)
{
	for (size_t i = 0; i < s->v.nr; i++) {
		const GElf_Phdr *p = &s->v.v[i];
		u64 at = vaddr - p->p_vaddr;

		if (p->p_type != PT_LOAD || at >= p->p_filesz || p->p_offset >= s->image->len ||
		    at >= s->image->len - p->p_offset)
			continue;
		*offset = p->p_offset + at;
		*left = MIN(p->p_filesz - at, s->image->len - *offset);
		return true;
	}
	return false;
}

/* Read a number of size bytes, 0 if the file does not have it. */
static u64 segments__read(const struct segments *s, u64 offset, size_t size)
{
	u64 value = 0;
	u32 word;

	if (offset > s->image->len || size > s->image->len - offset)
		return 0;
	if (size == sizeof(word)) {
		memcpy(&word, s->image->buf + offset, sizeof(word));
		return s->swap ? __builtin_bswap32(word) : word;
	}
	memcpy(&value, s->image->buf + offset, sizeof(value));
	return s->swap ? __builtin_bswap64(value) : value;
}

/* Add a section. Return its index; the array may move. */
static u32 segments__add(struct segments *s, const char *name, u32 type, u64 addr, u64 offset, u64 size)
{
	Elf64_Shdr *shdr = array__push(&s->sections);

	*shdr = (Elf64_Shdr){ .sh_name = (u32)s->names.len,
			      .sh_type = type,
			      .sh_flags = type ? SHF_ALLOC : 0,
			      .sh_addr = addr,
			      .sh_offset = offset,
			      .sh_size = size,
			      .sh_addralign = type ? 1 : 0 };
	strbuf__add(&s->names, name, strlen(name) + 1);
	return (u32)s->sections.nr - 1;
}

/* ---- dynamic symbols ---- */

static void segments__read_dynamic(struct segments *s, const GElf_Phdr *p)
{
	Elf_Data *data = p->p_filesz <= s->image->len
				 ? elf_getdata_rawchunk(s->elf, (s64)p->p_offset, p->p_filesz, ELF_T_DYN)
				 : NULL;
	GElf_Dyn dyn;

	for (int i = 0; data && gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++) {
		if (dyn.d_tag > 0 && dyn.d_tag < DT_NUM)
			s->dynamic[dyn.d_tag] = dyn.d_un.d_val;
		else if (dyn.d_tag == DT_GNU_HASH)
			s->gnu_hash = dyn.d_un.d_ptr;
	}
}

/*
 * Return the number of symbols by DT_GNU_HASH: one more than the last one of the chain that begins last.
 * ("ELF hash table", as of GNU ld: header of four words, a filter of addresses' size, buckets, chains) Return
 * 0 if unknown: in a table of no symbols, GNU ld writes 1 as the first one, lld the number.
 */
static u64 segments__count_by_gnu_hash(const struct segments *s)
{
	u64 at, left, nr_buckets, first, filter, last = 0;

	if (!s->gnu_hash || !segments__find(s, s->gnu_hash, &at, &left) || left < 16)
		return 0;
	nr_buckets = segments__read(s, at, 4);
	first = segments__read(s, at + 4, 4);
	filter = segments__read(s, at + 8, 4) * (s->is_64bit ? 8 : 4);
	if (filter > left - 16 || nr_buckets > (left - 16 - filter) / 4)
		return 0;
	at += 16 + filter;
	left -= 16 + filter + 4 * nr_buckets;
	for (u64 i = 0; i < nr_buckets; i++)
		last = MAX(last, segments__read(s, at + 4 * i, 4));
	at += 4 * nr_buckets;
	if (last < first)
		return first > 1 ? first : 0;
	for (u64 i = last - first; i < left / 4; i++)
		if (segments__read(s, at + 4 * i, 4) & 1)
			return first + i + 1;
	return 0;
}

static u64 segments__count_symbols(const struct segments *s, size_t entry)
{
	u64 at, left, nr = segments__count_by_gnu_hash(s);

	if (!nr && s->dynamic[DT_HASH] && segments__find(s, s->dynamic[DT_HASH], &at, &left) && left >= 8)
		nr = segments__read(s, at + 4, 4); /* the number of chains */
	if (!nr && s->dynamic[DT_STRTAB] > s->dynamic[DT_SYMTAB])
		nr = (s->dynamic[DT_STRTAB] - s->dynamic[DT_SYMTAB]) / entry;
	return nr;
}

static void segments__add_symbols(struct segments *s)
{
	size_t entry = gelf_fsize(s->elf, ELF_T_SYM, 1, EV_CURRENT);
	size_t rela_entry = gelf_fsize(s->elf, ELF_T_RELA, 1, EV_CURRENT);
	u64 names, names_left, symbols, symbols_left, at, left;
	u32 dynsym, rela;

	if (!s->dynamic[DT_SYMTAB] || !segments__find(s, s->dynamic[DT_SYMTAB], &symbols, &symbols_left) ||
	    !segments__find(s, s->dynamic[DT_STRTAB], &names, &names_left))
		return;
	symbols_left = MIN(symbols_left / entry, segments__count_symbols(s, entry)) * entry;
	dynsym = segments__add(s, ".dynsym", SHT_DYNSYM, s->dynamic[DT_SYMTAB], symbols, symbols_left);
	s->sections.v[dynsym].sh_entsize = entry;
	s->sections.v[dynsym].sh_info = 1;
	s->sections.v[dynsym].sh_link = dynsym + 1;
	segments__add(s, ".dynstr", SHT_STRTAB, s->dynamic[DT_STRTAB], names,
		      MIN(names_left, s->dynamic[DT_STRSZ]));
	if (!s->dynamic[DT_RELA] || !segments__find(s, s->dynamic[DT_RELA], &at, &left))
		return;
	rela = segments__add(s, ".rela.dyn", SHT_RELA, s->dynamic[DT_RELA], at,
			     MIN(left, s->dynamic[DT_RELASZ]) / rela_entry * rela_entry);
	s->sections.v[rela].sh_entsize = rela_entry;
	s->sections.v[rela].sh_link = dynsym;
}

/* ---- tables and code ---- */

/*
 * Return the size of the entries of .eh_frame at an offset, up to the one of length 0. (Linux Standard Base,
 * "Exception Frames")
 */
static u64 segments__frame_size(const struct segments *s, u64 offset, u64 left)
{
	u64 size = 0, length;

	while (left - size >= 4 && (length = segments__read(s, offset + size, 4))) {
		size += 4;
		if (length == UINT32_MAX) {
			length = left - size >= 8 ? segments__read(s, offset + size, 8) : 0;
			size += MIN(8u, left - size);
		}
		size += MIN(length, left - size);
	}
	return MIN(size + 4, left);
}

static void segments__add_frames(struct segments *s, const GElf_Phdr *p)
{
	u64 at, left, hdr, hdr_left, frame;

	if (!segments__find(s, p->p_vaddr, &hdr, &hdr_left) || MIN(hdr_left, p->p_filesz) < 8)
		return;
	segments__add(s, ".eh_frame_hdr", SHT_PROGBITS, p->p_vaddr, hdr, MIN(hdr_left, p->p_filesz));
	if ((u8)s->image->buf[hdr + 1] != (DW_EH_PE_pcrel | DW_EH_PE_sdata4))
		return;
	frame = p->p_vaddr + 4 + (u64)(s64)(s32)segments__read(s, hdr + 4, 4);
	if (segments__find(s, frame, &at, &left))
		segments__add(s, ".eh_frame", SHT_PROGBITS, frame, at, segments__frame_size(s, at, left));
}

/* Find Go's table by the first bytes of its header. (Go's src/debug/gosym/pclntab.go; Go 1.18 and newer) */
static void segments__add_go(struct segments *s, const GElf_Phdr *p)
{
	const u8 size = s->is_64bit ? 8 : 4;
	u64 at, left;
	u8 head[8];

	if (!segments__find(s, p->p_vaddr, &at, &left))
		return;
	for (unsigned version = 0; version < 2; version++)
		for (u8 quantum = 1; quantum <= 4; quantum *= 4) {
			const u8 first = version ? 0xf1 : 0xf0;
			const char *start = s->image->buf + at, *found;

			memcpy(head,
			       s->swap ? (u8[]){ 0xff, 0xff, 0xff, first, 0, 0, quantum, size }
				       : (u8[]){ first, 0xff, 0xff, 0xff, 0, 0, quantum, size },
			       sizeof(head));
			found = memmem(start, left, head, sizeof(head));
			if (!found)
				continue;
			segments__add(s, ".gopclntab", SHT_PROGBITS, p->p_vaddr + (u64)(found - start),
				      at + (u64)(found - start), left - (u64)(found - start));
			return;
		}
}

static void segments__add_segment(struct segments *s, const GElf_Phdr *p)
{
	u64 at, left;
	u32 i;

	if (!segments__find(s, p->p_vaddr, &at, &left))
		return;
	if (p->p_type == PT_LOAD && p->p_flags & PF_X) {
		i = segments__add(s, ".text", SHT_PROGBITS, p->p_vaddr, at, left);
		s->sections.v[i].sh_flags |= SHF_EXECINSTR;
	} else if (p->p_type == PT_LOAD) {
		segments__add_go(s, p);
	} else if (p->p_type == PT_NOTE) {
		i = segments__add(s, ".note", SHT_NOTE, p->p_vaddr, at, MIN(left, p->p_filesz));
		s->sections.v[i].sh_addralign = p->p_align;
	} else if (p->p_type == PT_GNU_EH_FRAME) {
		segments__add_frames(s, p);
	} else if (p->p_type == PT_ARM_EXIDX && s->ehdr.e_machine == EM_ARM) {
		segments__add(s, ".ARM.exidx", SHT_ARM_EXIDX, p->p_vaddr, at, MIN(left, p->p_filesz));
	}
}

static void segments__add_all(struct segments *s)
{
	segments__add(s, "", SHT_NULL, 0, 0, 0);
	for (size_t i = 0; i < s->v.nr; i++) {
		if (s->v.v[i].p_type == PT_DYNAMIC)
			segments__read_dynamic(s, &s->v.v[i]);
		else
			segments__add_segment(s, &s->v.v[i]);
	}
	segments__add_symbols(s);
}

/* ---- headers ---- */

/* Write native structures to the image in the form of the file. */
static void segments__write(struct segments *s, u64 at, void *from, size_t size, Elf_Type type)
{
	size_t file_size = gelf_fsize(s->elf, type, 1, EV_CURRENT);
	Elf_Data in = { .d_buf = from, .d_type = type, .d_version = EV_CURRENT, .d_size = size };
	Elf_Data out = { .d_buf = s->image->buf + at, .d_version = EV_CURRENT, .d_size = file_size };

	gelf_xlatetof(s->elf, &out, &in, s->ehdr.e_ident[EI_DATA]);
}

static void segments__write_section(struct segments *s, u64 at, const Elf64_Shdr *shdr)
{
	Elf64_Shdr whole = *shdr;
	Elf32_Shdr small = { .sh_name = shdr->sh_name,
			     .sh_type = shdr->sh_type,
			     .sh_flags = (u32)shdr->sh_flags,
			     .sh_addr = (u32)shdr->sh_addr,
			     .sh_offset = (u32)shdr->sh_offset,
			     .sh_size = (u32)shdr->sh_size,
			     .sh_link = shdr->sh_link,
			     .sh_info = shdr->sh_info,
			     .sh_addralign = (u32)shdr->sh_addralign,
			     .sh_entsize = (u32)shdr->sh_entsize };

	if (s->is_64bit)
		segments__write(s, at, &whole, sizeof(whole), ELF_T_SHDR);
	else
		segments__write(s, at, &small, sizeof(small), ELF_T_SHDR);
}

static void segments__write_header(struct segments *s, u64 shoff)
{
	Elf64_Ehdr *whole = elf64_getehdr(s->elf), e64 = whole ? *whole : (Elf64_Ehdr){ 0 };
	Elf32_Ehdr *small = elf32_getehdr(s->elf), e32 = small ? *small : (Elf32_Ehdr){ 0 };
	u16 nr = (u16)s->sections.nr, entry = (u16)gelf_fsize(s->elf, ELF_T_SHDR, 1, EV_CURRENT);

	e64.e_shoff = shoff;
	e32.e_shoff = (u32)shoff;
	e64.e_shnum = e32.e_shnum = nr;
	e64.e_shstrndx = e32.e_shstrndx = (u16)(nr - 1);
	e64.e_shentsize = e32.e_shentsize = entry;
	if (s->is_64bit)
		segments__write(s, 0, &e64, sizeof(e64), ELF_T_EHDR);
	else
		segments__write(s, 0, &e32, sizeof(e32), ELF_T_EHDR);
}

static void segments__write_all(struct segments *s)
{
	size_t entry = gelf_fsize(s->elf, ELF_T_SHDR, 1, EV_CURRENT);
	u32 names = segments__add(s, ".shstrtab", SHT_STRTAB, 0, s->image->len, 0);
	u64 shoff;

	s->sections.v[names].sh_flags = 0;
	s->sections.v[names].sh_size = s->names.len;
	strbuf__add(s->image, s->names.buf, s->names.len);
	strbuf__addchars(s->image, '\0', ROUND_UP(s->image->len, (size_t)8) - s->image->len);
	shoff = s->image->len;
	strbuf__addchars(s->image, '\0', s->sections.nr * entry);
	for (size_t i = 0; i < s->sections.nr; i++)
		segments__write_section(s, shoff + i * entry, &s->sections.v[i]);
	segments__write_header(s, shoff);
}

bool elf_segments__add_sections(Elf *elf, struct strbuf *image)
{
	enum { SEGMENTS_MAX = 1024 };
	struct segments s = { .elf = elf, .image = image, .names = STRBUF_INIT };
	bool found = gelf_getehdr(elf, &s.ehdr);
	size_t nr = 0;
	GElf_Phdr p;

	s.is_64bit = gelf_getclass(elf) == ELFCLASS64;
	s.swap = (s.ehdr.e_ident[EI_DATA] == ELFDATA2MSB) != (__BYTE_ORDER == __BIG_ENDIAN);
	if (elf_getphdrnum(elf, &nr))
		nr = 0;
	for (size_t i = 0; found && i < MIN(nr, (size_t)SEGMENTS_MAX); i++)
		if (gelf_getphdr(elf, (int)i, &p))
			array__add(&s.v, p);
	if (found)
		segments__add_all(&s);
	found = s.sections.nr > 1 && (s.is_64bit || image->len < UINT32_MAX / 2);
	if (found)
		segments__write_all(&s);
	array__exit(&s.v);
	array__exit(&s.sections);
	strbuf__exit(&s.names);
	return found;
}
