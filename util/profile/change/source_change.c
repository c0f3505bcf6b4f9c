#include "profile/change/source_change.h"

#include "base/text/path_name.h"
#include <stdlib.h>
#include <string.h>

enum {
	TOTAL_MAX = 32 << 20, /* bytes of files that are read at a time: they take four times as much */
	NAMES_MAX = 4096,     /* changed names */
	SEARCHED_MAX = 200,   /* names that are searched for in all files */
	FOUND_MAX = 500,      /* files that are read because they have a name */
	ROUNDS_MAX = 4,       /* declarations that use changed declarations, and so on */
};

static const char *source_commit__path(const struct source_commit *c, u32 file)
{
	return strpool__get(&c->tree.names, c->tree.files.v[file].path);
}

static const char *source_commit__blob(const struct source_commit *c, u32 file)
{
	return strpool__get(&c->tree.names, c->tree.files.v[file].blob);
}

/* ---- reading ---- */

/* Read those files that have a language and were not read before. */
static int source_commit__read(struct source_commit *c, const struct repository *r, const u32 *files,
			       size_t nr, struct err *err)
{
	ARRAY(struct blob) blobs = { 0 };
	ARRAY(u32) wanted = { 0 };
	int ret;

	for (size_t i = 0; i < nr; i++) {
		struct source_file *f = &c->files[files[i]];

		if (f->is_read || !source_language__of(source_commit__path(c, files[i])))
			continue;
		f->is_read = true;
		array__add(&wanted, files[i]);
		array__add(&blobs, ((struct blob){ .name = source_commit__blob(c, files[i]) }));
	}
	ret = repository__read_blobs(r, blobs.v, blobs.nr, SOURCE_TEXT_MAX, TOTAL_MAX, err);
	for (size_t i = 0; i < wanted.nr; i++) {
		struct source_file *f = &c->files[wanted.v[i]];

		f->blob = blobs.v[i];
		if (f->blob.text)
			source_items__find(&f->items,
					   source_language__of(source_commit__path(c, wanted.v[i])),
					   f->blob.text, f->blob.size);
	}
	array__exit(&blobs);
	array__exit(&wanted);
	return ret;
}

