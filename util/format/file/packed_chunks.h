/*
 * The form of EMBEDDED_NAMES and EMBEDDED_CODE: a head with counts, then chunks, which are packed as one zstd
 * frame if that is smaller. perf.data-format.md has the layout.
 */
#ifndef FORMAT_PACKED_CHUNKS_H
#define FORMAT_PACKED_CHUNKS_H

#include "base/memory/cursor.h"
#include "base/message/err.h"
#include "base/text/strbuf.h"

/* Limit of the unpacked size: a few bytes of a packed section could claim gigabytes. */
enum { CHUNKS_UNPACKED_MAX = 64 << 20 };

struct chunks_head {
	u32 packing;
	u64 unpacked; /* bytes */
};

/* ---- writing ---- */

/* Begin a chunk, and return where its content begins, for chunk__end. */
size_t chunk__begin(struct strbuf *out, u32 kind);
void chunk__end(struct strbuf *out, size_t begin);
/* Append a section: its version, nr counts, and the chunks in content. */
void chunks__write(struct strbuf *out, u32 version, const u32 *counts, size_t nr,
		   const struct strbuf *content);

/* ---- reading ---- */

/*
 * Read the head of a section with nr counts. Return 0; -ENODATA: the section is empty; -EBADMSG: invalid, or
 * of another version.
 */
int chunks__read_head(struct cursor *c, u32 version, struct chunks_head *h, u32 *counts, size_t nr);
/*
 * Append the chunks after the head to out. Return 0; -EBADMSG: damaged; -ENOTSUP with err: the library for
 * unpacking is missing.
 */
int chunks__unpack(struct cursor *c, const struct chunks_head *h, struct strbuf *out, struct err *err);
/* Read a chunk. Return its content, or NULL at the end, or with c->bad when it is damaged. */
const u8 *chunk__next(struct cursor *c, u32 *kind, u32 *size);

#endif
