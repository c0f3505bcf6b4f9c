/* --switch-output: when a recording continues in a new file, and the names of its files. */
#ifndef RECORD_SWITCH_OUTPUT_H
#define RECORD_SWITCH_OUTPUT_H

#include "base/memory/array.h"
#include "base/message/err.h"
#include "base/memory/types.h"

struct switch_output {
	bool is_on;         /* switch on SIGUSR2, command snapshot, event of --switch-output-event, and: */
	u64 size;           /* bytes of records after those at the start of the file; 0: not by size */
	u64 ms;             /* ms; 0: not by time */
	unsigned max_files; /* files to keep; 0: all */
};

/*
 * Parse "signal", a size such as "10M" (B, K, M, G) or a time such as "5m" (s, m, h, d). Leave max_files.
 * Return 0, or -EINVAL with err.
 */
int switch_output__parse(struct switch_output *s, const char *text, struct err *err);

/* A part of a recording: a complete perf.data file in memory. */
struct slice {
	u64 samples, lost; /* number of samples and of lost records in it */
	u64 cpu_ns;        /* processor time of the recorder so far, that of the kernel for it included */
};

/* Who gets the files of a recording, as slices, instead of the disk. */
struct slice_taker {
	/* fd becomes the taker's. Return 0, or a negative errno, which ends the recording. */
	int (*take)(void *ctx, int fd, const struct slice *s);
	void *ctx;
};

/* Return path.YYYYMMDDHHMMSSnn in local time, with hundredths of a second. The caller frees it. */
char *stamped_path(const char *path);

/* The finished files of a recording, oldest first. */
struct left_files {
	unsigned max; /* files to keep; 0: all */
	ARRAY(char *) names;
	u64 last; /* the time in the last name, in hundredths of a second since 1970 */
};

/*
 * Rename path to path.YYYYMMDDHHMMSSnn in local time, with the next free hundredth of a second, and remove
 * the oldest files above max. Return 0, or a negative errno with err.
 */
int left_files__add(struct left_files *f, const char *path, struct err *err);
/* Return the name added last, or NULL. Valid until the next __add. */
const char *left_files__last(const struct left_files *f);
void left_files__exit(struct left_files *f);

#endif
