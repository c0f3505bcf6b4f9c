/*
 * perf diff --baseline: a folder of recordings of earlier commits. Its files are "baseline-00000042.data",
 * by age, and whatever recordings the user puts there; these are read, but never removed. Links in the folder
 * are not followed. A lock lets one program at a time read or change it.
 */
#ifndef MERGE_BASELINE_H
#define MERGE_BASELINE_H

#include "base/system/file.h"
#include "merge/merge.h"

struct baseline {
	const char *folder; /* not owned */
	name_array files;   /* paths of its recordings, sorted by name */
	int lock_fd;
};

/*
 * Find the recordings, and lock the folder until baseline__unlock(). creates: make the folder if it is
 * missing. Return 0 or a negative errno with err. Exit b in any case.
 */
int baseline__open(struct baseline *b, const char *folder, bool creates, struct err *err);
void baseline__unlock(struct baseline *b);
/*
 * Add recordings as one file: a copy of a single one, or all merged. Then remove the oldest files that
 * earlier calls added, so that `keep` are left. The folder must be unlocked. Return 0 or a negative errno
 * with err: then the folder is as it was.
 */
int baseline__add(struct baseline *b, const char *const *inputs, u32 nr, u32 keep,
		  const struct merge_opts *opts, struct err *err);
void baseline__exit(struct baseline *b);

#endif
