#include "model/frames.h"

enum { INLINED_MAX = 256 }; /* functions at one address */

static const char *name_of(const struct dso *dso, const struct symbol *sym)
{
	return sym ? symtab__name(&dso->symtab, sym) : NULL;
}

static void add_frames(const struct names_lines_chunk *chunk, const struct names_address *at,
		       const struct dso *dso, unsigned wants, const struct symbol *sym,
		       struct code_frames *frames)
{
	for (u32 i = 0; i < at->nr; i++) {
		struct names_frame f = names_lines__frame(chunk, at->first + i);
		/*
		 * If inlined functions are not wanted, take the lines of the function that contains the
		 * address.
		 */
		bool is_last = i + 1 == at->nr || !f.name || !(wants & DWARF_WANTS_INLINED);

		if (!(wants & DWARF_WANTS_LINE)) {
			f.file = NULL;
			f.line = 0;
		}
		if (is_last && wants & DWARF_WANTS_START)
			f.start_line = names_lines__frame(chunk, at->first + at->nr - 1).start_line;
		array__add(&frames->v, ((struct code_frame){ is_last ? name_of(dso, sym) : f.name, f.file,
							     f.line, f.start_line, !is_last }));
		if (is_last)
			break;
	}
}

/* Use the lines that the recording stores of sampled addresses. */
static bool add_stored(struct symbolizer *s, struct dso *dso, u64 addr, unsigned wants,
		       const struct symbol *sym, struct code_frames *frames)
{
	const struct names_lines_chunk *chunk = symbolizer__stored_lines(s, dso);
	struct names_address at;

	if (!chunk || !names_lines__find(chunk, addr, &at))
		return false;
	/* Earlier versions did not store them. Without a build-id the file may be another build by now. */
	if (wants & DWARF_WANTS_START && !chunk->starts && dso->build_id.size && symbolizer__lines(s, dso))
		return false;
	add_frames(chunk, &at, dso, wants, sym, frames);
	return true;
}

/* Use the lines that the recording stores of all the code of sampled functions. */
static bool add_stored_with_code(struct symbolizer *s, const struct dso *dso, u64 addr, unsigned wants,
				 const struct symbol *sym, struct code_frames *frames)
{
	const struct code_entry *e = embedded__find_code(&s->embedded, &s->machine->dsos, dso);
	struct names_address at;

	if (!e || !code_entry__find_lines(e, addr, &at))
		return false;
	add_frames(&e->lines, &at, dso, wants, sym, frames);
	return true;
}

void symbolizer__frames(struct symbolizer *s, struct dso *dso, u64 addr, unsigned wants,
			struct code_frames *frames)
{
	const struct symbol *sym = symbolizer__find(s, dso, addr);
	struct source_line at = { 0 };
	struct dwarf_lines *lines;

	frames->v.nr = 0;
	if (wants && add_stored(s, dso, addr, wants, sym, frames))
		return;
	lines = wants ? symbolizer__lines(s, dso) : NULL;
	if (lines)
		dwarf_lines__find(lines, addr, wants, &at);
	else if (wants && add_stored_with_code(s, dso, addr, wants, sym, frames))
		return;
	for (const struct inlined *i = at.inlined; i && frames->v.nr < INLINED_MAX; i = i->caller) {
		array__add(&frames->v,
			   ((struct code_frame){ i->name, at.file, at.line, i->decl_line, true }));
		at.file = i->call_file;
		at.line = i->call_line;
	}
	array__add(&frames->v, ((struct code_frame){ name_of(dso, sym), at.file, at.line,
						     at.function ? at.function->decl_line : 0, false }));
}

void symbolizer__line_borders(struct symbolizer *s, struct dso *dso, u64 start, u64 end, unsigned wants,
			      u64_array *borders)
{
	struct dwarf_lines *lines = symbolizer__lines(s, dso);
	const struct code_entry *e = lines ? NULL : embedded__find_code(&s->embedded, &s->machine->dsos, dso);

	if (lines)
		dwarf_lines__list_borders(lines, start, end, wants, borders);
	else if (e)
		names_lines__list_addresses(&e->lines, start, end, borders);
}

void code_frames__exit(struct code_frames *frames)
{
	array__exit(&frames->v);
}
