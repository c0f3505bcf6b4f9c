/*
 * Read commits of a git repository, by the program git. The repository may be hostile: its configuration runs
 * no program, nothing is fetched, and time and output are bounded. Other people's repositories are read, too.
 */
#ifndef PROFILE_REPOSITORY_H
#define PROFILE_REPOSITORY_H

#include "base/memory/strpool.h"
#include "base/message/err.h"
#include "base/system/file.h"
#include "base/text/strbuf.h"

struct repository {
	char *git; /* the program */
	char *dir; /* its data: "/x/.git", or "/x" of a bare one */
};

struct tree_file {      /* a file of a commit */
	u32 path, blob; /* ids in the pool: with all folders; the object's name */
};

struct tree {
	struct strpool names;
	ARRAY(struct tree_file) files; /* sorted by path */
	struct strbuf submodules;      /* a line each; their files are not among the files */
};

/*
 * Open the repository that has a folder. path: the folder, or that of the repository's data; NULL: the
 * current folder. Return 0 or a negative errno with err: -ENOENT: there is no repository, or no git. Close it
 * in any case.
 */
int repository__open(struct repository *r, const char *path, struct err *err);
void repository__close(struct repository *r);
/*
 * Find the commit of a revision, such as a branch or "HEAD~3", and append its name. Return 0; -ENOENT with
 * err: there is none.
 */
int repository__find_commit(const struct repository *r, const char *revision, struct strbuf *name,
			    struct err *err);
void tree__init(struct tree *t);
/* List the files of a commit. Return 0 or a negative errno with err. */
int repository__read_tree(const struct repository *r, const char *commit, struct tree *tree, struct err *err);
void tree__exit(struct tree *t);

struct blob {             /* the content of a file */
	const char *name; /* of the object; not owned */
	char *text;       /* ends with 0; NULL: it is too large, or missing. The caller frees it */
	size_t size;
};

/*
 * Read blobs of at most max bytes, and at most total in all. Return 0 or a negative errno with err; the texts
 * that were read are there in both cases.
 */
int repository__read_blobs(const struct repository *r, struct blob *blobs, size_t nr, size_t max,
			   size_t total, struct err *err);
/*
 * Append the paths of files of a commit that have one of these words, each with a 0 after it. Return 0 or a
 * negative errno with err.
 */
int repository__find_words(const struct repository *r, const char *commit, const name_array *words,
			   struct strbuf *paths, struct err *err);

#endif
