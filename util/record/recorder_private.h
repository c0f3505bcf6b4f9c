/* The recorder's state, shared by recorder.c, recorder_setup.c and recorder_files.c. */
#ifndef RECORD_RECORDER_PRIVATE_H
#define RECORD_RECORDER_PRIVATE_H

#include "format/records/clock_pairs.h"
#include "record/describe/inventory.h"
#include "record/flow/lanes.h"
#include "record/events/loss_count.h"
#include "record/flow/output.h"
#include "record/host/priority.h"
#include "record/recorder.h"
#include "record/flow/relay.h"
#include "record/target/scope.h"
#include "record/flow/steering.h"
#include "record/events/triggers.h"
#include "record/watch/watch.h"
#include "record/target/workload.h"

struct recorder {
	const struct recorder_opts *opts;
	struct recorder_result *result;
	struct evlist *l;
	struct attr_opts attrs; /* completed with what the target needs */
	struct target target;
	struct counters counters;
	struct workload workload;
	struct scope scope;
	struct watches *watches; /* watched variables; NULL: none */
	struct output output;
	struct inventory inventory;
	struct module_records modules;
	struct intake intake;
	struct vary *vary;           /* events whose rates change; NULL: none */
	struct evlist kernel_events; /* with stack copies in samples; empty if nothing is unwound */
	struct drain *drain;         /* how the rings are drained; NULL: not set up */
	struct signals_before before;
	int signal_fd, epoll_fd;
	size_t nr_alive; /* number of counters whose thread still runs */
	struct {
		u64 nr;       /* number of chains whose depth was seen before the last round */
		u32 nr_looks; /* rounds so far */
		bool are_few; /* the last round had few of them */
	} depths;
	bool done;
	struct steering steering;
	struct triggers triggers;
	struct tasks tasks; /* tasks of the target, for the start of each further file */
	struct loss_count loss_count;
	struct priority priority;
	struct affinity affinity;
	struct clock_pairs clock;
	u64 woken; /* wakeups up to the previous file */
};

/*
 * Do one round over all rings. With is_last, take all that they hold, including the flight rings. Like all
 * functions here, return 0, or a negative errno with err.
 */
int recorder__drain(struct recorder *r, bool is_last, struct err *err);
/* Turn the result of a write into ret, and set err if it failed. */
int recorder__wrote(const struct recorder *r, int ret, struct err *err);

/* ---- recorder_setup.c: from the options to open counters ---- */

void recorder__prepare_output(struct recorder *r);
/* Find the target, prepare argv (NULL: none) as its workload, open the counters, and set up the intake. */
int recorder__set_up(struct recorder *r, char *const *argv, struct err *err);

/* ---- recorder_files.c: from the rings to files ---- */

/*
 * --tail-synthesize: describe what runs now. Call it before the last round is marked, so that readers that
 * go by rounds have it in time.
 */
int recorder__synthesize_tail(struct recorder *r, struct err *err);
/*
 * Write the modules that were loaded since the last call. Call it before each round, so that readers that go
 * by rounds have them in time for its samples. always: look for modules even if their number is the same.
 */
int recorder__add_new_modules(struct recorder *r, bool always, struct err *err);
/*
 * Write everything that was taken and give the intake back to the recorder. Return 0 or the errno of a
 * write.
 */
int recorder__end_drain(struct recorder *r);
/* React to a full file: end the recording, or request the next file. */
void recorder__file_is_full(struct recorder *r);
/* Set the maximum size of the current file. */
void recorder__limit_file(struct recorder *r);
void recorder__write_chain_stats(struct recorder *r);
/*
 * Read the recording's clock and CLOCK_MONOTONIC. Return false if the kernel does not allow it, or if both
 * are the same clock.
 */
bool recorder__read_clocks(const struct recorder *r, struct clock_pair *pair);
/*
 * Write how the two clocks relate from the start of the file until now, which is the start of the next file.
 */
void recorder__write_clocks(struct recorder *r);
/* Write what was lost in the current file, just before it is finished. */
int recorder__write_losses(struct recorder *r, struct err *err);
/* Give the file that was just finished to the function that takes slices, if there is one. */
int recorder__give_slice(struct recorder *r, bool is_last, struct err *err);
/* --switch-output: end the current file and begin the next one. */
int recorder__switch_file(struct recorder *r, struct err *err);

#endif
