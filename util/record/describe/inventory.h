/* What is there when a file begins, as records: the events, the kernel, the threads that run and what they
 * have mapped. */
#ifndef RECORD_INVENTORY_H
#define RECORD_INVENTORY_H

#include "record/options/attr_opts.h"
#include "record/events/counters.h"
#include "record/describe/synthesize.h"
#include "record/target/tasks.h"

enum {
	SYNTH_TASKS = 1,
	SYNTH_MAPS = 2, /* of tasks; there are none without these */
	SYNTH_CGROUPS = 4,
	SYNTH_ALL = 7,
};
/*
 * What --synth leaves out: all, no, or some of task, mmap and cgroup, with commas between. 0, or -EINVAL with
 * err.
 */
int inventory__parse_synth(const char *text, unsigned *left_out, struct err *err);

/* Nothing of it is owned. */
struct inventory {
	const struct evlist *l; /* as in the file, with ids */
	const struct counters *counters;
	const struct target *target;
	const struct side_band_opts *side_band;
	unsigned left_out;              /* SYNTH_*: what is not described */
	struct module_records *modules; /* that the file describes */
	struct tasks *tasks;            /* that came since the recording began; NULL: none are known */
};

/*
 * Appends what is said of the events, the kernel and cgroups. warn: of kernel addresses that are hidden. 0 or
 * a negative errno with err.
 */
int inventory__add_basics(const struct inventory *inv, bool warn, struct strbuf *out, struct err *err);
/* Appends the modules that were loaded since the last call of this or __add_basics. always: look for them
 * even if their number is the same. */
void inventory__add_new_modules(const struct inventory *inv, bool always, struct strbuf *out);
/* Appends the tasks of the target, as they are now. A command that begins after the recording is none of
 * them. */
int inventory__add_tasks(const struct inventory *inv, struct strbuf *out, struct err *err);

#endif