static bool is_build_file(const char *path)
{
	static const char *const names[] = { "Makefile",   "makefile",     "GNUmakefile", "CMakeLists.txt",
					     "Cargo.toml", "Cargo.lock",   "go.mod",      "meson.build",
					     "SConstruct", "configure.ac", "build.zig",   "BUILD.bazel" };
	const char *name = path__name(path);

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* Mark the files that differ. Both lists are sorted by path. */
static void source_change__compare_trees(struct source_change *c)
{
	struct source_commit *old = &c->commits[0], *new = &c->commits[1];
	u32 i = 0, k = 0;

	while (i < old->tree.files.nr || k < new->tree.files.nr) {
		const char *p = i < old->tree.files.nr ? source_commit__path(old, i) : NULL;
		const char *q = k < new->tree.files.nr ? source_commit__path(new, k) : NULL;
		int order = !p ? 1 : !q ? -1 : strcmp(p, q);
		bool differs = order || strcmp(source_commit__blob(old, i), source_commit__blob(new, k));

		if (differs) {
			c->nr_files++;
			if (is_build_file(order <= 0 ? p : q))
				c->build_file = order <= 0 ? p : q;
		}
		if (order <= 0)
			old->files[i++].differs = differs;
		if (order >= 0)
			new->files[k++].differs = differs;
	}
	c->submodule_differs = strcmp(old->tree.submodules.buf, new->tree.submodules.buf) != 0;
}

static int source_change__read_differing(struct source_change *c, u32 side, struct err *err)
{
	struct source_commit *commit = &c->commits[side];
	ARRAY(u32) files = { 0 };
	int ret;

	for (u32 i = 0; i < commit->tree.files.nr; i++)
		if (commit->files[i].differs)
			array__add(&files, i);
	ret = source_commit__read(commit, c->repository, files.v, files.nr, err);
	for (size_t i = 0; i < files.nr; i++) {
		const struct source_items *items = &commit->files[files.v[i]].items;

		c->nr_unread += commit->files[files.v[i]].is_read && !commit->files[files.v[i]].blob.text;
		for (size_t k = 0; k < items->v.nr; k++) {
			hash_table__insert(&commit->hashes, items->v.v[k].hash, (u32)commit->items.nr);
			array__add(&commit->items, items->v.v[k].hash);
		}
	}
	array__exit(&files);
	return ret;
}

/* ---- what changed ---- */

static bool source_change__differs(const struct source_change *c, u32 side, const struct source_item *item)
{
	const struct source_commit *other = &c->commits[!side];
	u32 i;

	hash_table__for_each (&other->hashes, item->hash, i)
		if (other->items.v[i] == item->hash)
			return false;
	return true;
}

static const struct changed_name *source_change__name(const struct source_change *c, u64 hash)
{
	u32 i;

	hash_table__for_each (&c->by_name, hash, i)
		if (c->names.v[i].hash == hash)
			return &c->names.v[i];
	return NULL;
}

/* Names of one letter are those of members and loops everywhere. */
static void source_change__add_names(struct source_change *c, const struct source_items *items,
				     const struct source_item *item)
{
	for (u32 i = 0; i < item->nr_names && c->names.nr < NAMES_MAX; i++) {
		u32 word = items->names.v[item->names + i];
		const struct source_word *w = &items->words.v[word];
		u64 hash = source_items__word_hash(items, word);

		if (w->len < 2 || source_change__name(c, hash))
			continue;
		hash_table__insert(&c->by_name, hash, (u32)c->names.nr);
		array__add(&c->names, ((struct changed_name){ hash, strndup(items->text + w->at, w->len) }));
	}
}

/* Return a changed name that the item has, or NULL. */
static const struct changed_name *source_change__used(const struct source_change *c,
						      const struct source_items *items,
						      const struct source_item *item)
{
	for (u32 i = item->word; c->names.nr && i < item->end; i++) {
		const struct changed_name *name;

		if (items->words.v[i].kind != SOURCE_WORD)
			continue;
		name = source_change__name(c, source_items__word_hash(items, i));
		if (name)
			return name;
	}
	return NULL;
}

/* Does the declaration change with what it uses? Not that of a function: it is called as before. */
static bool passes_on(const struct source_items *items, const struct source_item *item)
{
	if (items->words.v[item->word].is_directive)
		return true;
	for (u32 i = item->word; i < item->end; i++)
		if (items->words.v[i].kind == SOURCE_CHARACTER && items->text[items->words.v[i].at] == '(')
			return false;
	return true;
}

static void source_change__note_names(struct source_change *c, u32 side, bool by_use)
{
	struct source_commit *commit = &c->commits[side];

	for (size_t f = 0; f < commit->tree.files.nr; f++) {
		const struct source_items *items = &commit->files[f].items;

		for (size_t i = 0; i < items->v.nr; i++) {
			const struct source_item *item = &items->v.v[i];

			if (item->is_code || !item->nr_names)
				continue;
			if (by_use ? passes_on(items, item) && source_change__used(c, items, item)
				   : commit->files[f].differs && source_change__differs(c, side, item))
				source_change__add_names(c, items, item);
		}
	}
}

/* Return the file at a path, or SOURCE_NO_FILE. */
static u32 source_commit__find(const struct source_commit *c, const char *path)
{
	u32 nr = (u32)c->tree.files.nr;
	u32 i = bisect(k, 0u, nr, strcmp(source_commit__path(c, k), path) < 0);

	return i < nr && !strcmp(source_commit__path(c, i), path) ? i : SOURCE_NO_FILE;
}

/* Read the files of the new commit that have one of the names from first on. */
static int source_change__search(struct source_change *c, size_t first, struct err *err)
{
	struct source_commit *new = &c->commits[1];
	struct strbuf paths = STRBUF_INIT;
	name_array words = { 0 };
	ARRAY(u32) files = { 0 };
	int ret;

	for (size_t i = first; i < c->names.nr && words.nr < SEARCHED_MAX; i++)
		array__add(&words, c->names.v[i].text);
	ret = repository__find_words(c->repository, new->name, &words, &paths, err);
	for (const char *p = paths.buf; !ret && p < paths.buf + paths.len; p += strlen(p) + 1) {
		u32 file = files.nr < FOUND_MAX ? source_commit__find(new, p) : SOURCE_NO_FILE;

		if (file != SOURCE_NO_FILE)
			array__add(&files, file);
	}
	if (!ret)
		ret = source_commit__read(new, c->repository, files.v, files.nr, err);
	array__exit(&words); /* the texts are those of names */
	array__exit(&files);
	strbuf__exit(&paths);
	return ret;
}

int source_change__read(struct source_change *c, const struct repository *r, const char *old, const char *new,
			struct err *err)
{
	const char *const revisions[] = { old, new };
	int ret = 0;

	*c = (struct source_change){ .repository = r };
	for (u32 s = 0; s < 2; s++) {
		struct strbuf name = STRBUF_INIT;

		tree__init(&c->commits[s].tree);
		if (!ret)
			ret = repository__find_commit(r, revisions[s], &name, err);
		c->commits[s].name = strbuf__detach(&name);
	}
	for (u32 s = 0; s < 2 && !ret; s++) {
		struct source_commit *commit = &c->commits[s];

		ret = repository__read_tree(r, commit->name, &commit->tree, err);
		commit->files = xcalloc(commit->tree.files.nr + 1, sizeof(*commit->files));
	}
	if (!ret)
		source_change__compare_trees(c);
	for (u32 s = 0; s < 2 && !ret; s++)
		ret = source_change__read_differing(c, s, err);
	for (u32 s = 0; s < 2 && !ret; s++)
		source_change__note_names(c, s, false);
	for (size_t round = 0, first = 0, nr; round < ROUNDS_MAX && first < c->names.nr && !ret; round++) {
		nr = c->names.nr;
		ret = source_change__search(c, first, err);
		for (u32 s = 0; s < 2 && !ret; s++)
			source_change__note_names(c, s, true);
		first = nr;
	}
	return ret;
}

void source_change__exit(struct source_change *c)
{
	for (u32 s = 0; s < 2; s++) {
		struct source_commit *commit = &c->commits[s];

		for (size_t i = 0; commit->files && i < commit->tree.files.nr; i++) {
			source_items__exit(&commit->files[i].items);
			free(commit->files[i].blob.text);
		}
		free(commit->files);
		tree__exit(&commit->tree);
		hash_table__exit(&commit->hashes);
		array__exit(&commit->items);
		free(commit->name);
	}
	for (size_t i = 0; i < c->names.nr; i++)
		free(c->names.v[i].text);
	array__exit(&c->names);
	hash_table__exit(&c->by_name);
}

int source_change__read_files(struct source_change *c, u32 side, const u32 *files, size_t nr, struct err *err)
{
	ARRAY(u32) known = { 0 };
	int ret;

	for (size_t i = 0; i < nr; i++)
		if (files[i] != SOURCE_NO_FILE)
			array__add(&known, files[i]);
	ret = source_commit__read(&c->commits[side], c->repository, known.v, known.nr, err);
	array__exit(&known);
	return ret;
}

enum touch source_change__touch(const struct source_change *c, u32 side, u32 file, u32 line,
				const char **used)
{
	const struct source_file *f;
	const struct source_item *item;
	const struct changed_name *name;

	*used = NULL;
	if (file == SOURCE_NO_FILE)
		return TOUCH_OUTSIDE;
	f = &c->commits[side].files[file];
	if (!f->blob.text)
		return f->differs ? TOUCH_UNKNOWN : TOUCH_NO;
	item = source_items__code_at(&f->items, line);
	if (!item)
		return f->differs ? TOUCH_UNKNOWN : TOUCH_NO;
	if (f->differs && source_change__differs(c, side, item))
		return TOUCH_YES;
	name = source_change__used(c, &f->items, item);
	*used = name ? name->text : NULL;
	return name ? TOUCH_USES : TOUCH_NO;
}
