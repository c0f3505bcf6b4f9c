/*
 * zstd: a stream that arrives or is made in pieces, and bytes that are there as a whole. Without libzstd
 * every call fails with -ENOTSUP.
 */
#ifndef FORMAT_ZSTD_H
#define FORMAT_ZSTD_H

#include "base/message/err.h"
#include "base/text/strbuf.h"

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

enum { ZSTD_LEVEL_MAX = 22 };
struct zstd_stream;
struct zstd_stream *zstd_stream__new(int level); /* 1 ... ZSTD_LEVEL_MAX; NULL without libzstd */
void zstd_stream__delete(struct zstd_stream *z);
/*
 * Compresses size bytes at data onto the stream: who has all that was appended to out until now can have all
 * of data. Each piece is a multiple of 8 bytes. 0 or a negative errno.
 */
int zstd_stream__add(struct zstd_stream *z, const void *data, size_t size, struct strbuf *out);
/* Appends size bytes at data, compressed, to out. 0 or a negative errno. */
int zstd__pack(const void *data, size_t size, struct strbuf *out);

#endif
