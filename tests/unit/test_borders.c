/*
 * Where functions start and end in stripped programs, against the symbols of the same programs.
 * timeout: 300
 */
#include "unit.h"

#include "base/memory/array.h"
#include "binary/symbols/elf_symbols.h"
#include "binary/tables/borders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char dir[] = "/tmp/perf-unit-borders.XXXXXX";

static const char source[] =
	"#include <stdio.h>\n"
	"#include <stdlib.h>\n"
	"static int __attribute__((noinline)) alone(int x) { return x * 3 + 1; }\n"
	"int __attribute__((noinline)) exported(int x) { return alone(x) - 7; }\n"
	"static int __attribute__((noinline)) after(int x) { if (x == 12345) { puts(\"no\"); abort(); } "
	"return x; }\n"
	"int main(int argc, char **argv) { return puts(argv[0]) + exported(argc) + after(argc); }\n";

/* Run a command in the folder. Return false if it fails. */
static bool run(const char *command)
{
	char text[2048];

	snprintf(text, sizeof(text), "cd %s && (%s) >/dev/null 2>&1", dir, command);
	return !system(text);
}

static struct borders *open_borders(const char *name)
{
	char path[64];
	struct borders *b = NULL;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return borders__open(&b, path, NULL, NULL, NULL) ? NULL : b;
}

static void load_symbols(struct symtab *t, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	symtab__init(t);
	assert_int_equal(elf_symbols__load(t, path, NULL, NULL, NULL), 0);
}

/* All of a function is in one range that begins with it. Return false if the symbol is not a function. */
static bool check_symbol(const struct borders *b, const struct symtab *t, const struct symbol *s)
{
	const char *name = symtab__name(t, s);
	struct code_range first, last;

	if (s->is_extended || strchr(name, '@') || !borders__find(b, s->start, &first))
		return false;
	if (first.start != s->start || first.end < s->start + s->size)
		fail_msg("'%s' is from %#llx to %#llx, not from %#llx to %#llx", name,
			 (unsigned long long)s->start, (unsigned long long)s->start + s->size,
			 (unsigned long long)first.start, (unsigned long long)first.end);
	assert_true(borders__find(b, s->start + s->size - 1, &last));
	assert_int_equal(last.start, first.start);
	assert_int_equal(last.end, first.end);
	if (!strcmp(name, "main") || !strcmp(name, "_start"))
		assert_string_equal(first.name, name);
	else
		assert_null(first.name);
	return true;
}

/* Build with a command, which makes prog and its stripped copy. */
static void check(const char *command)
{
	unsigned nr = 0, nr_main = 0;
	struct borders *b;
	struct symtab t;

	if (!run(command))
		skip();
	load_symbols(&t, "prog");
	b = open_borders("stripped");
	assert_non_null(b);
	for (size_t i = 0; i < t.syms.nr; i++)
		if (check_symbol(b, &t, &t.syms.v[i])) {
			nr_main += !strcmp(symtab__name(&t, &t.syms.v[i]), "main");
			nr++;
		}
	assert_true(nr >= 4);
	assert_int_equal(nr_main, 1);
	borders__delete(b);
	symtab__exit(&t);
}

#define BORDERS_TEST(name, command)    \
	static void name(void **state) \
	{                              \
		(void)state;           \
		check(command);        \
	}

BORDERS_TEST(of_a_plain_program, "cc -O0 -o prog p.c && strip -o stripped prog")
BORDERS_TEST(of_an_optimised_one, "cc -O2 -o prog p.c && strip -o stripped prog")
BORDERS_TEST(at_fixed_addresses, "cc -O2 -no-pie -o prog p.c && strip -o stripped prog")
BORDERS_TEST(without_a_search_table, "cc -O2 -Wl,--no-eh-frame-hdr -o prog p.c && strip -o stripped prog")
BORDERS_TEST(of_clang, "clang -O2 -o prog p.c && strip -o stripped prog")
BORDERS_TEST(in_debug_frame,
	     "cc -O1 -g -fno-asynchronous-unwind-tables -fno-unwind-tables -o prog p.c && objcopy "
	     "--strip-unneeded --keep-section=.debug_frame prog stripped && readelf -S stripped | grep -q "
	     "'[.]debug_frame'")
BORDERS_TEST(of_arm64, "aarch64-linux-gnu-gcc -O2 -o prog p.c && aarch64-linux-gnu-strip -o stripped prog")
BORDERS_TEST(of_arm64_at_fixed_addresses,
	     "aarch64-linux-gnu-gcc -O2 -no-pie -o prog p.c && aarch64-linux-gnu-strip -o stripped prog")

/* Not all functions of a static program have a description: some are of assembly. */
static void main_of_a_static_program(void **state)
{
	struct code_range range;
	struct borders *b;
	struct symtab t;
	unsigned nr = 0;

	(void)state;
	if (!run("cc -O2 -static -o prog p.c && strip -o stripped prog"))
		skip();
	load_symbols(&t, "prog");
	b = open_borders("stripped");
	assert_non_null(b);
	for (size_t i = 0; i < t.syms.nr; i++)
		if (!strcmp(symtab__name(&t, &t.syms.v[i]), "main") && ++nr) {
			assert_true(borders__find(b, t.syms.v[i].start + 1, &range));
			assert_int_equal(range.start, t.syms.v[i].start);
			assert_string_equal(range.name, "main");
		}
	assert_int_equal(nr, 1);
	borders__delete(b);
	symtab__exit(&t);
}

