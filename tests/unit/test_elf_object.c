/* Names and parts of variables of real ELF files: this program itself, stripped and damaged copies. */
#include "unit.h"

#include "base/system/file.h"
#include "binary/symbols/elf_object.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct inner {
	short first;
	struct {
		char unnamed_a, unnamed_b;
	};
	union {
		u32 word;
		u8 byte[4];
	} u;
};

typedef volatile const struct inner inner_t;

struct landmark {
	u64 before;
	inner_t inner;
	u32 three : 3, nine : 9;
	u64 *pointer;
	struct inner many[5];
	u16 grid[3][4];
};

struct landmark_pool {
	u64 size;
	struct {
		u64 key;
		pthread_mutex_t m;
	} slots[2][3];
	pthread_cond_t more;
	char rest[100];
};

/* clang-format off */
struct landmark_pool landmark_pool = { .size = 1 };
static pthread_mutex_t landmark_mutex = PTHREAD_MUTEX_INITIALIZER;
struct landmark landmark_variable = { .before = 1 };
static u32 landmark_static[7] = { 1 };
extern u8 landmark_zeroes[100];
u8 landmark_zeroes[100];
__thread int landmark_thread = 1;
/* clang-format on */

/* names that compilers give copies of functions, and parts of them that they move away */
__asm__(".pushsection .text\n"
	".type _ZN8landmark6handleEi.isra.0, %function\n_ZN8landmark6handleEi.isra.0: nop\n"
	".type _ZN8landmark6handleEi.isra.0.cold, %function\n_ZN8landmark6handleEi.isra.0.cold: nop\n"
	".type landmark_part.constprop.0, %function\nlandmark_part.constprop.0: nop\n"
	".type landmark_part.constprop.0.cold, %function\nlandmark_part.constprop.0.cold: nop\n"
	".popsection\n");

static char self[4096];
static bool has_types; /* this program was compiled with -g */

static struct landmark_pool *inner_pool;

static int setup(void **state)
{
	static u32 landmark_local = 5; /* a symbol with a suffix */
	static struct landmark_pool landmark_inner = { .size = 5 };
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char command[5000];

	(void)state;
	__asm__ volatile(""
			 :
			 : "r"(&landmark_local), "r"(&landmark_static), "r"(&landmark_thread),
			   "r"(&landmark_inner)
			 : "memory");
	inner_pool = &landmark_inner;
	snprintf(command, sizeof(command), "readelf -S '%s' | grep -q debug_info", self);
	has_types = !system(command);
	return n <= 0;
}

static struct elf_object *open_object(const char *path)
{
	struct elf_object *o;
	struct err err = ERR_INIT;

	if (elf_object__open(&o, "", path, &err))
		fail_msg("%s", err.text.buf);
	return o;
}

/* What is at its linked address here. */
static u64 bias_of(const struct elf_object *o, u64 addr)
{
	struct strbuf text = STRBUF_INIT;
	struct elf_mapping maps[32];
	size_t nr = 0;
	u64 bias = 0;

	assert_int_equal(file__read("/proc/self/maps", &text, 0), 0);
	for (char *line = strtok(text.buf, "\n"); line; line = strtok(NULL, "\n")) {
		unsigned long start, end, pgoff;

		if (strstr(line, self) && nr < ARRAY_SIZE(maps) &&
		    sscanf(line, "%lx-%lx %*s %lx", &start, &end, &pgoff) == 3)
			maps[nr++] = (struct elf_mapping){ .start = start, .end = end, .pgoff = pgoff };
	}
	strbuf__exit(&text);
	assert_true(elf_object__bias(o, maps, nr, addr, &bias));
	assert_false(elf_object__bias(o, maps, 0, addr, &bias));
	return bias;
}

