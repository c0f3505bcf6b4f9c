/* Symbols and build-ids of real ELF files: this program itself, its debug file, broken copies. */
#include "unit.h"

#include "base/system/file.h"
#include "base/text/strbuf.h"
#include "binary/symbols/elf_symbols.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

__attribute__((noinline)) void landmark_function(void);
__attribute__((noinline)) void landmark_function(void)
{
	__asm__ volatile("");
}

static char self[4096];

static int setup(void **state)
{
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	(void)state;
	return n <= 0;
}

/* The file offset of an address of this program, as the kernel sees it. */
static u64 offset_of(const void *addr)
{
	struct strbuf maps = STRBUF_INIT;
	u64 found = 0;

	assert_int_equal(file__read("/proc/self/maps", &maps, 0), 0);
	for (char *line = strtok(maps.buf, "\n"); line; line = strtok(NULL, "\n")) {
		unsigned long start, end, pgoff;

		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &pgoff) == 3 &&
		    (u64)(uintptr_t)addr >= start && (u64)(uintptr_t)addr < end)
			found = (u64)(uintptr_t)addr - start + pgoff;
	}
	strbuf__exit(&maps);
	assert_int_not_equal(found, 0);
	return found;
}

static void check_landmark(const char *path, const struct build_id *want, const struct elf_symbols_opts *opts)
{
	struct err err = ERR_INIT;
	const struct symbol *s;
	struct symtab t;

	symtab__init(&t);
	assert_int_equal(elf_symbols__load(&t, path, want, opts, &err), 0);
	s = symtab__find(&t, offset_of((const void *)landmark_function));
	assert_non_null(s);
	assert_string_equal(symtab__name(&t, s), "landmark_function");
	symtab__exit(&t);
	err__exit(&err);
}

static void test_own_symbols(void **state)
{
	(void)state;
	check_landmark(self, NULL, NULL);
}

static void run(const char *fmt, const char *a, const char *b)
{
	char *command;

	assert_true(asprintf(&command, fmt, a, b) > 0);
	assert_int_equal(system(command), 0);
	free(command);
}

static void test_build_id_decides(void **state)
{
	struct build_id id, other;
	struct err err = ERR_INIT;
	struct symtab t;

	(void)state;
	if (build_id__of_file(self, &id)) {
		skip(); /* linked without one */
		return;
	}
	check_landmark(self, &id, NULL);
	other = id;
	other.data[0] ^= 1;
	symtab__init(&t);
	assert_int_equal(elf_symbols__load(&t, self, &other, NULL, &err), -ESTALE);
	assert_int_equal(t.syms.nr, 0);
	assert_non_null(strstr(err.text.buf, "another build"));
	symtab__exit(&t);
	err__exit(&err);
}

/* The binary stripped, its debug file where a debugger would look: by build-id, and by link and CRC. */
static void test_separate_debug_files(void **state)
{
	char root[] = "/tmp/perf-unit-elf.XXXXXX", bin[64], hex[2 * BUILD_ID_MAX + 1], *text;
	struct elf_symbols_opts opts = { .symfs = root };
	struct build_id id;

	(void)state;
	if (system("command -v objcopy >/dev/null 2>&1") || build_id__of_file(self, &id)) {
		skip();
		return;
	}
	assert_non_null(mkdtemp(root));
	snprintf(bin, sizeof(bin), "%s/prog", root);
	run("objcopy --only-keep-debug '%s' '%s.debug'", self, bin);
	run("objcopy --strip-all '%s' '%s'", self, bin);
	run("objcopy --add-gnu-debuglink='%s.debug' '%s'", bin, bin);
	check_landmark("/prog", &id, &opts); /* link, beside it */

	build_id__str(&id, hex);
	assert_true(asprintf(&text,
			     "d='%s'/usr/lib/debug/.build-id/%.2s; mkdir -p $d; mv '%s.debug' $d/%s.debug",
			     root, hex, bin, hex + 2) > 0);
	assert_int_equal(system(text), 0);
	free(text);
	check_landmark("/prog", &id, &opts); /* by id */

	/* The binary is gone; its debug file alone still names the recorded build. */
	assert_int_equal(unlink(bin), 0);
	check_landmark("/prog", &id, &opts);
	run("rm -rf '%s'%s", root, "");
}

