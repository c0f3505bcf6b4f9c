/*
 * Tables of range lists whose entries lead out of their section, which libdw does not see, as clang's DWARF 5
 * has them.
 */
#include "unit.h"

#include "base/system/file.h"
#include "base/memory/mem.h"
#include "base/text/strbuf.h"
#include "binary/dwarf/dwarf_lines.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TABLE = 20, COUNT = 16 }; /* offsets in the section of 64-bit DWARF: of the entries, of their number */

static const char program[] = "int v; int one(void) { return v; } int two(void) { return v + 1; }";

/* The image of a program whose unit has its addresses in a list of ranges. False: no clang. */
static bool compile(struct strbuf *image)
{
	char dir[] = "/tmp/perf-unit-ranges.XXXXXX", *command;
	bool done;

	assert_non_null(mkdtemp(dir));
	command = xasprintf("cd %s && echo '%s' >a.c && clang -g -gdwarf-5 -gdwarf64 -ffunction-sections "
			    "-nostdlib -fPIC -shared -o a.so a.c >/dev/null 2>&1",
			    dir, program);
	done = !system(command);
	free(command);
	command = xasprintf("%s/a.so", dir);
	done = done && !file__read(command, image, 0);
	free(command);
	command = xasprintf("rm -rf %s", dir);
	assert_int_equal(system(command), 0);
	free(command);
	return done;
}

static char *section(const struct strbuf *image, const char *name)
{
	Elf64_Ehdr head;
	Elf64_Shdr s, names;

	memcpy(&head, image->buf, sizeof(head));
	memcpy(&names, image->buf + head.e_shoff + head.e_shstrndx * sizeof(s), sizeof(names));
	for (unsigned i = 0; i < head.e_shnum; i++) {
		memcpy(&s, image->buf + head.e_shoff + i * sizeof(s), sizeof(s));
		if (!strcmp(image->buf + names.sh_offset + s.sh_name, name))
			return image->buf + s.sh_offset;
	}
	return NULL;
}

/* Functions: libdw 0.192 refuses line tables of 64-bit DWARF. */
static size_t count_functions(const struct strbuf *image)
{
	struct dwarf_lines *d;
	struct source_line line;
	size_t nr = 0;

	if (dwarf_lines__open_image(&d, image->buf, image->len, NULL))
		return 0;
	for (u64 addr = 0; addr < image->len; addr++)
		nr += dwarf_lines__find(d, addr, DWARF_WANTS_INLINED | DWARF_WANTS_DECL, &line) &&
		      line.function;
	dwarf_lines__delete(d);
	return nr;
}

static void entries_that_lead_out_are_refused(void **state)
{
	static const u64 wrong[] = { 1ull << 63, 0xb502300000000000, 0xffff000000000000, 1ull << 40,
				     UINT64_MAX };
	struct strbuf image = STRBUF_INIT;
	u32 nr = 0;
	char *table;

	(void)state;
	if (sizeof(void *) != 8 || !compile(&image)) {
		strbuf__exit(&image);
		skip();
		return;
	}
	assert_true(count_functions(&image) > 0);
	table = section(&image, ".debug_rnglists");
	if (table)
		memcpy(&nr, table + COUNT, sizeof(nr));
	if (!nr) {
		strbuf__exit(&image);
		skip(); /* a clang that has no such tables */
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		for (u32 k = 0; k < nr; k++)
			memcpy(table + TABLE + 8 * k, &wrong[i], sizeof(wrong[i]));
		count_functions(&image);
	}
	strbuf__exit(&image);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(entries_that_lead_out_are_refused) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
