/*
 * Marks in the attr of an event that tell how a recording was sampled. They are in attr.sig_data, which the
 * kernel uses only with attr.sigtrap, and other programs not at all. An attr is in front of the records, also
 * in a pipe, so a mark outlives a killed recorder, and programs that copy a recording keep it.
 */
#ifndef FORMAT_SAMPLING_MARK_H
#define FORMAT_SAMPLING_MARK_H

#include "base/memory/types.h"

#include <linux/perf_event.h>

#define VARIED_MARK 0x5952415646524550ull        /* "PERFVARY" read as a little-endian word */
#define MERGED_MARK 0x4752454d46524550ull        /* "PERFMERG": a merged recording */
#define MERGED_VARIED_MARK 0x5241564d46524550ull /* "PERFMVAR": merged, and all parts were varied */

/*
 * Did the recorder vary the sampling period of this event, so that its samples are in step with nothing in
 * the program? False if every sample has the same period, or is an event that was asked for by number, and
 * for recordings of other programs. True for a merged recording if it is true for all of its parts.
 */
bool attr__is_varied(const struct perf_event_attr *attr);
/* Say in an attr that goes to a file, not to the kernel, that the recorder varies the period. */
void attr__mark_varied(struct perf_event_attr *attr);
/* Say that the recording is merged. varied: the period of the event varied in all parts. */
void attr__mark_merged(struct perf_event_attr *attr, bool varied);
/* Is it the attr of a merged recording? */
bool attr__is_merged(const struct perf_event_attr *attr);

#endif