static void test_finds_variables_where_they_are(void **state)
{
	struct elf_object *o = open_object(self);
	elf_name_array found = { 0 };

	(void)state;
	elf_object__find(o, "landmark_variable", NULL, &found);
	assert_int_equal(found.nr, 1);
	assert_int_equal(found.v[0].kind, ELF_NAME_DATA);
	assert_int_equal(found.v[0].size, sizeof(landmark_variable));
	assert_int_equal(found.v[0].addr + bias_of(o, found.v[0].addr), (u64)(uintptr_t)&landmark_variable);

	elf_object__find(o, "landmark_zeroes", NULL, &found);
	assert_int_equal(found.nr, 1);
	assert_int_equal(found.v[0].addr + bias_of(o, found.v[0].addr), (u64)(uintptr_t)&landmark_zeroes);

	elf_object__find(o, "landmark_static", NULL, &found);
	assert_int_equal(found.nr, 1);
	assert_string_equal(found.v[0].file, "test_elf_object.c");
	assert_false(found.v[0].is_exported);
	assert_int_equal(found.v[0].addr + bias_of(o, found.v[0].addr), (u64)(uintptr_t)&landmark_static);
	array__exit(&found);
	elf_object__delete(o);
}

static void test_tells_kinds_apart(void **state)
{
	struct elf_object *o = open_object(self);
	elf_name_array found = { 0 };
	u64 offset;

	(void)state;
	elf_object__find(o, "landmark_thread", NULL, &found);
	assert_int_equal(found.nr, 1);
	assert_int_equal(found.v[0].kind, ELF_NAME_TLS);
	elf_object__find(o, "main", NULL, &found);
	assert_int_equal(found.nr, 1);
	assert_int_equal(found.v[0].kind, ELF_NAME_FUNCTION);
	assert_true(elf_object__file_offset(o, found.v[0].addr, &offset));
	elf_object__find(o, "landmark_zeroes", NULL, &found);
	assert_false(elf_object__file_offset(o, found.v[0].addr, &offset)); /* .bss */
	assert_false(elf_object__is_stripped(o));
	array__exit(&found);
	elf_object__delete(o);
}

static void test_suffixes_and_source_files(void **state)
{
	struct elf_object *o = open_object(self);
	elf_name_array found = { 0 };

	(void)state;
	elf_object__find(o, "landmark_local", NULL, &found);
	assert_int_equal(found.nr, 1);
	assert_non_null(strchr(found.v[0].name, '.'));
	elf_object__find(o, "landmark::handle", NULL, &found);
	assert_int_equal(found.nr, 1);
	assert_string_equal(found.v[0].name, "_ZN8landmark6handleEi.isra.0");
	elf_object__find(o, "landmark_part", NULL, &found);
	assert_int_equal(found.nr, 1);
	assert_string_equal(found.v[0].name, "landmark_part.constprop.0");
	elf_object__find(o, "landmark_part.constprop.0.cold", NULL, &found);
	assert_int_equal(found.nr, 1);
	elf_object__find(o, "landmark_static", "test_elf_object.c", &found);
	assert_int_equal(found.nr, 1);
	elf_object__find(o, "landmark_static", "other.c", &found);
	assert_int_equal(found.nr, 0);
	elf_object__find(o, "landmark_variable", "test_elf_object.c", &found);
	assert_int_equal(found.nr, 0); /* not local to the file */
	elf_object__find(o, "landmark", NULL, &found);
	assert_int_equal(found.nr, 0);
	elf_object__find(o, "", NULL, &found);
	assert_int_equal(found.nr, 0);
	array__exit(&found);
	elf_object__delete(o);
}

static void test_suggestions(void **state)
{
	struct elf_object *o = open_object(self);
	struct err err = ERR_INIT;

	(void)state;
	assert_true(elf_object__suggest(o, "landmark_varaible", false, &err));
	assert_string_equal(err.text.buf, "\ndid you mean 'landmark_variable'?");
	err__set(&err, -ENOENT, "not there");
	assert_false(elf_object__suggest(o, "landmark_varaible", true, &err));
	assert_string_equal(err.text.buf, "not there");
	err__exit(&err);
	elf_object__delete(o);
}

/* ---- parts ---- */

