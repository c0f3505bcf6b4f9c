/* The order in which formats with by_thread or by_stack get the samples: bucket by bucket. */
#ifndef EXPORT_EXPORT_ORDER_H
#define EXPORT_EXPORT_ORDER_H

#include "export/export_format.h"

enum { NOT_EXPORTED = UINT32_MAX };

/* What the samples of a row are exported as: small, so that samples in time need not look at their rows. */
struct row_use {
	u32 stack, thread; /* thread NOT_EXPORTED: filtered */
	u32 event;
	u32 cpu; /* STREAM_NO_CPU: unknown, or rows are not split by it */
	const char *comm, *cgroup;
};

/*
 * Return the bucket of each row, for sample_stream__order; the caller frees it. uses: by row. *nr: number of
 * buckets.
 */
u32 *export_order__buckets(const struct export *x, const struct row_use *uses, u32 *nr);

#endif
