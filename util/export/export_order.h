/* The order in which formats with by_thread or by_stack get the samples: bucket by bucket. */
#ifndef EXPORT_EXPORT_ORDER_H
#define EXPORT_EXPORT_ORDER_H

#include "export/export_format.h"

/*
 * Return the bucket of each row, for sample_stream__order; the caller frees it. *nr: number of buckets.
 */
u32 *export_order__buckets(const struct export *x, u32 *nr);

#endif