static int part_of(struct elf_object *o, const char *variable, struct elf_part_query q, struct elf_part *part,
		   const char **text)
{
	static struct err err = ERR_INIT;
	elf_name_array found = { 0 };
	int ret;

	err__exit(&err);
	elf_object__find(o, variable, NULL, &found);
	assert_int_equal(found.nr, 1);
	ret = elf_object__part(o, &found.v[0], &q, part, &err);
	array__exit(&found);
	if (text)
		*text = err.text.buf;
	return ret;
}

#define assert_part(o, variable, off, len, ...)                                                \
	do {                                                                                   \
		struct elf_part p_;                                                            \
		const char *text_;                                                             \
                                                                                               \
		if (part_of(o, variable, (struct elf_part_query){ __VA_ARGS__ }, &p_, &text_)) \
			fail_msg("%s", text_);                                                 \
		assert_int_equal(p_.offset, off);                                              \
		assert_int_equal(p_.size, len);                                                \
	} while (0)

static void test_members_and_elements(void **state)
{
	struct elf_object *o = open_object(self);
	const struct landmark *l = NULL;

	(void)state;
	if (!has_types) {
		elf_object__delete(o);
		skip();
		return;
	}
	(void)l;
	assert_part(o, "landmark_variable", 0, sizeof(struct landmark), .members = NULL);
	assert_part(o, "landmark_variable", offsetof(struct landmark, inner), sizeof(struct inner),
		    .members = "inner");
	assert_part(o, "landmark_variable", offsetof(struct landmark, inner.unnamed_b), 1,
		    .members = "inner.unnamed_b");
	assert_part(o, "landmark_variable", offsetof(struct landmark, inner.u.word), 4,
		    .members = "inner.u.word");
	assert_part(o, "landmark_variable", offsetof(struct landmark, inner.u.byte[1]), 3,
		    .members = "inner.u.byte", .is_slice = true, .start = 1, .count = 3);
	assert_part(o, "landmark_variable", offsetof(struct landmark, many[2]), 2 * sizeof(struct inner),
		    .members = "many", .is_slice = true, .start = 2, .count = 2);
	assert_part(o, "landmark_variable", offsetof(struct landmark, grid[1]), 8, .members = "grid",
		    .is_slice = true, .start = 1, .count = 1);
	assert_part(o, "landmark_variable", offsetof(struct landmark, pointer), sizeof(u64 *),
		    .members = "pointer");
	assert_part(o, "landmark_static", 8, 12, .is_slice = true, .start = 2, .count = 3);
	assert_part(o, "landmark_zeroes", 99, 1, .is_slice = true, .start = 99, .count = 1);
	/* In a function; its variables come second. */
	assert_part(o, "landmark_local", 0, 4, .is_slice = true, .count = 1);
	elf_object__delete(o);
}

static void test_bit_fields_are_their_bytes(void **state)
{
	struct elf_object *o = open_object(self);
	u64 bits = offsetof(struct landmark, inner) + sizeof(struct inner);

	(void)state;
	if (!has_types) {
		elf_object__delete(o);
		skip();
		return;
	}
	assert_part(o, "landmark_variable", bits, 1, .members = "three");
	assert_part(o, "landmark_variable", bits, 2, .members = "nine");
	elf_object__delete(o);
}

static void test_wrong_parts(void **state)
{
	struct elf_object *o = open_object(self);
	struct elf_part part;
	const char *text;

	(void)state;
	if (!has_types) {
		elf_object__delete(o);
		skip();
		return;
	}
#define wrong(code, says, variable, ...)                                                                     \
	do {                                                                                                 \
		assert_int_equal(part_of(o, variable, (struct elf_part_query){ __VA_ARGS__ }, &part, &text), \
				 code);                                                                      \
		if (!strstr(text, says))                                                                     \
			fail_msg("'%s' is not in: %s", says, text);                                          \
	} while (0)
	wrong(-ENOENT, "'landmark_variable' has no member 'befor'", "landmark_variable", .members = "befor");
	wrong(-ENOENT, "did you mean 'before'", "landmark_variable", .members = "befor");
	wrong(-ENOENT, "'landmark_variable.inner.u' has no member 'w'", "landmark_variable",
	      .members = "inner.u.w");
	wrong(-EINVAL, "'landmark_variable.before' is not a struct", "landmark_variable",
	      .members = "before.x");
	wrong(-EINVAL, "what a pointer points to", "landmark_variable", .members = "pointer.x");
	wrong(-ERANGE, "7 elements of 4 bytes: [7:1] is outside", "landmark_static", .is_slice = true,
	      .start = 7, .count = 1);
	wrong(-ERANGE, "[0:8] is outside", "landmark_static", .is_slice = true, .count = 8);
	wrong(-ERANGE, "outside", "landmark_static", .is_slice = true, .start = UINT64_MAX, .count = 2);
	wrong(-ERANGE, "outside", "landmark_static", .is_slice = true, .start = 1, .count = UINT64_MAX);
	wrong(-ERANGE, "outside", "landmark_static", .is_slice = true, .start = 1);
	wrong(-ERANGE, "has 1 element of 8 bytes", "landmark_variable", .members = "before", .is_slice = true,
	      .start = 1, .count = 1);
	elf_object__delete(o);
}

