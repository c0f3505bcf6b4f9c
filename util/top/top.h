/*
 * perf top: a recording in slices (slices.h), counted into one view while it goes on.
 *
 * Each slice is read like a recording, by one session that keeps the binaries and their symbols
 * (session__next); its rows are added to a live view (view__add), whose older counts weigh 7/8 with each
 * slice (view__decay), as in stock perf. After FORGET_AFTER slices without a new sample, a stack is
 * forgotten. So memory follows what ran lately, not how long it runs.
 */
#ifndef TOP_TOP_H
#define TOP_TOP_H

#include "record/record_args.h"
#include "ui/report.h"

struct top_args {
	struct record_args record;
	struct report_args report;
	unsigned delay;   /* s between two screens */
	unsigned entries; /* rows to print; 0: as many as fit, or 20 */
	bool zero;        /* forget all with each slice */
	bool keeps;       /* forget nothing: add up */
};

enum { KEPT_BYTES = 64 << 20 }; /* of slices for live.write */
enum { FORGET_AFTER = 32 };     /* slices: (7/8)^32 is 1.4% */

struct top_costs {
	u64 samples, lost;
	u64 ns;     /* of wall time */
	u64 cpu_ns; /* processor time of perf: of the recorder and of this process */
};

struct top {
	struct live live; /* first: the browser's part */
	const struct top_args *args;
	struct slices *slices;
	struct report_screen screen; /* view: valid once there was a sample */
	struct report_setup setup;
	struct profile profile;
	int timer_fd;
	unsigned delay; /* s between two slices */
	bool has_view;
	bool zeroes;      /* with each slice */
	bool zeroes_next; /* with the next one */
	bool is_disabled;
	bool is_asked;            /* a slice is on its way */
	u64 begins[FORGET_AFTER]; /* ns, of the recording: the first sample of each of the last slices */
	u64 nr_slices;
	int_array kept;               /* the newest slices, oldest first: descriptors */
	struct top_costs last, total; /* of the last slice; up to it */
};

/*
 * Start to record. argv: the command, or NULL. Return 0 or a negative errno with err; call __exit in any
 * case.
 */
int top__init(struct top *t, const struct top_args *args, char *const *argv, bool is_silent, struct err *err);
void top__exit(struct top *t);
/* Wait until there is a view. Return as live.take. */
int top__wait(struct top *t, struct err *err);
/* perf top --stdio: print tables until the recording ends. Return the exit status. */
int top_text__run(struct top *t, struct err *err);

#endif
