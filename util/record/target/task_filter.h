/*
 * Keep only the target's samples of events that count whole CPUs. Kernel probes cannot be inherited: the
 * forking process would read the name of the probed file again, from an address in the recorder. So they
 * count on whole CPUs, and samples of other processes are dropped here.
 *
 * The target's FORK and EXIT records tell which tasks belong to it; no other tasks have such records. A
 * sample may arrive before the FORK record of its task if that record is in another ring. The FORK record
 * then arrives in the next round at the latest, so such samples are held back until then.
 */
#ifndef RECORD_TASK_FILTER_H
#define RECORD_TASK_FILTER_H

#include "base/text/strbuf.h"
#include "event/evsel/evsel.h"
#include "format/records/lazy_record.h"
#include "record/target/target.h"

struct task_filter;
/* Make a filter for the target's samples; a workload's samples count from its exec on. */
struct task_filter *task_filter__new(const struct target *target);
void task_filter__delete(struct task_filter *f);
/* Look at a record before it is written. Return true if it must be dropped or held back. */
bool task_filter__take(struct task_filter *f, struct lazy_record *r);
/* Was this task the target's at that time, as far as is known? Records of a round before tell. */
bool task_filter__has(const struct task_filter *f, const struct sample_id *id);
/*
 * At the end of a round, append the held-back samples that turned out to be the target's. at_end: this is
 * the last round.
 */
void task_filter__flush(struct task_filter *f, bool at_end, struct strbuf *out);

#endif
