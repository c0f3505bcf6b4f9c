/*
 * Find where frames of the compressed stream begin. A new frame needs nothing of those before it, so threads
 * can unpack several at once. The content of a compressed record begins with a frame's magic number only if a
 * frame begins there: inside a frame, these bytes would be a block that is larger than blocks may be. (A
 * recorder may cut its stream inside a block; then the thread that unpacks the range before finds that its
 * last frame does not end.)
 */
#include "base/system/file.h"
#include "format/read/reader_private.h"

#include <string.h>

enum {
	RANGE_MIN = 256 << 10, /* bytes, except the last range */
	RANGE_MAX = 4 << 20,
	GLANCE = 512, /* bytes read at a time: the records looked at are apart, or small */
	LOOK = RECORD_HEADER_SIZE + 8 + 8, /* bytes of a record that tell whether a frame begins */
};

struct glance {
	const struct reader_segment *s;
	u8 data[GLANCE];
	u64 offset;
	size_t size;
};

/* Return the record at an offset, and in *left how many bytes of it are here; NULL: none. */
static const u8 *glance__at(struct glance *g, u64 offset, size_t *left)
{
	if (offset < g->offset || offset + LOOK > g->offset + g->size) {
		ssize_t n = file__pread_all(g->s->fd, g->data, (size_t)MIN((u64)GLANCE, g->s->end - offset),
					    offset);

		g->offset = offset;
		g->size = (size_t)MAX(n, (ssize_t)0);
	}
	*left = g->size - (size_t)(offset - g->offset);
	return *left >= RECORD_HEADER_SIZE ? g->data + (offset - g->offset) : NULL;
}

static bool frame__begins(const u8 *p, size_t size, u32 type)
{
	size_t at = type == RECORD_COMPRESSED2 ? RECORD_HEADER_SIZE + 8 : RECORD_HEADER_SIZE;

	return (type == RECORD_COMPRESSED || type == RECORD_COMPRESSED2) && size > at &&
	       unpack__format_of(p + at, size - at) == UNPACK_ZSTD;
}

u64 frames__find_end(const struct reader_segment *s, u64 start)
{
	struct glance g = { .s = s };
	u64 at = start;

	while (at < s->end && at - start <= RANGE_MAX) {
		struct perf_event_header h;
		size_t left;
		const u8 *p = glance__at(&g, at, &left);
		bool begins;

		if (!p)
			return 0;
		memcpy(&h, p, sizeof(h));
		begins = frame__begins(p, MIN(left, (size_t)h.size), h.type);
		if (at == start && !begins)
			return 0;
		if (begins && at - start >= RANGE_MIN)
			return at;
		if (h.size < RECORD_HEADER_SIZE || h.size & 7 ||
		    (record_type__ends_run(h.type) && h.type != RECORD_COMPRESSED &&
		     h.type != RECORD_COMPRESSED2))
			return 0;
		at += h.size;
	}
	return at == s->end && at - start <= RANGE_MAX ? at : 0;
}
