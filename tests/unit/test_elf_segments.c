/* Files without section headers: those that are made agree with the ones that linkers write. */
#include "unit.h"

#include "base/system/file.h"
#include "binary/elf/elf_file.h"
#include "binary/symbols/vdso.h"

#include <string.h>

/* Set the fields of the header that lead to sections to 0. */
static void forget_sections(char *image, bool number_too)
{
	Elf64_Ehdr *ehdr = (Elf64_Ehdr *)(void *)image;

	ehdr->e_shoff = 0;
	if (number_too)
		ehdr->e_shnum = ehdr->e_shstrndx = ehdr->e_shentsize = 0;
}

static void expect_same(const struct elf_file *whole, const struct elf_file *made, const char *name,
			bool size_too)
{
	GElf_Shdr want, got;

	if (!elf_file__section(whole, name, 0, &want))
		return;
	assert_non_null(elf_file__section(made, name, 0, &got));
	assert_int_equal(got.sh_type, want.sh_type);
	assert_int_equal(got.sh_addr, want.sh_addr);
	assert_int_equal(got.sh_offset, want.sh_offset);
	assert_int_equal(got.sh_entsize, want.sh_type == SHT_PROGBITS ? 0 : want.sh_entsize);
	if (size_too)
		assert_int_equal(got.sh_size, want.sh_size);
}

static void check(const char *bytes, size_t size)
{
	struct elf_file whole, made;
	struct build_id want, got;
	struct strbuf copy = STRBUF_INIT;
	GElf_Shdr shdr, frame;

	assert_int_equal(elf_file__from_memory(&whole, bytes, size, NULL), 0);
	assert_null(whole.memory); /* it has sections */
	for (int number_too = 0; number_too < 2; number_too++) {
		strbuf__reset(&copy);
		strbuf__add(&copy, bytes, size);
		forget_sections(copy.buf, number_too);
		assert_int_equal(elf_file__from_memory(&made, copy.buf, copy.len, NULL), 0);
		assert_non_null(made.memory);
		expect_same(&whole, &made, ".dynsym", true);
		expect_same(&whole, &made, ".dynstr", true);
		expect_same(&whole, &made, ".rela.dyn", false); /* linkers count .rela.plt in or not */
		expect_same(&whole, &made, ".eh_frame_hdr", true);
		expect_same(&whole, &made, ".eh_frame", false);
		if (elf_file__section(&whole, ".eh_frame", 0, &frame) &&
		    elf_file__section(&made, ".eh_frame", 0,
				      &shdr)) /* the vdso's lacks the entry of length 0 */
			assert_in_range(shdr.sh_size, frame.sh_size, frame.sh_size + 4);
		assert_non_null(elf_file__section(&made, ".text", 0, &shdr));
		assert_true(shdr.sh_flags & SHF_EXECINSTR);
		assert_int_equal(elf_file__build_id(&whole, &want), elf_file__build_id(&made, &got));
		if (elf_file__build_id(&whole, &want))
			assert_true(build_id__equal(&want, &got));
		elf_file__close(&made);
	}
	elf_file__close(&whole);
	strbuf__exit(&copy);
}

static void made_headers_are_the_linkers(void **state)
{
	struct strbuf self = STRBUF_INIT;
	const void *image;
	size_t size;

	(void)state;
	assert_int_equal(file__read("/proc/self/exe", &self, 0), 0);
	check(self.buf, self.len);
	strbuf__exit(&self);
	if (vdso__image(VDSO_NAME, &image, &size))
		check(image, size);
}

/* GNU ld gives a program that exports nothing a hash table that begins at symbol 1, however many it has. */
static void an_empty_hash_table_counts_no_symbols(void **state)
{
	static const u32 empty[] = { 1, 1, 1, 0, 0, 0, 0 };
	struct strbuf self = STRBUF_INIT;
	struct elf_file f;
	GElf_Shdr shdr;

	(void)state;
	if (sizeof(void *) != 8)
		skip();
	assert_int_equal(file__read("/proc/self/exe", &self, 0), 0);
	assert_int_equal(elf_file__from_memory(&f, self.buf, self.len, NULL), 0);
	assert_non_null(elf_file__section(&f, ".gnu.hash", 0, &shdr));
	elf_file__close(&f);
	assert_true(shdr.sh_size >= sizeof(empty));
	memcpy(self.buf + shdr.sh_offset, empty, sizeof(empty));
	check(self.buf, self.len);
	strbuf__exit(&self);
}

