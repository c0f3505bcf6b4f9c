#include "format/file/frame_summary.h"

#include "base/memory/hash.h"
#include "base/system/unpack.h"
#include "format/file/zstd.h"

#include <linux/perf_event.h>
#include <string.h>

enum {
	SIDE_BAND_MAX = 64 << 10, /* bytes of records, about 1% of a frame's */
	SKIPPABLE_MAGIC = 0x184d2a50,
};

struct skippable_head {
	u32 magic, size; /* size: of what follows */
};

#define END_MAGIC 0x314d55535a465250ull /* "PRFZSUM1" */

void frame_summary__exit(struct frame_summary *s)
{
	strbuf__exit(&s->side_band);
}

void frame_summary__reset(struct frame_summary *s)
{
	s->nr_samples = s->unpacked_bytes = s->nr_packed = s->packed_bytes = 0;
	strbuf__reset(&s->side_band);
	s->given_up = false;
}

void frame_summary__add(struct frame_summary *s, const void *data, size_t size)
{
	struct perf_event_header h;

	s->unpacked_bytes += size;
	for (size_t at = 0; at < size && !s->given_up; at += h.size) {
		bool is_sample;

		h = (struct perf_event_header){ 0 };
		memcpy(&h, (const u8 *)data + at, MIN(sizeof(h), size - at));
		is_sample = h.type == PERF_RECORD_SAMPLE;
		s->given_up = h.size < sizeof(h) || h.size & 7 || h.size > size - at ||
			      (!is_sample && s->side_band.len + h.size > SIDE_BAND_MAX);
		s->nr_samples += is_sample;
		if (!is_sample && !s->given_up)
			strbuf__add(&s->side_band, (const u8 *)data + at, h.size);
	}
}

bool frame_summary__append(const struct frame_summary *s, size_t room, struct strbuf *out)
{
	struct skippable_head head = { .magic = SKIPPABLE_MAGIC };
	struct frame_summary_end end = { .nr_samples = s->nr_samples,
					 .unpacked_bytes = s->unpacked_bytes,
					 .nr_packed = s->nr_packed,
					 .magic = END_MAGIC };
	size_t begin = out->len, packed;

	if (s->given_up)
		return false;
	strbuf__add(out, &head, sizeof(head));
	if (s->side_band.len && zstd__pack(s->side_band.buf, s->side_band.len, out)) {
		strbuf__setlen(out, begin);
		return false;
	}
	packed = out->len - begin - sizeof(head);
	strbuf__addchars(out, '\0', ROUND_UP(packed, 8) - packed);
	end.side_band_bytes = packed;
	end.packed_bytes = s->packed_bytes + (out->len - begin) + sizeof(end);
	strbuf__add(out, &end, sizeof(end));
	if (out->len - begin > room) {
		strbuf__setlen(out, begin);
		return false;
	}
	head.size = (u32)(out->len - begin - sizeof(head));
	memcpy(out->buf + begin, &head, sizeof(head));
	return true;
}

bool frame_summary__read(struct frame_summary *s, const void *data, size_t size, u64 packed_bytes)
{
	const u8 *p = (const u8 *)data + size;
	struct frame_summary_end end;
	struct skippable_head head;
	size_t padded;

	if (size < sizeof(head) + sizeof(end))
		return false;
	size -= sizeof(head) + sizeof(end);
	memcpy(&end, p - sizeof(end), sizeof(end));
	if (end.magic != END_MAGIC || end.packed_bytes != packed_bytes || end.side_band_bytes > size ||
	    ROUND_UP(end.side_band_bytes, 8) > size)
		return false;
	padded = (size_t)ROUND_UP(end.side_band_bytes, 8);
	p -= sizeof(end) + padded;
	memcpy(&head, p - sizeof(head), sizeof(head));
	if (head.magic != SKIPPABLE_MAGIC || head.size != padded + sizeof(end))
		return false;
	frame_summary__reset(s);
	s->nr_samples = end.nr_samples;
	s->unpacked_bytes = end.unpacked_bytes;
	s->nr_packed = end.nr_packed;
	s->packed_bytes = end.packed_bytes;
	return !end.side_band_bytes ||
	       !unpack__all(UNPACK_ZSTD, p, end.side_band_bytes, SIDE_BAND_MAX, &s->side_band, NULL);
}
