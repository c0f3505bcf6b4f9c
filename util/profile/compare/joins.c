#include "profile/compare/joins.h"

#include <stdlib.h>
#include <string.h>

struct identity comparison__identity(const struct comparison *c, u32 function)
{
	const char *name = strpool__get(&c->names, function), *dso = strchr(name, '\t') + 1;
	const char *end = strchrnul(dso, '\t');

	return (struct identity){ .name = name,
				  .dso = dso,
				  .name_len = (size_t)(dso - 1 - name),
				  .dso_len = (size_t)(end - dso),
				  .is_made_up = *end };
}

/* Return, by string of c->names, the sides whose recordings have this build-id (1: old, 2: new). */
static u8 *comparison__sides_of_builds(const struct comparison *c)
{
	u8 *sides = xcalloc(c->names.strings.nr + 1, 1);

	for (size_t r = 0; r < c->recordings.nr; r++) {
		const struct compared_recording *rec = &c->recordings.v[r];

		for (size_t i = 0; i < rec->costs.builds.nr; i++)
			sides[rec->costs.builds.v[i]] |= (u8)(1 << rec->side);
	}
	return sides;
}

/*
 * Return, by function of c->names, whether it has a made-up name of a build that both sides have. Such a name
 * is the same function on both sides, even on a side where it has no samples.
 */
static bool *comparison__find_certain(const struct comparison *c)
{
	bool *certain = xcalloc(c->names.strings.nr + 1, sizeof(*certain));
	u8 *builds = comparison__sides_of_builds(c);

	for (size_t r = 0; r < c->recordings.nr; r++)
		for (size_t i = 0; i < c->recordings.v[r].costs.rows.nr; i++) {
			u32 function = c->recordings.v[r].costs.rows.v[i].function, build;
			struct identity id = comparison__identity(c, function);

			if (!id.is_made_up)
				continue;
			build = strpool__find(&c->names, id.dso + id.dso_len + 1);
			certain[function] = build && build < c->names.strings.nr && builds[build] == 3;
		}
	free(builds);
	return certain;
}

/* Return, by function of c->names, the sides that have it (1: old, 2: new). */
static u8 *comparison__sides(const struct comparison *c)
{
	u8 *sides = xcalloc(c->names.strings.nr + 1, 1);

	for (size_t r = 0; r < c->recordings.nr; r++) {
		const struct compared_recording *rec = &c->recordings.v[r];

		for (size_t i = 0; i < rec->costs.rows.nr; i++)
			sides[rec->costs.rows.v[i].function] |= (u8)(1 << rec->side);
	}
	return sides;
}

struct same_name {   /* functions of one name in different binaries */
	u32 name;    /* id of the name alone */
	u32 only[2]; /* the function that one side has alone */
	u32 nr[2];   /* how many there are */
};

struct coded { /* a function whose code is known */
	u64 code;
	u32 function;
	u8 sides;
};

static int compare_codes(const void *x, const void *y)
{
	const struct coded *a = x, *b = y;

	if (a->code != b->code)
		return a->code < b->code ? -1 : 1;
	return a->function < b->function ? -1 : a->function > b->function;
}

/*
 * The address in a made-up name is of one build. Map such a function that one side has alone to the only one
 * of the other side that has its code; a real name is kept. That function then is on both sides. If both
 * sides have the build, only a real name adds something: one side may have been stripped.
 */
