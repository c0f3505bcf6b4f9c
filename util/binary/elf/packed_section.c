#include "binary/elf/packed_section.h"

#include "base/memory/cursor.h"
#include "base/memory/mem.h"

#include <elf.h>

#include <zlib.h>
#ifdef HAVE_LIBZSTD
#include <zstd.h>
#endif

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

enum {
	STEP = 256 << 10, /* bytes unpacked at least, when any are */
	/*
	 * So many bytes at most become one: of a deflated run (zlib, "Maximum Compression Factor"), and of a
	 * block of zstd that repeats a byte (RFC 8878).
	 */
	ZLIB_RATIO = 1032,
	ZSTD_RATIO = (128 << 10) / 4,
};

/* ---- zlib ---- */

enum { ZLIB_HEADER = 2 }; /* bytes in front of the data; the checksum behind is not looked at */

static bool zlib_unpack(struct packed_section *s, u64 end)
{
	z_stream *z = s->stream;
	int ret = Z_OK;

	if (s->in_size < ZLIB_HEADER)
		return false;
	if (!z) {
		z = s->stream = xcalloc(1, sizeof(*z));
		if (inflateInit2(z, -MAX_WBITS) != Z_OK)
			return false;
		z->next_in = (u8 *)(uintptr_t)s->in + ZLIB_HEADER;
	}
	while (s->done < end && ret == Z_OK) {
		uInt room = (uInt)MIN(end - s->done, (u64)1 << 30);

		z->avail_in = (uInt)MIN(s->in_size - (size_t)(z->next_in - s->in), (size_t)1 << 30);
		z->next_out = s->out + s->done;
		z->avail_out = room;
		ret = inflate(z, Z_NO_FLUSH);
		s->done += room - z->avail_out;
	}
	return s->done >= end;
}

static void zlib_end(struct packed_section *s)
{
	inflateEnd(s->stream);
	free(s->stream);
}

/* ---- zstd ---- */

#ifdef HAVE_LIBZSTD
struct zstd {
	ZSTD_DStream *stream;
	ZSTD_inBuffer in;
};

static bool zstd_unpack(struct packed_section *s, u64 end)
{
	struct zstd *z = s->stream;
	size_t ret = 1;

	if (!z) {
		z = s->stream = xcalloc(1, sizeof(*z));
		z->stream = ZSTD_createDStream();
		z->in = (ZSTD_inBuffer){ .src = s->in, .size = s->in_size };
	}
	while (z->stream && s->done < end && ret) {
		ZSTD_outBuffer out = { .dst = s->out + s->done, .size = end - s->done };
		size_t before = z->in.pos;

		ret = ZSTD_decompressStream(z->stream, &out, &z->in);
		s->done += out.pos;
		if (ZSTD_isError(ret) || (!out.pos && z->in.pos == before))
			break;
	}
	return s->done >= end;
}

static void zstd_end(struct packed_section *s)
{
	struct zstd *z = s->stream;

	ZSTD_freeDStream(z->stream);
	free(z);
}
#endif

/* ---- both ---- */

bool packed_section__init(struct packed_section *s, const u8 *bytes, size_t size, bool is_old, bool is_64bit,
			  bool swap)
{
	struct cursor c = cursor__make(bytes, size, swap);
	u32 type = ELFCOMPRESS_ZLIB, ratio;
	u64 unpacked;

	if (is_old) { /* "ZLIB", the size in big-endian order */
		const u8 *magic = cursor__bytes(&c, 4);

		c.swap = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
		unpacked = cursor__u64(&c);
		if (!magic || memcmp(magic, "ZLIB", 4))
			return false;
	} else {
		type = cursor__u32(&c);
		cursor__skip(&c, is_64bit ? 4 : 0);
		unpacked = is_64bit ? cursor__u64(&c) : cursor__u32(&c);
		cursor__skip(&c, is_64bit ? 8 : 4); /* alignment */
	}
	*s = (struct packed_section){ .in = c.p, .in_size = cursor__left(&c), .size = unpacked };
	switch (type) {
	case ELFCOMPRESS_ZLIB:
		ratio = ZLIB_RATIO;
		s->unpack = zlib_unpack;
		s->end = zlib_end;
		break;
#ifdef HAVE_LIBZSTD
	case ELFCOMPRESS_ZSTD:
		ratio = ZSTD_RATIO;
		s->unpack = zstd_unpack;
		s->end = zstd_end;
		break;
#endif
	default:
		return false;
	}
	return !c.bad && unpacked / ratio <= s->in_size;
}

void packed_section__unpack(struct packed_section *s, u64 end)
{
	bool is_good;

	end = MIN(end, s->size);
	if (end <= s->done)
		return;
	is_good = s->unpack(s, MIN(MAX(end, s->done + STEP), s->size));
	if (is_good && s->done < s->size)
		return;
	packed_section__exit(s);
	s->done = s->size; /* there is no more */
}

void packed_section__exit(struct packed_section *s)
{
	if (s->stream)
		s->end(s);
	s->stream = NULL;
}
