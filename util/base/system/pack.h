/* Packing with zlib on several threads. */
#ifndef BASE_PACK_H
#define BASE_PACK_H

#include "base/text/strbuf.h"

/*
 * Append data to out as one zlib stream (RFC 1950). Pieces of 256 KiB are packed apart, by as many threads;
 * the bytes are the same with any number. level: zlib's.
 */
void pack__zlib(const void *data, size_t size, int level, unsigned nr_threads, struct strbuf *out);

#endif
