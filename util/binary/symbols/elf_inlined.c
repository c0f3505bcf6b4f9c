/* Functions that were inlined, by the debug information (DWARF 5, section 3.3.8). */
#include "binary/symbols/elf_object_private.h"
#include "binary/symbols/symtab.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

enum {
	DEPTH_MAX = 64,
	ENTRIES_MAX = 20000000, /* to be looked at */
};

struct inlined_search {
	const char *name;
	struct strbuf *caller;
	u32 left; /* entries to be looked at */
};

/* Return the name of a function as reports show it, to be freed; NULL: it has none. */
static char *shown_name(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *linkage =
		dwarf_attr_integrate(die, DW_AT_linkage_name, &attr) ? dwarf_formstring(&attr) : NULL;
	char *name = linkage ? symbol__demangle(linkage) : NULL;

	if (name)
		return name;
	linkage = dwarf_diename(die);
	return linkage ? xstrdup(linkage) : NULL;
}

/* Has a function this name? Those of one file only ("static") may lack the part before "::". */
static bool has_name(Dwarf_Die *die, const char *name)
{
	const char *own = dwarf_diename(die);
	size_t len = strlen(name), own_len = own ? strlen(own) : 0;
	char *shown;
	bool same;

	if (!own_len || own_len > len || strcmp(name + len - own_len, own) != 0)
		return false; /* of most entries */
	if (own_len == len)
		return true;
	shown = shown_name(die);
	same = !strcmp(shown, name) || (!strcmp(shown, own) && name[len - own_len - 1] == ':');
	free(shown);
	return same;
}

/* Look below an entry; function: the one around it, or NULL. */
static bool search_below(struct inlined_search *s, Dwarf_Die *scope, Dwarf_Die *function, unsigned depth)
{
	Dwarf_Die die;
	char *caller;

	if (depth > DEPTH_MAX || dwarf_child(scope, &die))
		return false;
	do {
		int tag = dwarf_tag(&die);

		if (!s->left || !--s->left)
			return false;
		if (tag == DW_TAG_inlined_subroutine && function && has_name(&die, s->name)) {
			caller = shown_name(function);
			strbuf__addstr(s->caller, caller ? caller : "");
			free(caller);
			return s->caller->len > 0;
		}
		if (search_below(s, &die, tag == DW_TAG_subprogram ? &die : function, depth + 1))
			return true;
	} while (die__next(&die));
	return false;
}

bool elf_object__inlined_into(struct elf_object *o, const char *name, struct strbuf *caller)
{
	struct inlined_search s = { .name = name, .caller = caller, .left = ENTRIES_MAX };
	Dwarf *dwarf = elf_object__dwarf(o);
	Dwarf_Die unit, split;
	Dwarf_CU *cu = NULL;
	u8 type;

	while (dwarf && !dwarf_get_units(dwarf, cu, &cu, NULL, &type, &unit, &split))
		if (search_below(&s, type == DW_UT_skeleton && split.addr ? &split : &unit, NULL, 0))
			return true;
	return false;
}
