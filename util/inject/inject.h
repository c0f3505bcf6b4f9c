/*
 * perf inject: a recording that is written again, with something added to it.
 *
 * All records are copied as they are (decompressed), and the features of the header. A recording that comes
 * from a pipe may become a file and the other way round.
 */
#ifndef INJECT_INJECT_H
#define INJECT_INJECT_H

#include "model/binaries.h"
#include "model/session.h"

struct inject_opts {
	const char *output; /* "-": standard output, pipe mode */
	bool build_ids;     /* of binaries with samples */
	bool build_ids_all; /* of all binaries that were mapped */
	/* "ID PATH" pairs, with commas between them, or "file://NAME" with one on each line; NULL: none. They
	 * come before what the recording and the files say. */
	const char *known_ids;
	bool jit; /* add the code of jitdumps, see inject/jit.h: the copy is in the order of time then */
	bool any_owner; /* take jitdumps of other users, and other files of their names, too */
};

struct injected {
	size_t nr_build_ids, nr_functions;
	size_t nr_without_id; /* binaries that no build-id was found for */
};

/* 0, or a negative errno with err. */
int inject__run(struct session *s, const struct inject_opts *opts, struct injected *done, struct err *err);

#endif
