/* The files of a recording: what they begin with, what is written at their ends, and their size. */
#ifndef RECORD_RECORDER_FILES_H
#define RECORD_RECORDER_FILES_H

#include "format/records/clock_pairs.h"
#include "record/describe/inventory.h"
#include "record/events/loss_count.h"
#include "record/flow/drain.h"
#include "record/flow/output.h"
#include "record/recorder_opts.h"

struct recorder_files {
	const struct recorder_opts *opts;
	struct recorder_result *result;
	struct output output;
	struct inventory inventory;
	struct intake intake;
	struct drain *drain; /* how the rings are drained; NULL: not set up */
	struct loss_count loss_count;
	struct clock_pairs clock;
	u64 woken; /* wakeups up to the previous file */
};

/* Turn the result of a write into ret, and set err if it failed. */
int recorder_files__wrote(const struct recorder_files *f, int ret, struct err *err);
/*
 * --tail-synthesize: describe what runs now. Call it before the last round is marked, so that readers that
 * go by rounds have it in time.
 */
int recorder_files__synthesize_tail(struct recorder_files *f, struct err *err);
/*
 * Write the modules that were loaded, and the code that was copied (text_copies.h), since the last call.
 * Call it before each round, so that readers that go by rounds have them in time for its samples. always:
 * look for modules even if their number is the same.
 */
int recorder_files__add_new_maps(struct recorder_files *f, bool always, struct err *err);
/*
 * Write everything that was taken and give the intake back to the recorder. Return 0 or the errno of a
 * write.
 */
int recorder_files__end_drain(struct recorder_files *f);
/* Set the maximum size of the current file. */
void recorder_files__limit(struct recorder_files *f);
/* Return whether another file begins when the current one is full; otherwise the recording ends. */
bool recorder_files__go_on(const struct recorder_files *f);
/*
 * Read the recording's clock and CLOCK_MONOTONIC. Return false if the kernel does not allow it, or if both
 * are the same clock.
 */
bool recorder_files__read_clocks(const struct recorder_files *f, struct clock_pair *pair);
/* Write what each file has at its end: how call chains were made, and how the two clocks relate. */
void recorder_files__write_end(struct recorder_files *f);
/*
 * After the drain's end: write the losses and the end of the file, finish it, and give it to the function
 * that takes slices, if there is one.
 */
int recorder_files__end(struct recorder_files *f, struct err *err);
/*
 * Begin the next file with a description of what runs, like the first file. tasks was taken before the last
 * round of the finished file, so that it is older than all samples of the new one. Records since then
 * (side_band) are in both files.
 */
int recorder_files__begin_next(struct recorder_files *f, const struct strbuf *tasks,
			       const struct strbuf *side_band, struct err *err);
/* --switch-output: tell the user about the file that was just ended; last: as files.last before it. */
void recorder_files__tell(struct recorder_files *f, u64 last);

#endif
