/*
 * Packed bytes, unpacked as far as they are needed: one way for all formats. zlib is linked, the other
 * libraries are loaded when they are used first.
 */
#ifndef BASE_UNPACK_H
#define BASE_UNPACK_H

#include "base/message/err.h"

#include <sys/types.h>

enum unpack_format {
	UNPACK_NONE,
	UNPACK_GZIP,
	UNPACK_DEFLATE, /* the data of a zlib stream, without its header and checksum */
	UNPACK_XZ,
	UNPACK_ZSTD,
};

/* Return the format that the first bytes show, or UNPACK_NONE if it is unknown. */
enum unpack_format unpack__format_of(const void *data, size_t size);

/* format, in and size are set by the user; all else is 0 at first. */
struct unpacker {
	enum unpack_format format;
	const u8 *in; /* bytes still to be unpacked, not owned; after them more of zstd may follow */
	size_t size;
	bool at_end;  /* of the stream: what was unpacked is all, and undamaged as far as the format tells */
	void *stream; /* the library's; NULL: not begun */
};
/*
 * Unpacks into at most out_size bytes, and takes them off `in`. Returns the bytes written, fewer than
 * out_size only when there is no more in `in`; or a negative errno with err: -ENOTSUP without the library
 * (err NULL: a warning says it, once), -EBADMSG for damage (out has what was unpacked until then).
 */
ssize_t unpacker__run(struct unpacker *u, void *out, size_t out_size, struct err *err);
/* Frees what was allocated; the next run begins a new stream. Accepts one that did not begin. */
void unpacker__close(struct unpacker *u);

/*
 * Appends all that data holds to out. 0, or a negative errno with err: as unpacker__run, -EBADMSG also when
 * the end is missing, -EFBIG when it is more than max bytes.
 */
int unpack__all(enum unpack_format format, const void *data, size_t size, size_t max, struct strbuf *out,
		struct err *err);

/*
 * Unpacks a whole deflate stream at once, with libdeflate: in less than half of zlib's time. False, and out
 * is undefined: without the library, with damage, or when the stream has not exactly out_size bytes.
 */
bool unpack__deflate(const void *data, size_t size, void *out, size_t out_size);

#endif
