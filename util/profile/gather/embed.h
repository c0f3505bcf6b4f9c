/*
 * Storing names in a recording: what its samples hit is looked up as a report would, once, and goes into the
 * file (format/file/names_section.h), as a chunk of its extension section.
 */
#ifndef PROFILE_EMBED_H
#define PROFILE_EMBED_H

#include "format/file/names_section.h"

struct embed_opts {
	const char *buildid_dir; /* the build-id cache; NULL: none */
	unsigned nr_threads;     /* 0: 1 */
	u64 budget;              /* bytes; 0: EMBED_BYTES, or EMBED_SHARE of the file if that is more */
};

enum {
	EMBED_BYTES = 1 << 20,
	EMBED_SHARE = 20, /* one byte of so many */
};

/* 0 and what was stored, or a negative errno with err: then the file is as it was. */
int embed__names(const char *path, const struct embed_opts *opts, struct names_summary *stored,
		 struct err *err);

/* The files of one recording. */
struct embed_job {
	char *const *paths; /* the oldest first */
	size_t nr;
	unsigned nr_threads; /* for large files */
	u64 bytes;           /* of the largest */
	int priority;        /* (nice) for this process where it takes long */
	const char *buildid_dir;
};

/* Stores names in the files, the newest first, as far as the user will wait. Failures are warnings. */
void embed__all(const struct embed_job *job);

#endif
