/* The parts of a recorder, for the files that make it up: recorder.c and recorder_files.c. */
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
	struct attr_opts attrs; /* completed by what the target needs */
	struct target target;
	struct counters counters;
	struct workload workload;
	struct scope scope;
	struct watches *watches; /* NULL: none by name */
	struct output output;
	struct inventory inventory;
	struct module_records modules;
	struct intake intake;
	struct evlist kernel_events; /* with stack copies in samples; empty when nothing is unwound */
	struct drain *drain;         /* how the rings are emptied; NULL: not set up */
	struct signals_before before;
	int signal_fd, epoll_fd;
	size_t nr_alive; /* counters whose thread still runs */
	bool done;
	struct steering steering;
	struct triggers triggers;
	struct tasks tasks; /* of the target, when there are several files to be begun */
	struct loss_count loss_count;
	struct priority priority;
	struct affinity affinity;
	struct clock_pairs clock;
	u64 woken; /* how often, for the files before */
};

/*
 * One round over all rings. is_last: take all that they hold, also what the flight recorder holds. As all
 * functions here: 0, or a negative errno with err.
 */
int recorder__drain(struct recorder *r, bool is_last, struct err *err);
/* What a write came to: ret, with err if it failed. */
int recorder__wrote(const struct recorder *r, int ret, struct err *err);

/* ---- recorder_files.c: from the rings to files ---- */

/* --tail-synthesize: what runs now. Before the last round is marked, so that readers that go by rounds have
 * it in time. */
int recorder__synthesize_tail(struct recorder *r, struct err *err);
/* Write the modules that were loaded meanwhile. To be called before each round, so that readers that go by
 * rounds have them in time for its samples. always: look for them even if their number is the same. */
int recorder__add_new_modules(struct recorder *r, bool always, struct err *err);
/* All that was taken is written, and the intake is the recorder's again. 0, or the errno of a write. */
int recorder__end_drain(struct recorder *r);
/* The file has the size that it may have: it is the last one, or another one is wished for. */
void recorder__file_is_full(struct recorder *r);
/* Sets how large the present file may get. */
void recorder__limit_file(struct recorder *r);
void recorder__write_chain_stats(struct recorder *r);
/*
 * Reads the recording's clock and CLOCK_MONOTONIC. False: the kernel does not let us, or they are the same.
 */
bool recorder__read_clocks(const struct recorder *r, struct clock_pair *pair);
/* How the clocks stand to each other, from the file's begin until now; the next file begins now. */
void recorder__write_clocks(struct recorder *r);
/* What the present file has not got, which is complete but for that. */
int recorder__write_losses(struct recorder *r, struct err *err);
/* --switch-output: ends the present file and begins the next one. */
int recorder__switch_file(struct recorder *r, struct err *err);

#endif