/* ---- by address ---- */

/* Symbols of static variables of a function: gcc's have a number, clang's the name of the function. */
#ifdef __clang__
#define IN_SETUP "setup."
#else
#define IN_SETUP ""
#endif

static void check_name(struct elf_object *o, u64 bias, const volatile void *at, const char *expected)
{
	struct strbuf name = STRBUF_INIT;

	assert_int_equal(elf_object__name_at(o, (u64)(uintptr_t)at - bias, &name), expected != NULL);
	assert_string_equal(name.buf, expected ? expected : "");
	strbuf__exit(&name);
}

static void test_names_of_addresses(void **state)
{
	struct elf_object *o = open_object(self);
	elf_name_array found = { 0 };
	u64 bias;

	(void)state;
	elf_object__find(o, "landmark_variable", NULL, &found);
	bias = bias_of(o, found.v[0].addr);
	array__exit(&found);
	check_name(o, bias, &landmark_mutex, "landmark_mutex");
	check_name(o, bias, (char *)&landmark_mutex + 8, "landmark_mutex");
	check_name(o, bias, (void *)(uintptr_t)setup, NULL);
	check_name(o, bias, NULL, NULL);
	if (has_types) {
		check_name(o, bias, &landmark_pool.slots[1][2].m, "landmark_pool.slots[1][2].m");
		check_name(o, bias, (char *)&landmark_pool.more + 40, "landmark_pool.more");
		check_name(o, bias, &landmark_static[3], "landmark_static[3]");
		check_name(o, bias, &landmark_variable.inner.u.byte[2], "landmark_variable.inner.u.word");
		check_name(o, bias, &inner_pool->slots[0][1].m, IN_SETUP "landmark_inner.slots[0][1].m");
	}
	elf_object__delete(o);
}

static void test_names_without_types(void **state)
{
	char path[] = "/tmp/perf-unit-object.XXXXXX", expected[64], command[5000];
	struct elf_object *full = open_object(self), *o;
	elf_name_array found = { 0 };
	u64 bias;

	(void)state;
	close(mkstemp(path));
	snprintf(command, sizeof(command), "strip --strip-debug '%s' -o '%s' 2>/dev/null", self, path);
	if (system(command))
		skip();
	elf_object__find(full, "landmark_variable", NULL, &found);
	bias = bias_of(full, found.v[0].addr);
	array__exit(&found);
	elf_object__delete(full);
	o = open_object(path);
	snprintf(expected, sizeof(expected), "landmark_pool+0x%zx", offsetof(struct landmark_pool, more));
	check_name(o, bias, &landmark_pool.more, expected);
	check_name(o, bias, &landmark_pool, "landmark_pool");
	check_name(o, bias, (char *)&landmark_mutex + 8, "landmark_mutex");
	elf_object__delete(o);
	unlink(path);
}

/* ---- other files ---- */

static void run(const char *fmt, const char *a, const char *b)
{
	char *command;

	assert_true(asprintf(&command, fmt, a, b) > 0);
	assert_int_equal(system(command), 0);
	free(command);
}

