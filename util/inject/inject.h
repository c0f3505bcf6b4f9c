/*
 * perf inject: write a recording again, with additions.
 *
 * All records are copied (decompressed), and the features of the header. The input may be a pipe and the
 * output a file, or the other way round.
 */
#ifndef INJECT_INJECT_H
#define INJECT_INJECT_H

#include "model/binaries.h"
#include "model/session.h"

struct inject_opts {
	const char *output; /* "-": standard output, pipe mode */
	bool build_ids;     /* add the build-ids of binaries with samples */
	bool build_ids_all; /* add the build-ids of all mapped binaries */
	/*
	 * "ID PATH" pairs separated by commas, or "file://NAME" with one pair on each line; NULL: none. They
	 * take precedence over build-ids in the recording and in the files.
	 */
	const char *known_ids;
	bool jit; /* add the code of jitdumps, see inject/jit.h; the copy is then in the order of time */
	/* leave out the code and source that are stored; and the names, to store all anew (profile/embed) */
	bool drops_code, drops_names;
	/*
	 * parts of the same recording that follow s (struct slice): paths, oldest first. Each part repeats
	 * records of the part before it, up to its first FINISHED_ROUND; these are left out
	 */
	char *const *more;
	size_t nr_more;
	bool any_owner; /* accept jitdumps of other users, and files replaced since they were mapped */
};

struct injected {
	size_t nr_build_ids, nr_functions;
	size_t nr_without_id; /* binaries without a known build-id */
};

/* Write the copy. Return 0, or a negative errno with err. */
int inject__run(struct session *s, const struct inject_opts *opts, struct injected *done, struct err *err);

#endif
