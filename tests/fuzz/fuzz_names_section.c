/*
 * Any bytes for the section of stored names: read or refused, and what was read makes a symbol table. Seeds:
 * see seeds_names_section. The first byte of an input says which byte order it is of.
 */
#include "format/file/names_section.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* All frames of an address that is found are there, with texts that end. */
static void lines(const struct names_lines_chunk *c)
{
	struct names_address found;
	struct names_frame f;

	for (u64 addr = 0; addr < 512 && c->nr_addresses; addr++) {
		if (!names_lines__find(c, addr, &found))
			continue;
		for (u32 i = 0; i < found.nr; i++) {
			f = names_lines__frame(c, found.first + i);
			if ((f.name && strlen(f.name) >= c->text_size) ||
			    (f.file && strlen(f.file) >= c->text_size))
				__builtin_trap();
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct names_section n;
	struct names_summary s;

	if (!size)
		return 0;
	names_section__summary(data + 1, size - 1, data[0] & 1, &s);
	names_section__read(&n, data + 1, size - 1, data[0] & 1, NULL);
	for (size_t i = 0; i < n.entries.nr; i++) {
		struct symtab t;

		symtab__init(&t);
		names_entry__add_symbols(&n, &n.entries.v[i], &t);
		symtab__finish(&t);
		for (size_t k = 0; k < t.syms.nr; k++)
			if (strlen(symtab__name(&t, &t.syms.v[k])) > n.entries.v[i].text_size)
				__builtin_trap();
		symtab__exit(&t);
		lines(&n.entries.v[i].lines);

		for (u32 k = 0; k < n.entries.v[i].nr_loads; k++)
			names_entry__load(&n, &n.entries.v[i], k);
	}
	names_section__exit(&n);
	return 0;
}
