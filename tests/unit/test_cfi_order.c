/*
 * Rows are found by the search table in .eh_frame_hdr, whether the linker places it before .eh_frame or, as
 * gold does, after it.
 */
#include "unit.h"

#include "binary/symbols/elf_symbols.h"
#include "binary/tables/cfi.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	FUNCTIONS = 20000,
	/* bytes; libdw keeps a structure for each FDE that it has read: 3 MB for all of them */
	GROWTH_MAX = 256 << 10,
};

static char dir[] = "/tmp/perf-unit-cfi-order.XXXXXX";

/* Run a command in the folder. Return false if it fails. */
static bool run(const char *command)
{
	char text[2048];

	snprintf(text, sizeof(text), "cd %s && (%s) >/dev/null 2>&1", dir, command);
	return !system(text);
}

/* Return the dso address of a function. */
static u64 address_of(const char *path, const char *name)
{
	struct symtab t;
	u64 addr = 0;

	symtab__init(&t);
	assert_int_equal(elf_symbols__load(&t, path, NULL, NULL, NULL), 0);
	for (size_t i = 0; i < t.syms.nr; i++)
		if (!strcmp(symtab__name(&t, &t.syms.v[i]), name))
			addr = t.syms.v[i].start;
	symtab__exit(&t);
	assert_int_not_equal(addr, 0);
	return addr;
}

static void check(const char *linker)
{
	char command[256], path[64];
	const struct cfi_row *row;
	struct cfi *c = NULL;
	size_t before;
	u64 addr;

	snprintf(command, sizeof(command),
		 "cc -O1 -shared -fPIC -fasynchronous-unwind-tables -fuse-ld=%s -o lib.so f.c", linker);
	if (!run(command)) {
		print_message("cannot link with %s\n", linker);
		skip();
	}
	snprintf(path, sizeof(path), "%s/lib.so", dir);
	addr = address_of(path, "last");
	assert_int_equal(cfi__open(&c, path, NULL, NULL, NULL), 0);
	before = mallinfo2().uordblks;
	row = cfi__find(c, addr);
	assert_true(mallinfo2().uordblks - before < GROWTH_MAX);
	assert_non_null(row);
	assert_true(row->is_cfi);
	assert_null(cfi__find(c, 0));
	assert_true(mallinfo2().uordblks - before < GROWTH_MAX);
	cfi__delete(c);
}

static void search_table_of_bfd(void **state)
{
	(void)state;
	check("bfd");
}

static void search_table_of_gold(void **state)
{
	(void)state;
	check("gold");
}

static void search_table_of_lld(void **state)
{
	(void)state;
	check("lld");
}

static int set_up(void **state)
{
	char path[64];
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/f.c", dir);
	f = fopen(path, "w");
	fprintf(f,
		"__asm__(\".text\\n.rept %d\\n.cfi_startproc\\nnop\\n.cfi_endproc\\n.endr\");\n"
		"int last(int x) { return x + 1; }\n",
		FUNCTIONS);
	return fclose(f);
}

static int tear_down(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(search_table_of_bfd),
		cmocka_unit_test(search_table_of_gold),
		cmocka_unit_test(search_table_of_lld),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