static void test_debug_file_of_a_stripped_program(void **state)
{
	char root[] = "/tmp/perf-unit-object.XXXXXX", bin[64];
	struct elf_object *o;
	elf_name_array found = { 0 };
	struct err err = ERR_INIT;
	struct elf_part part;

	(void)state;
	if (!has_types || system("command -v objcopy >/dev/null 2>&1")) {
		skip();
		return;
	}
	assert_non_null(mkdtemp(root));
	snprintf(bin, sizeof(bin), "%s/prog", root);
	run("objcopy --only-keep-debug '%s' '%s.debug'", self, bin);
	run("objcopy --strip-all '%s' '%s'", self, bin);

	o = open_object(bin);
	assert_true(elf_object__is_stripped(o));
	elf_object__find(o, "landmark_static", NULL, &found);
	assert_int_equal(found.nr, 0);
	elf_object__delete(o);

	run("objcopy --add-gnu-debuglink='%s.debug' '%s'", bin, bin);
	assert_int_equal(elf_object__open(&o, root, "/prog", &err), 0);
	assert_string_equal(elf_object__path(o), "/prog");
	elf_object__find(o, "landmark_static", NULL, &found);
	assert_int_equal(found.nr, 1);
	assert_int_equal(found.v[0].addr + bias_of(o, found.v[0].addr), (u64)(uintptr_t)&landmark_static);
	assert_int_equal(
		elf_object__part(o, &found.v[0],
				 &(struct elf_part_query){ .is_slice = true, .start = 2, .count = 1 }, &part,
				 &err),
		0);
	assert_int_equal(part.offset, 8);
	elf_object__delete(o);

	run("strip --strip-debug '%s' -o '%s'", self, bin);
	o = open_object(bin);
	elf_object__find(o, "landmark_static", NULL, &found);
	assert_int_equal(found.nr, 1);
	assert_int_equal(
		elf_object__part(o, &found.v[0], &(struct elf_part_query){ .members = "x" }, &part, &err),
		-ENODATA);
	elf_object__delete(o);
	array__exit(&found);
	err__exit(&err);
	run("rm -rf '%s'%s", root, "");
}

static void test_not_a_program(void **state)
{
	struct elf_object *o;
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(elf_object__open(&o, "", "/proc/self/maps", &err), -EINVAL);
	assert_int_equal(elf_object__open(&o, "", "/nonexistent", &err), -ENOENT);
	assert_int_equal(elf_object__open(&o, "", "/dev/zero", &err), -EINVAL);
	err__exit(&err);
}

/* ld.lld lets segments begin in the middle of a page; the page is mapped whole. */
static void test_code_that_begins_within_a_page(void **state)
{
	enum { PAGE = 4096, SKIPPED = 0x70 };
	char path[] = "/tmp/perf-unit-object.XXXXXX";
	struct strbuf image = STRBUF_INIT;
	int fd = mkstemp(path);
	struct elf_object *o;
	Elf64_Phdr *code;
	u64 addr, pages;

	(void)state;
	assert_int_equal(file__read(self, &image, 0), 0);
	code = (Elf64_Phdr *)(image.buf + ((Elf64_Ehdr *)image.buf)->e_phoff);
	while (code->p_type != PT_LOAD || !(code->p_flags & PF_X))
		code++;
	code->p_offset = code->p_offset / PAGE * PAGE + SKIPPED;
	code->p_vaddr = code->p_vaddr / PAGE * PAGE + SKIPPED;
	code->p_filesz = 3 * PAGE - SKIPPED + 1; /* four pages, one byte of the last */
	assert_int_equal(file__pwrite_all(fd, image.buf, image.len, 0), 0);
	o = open_object(path);
	pages = code->p_offset - SKIPPED;
	for (u64 i = 0; i < 4; i++) {
		assert_true(elf_object__code_addr(o, pages + i * PAGE, &addr));
		assert_int_equal(addr, code->p_vaddr - SKIPPED + i * PAGE);
	}
	assert_false(elf_object__code_addr(o, pages - 1, &addr));
	assert_false(elf_object__code_addr(o, pages + 4 * PAGE, &addr));
	elf_object__delete(o);
	strbuf__exit(&image);
	close(fd);
	unlink(path);
}

