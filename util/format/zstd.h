/* zstd: a stream that arrives in pieces, and bytes that are there as a whole. Without libzstd every call fails with -ENOTSUP. */
#ifndef FORMAT_ZSTD_H
#define FORMAT_ZSTD_H

#include "base/err.h"
#include "base/strbuf.h"

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
/* Appends size bytes at data, compressed, to out. 0 or a negative errno. */
int zstd__pack(const void *data, size_t size, struct strbuf *out);

#endif
