/* Images of files with compressed sections: what is unpacked stays, whatever memory is given back. */
#include "unit.h"

#include "base/memory/mem.h"
#include "base/text/strbuf.h"
#include "binary/dwarf/dwarf_image.h"

#include <elf.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

enum { INFO = 300000, NAMES = 120000, SECTIONS = 4 };

static const char names[] = "\0.debug_info\0.debug_str\0.shstrtab";

/* Bytes of which half can be packed. */
static void fill(u8 *to, size_t size)
{
	u64 x = size;

	for (size_t i = 0; i < size; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		to[i] = i & 1 ? (u8)x : 0;
	}
}

static Elf64_Shdr add_packed(struct strbuf *file, u32 name, const u8 *plain, size_t size)
{
	const Elf64_Chdr head = { .ch_type = ELFCOMPRESS_ZLIB, .ch_size = size, .ch_addralign = 1 };
	uLongf len = compressBound(size);
	u8 *packed = xmalloc(len);
	Elf64_Shdr s = {
		.sh_name = name, .sh_type = SHT_PROGBITS, .sh_flags = SHF_COMPRESSED, .sh_addralign = 1
	};

	assert_int_equal(compress2(packed, &len, plain, size, 9), Z_OK);
	s.sh_offset = file->len;
	strbuf__add(file, &head, sizeof(head));
	strbuf__add(file, packed, len);
	s.sh_size = file->len - s.sh_offset;
	free(packed);
	return s;
}

/* A program with two compressed sections, the first of which begins at an offset. */
static void build_file(struct strbuf *file, const u8 *info, const u8 *str, size_t offset)
{
	Elf64_Ehdr ehdr = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			    .e_type = ET_DYN,
			    .e_machine = EM_AARCH64,
			    .e_version = EV_CURRENT,
			    .e_shoff = sizeof(Elf64_Ehdr),
			    .e_ehsize = sizeof(Elf64_Ehdr),
			    .e_shentsize = sizeof(Elf64_Shdr),
			    .e_shnum = SECTIONS,
			    .e_shstrndx = SECTIONS - 1 };
	Elf64_Shdr sections[SECTIONS] = { 0 };

	strbuf__reset(file);
	strbuf__grow(file, offset);
	memset(file->buf, 0, offset);
	file->len = offset;
	sections[1] = add_packed(file, 1, info, INFO);
	sections[2] = add_packed(file, 13, str, NAMES);
	sections[3] = (Elf64_Shdr){ .sh_name = 24,
				    .sh_type = SHT_STRTAB,
				    .sh_offset = sizeof(ehdr) + sizeof(sections),
				    .sh_size = sizeof(names),
				    .sh_addralign = 1 };
	memcpy(file->buf, &ehdr, sizeof(ehdr));
	memcpy(file->buf + ehdr.e_shoff, sections, sizeof(sections));
	memcpy(file->buf + sections[3].sh_offset, names, sizeof(names));
}

static void check(const struct strbuf *file, const u8 *info, const u8 *str)
{
	char path[] = "/tmp/perf-test-XXXXXX";
	struct dwarf_image im;
	struct err err = ERR_INIT;
	struct elf_file elf;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, file->buf, file->len), (ssize_t)file->len);
	close(fd);
	assert_int_equal(elf_file__open(&elf, path, &err), 0);
	assert_int_equal(dwarf_image__open(&im, &elf), 0);
	elf_file__close(&elf);
	assert_int_equal(im.sections.nr, 2);
	for (int again = 0; again < 2; again++) {
		dwarf_image__unpack(&im, DWARF_PART_INFO, INFO);
		dwarf_image__unpack(&im, DWARF_PART_NAMES, NAMES);
		dwarf_image__rest(&im);
		assert_memory_equal(im.sections.v[0].packed.out, info, INFO);
		assert_memory_equal(im.sections.v[1].packed.out, str, NAMES);
		dwarf_image__pack(&im);
	}
	dwarf_image__close(&im);
	err__exit(&err);
	unlink(path);
}

/* Wherever sections begin and end, in pages of any size up to 64 KiB. */
static void unpacked_sections_stay(void **state)
{
	u8 *info = xmalloc(INFO), *str = xmalloc(NAMES);
	struct strbuf file = STRBUF_INIT;

	(void)state;
	fill(info, INFO);
	fill(str, NAMES);
	for (size_t offset = 1000; offset < 1 << 16; offset += 1 << 11) {
		build_file(&file, info, str, offset);
		check(&file, info, str);
	}
	strbuf__exit(&file);
	free(info);
	free(str);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unpacked_sections_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