/* Bytes of the symbols and of the debug information are changed at random: no crash, no hang. */
static void test_damaged_files(void **state)
{
	char path[] = "/tmp/perf-unit-object.XXXXXX";
	struct strbuf image = STRBUF_INIT;
	unsigned seed = 1;
	int fd = mkstemp(path);

	(void)state;
	assert_int_equal(file__read(self, &image, 0), 0);
	for (int round = 0; round < 60; round++) {
		u8 *copy = xmemdup(image.buf, image.len);
		struct elf_object *o;

		for (int i = 0; i < 300; i++) /* the headers and what follows the program's own segments */
			copy[(i % 4 || round % 2 ? image.len / 2 : 0) +
			     (size_t)rand_r(&seed) % (image.len / 2)] = (u8)rand_r(&seed);
		if (round % 2)
			memcpy(copy, image.buf, 4096);
		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(file__pwrite_all(fd, copy, image.len - (size_t)round * 100, 0), 0);
		free(copy);
		if (elf_object__open(&o, "", path, NULL))
			continue;
		for (size_t i = 0; i < 3; i++) {
			static const char *const names[] = { "landmark_variable", "landmark_static", "main" };
			elf_name_array found = { 0 };
			struct elf_part part;

			elf_object__find(o, names[i], NULL, &found);
			for (size_t k = 0; k < found.nr; k++)
				elf_object__part(o, &found.v[k],
						 &(struct elf_part_query){ .members = "inner.u.word" }, &part,
						 NULL);
			array__exit(&found);
		}
		elf_object__delete(o);
	}
	strbuf__exit(&image);
	close(fd);
	unlink(path);
}

/* Fedora's stripped programs have the names of their functions in .gnu_debugdata. */
static void test_packed_names_of_stripped_programs(void **state)
{
	char path[] = "/tmp/perf-unit-packed.XXXXXX", command[1000];
	elf_name_array found = { 0 };
	struct elf_object *o;
	int fd = mkstemp(path);

	(void)state;
	close(fd);
	snprintf(command, sizeof(command),
		 "command -v xz >/dev/null && "
		 "echo 'static __attribute__((noinline)) void packed_name(void) { __asm__(\"\"); }"
		 "int main(void) { packed_name(); return 0; }' | "
		 "gcc -O1 -x c -o %s - && objcopy -S --keep-symbol=packed_name %s %s.mini && xz -c %s.mini "
		 ">%s.xz && "
		 "strip %s && objcopy --add-section .gnu_debugdata=%s.xz %s",
		 path, path, path, path, path, path, path, path);
	if (system(command)) {
		unlink(path);
		skip();
		return;
	}
	o = open_object(path);
	elf_object__find(o, "packed_name", NULL, &found);
	snprintf(command, sizeof(command), "rm -f %s %s.mini %s.xz", path, path, path);
	system(command);
#ifdef HAVE_LIBLZMA
	assert_int_equal(found.nr, 1);
	assert_int_equal(found.v[0].kind, ELF_NAME_FUNCTION);
	assert_string_equal(found.v[0].name, "packed_name");
#endif
	array__exit(&found);
	elf_object__delete(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_finds_variables_where_they_are),
		cmocka_unit_test(test_tells_kinds_apart),
		cmocka_unit_test(test_suffixes_and_source_files),
		cmocka_unit_test(test_packed_names_of_stripped_programs),
		cmocka_unit_test(test_suggestions),
		cmocka_unit_test(test_members_and_elements),
		cmocka_unit_test(test_bit_fields_are_their_bytes),
		cmocka_unit_test(test_wrong_parts),
		cmocka_unit_test(test_names_of_addresses),
		cmocka_unit_test(test_names_without_types),
		cmocka_unit_test(test_debug_file_of_a_stripped_program),
		cmocka_unit_test(test_not_a_program),
		cmocka_unit_test(test_code_that_begins_within_a_page),
		cmocka_unit_test(test_damaged_files),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
