/* Any image of a program or library: source lines and inlined functions. */
#include "binary/dwarf/dwarf_lines.h"
#include "fuzz.h"

#include <string.h>

static void touch_text(const char *text)
{
	if (text)
		fuzz__touch(text, strlen(text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dwarf_lines *d;
	struct source_line line;

	if (dwarf_lines__open_image(&d, data, size, NULL))
		return 0;
	for (u64 addr = 0; addr < size; addr += 61) {
		if (!dwarf_lines__find(d, addr, DWARF_WANTS_LINE | DWARF_WANTS_INLINED | DWARF_WANTS_DECL,
				       &line))
			continue;
		touch_text(line.file);
		for (const struct inlined *i = line.inlined; i; i = i->caller) {
			touch_text(i->name);
			touch_text(i->call_file);
		}
	}
	dwarf_lines__delete(d);
	return 0;
}
