/*
 * Lines and inlined functions of kernels and modules: the same as those of the same code in a program, whose
 * addresses the linker knows.
 */
#include "unit.h"

#include "base/text/strbuf.h"
#include "binary/dwarf/dwarf_lines.h"
#include "binary/symbols/elf_symbols.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source[] =
	"#define INLINED static inline __attribute__((always_inline))\n"
	"INLINED int twice(int x) { return x * 2; }\n"
	"INLINED int sum(const volatile int *v, int n)\n{\n\tint s = 0;\n\n\tfor (int i = 0; i < n; i++)\n"
	"\t\ts += twice(v[i]);\n\treturn s;\n}\n"
	"int first(volatile int *v, int n)\n{\n\treturn sum(v, n) + sum(v, n / 2);\n}\n"
	"__attribute__((section(\".init.text\"))) int start(volatile int *v, int n)\n{\n\treturn sum(v, n + "
	"3);\n}\n"
	"__attribute__((section(\".text.unlikely\"))) int second(volatile int *v, int n)\n{\n"
	"\tif (n > 3)\n\t\treturn sum(v, 3) - 1;\n\treturn sum(v, n);\n}\n"
	"int third(volatile int *v, int n)\n{\n\tv[0] = n;\n\treturn sum(v, n) - second(v, n);\n}\n";

enum { BOTH = DWARF_WANTS_LINE | DWARF_WANTS_INLINED };

static char folder[] = "/tmp/perf-unit-dwarf-kernel.XXXXXX";

/* sh -c in the folder; false when it fails. */
__attribute__((format(printf, 1, 2))) static bool sh(const char *fmt, ...)
{
	char *text, *command;
	va_list args;
	int ret;

	va_start(args, fmt);
	assert_true(vasprintf(&text, fmt, args) >= 0);
	va_end(args);
	assert_true(asprintf(&command, "cd %s && { %s; } >log 2>&1", folder, text) >= 0);
	ret = system(command);
	free(command);
	free(text);
	return !ret;
}

static const char *path_of(const char *name)
{
	static char path[2][256];
	static unsigned turn;

	turn = !turn;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", folder, name);
	return path[turn];
}

static void describe(struct dwarf_lines *d, u64 addr, struct strbuf *out)
{
	struct source_line line;

	strbuf__setlen(out, 0);
	if (!dwarf_lines__find(d, addr, BOTH, &line) || !line.file)
		return;
	strbuf__addf(out, "%s:%u", line.file, line.line);
	for (const struct inlined *i = line.inlined; i; i = i->caller)
		strbuf__addf(out, " in %s at %s:%u", i->name, i->call_file ? i->call_file : "?",
			     i->call_line);
}

/* Functions of both, byte by byte. kernel: symbols of it; delta: from theirs to its dso addresses. */
static void compare(const char *what, struct dwarf_lines *lines, const struct symtab *kernel, u64 delta)
{
	struct strbuf x = STRBUF_INIT, y = STRBUF_INIT;
	size_t nr_functions = 0, nr_inlined = 0;
	struct dwarf_lines *program;
	struct symtab t;

	symtab__init(&t);
	assert_int_equal(elf_symbols__load(&t, path_of("program"), NULL, NULL, NULL), 0);
	assert_int_equal(dwarf_lines__open(&program, path_of("program"), NULL, NULL, NULL), 0);
	for (size_t i = 0; i < kernel->syms.nr; i++) {
		const struct symbol *k = &kernel->syms.v[i], *p = NULL;

		for (size_t n = 0; n < t.syms.nr && !p; n++)
			if (!strcmp(symtab__name(&t, &t.syms.v[n]), symtab__name(kernel, k)) && k->size &&
			    t.syms.v[n].size == k->size)
				p = &t.syms.v[n];
		for (u64 at = 0; p && at < k->size; at++) {
			describe(program, p->start + at, &x);
			describe(lines, k->start + delta + at, &y);
			if (strcmp(x.buf, y.buf))
				fail_msg("%s: %s+%llu: '%s' instead of '%s'", what, symtab__name(kernel, k),
					 (unsigned long long)at, y.buf, x.buf);
			nr_inlined += strstr(x.buf, " in ") != NULL;
		}
		nr_functions += p && x.len;
	}
	if (nr_functions < 3 || nr_inlined < 20)
		fail_msg("%s: %zu functions, %zu bytes of inlined ones", what, nr_functions, nr_inlined);
	dwarf_lines__delete(program);
	symtab__exit(&t);
	strbuf__exit(&x);
	strbuf__exit(&y);
}

static void compare_module(const char *what, const char *name, const struct build_id *id,
			   const struct dwarf_lines_opts *opts)
{
	struct dwarf_lines *lines;
	struct err err = ERR_INIT;
	struct symtab t;
	u64 ref;

	symtab__init(&t);
	assert_int_equal(elf_symbols__load_kernel(&t, path_of("module.ko"), NULL, NULL, &ref, NULL), 0);
	if (dwarf_lines__open(&lines, opts->symfs ? name : path_of(name), id, opts, &err))
		fail_msg("%s: %s", what, err.text.buf);
	compare(what, lines, &t, 0);
	dwarf_lines__delete(lines);
	symtab__exit(&t);
}

static const char *const ways[] = {
	"gcc -O2 -gdwarf-4",   "gcc -O2 -gdwarf-5",   "gcc -O2 -g -ffunction-sections",
	"clang -O2 -gdwarf-4", "clang -O2 -gdwarf-5", "gcc -O2 -g -gz=zlib"
};

