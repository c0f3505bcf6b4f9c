/*
 * What changed between two commits: functions, and what declarations outside of functions declare. An item
 * changed if the other commit has none with the same words (source_items.h) in the files that differ; so a
 * function that moved to another file, or whose comments changed, did not.
 */
#ifndef PROFILE_SOURCE_CHANGE_H
#define PROFILE_SOURCE_CHANGE_H

#include "profile/change/repository.h"
#include "profile/change/source_items.h"

enum touch {
	TOUCH_NOT_ASKED,
	TOUCH_UNKNOWN, /* its source lines are not known, or cannot be read */
	TOUCH_OUTSIDE, /* its source is not in the repository */
	TOUCH_NO,
	TOUCH_USES, /* its own source is the same, but it uses a macro, type, constant that changed */
	TOUCH_YES,
};

struct source_file {  /* of a commit */
	bool differs; /* the other commit has another content at this path, or none */
	bool is_read;
	struct blob blob;
	struct source_items items;
};

struct changed_name {
	u64 hash;
	char *text;
};

struct source_commit {
	char *name; /* of the commit */
	struct tree tree;
	struct source_file *files; /* by index of tree.files */
	struct hash_table hashes;  /* of items of files that differ */
	u64_array items;           /* their hashes */
};

struct source_change {
	const struct repository *repository;
	struct source_commit commits[2]; /* old and new */
	ARRAY(struct changed_name) names;
	struct hash_table by_name;
	u32 nr_files;           /* that differ */
	u32 nr_unread;          /* of their versions: too large, or missing */
	const char *build_file; /* one of them that says how to build, such as Makefile; NULL: none */
	bool submodule_differs; /* what is in it is not looked at */
};

enum { SOURCE_NO_FILE = UINT32_MAX };

/*
 * Read what changed between two revisions. r must stay. Return 0 or a negative errno with err. Exit it in any
 * case.
 */
int source_change__read(struct source_change *c, const struct repository *r, const char *old, const char *new,
			struct err *err);
void source_change__exit(struct source_change *c);

/*
 * Find the files of a commit (0: old, 1: new) that recorded paths name. The folder of the build may be
 * anywhere: what all paths have before the path in the repository is left out. files: an index of tree.files
 * for each path, or SOURCE_NO_FILE.
 */
void source_change__find_files(const struct source_change *c, u32 side, const char *const *paths, size_t nr,
			       u32 *files);
/* Read these files, too: declarations and functions in them may use what changed. Return 0 or err. */
int source_change__read_files(struct source_change *c, u32 side, const u32 *files, size_t nr,
			      struct err *err);
/*
 * Is the function at a line of a file touched? *used: for TOUCH_USES, what it uses; it stays until exit.
 */
enum touch source_change__touch(const struct source_change *c, u32 side, u32 file, u32 line,
				const char **used);

#endif