/* Code without a description is a function between its neighbours; what is not code is in none. */
static void gaps_are_functions(void **state)
{
	struct code_range in, before, behind;
	struct borders *b;
	struct symtab t;
	u64 hole = 0;

	(void)state;
	if (!run("printf '.text\n.globl hole\nhole: .skip 64, 0x90\n.size hole, 64\n' >hole.s && cc -O2 -o "
		 "prog p.c "
		 "hole.s -Wl,--no-gc-sections && strip -o stripped prog"))
		skip();
	load_symbols(&t, "prog");
	for (size_t i = 0; i < t.syms.nr; i++)
		if (!strcmp(symtab__name(&t, &t.syms.v[i]), "hole"))
			hole = t.syms.v[i].start;
	assert_int_not_equal(hole, 0);
	b = open_borders("stripped");
	assert_non_null(b);
	assert_true(borders__find(b, hole, &in));
	assert_true(in.start <= hole && in.end >= hole + 64);
	assert_true(borders__find(b, in.start - 1, &before));
	assert_int_equal(before.end, in.start);
	if (borders__find(b, in.end, &behind)) /* or the end of the section */
		assert_int_equal(behind.start, in.end);
	assert_false(borders__find(b, 0, &in)); /* the ELF header */
	assert_false(borders__find(b, UINT64_MAX, &in));
	borders__delete(b);
	symtab__exit(&t);
}

/* tests/data/arm-stacks has Thumb code and .ARM.exidx: works from 0x200, _start from 0x268 (readelf -s). */
static void of_32_bit_arm(void **state)
{
	const char *src = getenv("PERF_SRC");
	struct code_range range;
	struct borders *b = NULL;
	char path[4096];

	(void)state;
	snprintf(path, sizeof(path), "%s/tests/data/arm-stacks/stacks", src ? src : ".");
	assert_int_equal(borders__open(&b, path, NULL, NULL, NULL), 0);
	assert_true(borders__find(b, 0x267, &range));
	assert_int_equal(range.start, 0x200);
	assert_int_equal(range.end, 0x268);
	assert_true(borders__find(b, 0x26a, &range));
	assert_int_equal(range.start, 0x268);
	assert_true(range.end > 0x26a);
	borders__delete(b);
}

static void no_table_no_functions(void **state)
{
	(void)state;
	if (!run("cc -O2 -o prog p.c && strip -R .eh_frame -R .eh_frame_hdr -o stripped prog"))
		skip();
	assert_null(open_borders("stripped"));
	assert_null(open_borders("missing"));
	assert_null(open_borders("p.c"));
}

/* Write the program with some bytes changed. */
static void write_damaged(const u8 *data, size_t size, u32 *seed)
{
	u8 *copy = xmalloc(size);
	char path[64];
	FILE *f;

	memcpy(copy, data, size);
	for (unsigned i = 0; i < 64; i++) {
		*seed = *seed * 1664525 + 1013904223;
		copy[64 + *seed % (size - 64)] ^= (u8)(*seed >> 24);
	}
	snprintf(path, sizeof(path), "%s/damaged", dir);
	f = fopen(path, "w");
	assert_int_equal(fwrite(copy, 1, size, f), size);
	fclose(f);
	free(copy);
}

/* A range contains its address, whatever the tables say. */
static void damage_is_harmless(void **state)
{
	static u8 data[1 << 20];
	struct code_range range;
	unsigned nr_found = 0;
	char path[64];
	size_t size;
	u32 seed = 1;
	FILE *f;

	(void)state;
	if (!run("cc -O2 -o prog p.c && strip -o stripped prog"))
		skip();
	snprintf(path, sizeof(path), "%s/stripped", dir);
	f = fopen(path, "r");
	size = fread(data, 1, sizeof(data), f);
	fclose(f);
	for (unsigned i = 0; i < 500; i++) {
		struct borders *b;

		write_damaged(data, size, &seed);
		b = open_borders("damaged");
		for (u64 at = 0; b && at < size; at += 61)
			if (borders__find(b, at, &range)) {
				assert_true(range.start <= at && at < range.end);
				nr_found++;
			}
		borders__delete(b);
	}
	assert_true(nr_found > 100);
}

static int make_folder(void **state)
{
	char path[64];
	FILE *f;

	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/p.c", dir);
	f = fopen(path, "w");
	return !f || fputs(source, f) < 0 || fclose(f);
}

static int remove_folder(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_a_plain_program),
		cmocka_unit_test(of_an_optimised_one),
		cmocka_unit_test(at_fixed_addresses),
		cmocka_unit_test(without_a_search_table),
		cmocka_unit_test(of_clang),
		cmocka_unit_test(in_debug_frame),
		cmocka_unit_test(of_arm64),
		cmocka_unit_test(of_arm64_at_fixed_addresses),
		cmocka_unit_test(main_of_a_static_program),
		cmocka_unit_test(gaps_are_functions),
		cmocka_unit_test(of_32_bit_arm),
		cmocka_unit_test(no_table_no_functions),
		cmocka_unit_test(damage_is_harmless),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