/* False: there is no such compiler. */
static bool make(const char *way)
{
	return sh("rm -f module.ko* program && %s -fno-pic -fno-asynchronous-unwind-tables -c -o m.o m.c && "
		  "ld -r --build-id -o module.ko m.o && echo 'int main(void) { return 0; }' >main.c && gcc "
		  "-no-pie -o program main.c m.o",
		  way);
}

static const struct dwarf_lines_opts plain = { .is_kernel = true };

static void modules_have_the_lines_of_programs(void **state)
{
	size_t nr = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++)
		if (make(ways[i])) {
			compare_module(ways[i], "module.ko", NULL, &plain);
			nr++;
		}
	if (!nr)
		skip();
}

static void packed_modules_have_them_too(void **state)
{
	static const struct {
		const char *pack, *name;
	} packed[] = { { "gzip -k module.ko", "module.ko.gz" },
		       { "xz -k module.ko", "module.ko.xz" },
		       { "zstd -q -k module.ko", "module.ko.zst" } };

	(void)state;
	if (!make(ways[1]))
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(packed); i++)
		if (sh("%s", packed[i].pack))
			compare_module(packed[i].name, packed[i].name, NULL, &plain);
}

/* The module itself is stripped; its debug file is where distributions put it. */
static void debug_files_of_modules_are_found(void **state)
{
	struct dwarf_lines_opts opts = { .is_kernel = true };
	struct dwarf_lines *lines;
	char hex[2 * BUILD_ID_MAX + 1];
	struct build_id id;

	(void)state;
	if (!make(ways[1]) || !sh("rm -rf root && mkdir -p root/lib/modules root/usr/lib/debug/lib/modules "
				  "&& objcopy --strip-debug module.ko root/lib/modules/module.ko && objcopy "
				  "--only-keep-debug module.ko root/usr/lib/debug/lib/modules/module.ko"))
		skip();
	opts.symfs = strdup(path_of("root"));
	assert_int_equal(build_id__of_file(path_of("module.ko"), &id), 0);
	compare_module("by path", "/lib/modules/module.ko", &id, &opts);
	build_id__str(&id, hex);
	assert_true(sh("cd root/usr/lib/debug && mkdir -p .build-id/%.2s && mv lib/modules/module.ko "
		       ".build-id/%.2s/%s.debug",
		       hex, hex, hex + 2));
	compare_module("by build-id", "/lib/modules/module.ko", &id, &opts);
	id.data[0] ^= 1;
	assert_int_equal(dwarf_lines__open(&lines, "/lib/modules/module.ko", &id, &opts, NULL), -ESTALE);
	free((char *)opts.symfs);
}

/* At a random address, where its reference symbol says. */
static void a_kernel_may_be_moved(void **state)
{
	struct dwarf_lines_opts opts = { .is_kernel = true, .reference = "first" };
	const u64 moved = 0x1f000000;
	struct dwarf_lines *lines;
	struct build_id id;
	struct symtab t;
	u64 ref;

	(void)state;
	if (!make(ways[1]) ||
	    !sh("ld -o vmlinux --build-id -e first -Ttext 0xffffffff81000000 -z max-page-size=4096 m.o"))
		skip();
	assert_int_equal(build_id__of_file(path_of("vmlinux"), &id), 0);
	symtab__init(&t);
	assert_int_equal(elf_symbols__load_kernel(&t, path_of("vmlinux"), &id, "first", &ref, NULL), 0);
	assert_true(ref >= 0xffffffff81000000);
	opts.reference_addr = ref + moved;
	assert_int_equal(dwarf_lines__open(&lines, path_of("vmlinux"), &id, &opts, NULL), 0);
	compare("moved", lines, &t, moved);
	dwarf_lines__delete(lines);
	assert_int_equal(dwarf_lines__open(&lines, path_of("vmlinux"), &id, &plain, NULL), 0);
	compare("not moved", lines, &t, 0);
	dwarf_lines__delete(lines);
	id.data[0] ^= 1;
	assert_int_equal(dwarf_lines__open(&lines, path_of("vmlinux"), &id, &opts, NULL), -ESTALE);
	symtab__exit(&t);
}

/* Whatever a module says, nothing is read or written outside of it: for sanitizers. */
static void a_damaged_module_does_no_harm(void **state)
{
	unsigned seed = 1;
	long size;
	FILE *f;

	(void)state;
	if (!make(ways[1]))
		skip();
	f = fopen(path_of("module.ko"), "r+");
	assert_non_null(f);
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	size = ftell(f);
	for (int i = 0; i < 300; i++) {
		/* headers of sections are at the end: every second time there */
		long at = i % 2 ? size - 1 - rand_r(&seed) % 2048 : rand_r(&seed) % size;
		struct dwarf_lines *lines;
		struct source_line line;

		assert_int_equal(fseek(f, MAX(at, 0), SEEK_SET), 0);
		fputc(rand_r(&seed), f);
		fflush(f);
		if (dwarf_lines__open(&lines, path_of("module.ko"), NULL, &plain, NULL))
			continue;
		for (u64 addr = 0; addr < 400; addr += 3)
			dwarf_lines__find(lines, addr, BOTH, &line);
		dwarf_lines__delete(lines);
	}
	fclose(f);
}

static int setup(void **state)
{
	FILE *f;

	(void)state;
	if (!mkdtemp(folder))
		return -1;
	f = fopen(path_of("m.c"), "w");
	return !f || fputs(source, f) < 0 || fclose(f);
}

static int teardown(void **state)
{
	char command[80];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(modules_have_the_lines_of_programs),
		cmocka_unit_test(packed_modules_have_them_too),
		cmocka_unit_test(debug_files_of_modules_are_found),
		cmocka_unit_test(a_kernel_may_be_moved),
		cmocka_unit_test(a_damaged_module_does_no_harm),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
