/*
 * The header features that describe this machine and this recording, in the byte layout of perf.data
 * (util/format/read/features.c prints them). They are read from /proc and /sys within milliseconds.
 */
#ifndef RECORD_HOST_FEATURES_H
#define RECORD_HOST_FEATURES_H

#include "base/text/strbuf.h"
#include "event/evsel/evsel.h"
#include "format/write/writer.h"

struct host_features_opts {
	const char *version;     /* of this program, for VERSION */
	const char *const *argv; /* of the whole command line, for CMDLINE */
	int argc;
	struct strbuf labels; /* as in format/file/labels.h; owned by the caller */
};

/*
 * Write HOSTNAME, OSRELEASE, VERSION, ARCH, NRCPUS, CPUDESC, CPUID, TOTAL_MEM, CMDLINE, EVENT_DESC (with l's
 * ids), CPU_TOPOLOGY, NUMA_TOPOLOGY, PMU_MAPPINGS, GROUP_DESC (if there are groups), CACHE, and those that
 * stock 6.1 adds where they apply. A feature whose source cannot be read is left out.
 */
int host_features__write(struct writer *w, const struct evlist *l, const struct host_features_opts *opts);
/* Write SAMPLE_TIME: the times of the first and the last sample, in ns. */
int host_features__write_sample_time(struct writer *w, u64 first, u64 last);

#endif
