/* Which file of a commit does a recorded path name? */
#include "profile/change/source_change.h"

#include "base/text/path_name.h"
#include <stdlib.h>
#include <string.h>

struct match { /* of a recorded path and a file */
	u32 path, file;
	u32 prefix; /* id of what the recorded path has before that of the file */
};

struct matcher {
	const struct tree *tree;
	struct hash_table by_name; /* files, by the hash of their last part */
	struct strpool prefixes;
	ARRAY(u32) votes; /* by prefix: files with it */
	ARRAY(struct match) matches;
};

static const char *matcher__path(const struct matcher *m, u32 file)
{
	return strpool__get(&m->tree->names, m->tree->files.v[file].path);
}

/* Append a path without "." and ".." and double slashes. */
static void add_clean_path(struct strbuf *out, const char *path)
{
	size_t start = out->len;

	if (*path == '/')
		strbuf__addch(out, '/');
	while (*path) {
		size_t len = strcspn(path, "/");
		bool is_up = len == 2 && !memcmp(path, "..", 2);

		if (is_up && out->len > start + 1) {
			const char *slash = memrchr(out->buf + start, '/', out->len - start - 1);

			strbuf__setlen(out, slash ? (size_t)(slash + 1 - out->buf) : start);
		} else if (len && !is_up && !(len == 1 && *path == '.')) {
			strbuf__add(out, path, len);
			if (path[len])
				strbuf__addch(out, '/');
		}
		path += len + (path[len] == '/');
	}
}

/* Note the file with the longest path that a recorded path ends with. */
static void matcher__match(struct matcher *m, u32 path, const char *recorded)
{
	const char *name = path__name(recorded);
	size_t len = strlen(recorded), most = 0;
	u32 i, best = SOURCE_NO_FILE;

	hash_table__for_each (&m->by_name, hash__bytes(name, strlen(name), 0), i) {
		const char *p = matcher__path(m, i);
		size_t n = strlen(p);

		if (n > len || n <= most || strcmp(recorded + len - n, p) ||
		    (n < len && recorded[len - n - 1] != '/'))
			continue;
		most = n;
		best = i;
	}
	if (best == SOURCE_NO_FILE)
		return;
	i = strpool__internn(&m->prefixes, recorded, len - most);
	while (m->votes.nr <= i)
		array__add(&m->votes, 0);
	m->votes.v[i]++;
	array__add(&m->matches, ((struct match){ path, best, i }));
}

/*
 * Headers of the system may end like files of the repository: a folder counts if it has at least a quarter of
 * the files that the one with most of them has.
 */
void source_change__find_files(const struct source_change *c, u32 side, const char *const *paths, size_t nr,
			       u32 *files)
{
	struct matcher m = { .tree = &c->commits[side].tree };
	struct strbuf clean = STRBUF_INIT;
	u32 most = 0;

	strpool__init(&m.prefixes);
	for (u32 i = 0; i < m.tree->files.nr; i++) {
		const char *name = path__name(matcher__path(&m, i));

		hash_table__insert(&m.by_name, hash__bytes(name, strlen(name), 0), i);
	}
	for (u32 i = 0; i < nr; i++) {
		files[i] = SOURCE_NO_FILE;
		strbuf__reset(&clean);
		add_clean_path(&clean, paths[i]);
		matcher__match(&m, i, clean.buf);
	}
	for (size_t i = 0; i < m.votes.nr; i++)
		most = MAX(most, m.votes.v[i]);
	for (size_t i = 0; i < m.matches.nr; i++)
		if (m.votes.v[m.matches.v[i].prefix] * 4 >= most)
			files[m.matches.v[i].path] = m.matches.v[i].file;
	strbuf__exit(&clean);
	hash_table__exit(&m.by_name);
	strpool__exit(&m.prefixes);
	array__exit(&m.votes);
	array__exit(&m.matches);
}
