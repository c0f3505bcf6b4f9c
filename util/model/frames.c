#include "model/frames.h"

enum { INLINED_MAX = 256 }; /* functions at one address */

void symbolizer__frames(struct symbolizer *s, struct dso *dso, u64 addr, unsigned wants, struct code_frames *frames)
{
	const struct symbol *sym = symbolizer__find(s, dso, addr);
	struct dwarf_lines *lines = wants ? symbolizer__lines(s, dso) : NULL;
	struct source_line at = { 0 };

	if (lines)
		dwarf_lines__find(lines, addr, wants, &at);
	frames->v.nr = 0;
	for (const struct inlined *i = at.inlined; i && frames->v.nr < INLINED_MAX; i = i->caller) {
		array__add(&frames->v, ((struct code_frame){ i->name, at.file, at.line, true }));
		at.file = i->call_file;
		at.line = i->call_line;
	}
	array__add(&frames->v, ((struct code_frame){ sym ? symtab__name(&dso->symtab, sym) : NULL, at.file, at.line, false }));
}

void code_frames__exit(struct code_frames *frames)
{
	array__exit(&frames->v);
}
