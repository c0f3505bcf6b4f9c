/* What fills the header features that need more than a few lines. Each appends its section's bytes to out. */
#ifndef RECORD_HOST_FEATURES_PRIVATE_H
#define RECORD_HOST_FEATURES_PRIVATE_H

#include "base/text/strbuf.h"
#include "record/host/host_features.h"

struct host_ctx {
	const struct evlist *l;
	const struct host_features_opts *opts;
	const char *sysfs; /* "/sys", or a copy of parts of it */
};

/* 0, or a negative errno: the feature is left out. */
typedef int (*host_feature_fn)(const struct host_ctx *h, struct strbuf *out);

int host__cpu_topology(const struct host_ctx *h, struct strbuf *out);
int host__numa_topology(const struct host_ctx *h, struct strbuf *out);
int host__cache(const struct host_ctx *h, struct strbuf *out);
int host__mem_topology(const struct host_ctx *h, struct strbuf *out);
int host__pmu_mappings(const struct host_ctx *h, struct strbuf *out);
int host__pmu_caps(const struct host_ctx *h, struct strbuf *out);
int host__cpu_pmu_caps(const struct host_ctx *h, struct strbuf *out);
/* CPUs that there may be: one more than the highest present. */
int host__nr_cpus(const struct host_ctx *h);

static inline void add_u32(struct strbuf *out, u32 x)
{
	strbuf__add(out, &x, sizeof(x));
}

static inline void add_u64(struct strbuf *out, u64 x)
{
	strbuf__add(out, &x, sizeof(x));
}

/* A string as features hold it: its room, NUL and padding to 64 included, then the bytes. */
void add_string(struct strbuf *out, const char *s);

/* Puts a u32 into the place that was kept for it with add_u32. */
void set_u32(struct strbuf *out, size_t at, u32 x);

#endif
