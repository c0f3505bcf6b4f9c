/*
 * Static probes of ELF files: of this program, whose notes are made here as sys/sdt.h makes them, of a 32-bit
 * file of the other byte order, of damaged ones, and of installed programs, against readelf.
 */
#include "unit.h"

#include "base/system/file.h"
#include "binary/elf/sdt_notes.h"
#include "image.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <link.h>
#include <stdlib.h>

/* moved: as if prelink had moved the file since the note was made */
#define PROBE(label, provider, name, semaphore, moved)                                            \
	__asm__ volatile(".globl " #label "\n" #label ": nop\n"                                   \
			 ".pushsection .note.stapsdt,\"\",\"note\"\n"                             \
			 ".balign 4\n.4byte 2f-1f, 4f-3f, 3\n"                                    \
			 "1: .asciz \"stapsdt\"\n2: .balign 4\n"                                  \
			 "3: .8byte " #label "-" #moved ", _.stapsdt.base-" #moved ", " semaphore \
			 "\n.asciz \"" provider "\"\n.asciz \"" name "\"\n"                       \
			 ".asciz \"8@%rax\"\n4: .balign 4\n.popsection\n"                         \
			 ".ifndef _.stapsdt.base\n"                                               \
			 ".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"  \
			 ".weak _.stapsdt.base\n.hidden _.stapsdt.base\n"                         \
			 "_.stapsdt.base: .space 1\n.size _.stapsdt.base, 1\n.popsection\n.endif\n")

extern const char place_one[], place_two[], place_three[];
unsigned short sdt_semaphore __attribute__((section(".probes"))) = 0;

static __attribute__((noinline)) void with_probes(void)
{
	PROBE(place_two, "shop", "order__start", "sdt_semaphore", 0);
	PROBE(place_one, "shop", "order__start", "0", 0x1000);
	PROBE(place_three, "bank", "order", "sdt_semaphore-0x100000", 0x100000);
}

static int add_bias(struct dl_phdr_info *info, size_t size, void *ctx)
{
	(void)size;
	*(u64 *)ctx = info->dlpi_addr;
	return 1; /* the program itself is the first */
}

static void probes_of_this_program_are_found(void **state)
{
	const struct sdt_probe *p;
	struct err err = ERR_INIT;
	struct sdt_notes s;
	u64 bias = 0;

	(void)state;
	with_probes();
	dl_iterate_phdr(add_bias, &bias);
	assert_int_equal(sdt_notes__read(&s, "", "/proc/self/exe", &err), 0);
	assert_int_equal(s.v.nr, 3);
	assert_string_equal(s.v.v[0].provider, "bank");
	assert_int_equal(sdt_notes__find(&s, "bank", "order", &p), 1);
	assert_int_equal(p->addr + bias, (uintptr_t)place_three);
	assert_int_equal(p->semaphore + bias, (uintptr_t)&sdt_semaphore);

	assert_int_equal(sdt_notes__find(&s, "shop", "order__start", &p), 2);
	assert_int_equal(p[0].addr + bias, (uintptr_t)place_two);
	assert_int_equal(p[0].semaphore + bias, (uintptr_t)&sdt_semaphore);
	assert_int_equal(p[1].addr + bias, (uintptr_t)place_one);
	assert_int_equal(p[1].semaphore, 0);
	assert_int_equal(sdt_notes__find(&s, "shop", "order-start", &p), 2);
	assert_int_equal(sdt_notes__find(&s, "shop", "order", &p), 0);
	assert_int_equal(sdt_notes__find(&s, "shop", "order__start_", &p), 0);
	assert_int_equal(sdt_notes__find(&s, "bank", "order-start", &p), 0);
	sdt_notes__exit(&s);

	assert_int_equal(sdt_notes__read(&s, "", "/nonexistent/file", &err), -ENOENT);
	sdt_notes__exit(&s);
	err__exit(&err);
}

/* ---- made by hand ---- */

static void add_note(struct image *im, u32 type, const char *owner, u32 addr, const char *strings, u32 size)
{
	image__u32(im, (u32)strlen(owner) + 1);
	image__u32(im, 12 + size);
	image__u32(im, type);
	image__str(im, owner, ROUND_UP(strlen(owner) + 1, 4));
	image__u32(im, addr);
	image__u32(im, 0xfffff000);
	image__u32(im, addr ? 0x20 : 0);
	strbuf__add(&im->b, strings, size);
	while (im->b.len % 4)
		image__u8(im, 0);
}

static void add_section(struct image *im, u32 name, u32 type, u32 addr, u32 offset, u32 size)
{
	image__u32(im, name);
	image__u32(im, type);
	image__u32(im, 0);
	image__u32(im, addr);
	image__u32(im, offset);
	image__u32(im, size);
	for (int i = 0; i < 4; i++)
		image__u32(im, 0);
}

/* A file with these notes, and .stapsdt.base at 0x1000 */
static void end_file(struct image *im, size_t notes)
{
	static const char names[] = "\0.note.stapsdt\0.stapsdt.base\0.shstrtab";
	const u32 end = (u32)im->b.len, sections = (u32)ROUND_UP(end + sizeof(names), 4);
	struct image head;

	strbuf__add(&im->b, names, sizeof(names));
	while (im->b.len < sections)
		image__u8(im, 0);
	add_section(im, 0, 0, 0, 0, 0);
	add_section(im, 1, SHT_NOTE, 0, (u32)notes, end - (u32)notes);
	add_section(im, 15, SHT_NOBITS, 0x1000, 0, 1);
	add_section(im, 29, SHT_STRTAB, 0, end, sizeof(names));
	image__init(&head, im->swap);
	image__str(&head, "\177ELF", 4);
	image__u8(&head, ELFCLASS32);
	image__u8(&head, im->swap ? ELFDATA2MSB : ELFDATA2LSB);
	image__u8(&head, EV_CURRENT);
	image__str(&head, "", 9);
	image__u16(&head, ET_DYN);
	image__u16(&head, EM_PPC);
	image__u32(&head, EV_CURRENT);
	image__u32(&head, 0);
	image__u32(&head, 0);
	image__u32(&head, sections);
	image__u32(&head, 0);
	image__u16(&head, sizeof(Elf32_Ehdr));
	image__u16(&head, 0);
	image__u16(&head, 0);
	image__u16(&head, sizeof(Elf32_Shdr));
	image__u16(&head, 4);
	image__u16(&head, 3);
	memcpy(im->b.buf, head.b.buf, sizeof(Elf32_Ehdr));
	image__exit(&head);
}