static void test_wrong_crc_is_refused(void **state)
{
	char root[] = "/tmp/perf-unit-elf.XXXXXX", bin[64];
	struct elf_symbols_opts opts = { .symfs = root };
	struct err err = ERR_INIT;
	struct symtab t;

	(void)state;
	if (system("command -v objcopy >/dev/null 2>&1")) {
		skip();
		return;
	}
	assert_non_null(mkdtemp(root));
	snprintf(bin, sizeof(bin), "%s/prog", root);
	run("objcopy --only-keep-debug '%s' '%s.debug'", self, bin);
	run("objcopy --strip-all --remove-section .note.gnu.build-id '%s' '%s'", self, bin);
	run("objcopy --add-gnu-debuglink='%s.debug' '%s'", bin, bin);
	run("printf x >> '%s.debug'%s", bin, "");
	symtab__init(&t);
	assert_int_equal(elf_symbols__load(&t, "/prog", NULL, &opts, &err), 0);
	assert_null(symtab__find(&t, offset_of((const void *)landmark_function)));
	symtab__exit(&t);
	err__exit(&err);
	run("rm -rf '%s'%s", root, "");
}

static void test_things_that_are_no_binaries(void **state)
{
	static const char *const paths[] = { "/dev/null", "/dev/zero", "/tmp", "/nowhere", "/etc/passwd" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		struct err err = ERR_INIT;
		struct build_id id;
		struct symtab t;

		symtab__init(&t);
		assert_true(elf_symbols__load(&t, paths[i], NULL, NULL, &err) < 0);
		assert_true(err.text.len > 0);
		assert_true(build_id__of_file(paths[i], &id) < 0);
		symtab__exit(&t);
		err__exit(&err);
	}
}

/* Whatever is in the image: no crash, no hang, no read outside it (the sanitizers see those). */
static void try_image(const u8 *image, size_t size)
{
	u8 *copy = malloc(size ? size : 1); /* its own block, so that an overrun is seen */
	struct err err = ERR_INIT;
	struct build_id id;
	struct symtab t;

	memcpy(copy, image, size);
	symtab__init(&t);
	elf_symbols__load_image(&t, copy, size, &err);
	build_id__from_image(copy, size, &id);
	symtab__exit(&t);
	err__exit(&err);
	free(copy);
}

static void test_broken_images(void **state)
{
	struct strbuf image = STRBUF_INIT;
	u32 seed = 1;

	(void)state;
	if (file__read("/bin/true", &image, 1 << 20)) {
		skip();
		return;
	}
	for (size_t size = 0; size < image.len; size += 1 + image.len / 300)
		try_image((u8 *)image.buf, size);
	for (int i = 0; i < 600; i++) {
		size_t at[4];
		char old[4];

		for (int k = 0; k < 4; k++) {
			seed = seed * 1664525 + 1013904223;
			/* Headers and tables more than code. */
			at[k] = (seed >> 8) % (k < 2 ? 1024 : image.len);
			old[k] = image.buf[at[k]];
			image.buf[at[k]] = (char)(seed >> 24);
		}
		try_image((u8 *)image.buf, image.len);
		for (int k = 4; k-- > 0;)
			image.buf[at[k]] = old[k];
	}
	strbuf__exit(&image);
}

/* Its end wraps around to bytes that are there. No memory is taken for what the header claims. */
static void test_table_that_is_larger_than_its_file(void **state)
{
	struct strbuf image = STRBUF_INIT;
	Elf64_Ehdr head;
	Elf64_Shdr s;
	struct symtab t;

	(void)state;
	if (sizeof(void *) != 8 || file__read(self, &image, 0)) {
		skip();
		return;
	}
	memcpy(&head, image.buf, sizeof(head));
	for (unsigned i = 0; i < head.e_shnum; i++) {
		char *at = image.buf + head.e_shoff + i * sizeof(s);

		memcpy(&s, at, sizeof(s));
		if (s.sh_type == SHT_SYMTAB || s.sh_type == SHT_DYNSYM || s.sh_type == SHT_STRTAB) {
			s.sh_size = sizeof(Elf64_Sym) << 27;
			s.sh_offset = 64 - s.sh_size;
			memcpy(at, &s, sizeof(s));
		}
	}
	symtab__init(&t);
	(void)elf_symbols__load_image(&t, image.buf, image.len, NULL);
	assert_true(t.syms.alloc <= image.len && t.text.alloc <= image.len);
	symtab__exit(&t);
	strbuf__exit(&image);
}

static void test_build_id_equality(void **state)
{
	struct build_id a = { .size = 20, .data = "0123456789" }, b = { .size = 10, .data = "0123456789" };
	struct build_id none = { 0 };

	(void)state;
	assert_true(build_id__equal(&a, &b)); /* continued by zeroes */
	a.data[15] = 1;
	assert_false(build_id__equal(&a, &b));
	assert_false(build_id__equal(&none, &none));
	assert_false(build_id__equal(&a, &none));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_symbols),
		cmocka_unit_test(test_build_id_decides),
		cmocka_unit_test(test_separate_debug_files),
		cmocka_unit_test(test_wrong_crc_is_refused),
		cmocka_unit_test(test_things_that_are_no_binaries),
		cmocka_unit_test(test_broken_images),
		cmocka_unit_test(test_table_that_is_larger_than_its_file),
		cmocka_unit_test(test_build_id_equality),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
