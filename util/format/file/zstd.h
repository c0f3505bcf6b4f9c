/*
 * Compress with zstd: a stream made in pieces, or a buffer as a whole. If libzstd is missing, every call
 * fails with -ENOTSUP. (Unpacking: base/system/unpack.h)
 */
#ifndef FORMAT_ZSTD_H
#define FORMAT_ZSTD_H

#include "base/message/err.h"
#include "base/text/strbuf.h"

enum { ZSTD_LEVEL_MAX = 22 };
struct zstd_stream;
/* Make a stream. level: 1 ... ZSTD_LEVEL_MAX. Return NULL with err if libzstd is missing. */
struct zstd_stream *zstd_stream__new(int level, struct err *err);
void zstd_stream__delete(struct zstd_stream *z);
/*
 * Compress size bytes at data and append them to out, as the next piece of the stream: the pieces up to this
 * one can be unpacked without the next ones. end_frame: the next piece begins a new frame, and can be
 * unpacked without this one and those before it. The size of each piece is a multiple of 8 bytes. Return 0 or
 * a negative errno.
 */
int zstd_stream__add(struct zstd_stream *z, const void *data, size_t size, bool end_frame,
		     struct strbuf *out);
/* Append size bytes at data, compressed, to out. Return 0 or a negative errno. */
int zstd__pack(const void *data, size_t size, struct strbuf *out);

#endif