static void comparison__join_codes(const struct comparison *c, u32 *map, u8 *sides, const bool *certain)
{
	ARRAY(struct coded) list = { 0 };

	for (size_t r = 0; r < c->recordings.nr; r++) {
		const struct function_costs *f = &c->recordings.v[r].costs;

		for (size_t i = 0; i < f->rows.nr; i++)
			if (f->rows.v[i].code)
				array__add(&list, ((struct coded){ f->rows.v[i].code, f->rows.v[i].function,
								   sides[f->rows.v[i].function] }));
	}
	if (list.nr)
		qsort(list.v, list.nr, sizeof(*list.v), compare_codes);
	for (size_t i = 0, end; i < list.nr; i = end) {
		u32 only[2] = { 0 }, nr[2] = { 0 }, kept;
		bool is_made_up[2];

		for (end = i; end < list.nr && list.v[end].code == list.v[i].code; end++) {
			if (end > i && list.v[end].function == list.v[end - 1].function)
				continue;
			for (u32 s = 0; s < 2; s++)
				if (list.v[end].sides & 1 << s) {
					only[s] = list.v[end].function;
					nr[s]++;
				}
		}
		if (nr[0] != 1 || nr[1] != 1 || only[0] == only[1])
			continue;
		for (u32 s = 0; s < 2; s++)
			is_made_up[s] = comparison__identity(c, only[s]).is_made_up;
		if (!is_made_up[0] && !is_made_up[1])
			continue;
		if (is_made_up[0] && is_made_up[1] && (certain[only[0]] || certain[only[1]]))
			continue;
		kept = is_made_up[0] || !is_made_up[1]; /* the new side's, or a real name */
		map[only[!kept]] = only[kept];
		sides[only[kept]] = 3;
	}
	array__exit(&list);
}

/*
 * Map made-up names to the unknown code of the binary if no name says what they are: those that one side
 * has alone, and all of a binary without a build-id, whose addresses may mean anything. Not those of a build
 * that both sides have: which of them one side lacks depends on the samples.
 */
static void comparison__join_unknown(struct comparison *c, u32 *map, u32 nr, const u8 *sides,
				     const bool *certain)
{
	struct strbuf text = STRBUF_INIT;

	for (u32 i = 0; i < nr; i++) {
		struct identity id;

		if (!sides[i] || map[i] != i || certain[i])
			continue;
		id = comparison__identity(c, i);
		if (!id.is_made_up || (sides[i] == 3 && id.dso[id.dso_len + 1]))
			continue;
		strbuf__reset(&text);
		strbuf__addf(&text, "%s\t%.*s", UNKNOWN_FUNCTION, (int)id.dso_len, id.dso);
		map[i] = strpool__intern(&c->names, text.buf);
	}
	strbuf__exit(&text);
}

/*
 * Binaries may have different names in the two builds (prog-1.0, prog-1.1). Map a function that only the
 * old side has to the one that only the new side has, if they are the only ones of their name.
 */
static void comparison__join_binaries(const struct comparison *c, u32 *map, u32 nr, const u8 *sides)
{
	ARRAY(struct same_name) list = { 0 };
	struct strpool plain;

	strpool__init(&plain);
	for (u32 i = 0; i < nr; i++) {
		struct identity identity;
		struct same_name *same;
		u32 id, side;

		if ((sides[i] != 1 && sides[i] != 2) || map[i] != i)
			continue;
		identity = comparison__identity(c, i);
		id = strpool__internn(&plain, identity.name, identity.name_len);
		while (list.nr <= id)
			array__add(&list, ((struct same_name){ 0 }));
		same = &list.v[id];
		side = sides[i] - 1u;
		same->only[side] = i;
		same->nr[side]++;
	}
	for (size_t i = 0; i < list.nr; i++)
		if (list.v[i].nr[0] == 1 && list.v[i].nr[1] == 1)
			map[list.v[i].only[0]] = list.v[i].only[1];
	array__exit(&list);
	strpool__exit(&plain);
}

/* ---- binaries that have another name in the new build ---- */

struct binaries {
	struct strpool names;
	ARRAY(u64) pairs;   /* ids, old << 32 | new: of each joined function */
	ARRAY(u32) partner; /* by id of an old one: that of the new one; 0: none */
};

static u32 binaries__id(struct binaries *b, const struct comparison *c, u32 function)
{
	struct identity id = comparison__identity(c, function);

	return strpool__internn(&b->names, id.dso, id.dso_len);
}