static void check_image(bool swap)
{
	const struct sdt_probe *p;
	struct sdt_notes s;
	struct image im;

	image__init(&im, swap);
	image__str(&im, "", sizeof(Elf32_Ehdr));
	add_note(&im, 3, "stapsdt", 0x100, "a\0one\0", 6); /* strings of 2, 4 and 1 */
	add_note(&im, 4, "stapsdt", 0x100, "a\0type\0", 7);
	add_note(&im, 3, "other", 0x100, "a\0owner\0", 8);
	add_note(&im, 3, "stapsdt", 0x100, "a\0no end", 8);
	add_note(&im, 3, "stapsdt", 0x100, "a", 1);
	add_note(&im, 3, "stapsdt", 0x100, "\0name\0", 6);
	add_note(&im, 3, "stapsdt", 0x100, "a\0\0", 3);
	add_note(&im, 3, "stapsdt", 0, "b\0two\0", 6);
	image__u32(&im, 8);
	image__u32(&im, 0xfffffffd); /* longer than the section */
	image__u32(&im, 3);
	image__str(&im, "stapsdt", 8);
	end_file(&im, sizeof(Elf32_Ehdr));
	assert_int_equal(sdt_notes__read_image(&s, im.b.buf, im.b.len, NULL), 0);
	assert_int_equal(s.v.nr, 2);
	assert_int_equal(sdt_notes__find(&s, "a", "one", &p), 1);
	assert_int_equal(p->addr, 0x2100); /* 0x1000 - 0xfffff000 of 32 bits */
	assert_int_equal(p->semaphore, 0x2020);
	assert_int_equal(sdt_notes__find(&s, "b", "two", &p), 1);
	assert_int_equal(p->addr, 0x2000);
	assert_int_equal(p->semaphore, 0);
	sdt_notes__exit(&s);
	for (size_t i = 0; i < im.b.len; i++) {
		char kept = im.b.buf[i];

		im.b.buf[i] = (char)(kept ^ 0xff);
		sdt_notes__read_image(&s, im.b.buf, im.b.len, NULL);
		sdt_notes__exit(&s);
		im.b.buf[i] = kept;
		sdt_notes__read_image(&s, im.b.buf, i, NULL);
		sdt_notes__exit(&s);
	}
	image__exit(&im);
}

static void files_of_other_machines_are_read(void **state)
{
	(void)state;
	check_image(true);
	check_image(false);
}

/* ---- installed programs ---- */

/* Read the next probe that readelf shows. */
static bool next_probe(FILE *f, char *provider, char *name, struct sdt_probe *p)
{
	char line[512];
	unsigned long addr, semaphore;

	while (fgets(line, sizeof(line), f)) {
		char *start = strstr(line, "Provider: ");

		if (start)
			sscanf(start, "Provider: %199s", provider);
		sscanf(line, " Name: %199s", name);
		if (sscanf(line, " Location: %lx, Base: %*x, Semaphore: %lx", &addr, &semaphore) == 2) {
			*p = (struct sdt_probe){ provider, name, addr, semaphore };
			return true;
		}
	}
	return false;
}

static bool has_probe(const struct sdt_notes *s, const struct sdt_probe *want)
{
	const struct sdt_probe *p;
	size_t nr = sdt_notes__find(s, want->provider, want->name, &p);

	for (size_t i = 0; i < nr; i++)
		if (p[i].addr == want->addr && p[i].semaphore == want->semaphore)
			return true;
	return false;
}

/* Return how many probes the file has. */
static size_t compare_file(const char *path)
{
	char command[300], provider[200] = "", name[200] = "";
	struct sdt_probe p;
	struct sdt_notes s;
	size_t nr = 0;
	FILE *f;

	snprintf(command, sizeof(command), "readelf -nW %s 2>/dev/null", path);
	if (access(path, R_OK) || !(f = popen(command, "r")))
		return 0;
	assert_int_equal(sdt_notes__read(&s, "", path, NULL), 0);
	while (next_probe(f, provider, name, &p)) {
		nr++;
		if (!has_probe(&s, &p))
			fail_msg("%s: no probe %s:%s at %#lx", path, provider, name, (unsigned long)p.addr);
	}
	if (!pclose(f))
		assert_int_equal(s.v.nr, nr);
	sdt_notes__exit(&s);
	return nr;
}

static void installed_programs_have_what_readelf_shows(void **state)
{
	static const char *const paths[] = { "/usr/lib/postgresql/15/bin/postgres",
					     "/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
					     "/usr/lib/x86_64-linux-gnu/libc.so.6", "/usr/bin/python3.11" };
	size_t nr = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		nr += compare_file(paths[i]);
	if (!nr)
		skip(); /* none is installed, or readelf is missing */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(probes_of_this_program_are_found),
		cmocka_unit_test(files_of_other_machines_are_read),
		cmocka_unit_test(installed_programs_have_what_readelf_shows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
