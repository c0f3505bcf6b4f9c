/* Find recordings without inlined functions beside others that have them. */
#include "profile/compare/comparison.h"

#include "base/memory/mem.h"

#include <stdio.h>
#include <string.h>

/* Parts of a recording's samples: in a binary without debug information, in inlined functions. */
#define LEAST_LACKING 0.01
#define LEAST_INLINED 0.001

enum { ALL_SIDES = 3 };

/* Sides (1: old, 2: new) of a binary, by string of c->names. */
struct binary_lines {
	u8 is_there, lacks, inlines; /* has samples, lacks debug information, has inlined functions */
	const struct compared_recording *lacking;
};

static void binary_lines__add(struct binary_lines *l, const struct compared_recording *r,
			      const struct binary_cost *b)
{
	u8 side = (u8)(1 << r->side);

	l->is_there |= side;
	if (b->inlined >= LEAST_INLINED * r->costs.weight)
		l->inlines |= side;
	if (b->has_lines || b->weight < LEAST_LACKING * r->costs.weight)
		return;
	l->lacks |= side;
	l->lacking = r;
}

/*
 * A binary that both sides have is compared with itself. One that one side has alone may be any that the
 * other side has alone: builds have versions in their names.
 */
char *comparison__find_lacking_lines(const struct comparison *c)
{
	struct binary_lines *lines = xcalloc(c->names.strings.nr + 1, sizeof(*lines));
	const struct binary_lines *found = NULL;
	char *text = NULL;
	u8 inlines = 0; /* sides that have binaries alone with inlined functions */

	for (size_t r = 0; r < c->recordings.nr; r++) {
		const struct compared_recording *rec = &c->recordings.v[r];

		for (size_t i = 0; i < rec->costs.binaries.nr; i++)
			binary_lines__add(&lines[rec->costs.binaries.v[i].name], rec,
					  &rec->costs.binaries.v[i]);
	}
	for (u32 i = 0; i < c->names.strings.nr; i++)
		if (lines[i].is_there != ALL_SIDES)
			inlines |= lines[i].inlines;
	for (u32 i = 0; i < c->names.strings.nr && !found; i++) {
		const struct binary_lines *l = &lines[i];
		bool is_alone = l->is_there != ALL_SIDES;

		if (l->lacks && (l->inlines || (is_alone && inlines & ~l->is_there)))
			found = l;
	}
	if (found)
		text = xasprintf("'%s' has no debug information of '%s'", found->lacking->path,
				 strpool__get(&c->names, (u32)(found - lines)));
	free(lines);
	return text;
}
