/* Kernel modules: the code of all sections but .init.*, one behind the other; plain and packed files. */
#include "unit.h"

#include "binary/symbols/elf_symbols.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char make_module[] = "cd %s && cat >m.s <<'END'\n"
				  ".text\n"
				  "first: .skip 40\n.type first, %%function\n.size first, 40\n"
				  ".section .init.text, \"ax\"\n"
				  "start: .skip 64\n.type start, %%function\n.size start, 64\n"
				  ".section .text.unlikely, \"ax\"\n.balign 16\n"
				  "second: .skip 16\n.type second, %%function\n.size second, 16\n"
				  ".data\n"
				  "variable: .skip 100\n.type variable, %%object\n.size variable, 100\n"
				  ".section .exit.text, \"ax\"\n"
				  "stop: .skip 8\n.type stop, %%function\n.size stop, 8\n"
				  "END\n"
				  "gcc -c m.s && ld -r --build-id -o m.ko m.o";

static char dir[] = "/tmp/perf-unit-module.XXXXXX";

static int load(struct symtab *t, const char *name, const struct build_id *want)
{
	char path[128];
	u64 ref;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	symtab__init(t);
	return elf_symbols__load_kernel(t, path, want, NULL, &ref, NULL);
}

static const char *at(const struct symtab *t, u64 addr)
{
	const struct symbol *s = symtab__find(t, addr);

	return s ? symtab__name(t, s) : "-";
}

static bool run(const char *fmt)
{
	char text[2048];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(text, sizeof(text), fmt, dir);
#pragma GCC diagnostic pop
	return !system(text);
}

static bool has_module(struct build_id *id)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/m.ko", dir);
	return (!access(path, R_OK) || run(make_module)) && !build_id__of_file(path, id);
}

static void check(const char *name, const struct build_id *id)
{
	struct symtab t;

	assert_int_equal(load(&t, name, id), 0);
	assert_string_equal(at(&t, 0), "first");
	assert_string_equal(at(&t, 39), "first");
	assert_string_equal(at(&t, 40), "-"); /* padding */
	assert_string_equal(at(&t, 48), "second");
	assert_string_equal(at(&t, 64), "stop");
	assert_string_equal(at(&t, 72), "-");
	assert_int_equal(t.syms.nr, 3);
	symtab__exit(&t);
}

static void sections_one_behind_the_other(void **state)
{
	struct build_id id;
	struct symtab t;

	(void)state;
	if (!has_module(&id)) {
		skip();
		return;
	}
	check("m.ko", &id);
	id.data[0] ^= 1;
	assert_int_equal(load(&t, "m.ko", &id), -ESTALE);
	assert_int_equal(t.syms.nr, 0);
	symtab__exit(&t);
}

static void check_packed(const char *pack, const char *name)
{
	struct build_id id;
	struct symtab t;

	if (!has_module(&id) || !run(pack)) {
		skip();
		return;
	}
	check(name, &id);
	id.data[0] ^= 1;
	assert_int_equal(load(&t, name, &id), -ESTALE);
	symtab__exit(&t);
}

static void gzip(void **state)
{
	(void)state;
	check_packed("cd %s && gzip -c m.ko >m.ko.gz", "m.ko.gz");
}

static void xz(void **state)
{
	(void)state;
#ifdef HAVE_LIBLZMA
	check_packed("cd %s && xz -c m.ko >m.ko.xz", "m.ko.xz");
#endif
}

static void zstd(void **state)
{
	(void)state;
#ifdef HAVE_LIBZSTD
	check_packed("cd %s && zstd -q -c m.ko >m.ko.zst", "m.ko.zst");
#endif
}

static int setup(void **state)
{
	(void)state;
	return !mkdtemp(dir);
}

static int teardown(void **state)
{
	(void)state;
	return !run("rm -r %s");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sections_one_behind_the_other),
		cmocka_unit_test(gzip),
		cmocka_unit_test(xz),
		cmocka_unit_test(zstd),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
