/*
 * Any bytes for the section of stored names: read or refused, and what was read makes a symbol table. Seeds:
 * see seeds_names_section. The first byte of an input says which byte order it is of.
 */
#include "format/names_section.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
	}
	names_section__exit(&n);
	return 0;
}
