/* The parts of a recorder, for the files that make it up: recorder.c and recorder_files.c. */
#ifndef RECORD_RECORDER_PRIVATE_H
#define RECORD_RECORDER_PRIVATE_H

#include "format/records/clock_pairs.h"
#include "live/ring_order.h"
#include "record/flow/flight.h"
#include "record/describe/inventory.h"
#include "record/flow/lanes.h"
#include "record/events/loss_count.h"
#include "record/stacks/off_cpu.h"
#include "record/flow/output.h"
#include "record/host/priority.h"
#include "record/recorder.h"
#include "record/flow/relay.h"
#include "record/target/scope.h"
#include "record/stacks/stack_load.h"
#include "record/stacks/stack_samples.h"
#include "record/flow/steering.h"
#include "record/target/task_filter.h"
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
	struct relay *relay;         /* NULL then */
	struct lanes *lanes;         /* NULL without --threads; they empty the rings from their start on */
	struct stack_load stack_load;
	struct signals_before before;
	int signal_fd, epoll_fd;
	size_t nr_alive; /* counters whose thread still runs */
	bool done;
	struct strbuf scratch; /* what a drained ring held, in one piece */
	struct steering steering;
	struct flight flight;
	struct triggers triggers;
	struct tasks tasks; /* of the target, when there are several files to be begun */
	struct loss_count loss_count;
	struct ring_order ring_order;
	struct priority priority;
	struct affinity affinity;
	struct clock_pairs clock;
	u64 woken; /* how often, for the files before */
};

/* One round over all rings. As all functions here: 0, or a negative errno with err. */
int recorder__drain(struct recorder *r, struct err *err);

/* ---- recorder_files.c: from the rings to files ---- */

/* What the flight recorder holds, with the side-band up to now: the end of a round. */
int recorder__snapshot(struct recorder *r, struct err *err);
/* --tail-synthesize: what runs now. Before the last round is marked, so that readers that go by rounds have
 * it in time. */
int recorder__synthesize_tail(struct recorder *r, struct err *err);
int recorder__write_synthesized(struct recorder *r, struct strbuf *sb, struct err *err);
/* Write the modules that were loaded meanwhile. To be called before each round, so that readers that go by
 * rounds have them in time for its samples. always: look for them even if their number is the same. */
int recorder__add_new_modules(struct recorder *r, bool always, struct err *err);
/* The thread that unwinds, which has the intake as long as it runs; there may be none. */
int recorder__start_relay(struct recorder *r, struct err *err);
int recorder__end_relay(struct recorder *r, struct err *err);
/* --threads: what is known is in the directory, from now on the rings are emptied. */
int recorder__start_lanes(struct recorder *r, struct err *err);
/* What they took becomes part of the intake's counts; there are none any more. */
int recorder__end_lanes(struct recorder *r, struct err *err);
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
