/*
 * Samples of the target only, from events that count whatever runs. The kernel's probes cannot be inherited:
 * it would read the name of the probed file again, at an address of ours, in the process that forks. So they
 * count on whole processors, and what other processes did is left out here.
 *
 * Which tasks belong to the target the FORK and EXIT records say, which come for its tasks alone. A sample
 * may pass before the FORK record of its task, which then is in another ring and passes in the next round at
 * the latest; so long such samples are kept back.
 */
#ifndef RECORD_TASK_FILTER_H
#define RECORD_TASK_FILTER_H

#include "base/text/strbuf.h"
#include "event/evsel/evsel.h"
#include "format/records/lazy_record.h"
#include "record/target/target.h"

struct task_filter;
/* Of a workload its own time counts, from its exec on. */
struct task_filter *task_filter__new(const struct target *target);
void task_filter__delete(struct task_filter *f);
/* Looks at a record on its way to the file. True when it must not go there, or not yet. */
bool task_filter__take(struct task_filter *f, struct lazy_record *r);
/* At the end of a round: appends samples that were kept back and have turned out to be the target's. at_end:
 * of the last round. */
void task_filter__flush(struct task_filter *f, bool at_end, struct strbuf *out);

#endif
