#include "format/file/packed_chunks.h"

#include "base/system/unpack.h"
#include "format/file/zstd.h"

#include <errno.h>

enum { PACKED_NOT = 0, PACKED_ZSTD = 1 };

size_t chunk__begin(struct strbuf *out, u32 kind)
{
	strbuf__add_u32(out, kind);
	strbuf__add_u32(out, 0);
	return out->len;
}

void chunk__end(struct strbuf *out, size_t begin)
{
	u32 size;

	strbuf__addchars(out, '\0', ROUND_UP(out->len - begin, 8) - (out->len - begin));
	size = (u32)(out->len - begin);
	memcpy(out->buf + begin - sizeof(size), &size, sizeof(size));
}

void chunks__write(struct strbuf *out, u32 version, const u32 *counts, size_t nr,
		   const struct strbuf *content)
{
	struct strbuf packed = STRBUF_INIT;
	bool is_packed = !zstd__pack(content->buf, content->len, &packed) && packed.len < content->len;
	const struct strbuf *stored = is_packed ? &packed : content;

	strbuf__add_u32(out, version);
	strbuf__add_u32(out, is_packed ? PACKED_ZSTD : PACKED_NOT);
	strbuf__add_u64(out, content->len);
	strbuf__add(out, counts, nr * sizeof(*counts));
	strbuf__add(out, stored->buf, stored->len);
	strbuf__exit(&packed);
}

int chunks__read_head(struct cursor *c, u32 version, struct chunks_head *h, u32 *counts, size_t nr)
{
	u32 found;

	if (!cursor__left(c))
		return -ENODATA;
	found = cursor__u32(c);
	h->packing = cursor__u32(c);
	h->unpacked = cursor__u64(c);
	for (size_t i = 0; i < nr; i++)
		counts[i] = cursor__u32(c);
	return c->bad || found != version || h->packing > PACKED_ZSTD || h->unpacked > CHUNKS_UNPACKED_MAX
		       ? -EBADMSG
		       : 0;
}

int chunks__unpack(struct cursor *c, const struct chunks_head *h, struct strbuf *out, struct err *err)
{
	size_t size = cursor__left(c);
	const void *in = cursor__bytes(c, size);
	int ret = 0;

	if (h->packing == PACKED_NOT)
		strbuf__add(out, in, size);
	else
		ret = unpack__all(UNPACK_ZSTD, in, size, h->unpacked, out, err);
	return !ret && out->len != h->unpacked ? -EBADMSG : ret;
}

const u8 *chunk__next(struct cursor *c, u32 *kind, u32 *size)
{
	if (c->bad || !cursor__left(c))
		return NULL;
	*kind = cursor__u32(c);
	*size = cursor__u32(c);
	return cursor__bytes(c, *size);
}
