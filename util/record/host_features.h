/*
 * The header features that describe this machine and this recording, in the byte layout of perf.data
 * (util/format/features.c prints the same). Read from /proc and /sys within milliseconds.
 */
#ifndef RECORD_HOST_FEATURES_H
#define RECORD_HOST_FEATURES_H

#include "event/evsel.h"
#include "format/writer.h"

struct host_features_opts {
	const char *version;     /* of this program, for VERSION */
	const char *const *argv; /* of the whole command line, for CMDLINE */
	int argc;
	bool callchains_fallback;
};

/*
 * HOSTNAME, OSRELEASE, VERSION, ARCH, NRCPUS, CPUDESC, CPUID, TOTAL_MEM, CMDLINE, EVENT_DESC (with l's ids),
 * CPU_TOPOLOGY, NUMA_TOPOLOGY, PMU_MAPPINGS, GROUP_DESC (when there are groups), CACHE, and those stock 6.1
 * adds that apply. A source that cannot be read leaves its feature out.
 */
int host_features__write(struct writer *w, const struct evlist *l, const struct host_features_opts *opts);
/* SAMPLE_TIME: first and last sample, ns. */
int host_features__write_sample_time(struct writer *w, u64 first, u64 last);

/* The BUILD_ID section: gathered while recording, written at the end. */
struct build_id_list;
struct build_id_list *build_id_list__new(void);
void build_id_list__delete(struct build_id_list *b);
/*
 * Looks at records about to be written: user MMAP2 records without a build-id are remembered (name, device,
 * inode), kernel and module maps too. data: whole records.
 */
void build_id_list__see(struct build_id_list *b, const void *data, size_t size);
/* What another one has seen, too. */
void build_id_list__add_all(struct build_id_list *b, const struct build_id_list *other);
/* Reads the ids (of files that are still the recorded inode; of the kernel and its modules from /sys) and
 * writes the feature. */
int build_id_list__write(struct build_id_list *b, struct writer *w);

#endif
