#include "binary/elf/packed_section.h"

#include "base/memory/cursor.h"

#include <elf.h>

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

enum {
	STEP = 256 << 10, /* least number of bytes to unpack at once */
	/*
	 * Largest ratio of unpacked to packed bytes: a run in deflate (zlib, "Maximum Compression Factor"),
	 * a block of zstd that repeats one byte (RFC 8878).
	 */
	ZLIB_RATIO = 1032,
	ZSTD_RATIO = (128 << 10) / 4,
	ZLIB_HEADER = 2, /* bytes before the data; the checksum after it is ignored */
	/* A section is unpacked at once if it is small, or if at least this part of it is needed. */
	AT_ONCE_SIZE = 16 << 20,
	AT_ONCE_SHARE = 3,
};

bool packed_section__init(struct packed_section *s, const u8 *bytes, size_t size, bool is_old, bool is_64bit,
			  bool swap)
{
	struct cursor c = cursor__make(bytes, size, swap);
	u32 type = ELFCOMPRESS_ZLIB;
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
	if (type == ELFCOMPRESS_ZLIB)
		cursor__skip(&c, ZLIB_HEADER);
	else if (type != ELFCOMPRESS_ZSTD)
		return false;
	*s = (struct packed_section){
		.in = { .format = type == ELFCOMPRESS_ZLIB ? UNPACK_DEFLATE : UNPACK_ZSTD,
			.in = c.p,
			.size = cursor__left(&c) },
		.size = unpacked,
		.packed_size = cursor__left(&c),
	};
	return !c.bad && unpacked / (type == ELFCOMPRESS_ZLIB ? ZLIB_RATIO : ZSTD_RATIO) <= s->in.size;
}

static const u8 *packed_section__start(const struct packed_section *s)
{
	return s->in.in + s->in.size - s->packed_size;
}

/*
 * To unpack all at once takes less time than zlib takes for a half. Return false if the section is too large
 * for the part that is needed, or if it cannot be done.
 */
static bool packed_section__unpack_all(struct packed_section *s, u64 end)
{
	if (s->in.format != UNPACK_DEFLATE || s->is_tried ||
	    (s->size > AT_ONCE_SIZE && end - s->done < s->size / AT_ONCE_SHARE))
		return false;
	s->is_tried = true;
	if (!unpack__deflate(packed_section__start(s), s->packed_size, s->out, s->size)) {
		memset(s->out + s->done, 0, s->size - s->done);
		return false;
	}
	s->done = s->size;
	packed_section__exit(s);
	return true;
}

void packed_section__unpack(struct packed_section *s, u64 end)
{
	size_t wanted;
	ssize_t n;

	end = MIN(end, s->size);
	if (end <= s->done || packed_section__unpack_all(s, end))
		return;
	wanted = MIN(MAX(end, s->done + STEP), s->size) - s->done;
	n = unpacker__run(&s->in, s->out + s->done, wanted, NULL);
	s->done = n == (ssize_t)wanted ? s->done + wanted : s->size; /* after damage the rest stays 0 */
	if (s->done == s->size)
		packed_section__exit(s);
}

void packed_section__restart(struct packed_section *s)
{
	unpacker__close(&s->in);
	s->in.in = packed_section__start(s);
	s->in.size = s->packed_size;
	s->done = 0;
	s->is_tried = false;
}

void packed_section__exit(struct packed_section *s)
{
	unpacker__close(&s->in);
}
