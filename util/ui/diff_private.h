/*
 * Shared by the files of perf diff: diff.c checks and shows, diff_read.c reads; diff_spans.c compares
 * spans.
 */
#ifndef UI_DIFF_PRIVATE_H
#define UI_DIFF_PRIVATE_H

#include "base/memory/arena.h"
#include "base/message/err.h"
#include "profile/compare/comparison.h"
#include "profile/side_by_side/side_by_side.h"
#include "profile/side_by_side/streams.h"
#include "profile/keys/sample_filter.h"
#include "ui/diff.h"

typedef ARRAY(struct streams) streams_of_events;

struct diff {
	const struct diff_args *args;
	struct report_args report; /* for the file that is read */
	struct side_by_side sides;
	struct comparison comparison;
	streams_of_events streams[2]; /* by recording */
	struct arena arena;           /* of streams */
	struct repository repository;
	struct source_change change; /* of --git */
	char *arch;                  /* of the first recording of stock perf's table; NULL: not known */
	struct sample_filter judged; /* --bisect: its symbols are judged */
	bool is_damaged;
	int status;
	struct err err;
};

/* Return the part of --time for a file, or NULL; the caller frees it. */
char *diff__time_of_file(const char *times, size_t file);
/* Open a recording. shows_progress: not if another recording's is shown. Return 0 or a negative errno. */
int diff__open(struct diff *d, u32 file, bool shows_progress, struct session **session);
/* Delete the session, which may be NULL. Return ret, or what happened meanwhile. */
int diff__close(struct diff *d, struct session *session, int ret);
/* May the options be given with --span? Return 0, or -EINVAL with d->err. */
int diff__check_spans(struct diff *d);
/* Compare the spans of all recordings, and print. Sets d->status. Return 0, or a negative errno. */
int diff__run_spans(struct diff *d);
/* Read all recordings into comparison, or into sides and streams. Return 0 or a negative errno. */
int diff__read(struct diff *d);

#endif
