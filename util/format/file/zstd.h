/*
 * Compressing with zstd: a stream that is made in pieces, and bytes that are there as a whole. Without
 * libzstd every call fails with -ENOTSUP. (Unpacking: base/system/unpack.h)
 */
#ifndef FORMAT_ZSTD_H
#define FORMAT_ZSTD_H

#include "base/message/err.h"
#include "base/text/strbuf.h"

enum { ZSTD_LEVEL_MAX = 22 };
struct zstd_stream;
/* level: 1 ... ZSTD_LEVEL_MAX. NULL with err: without libzstd. */
struct zstd_stream *zstd_stream__new(int level, struct err *err);
void zstd_stream__delete(struct zstd_stream *z);
/*
 * Compresses size bytes at data onto the stream: who has all that was appended to out until now can have all
 * of data. Each piece is a multiple of 8 bytes. 0 or a negative errno.
 */
int zstd_stream__add(struct zstd_stream *z, const void *data, size_t size, struct strbuf *out);
/* Appends size bytes at data, compressed, to out. 0 or a negative errno. */
int zstd__pack(const void *data, size_t size, struct strbuf *out);

#endif
