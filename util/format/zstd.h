/* One zstd stream that arrives in pieces. Without libzstd every call fails with -ENOTSUP. */
#ifndef FORMAT_ZSTD_H
#define FORMAT_ZSTD_H

#include "base/err.h"

#include <sys/types.h>

struct unzstd;
struct unzstd *unzstd__new(void); /* NULL without libzstd */
void unzstd__delete(struct unzstd *z);
/*
 * Decompresses in[*in_pos ... in_size) into at most out_size bytes, as far as both go. Returns the bytes
 * written, 0 when the input is used up and nothing more is waiting, or a negative errno with err.
 */
ssize_t unzstd__run(struct unzstd *z, const void *in, size_t in_size, size_t *in_pos, void *out,
		    size_t out_size, struct err *err);

#endif
