/*
 * Storing names in a recording: look up once what its samples hit, as a report would, and write it into the
 * file (format/file/names_section.h), as a chunk of its extension section.
 */
#ifndef PROFILE_EMBED_H
#define PROFILE_EMBED_H

#include "format/file/names_section.h"
#include "unwind/unwind_stats.h"

struct embed_opts {
	const char *buildid_dir; /* the build-id cache; NULL: none */
	struct kept_files *kept; /* the recorded binaries; NULL: none. Not owned */
	unsigned nr_threads;     /* 0: 1 */
	u64 cut_from;            /* side-band records to look at at once (profile/embed/slices.h); 0: all */
	/* gets what was found beside names: chains of stack copies, code without names; NULL: not wanted */
	struct unwind_stats *chains;
	u64 budget; /* bytes; 0: EMBED_BYTES, or EMBED_SHARE of the file if that is more */
};

enum {
	EMBED_BYTES = 1 << 20,
	EMBED_SHARE = 20, /* one byte in so many bytes of the file */
};

/* Store the names. Return 0 and what was stored, or a negative errno with err and the file unchanged. */
int embed__names(const char *path, const struct embed_opts *opts, struct names_summary *stored,
		 struct err *err);

/* The files of one recording. */
struct embed_job {
	char *const *paths; /* oldest first */
	size_t nr;
	unsigned nr_threads; /* for large files */
	u64 bytes;           /* size of the largest */
	u64 side_band;       /* number of records besides samples, of the one with most */
	int priority;        /* nice value of this process for large files */
	const char *buildid_dir;
	struct kept_files *kept;     /* as in struct embed_opts */
	struct unwind_stats *chains; /* as in struct embed_opts */
};

/* Store names in the files, newest first, until a time limit. Failures are warnings. */
void embed__all(const struct embed_job *job);

#endif
