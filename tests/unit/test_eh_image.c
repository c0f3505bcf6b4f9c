/*
 * A large .eh_frame is read entry by entry: rows are those of the whole section, in less memory. Files that
 * are truncated or damaged meanwhile lack rows.
 */
#include "unit.h"

#include "base/memory/mem.h"
#include "base/system/file.h"
#include "binary/elf/elf_file.h"
#include "binary/tables/cfi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FUNCTIONS = 20000 };

static char dir[] = "/tmp/perf-unit-eh-image.XXXXXX";
static char lib[64];
static struct strbuf image = STRBUF_INIT;
static GElf_Shdr text, frame, hdr;

static void assert_same_row(const struct cfi_row *a, const struct cfi_row *b)
{
	assert_true(!a == !b);
	if (!a)
		return;
	assert_int_equal(a->cfa_reg, b->cfa_reg);
	assert_int_equal(a->cfa_offset, b->cfa_offset);
	assert_int_equal(a->kept, b->kept);
	assert_int_equal(a->nr_rules, b->nr_rules);
	for (unsigned i = 0; i < a->nr_rules; i++)
		assert_int_equal(a->rules[i].offset, b->rules[i].offset);
}

static void rows_are_the_same(void **state)
{
	struct cfi *c = NULL, *whole = NULL;
	u64 nr = 0;

	(void)state;
	assert_int_equal(cfi__open(&c, lib, NULL, NULL, NULL), 0);
	assert_int_equal(cfi__open_image(&whole, image.buf, image.len, NULL), 0);
	assert_non_null(cfi__find(c, text.sh_offset + text.sh_size / 2));
	assert_true(cfi__bytes(c) + frame.sh_size / 2 < cfi__bytes(whole));
	for (u64 at = 0; at < image.len; at += 5) {
		const struct cfi_row *row = cfi__find(c, at);

		assert_same_row(row, cfi__find(whole, at));
		nr += row != NULL;
	}
	assert_true(nr > FUNCTIONS / 10);
	cfi__delete(c);
	cfi__delete(whole);
}

static void write_lib(const char *data, size_t size)
{
	FILE *f = fopen(lib, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
}

static void a_truncated_file_lacks_rows(void **state)
{
	u64 first = text.sh_offset, last = text.sh_offset + text.sh_size - 1;
	const struct cfi_row *row;
	struct cfi *c = NULL;

	(void)state;
	assert_int_equal(cfi__open(&c, lib, NULL, NULL, NULL), 0);
	row = cfi__find(c, first);
	assert_non_null(row);
	assert_int_equal(truncate(lib, 0), 0);
	assert_ptr_equal(cfi__find(c, first), row);
	assert_null(cfi__find(c, last));
	cfi__delete(c);
	write_lib(image.buf, image.len);
}

static void damage(char *data, const GElf_Shdr *section)
{
	for (int i = 0; i < 2000; i++)
		data[section->sh_offset + (u64)rand() % section->sh_size] = (char)rand();
}

/* Whatever is in the sections: no crash, no hang, no read outside of them (the sanitizers see those). */
static void damaged_sections_do_no_harm(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < 20; seed++) {
		char *data = xmemdup(image.buf, image.len);
		struct cfi *c = NULL;

		srand(seed);
		damage(data, &frame);
		if (seed % 2)
			damage(data, &hdr);
		write_lib(data, image.len);
		free(data);
		if (cfi__open(&c, lib, NULL, NULL, NULL))
			continue;
		for (u64 at = text.sh_offset; at < text.sh_offset + text.sh_size; at += 97)
			cfi__find(c, at);
		cfi__delete(c);
	}
	write_lib(image.buf, image.len);
}

static int set_up(void **state)
{
	struct elf_file elf;
	char command[256];
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(lib, sizeof(lib), "%s/f.s", dir);
	f = fopen(lib, "w");
	fprintf(f, ".text\n");
	for (int i = 0; i < FUNCTIONS; i++)
		fprintf(f, ".cfi_startproc\nnop\n.cfi_def_cfa_offset %d\nnop\n.cfi_endproc\n",
			16 + i % 50 * 8);
	fclose(f);
	snprintf(lib, sizeof(lib), "%s/lib.so", dir);
	snprintf(command, sizeof(command), "cd %s && %s -shared -nostdlib -o lib.so f.s", dir,
		 getenv("CC") ? getenv("CC") : "cc");
	if (system(command) || elf_file__open(&elf, lib, NULL) || file__read(lib, &image, 0))
		return -1;
	assert_non_null(elf_file__section(&elf, ".text", 0, &text));
	assert_non_null(elf_file__section(&elf, ".eh_frame", 0, &frame));
	assert_non_null(elf_file__section(&elf, ".eh_frame_hdr", 0, &hdr));
	elf_file__close(&elf);
	return 0;
}

static int tear_down(void **state)
{
	char command[64];

	(void)state;
	strbuf__exit(&image);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_the_same),
		cmocka_unit_test(a_truncated_file_lacks_rows),
		cmocka_unit_test(damaged_sections_do_no_harm),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