/* Find in which binary of the new side most functions of each old one were found. */
static void binaries__find_partners(struct binaries *b)
{
	ARRAY(size_t) most = { 0 };

	if (b->pairs.nr)
		qsort(b->pairs.v, b->pairs.nr, sizeof(*b->pairs.v), u64__compare);
	while (b->partner.nr < b->names.strings.nr) {
		array__add(&b->partner, 0);
		array__add(&most, 0);
	}
	for (size_t i = 0, end; i < b->pairs.nr; i = end) {
		u32 old = (u32)(b->pairs.v[i] >> 32);

		for (end = i; end < b->pairs.nr && b->pairs.v[end] == b->pairs.v[i]; end++)
			;
		if (end - i <= most.v[old])
			continue;
		most.v[old] = end - i;
		b->partner.v[old] = (u32)b->pairs.v[i];
	}
	array__exit(&most);
}

/* Return the function of this name in the new binary, or UINT32_MAX. */
static u32 binaries__find_function(struct binaries *b, const struct comparison *c, u32 function)
{
	struct identity id = comparison__identity(c, function);
	u32 old = binaries__id(b, c, function), found = UINT32_MAX;
	struct strbuf text = STRBUF_INIT;

	if (old < b->partner.nr && b->partner.v[old]) {
		strbuf__addf(&text, "%.*s\t%s", (int)id.name_len, id.name,
			     strpool__get(&b->names, b->partner.v[old]));
		found = strpool__find(&c->names, text.buf);
	}
	strbuf__exit(&text);
	return found;
}

/* Is it the unknown code of a binary? Both sides may have some, from functions that their code joined. */
static bool is_unknown(const struct comparison *c, u32 function)
{
	const char *name = strpool__get(&c->names, function);

	return !strncmp(name, UNKNOWN_FUNCTION "\t", sizeof(UNKNOWN_FUNCTION));
}

/*
 * If functions of an old binary were found in a new one of another name, map its other functions, too: those
 * that several binaries have, such as _start, and unknown code.
 */
static void comparison__join_rest(const struct comparison *c, u32 *map, u32 nr, const u8 *sides)
{
	struct binaries b = { .pairs = { 0 } };
	u32 all = (u32)c->names.strings.nr;
	u8 *on = xcalloc(all + 1, 1); /* by function that stands for others: on which sides it is */

	strpool__init(&b.names);
	for (u32 i = 0; i < nr; i++) {
		u32 from, to;

		if (!sides[i])
			continue;
		from = binaries__id(&b, c, i);
		to = binaries__id(&b, c, map[i]);
		on[map[i]] |= sides[i];
		if (from != to)
			array__add(&b.pairs, sides[i] == 1 ? (u64)from << 32 | to : (u64)to << 32 | from);
	}
	binaries__find_partners(&b);
	for (u32 i = 0; i < all; i++) {
		u32 new = on[i] == 1 && map[i] == i ? binaries__find_function(&b, c, i) : UINT32_MAX;

		if (new < all && map[new] == new && (on[new] == 2 || is_unknown(c, new)))
			map[i] = new;
	}
	for (u32 i = 0; i < all; i++)
		map[i] = map[map[i]];
	array__exit(&b.pairs);
	array__exit(&b.partner);
	strpool__exit(&b.names);
	free(on);
}

u32 *comparison__map_functions(struct comparison *c)
{
	u32 nr = (u32)c->names.strings.nr, *map = xcalloc(2 * (size_t)nr + 1, sizeof(*map));
	u8 *sides = comparison__sides(c);
	bool *certain = comparison__find_certain(c);

	for (u32 i = 0; i < 2 * nr; i++)
		map[i] = i;
	comparison__join_codes(c, map, sides, certain);
	comparison__join_unknown(c, map, nr, sides, certain);
	comparison__join_binaries(c, map, nr, sides);
	comparison__join_rest(c, map, nr, sides);
	free(sides);
	free(certain);
	return map;
}
