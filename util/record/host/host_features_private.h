/* The functions that fill the longer header features. Each appends its section's bytes to out. */
#ifndef RECORD_HOST_FEATURES_PRIVATE_H
#define RECORD_HOST_FEATURES_PRIVATE_H

#include "base/text/strbuf.h"
#include "format/records/build.h"
#include "record/host/host_features.h"

struct host_ctx {
	const struct evlist *l;
	const struct host_features_opts *opts;
	const char *sysfs; /* "/sys", or a copy of parts of it */
};

/* Return 0, or a negative errno: the feature is left out. */
typedef int (*host_feature_fn)(const struct host_ctx *h, struct strbuf *out);

int host__cpu_topology(const struct host_ctx *h, struct strbuf *out);
int host__numa_topology(const struct host_ctx *h, struct strbuf *out);
int host__cache(const struct host_ctx *h, struct strbuf *out);
int host__mem_topology(const struct host_ctx *h, struct strbuf *out);
int host__pmu_mappings(const struct host_ctx *h, struct strbuf *out);
int host__pmu_caps(const struct host_ctx *h, struct strbuf *out);
int host__cpu_pmu_caps(const struct host_ctx *h, struct strbuf *out);
/* Return the number of possible CPUs: one more than the highest present CPU. */
int host__nr_cpus(const struct host_ctx *h);

/* Write x at the offset at, which strbuf__add_u32 has reserved. */
void set_u32(struct strbuf *out, size_t at, u32 x);

#endif
