/*
 * Storing names and code in a recording: look up once what its samples hit, as a report would, and write it
 * into the file, as chunks of its extension section (names_section.h and code_section.h in format/file).
 */
#ifndef PROFILE_EMBED_H
#define PROFILE_EMBED_H

#include "format/file/code_section.h"
#include "unwind/unwind_stats.h"

struct embed_opts {
	const char *buildid_dir;     /* the build-id cache; NULL: none */
	const struct reader *stored; /* as in struct symbolize_opts */
	struct kept_files *kept;     /* the recorded binaries; NULL: none. Not owned */
	unsigned nr_threads;         /* 0: 1 */
	bool spares_memory;          /* as in struct symbolize_opts */
	u64 cut_from; /* side-band records to look at at once (profile/embed/partitions.h); 0: all */
	/* gets what was found beside names: chains of stack copies, code without names; NULL: not wanted */
	struct unwind_stats *chains;
	/* bytes of names, of code; 0: EMBED_BYTES, EMBED_CODE_BYTES, or EMBED_SHARE of the file if more */
	u64 budget, code_budget;
	bool with_source; /* also store source lines, as many bytes of them as of code */
};

enum {
	EMBED_BYTES = 1 << 20,
	EMBED_CODE_BYTES = 256 << 10,
	EMBED_SHARE = 20, /* one byte in so many bytes of the file */
};

struct embed_result {
	struct names_summary names;
	struct code_summary code;
};

/*
 * Store the names and the code. Return 0 and what was stored, or a negative errno with err; the file is then
 * unchanged, or has names only.
 */
int embed__store(const char *path, const struct embed_opts *opts, struct embed_result *stored,
		 struct err *err);

/* Print counts of what was stored (-v). */
void embed_result__tell(const struct embed_result *r);

/* The files of one recording. */
struct embed_job {
	char *const *paths; /* oldest first */
	size_t nr;
	u64 bytes;              /* size of the largest */
	u64 side_band;          /* number of records besides samples, of the one with most */
	int priority;           /* nice value of this process for large files */
	struct embed_opts opts; /* nr_threads: for large files; embed__all chooses cut_from */
};

/* Store names and code in the files, newest first, until a time limit. Failures are warnings. */
void embed__all(const struct embed_job *job);

#endif
