/*
 * Records that describe the state at the beginning of an output file: the events, the kernel, the running
 * threads and their maps.
 */
#ifndef RECORD_INVENTORY_H
#define RECORD_INVENTORY_H

#include "record/options/attr_opts.h"
#include "record/events/counters.h"
#include "record/describe/synthesize.h"
#include "record/target/tasks.h"

enum {
	SYNTH_TASKS = 1,
	SYNTH_MAPS = 2, /* of tasks; needs SYNTH_TASKS */
	SYNTH_CGROUPS = 4,
	SYNTH_ALL = 7,
};
/*
 * Parse --synth into the parts to leave out: "all", "no", or a comma-separated list of task, mmap and
 * cgroup. Return 0, or -EINVAL with err.
 */
int inventory__parse_synth(const char *text, unsigned *left_out, struct err *err);

/* All pointers are borrowed. */
struct inventory {
	const struct evlist *l; /* as in the file, with ids */
	const struct counters *counters;
	const struct target *target;
	const struct side_band_opts *side_band;
	unsigned left_out;              /* SYNTH_*: kinds that are not described */
	struct module_records *modules; /* modules that the file describes */
	struct tasks *tasks;            /* tasks forked since the recording began; NULL: not tracked */
};

/*
 * Append the records of the events, the kernel and cgroups. warn: report hidden kernel addresses. Return 0
 * or a negative errno with err.
 */
int inventory__add_basics(const struct inventory *inv, bool warn, struct strbuf *out, struct err *err);
/*
 * Append the modules loaded since the last call of this function or __add_basics. always: look for them even
 * if their number has not changed.
 */
void inventory__add_new_modules(const struct inventory *inv, bool always, struct strbuf *out);
/* Append the target's tasks as they are now, without a command that has not started. */
int inventory__add_tasks(const struct inventory *inv, struct strbuf *out, struct err *err);

#endif