/* Whatever the numbers in a file are, sections are inside of it. */
static void check_inside(const void *image, size_t size)
{
	struct elf_file f;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	if (elf_file__from_memory(&f, image, size, NULL))
		return;
	while (f.memory && (scn = elf_nextscn(f.elf, scn))) {
		assert_non_null(gelf_getshdr(scn, &shdr));
		assert_true(shdr.sh_offset <= size + 4096 && shdr.sh_size <= size);
		elf_file__data(scn);
	}
	elf_file__close(&f);
}

static void numbers_are_checked(void **state)
{
	static const u64 values[] = { 0,          1,          8,          0x7fffffff,    0xffffffff,
				      1ull << 32, 1ull << 63, UINT64_MAX, UINT64_MAX - 7 };
	const void *image;
	size_t size;
	char *copy;

	(void)state;
	if (!vdso__image(VDSO_NAME, &image, &size))
		skip();
	copy = xmalloc(size);
	/* Each word of the file, one after the other. */
	for (size_t at = 0; at + 8 <= size; at += 4)
		for (size_t i = 0; i < ARRAY_SIZE(values); i += at < 1024 ? 1 : 3) {
			memcpy(copy, image, size);
			forget_sections(copy, true);
			memcpy(copy + at, &values[i], i % 2 ? 4 : 8);
			check_inside(copy, size);
		}
	/* Cut off anywhere. */
	memcpy(copy, image, size);
	forget_sections(copy, true);
	for (size_t left = size; left > 64; left -= left > 2048 ? 61 : 1) {
		char *cut = xmemdup(copy, left);

		check_inside(cut, left);
		free(cut);
	}
	free(copy);
}

/* A program of nothing but code segments, each of which gets a section. */
static void many_segments_have_a_section_each(void **state)
{
	enum { SEGMENTS = 200 };
	struct {
		Elf64_Ehdr ehdr;
		Elf64_Phdr phdrs[SEGMENTS];
	} *image = xcalloc(1, sizeof(*image));
	unsigned nr = 0;
	Elf_Scn *scn = NULL;
	struct elf_file f;
	GElf_Shdr shdr;

	(void)state;
	memcpy(image->ehdr.e_ident, ELFMAG, SELFMAG);
	image->ehdr.e_ident[EI_CLASS] = ELFCLASS64;
	image->ehdr.e_ident[EI_DATA] = __BYTE_ORDER == __BIG_ENDIAN ? ELFDATA2MSB : ELFDATA2LSB;
	image->ehdr.e_ident[EI_VERSION] = EV_CURRENT;
	image->ehdr.e_type = ET_DYN;
	image->ehdr.e_machine = EM_X86_64;
	image->ehdr.e_version = EV_CURRENT;
	image->ehdr.e_ehsize = sizeof(image->ehdr);
	image->ehdr.e_phoff = sizeof(image->ehdr);
	image->ehdr.e_phentsize = sizeof(*image->phdrs);
	image->ehdr.e_phnum = SEGMENTS;
	for (u64 i = 0; i < SEGMENTS; i++)
		image->phdrs[i] = (Elf64_Phdr){ .p_type = PT_LOAD,
						.p_flags = PF_R | PF_X,
						.p_vaddr = i << 20,
						.p_filesz = 64,
						.p_memsz = 64 };
	assert_int_equal(elf_file__from_memory(&f, image, sizeof(*image), NULL), 0);
	while ((scn = elf_nextscn(f.elf, scn)) && gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_PROGBITS) {
		assert_int_equal(shdr.sh_addr, (u64)nr++ << 20);
		assert_true(shdr.sh_flags & SHF_EXECINSTR);
	}
	assert_int_equal(nr, SEGMENTS);
	elf_file__close(&f);
	free(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(made_headers_are_the_linkers),
		cmocka_unit_test(an_empty_hash_table_counts_no_symbols),
		cmocka_unit_test(many_segments_have_a_section_each),
		cmocka_unit_test(numbers_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
