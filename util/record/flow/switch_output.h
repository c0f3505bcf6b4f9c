/* --switch-output: when a recording goes on in a new file, and what its files are called. */
#ifndef RECORD_SWITCH_OUTPUT_H
#define RECORD_SWITCH_OUTPUT_H

#include "base/memory/array.h"
#include "base/message/err.h"
#include "base/memory/types.h"

struct switch_output {
	bool is_on; /* on SIGUSR2, the command snapshot, an event of --switch-output-event, and by these: */
	u64 size;   /* bytes of records behind those of the beginning; 0: not by size */
	u64 ms;     /* 0: not by time */
};

/* "signal"; a size "10M" (B, K, M, G); a time "5m" (s, m, h, d). 0, or -EINVAL with err. */
int switch_output__parse(struct switch_output *s, const char *text, struct err *err);

/* path.YYYYMMDDHHMMSSnn, by the local time with hundredths of a second; the caller's. */
char *stamped_path(const char *path);

/* The files that a recording has left, the oldest first. */
struct left_files {
	unsigned max; /* 0: all are kept */
	ARRAY(char *) names;
	u64 last; /* hundredths of a second since 1970, in the last name */
};

/*
 * Renames path to path.YYYYMMDDHHMMSSnn, by the local time with hundredths of a second, or the next hundredth
 * that is free, and removes what is too many. 0, or a negative errno with err.
 */
int left_files__add(struct left_files *f, const char *path, struct err *err);
/* The one added last; NULL: none. Until the next call of __add. */
const char *left_files__last(const struct left_files *f);
void left_files__exit(struct left_files *f);

#endif
