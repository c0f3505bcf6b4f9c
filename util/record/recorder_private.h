/* The recorder's state, shared by recorder.c and recorder_setup.c. */
#ifndef RECORD_RECORDER_PRIVATE_H
#define RECORD_RECORDER_PRIVATE_H

#include "record/flow/lanes.h"
#include "record/host/priority.h"
#include "record/recorder.h"
#include "record/recorder_files.h"
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
	struct module_records modules;
	struct recorder_files files;
	struct vary *vary;           /* events whose rates change; NULL: none */
	struct evlist kernel_events; /* with stack copies in samples; empty if nothing is unwound */
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
	struct priority priority;
	struct affinity affinity;
};

void recorder__prepare_files(struct recorder *r);
/* Find the target, prepare argv (NULL: none) as its workload, open the counters, and set up the intake. */
int recorder__set_up(struct recorder *r, char *const *argv, struct err *err);

#endif
