#include "export/protobuf.h"

#include <endian.h>
#include <string.h>

enum wire_type { WIRE_VARINT, WIRE_FIXED64, WIRE_BYTES };

/* bytes of the longest varint */
enum { VARINT_MAX = 10 };

static size_t write_varint(u8 *to, u64 value)
{
	size_t nr = 0;

	for (; value >= 0x80; value >>= 7)
		to[nr++] = (u8)(value | 0x80);
	to[nr++] = (u8)value;
	return nr;
}

void protobuf__add_varint(struct strbuf *sb, u64 value)
{
	char *p = strbuf__begin(sb, VARINT_MAX);

	strbuf__end(sb, p + write_varint((u8 *)p, value));
}

static void add_tag(struct strbuf *sb, u32 field, enum wire_type type)
{
	protobuf__add_varint(sb, field << 3 | type);
}

void protobuf__add_member(struct strbuf *sb, u32 field, u64 value)
{
	add_tag(sb, field, WIRE_VARINT);
	protobuf__add_varint(sb, value);
}

void protobuf__add_number(struct strbuf *sb, u32 field, u64 value)
{
	if (value)
		protobuf__add_member(sb, field, value);
}

void protobuf__add_bool(struct strbuf *sb, u32 field, bool value)
{
	protobuf__add_number(sb, field, value);
}

void protobuf__add_bytes64(struct strbuf *sb, u64 value)
{
	strbuf__add_u64(sb, htole64(value));
}

void protobuf__add_fixed64(struct strbuf *sb, u32 field, u64 value)
{
	add_tag(sb, field, WIRE_FIXED64);
	protobuf__add_bytes64(sb, value);
}

void protobuf__add_head(struct strbuf *sb, u32 field, u64 size)
{
	add_tag(sb, field, WIRE_BYTES);
	protobuf__add_varint(sb, size);
}

size_t protobuf__head_size(u32 field, u64 size)
{
	u8 bytes[VARINT_MAX];

	return write_varint(bytes, field << 3 | WIRE_BYTES) + write_varint(bytes, size);
}

void protobuf__add_bytes(struct strbuf *sb, u32 field, const void *data, size_t size)
{
	protobuf__add_head(sb, field, size);
	strbuf__add(sb, data, size);
}

void protobuf__add_text(struct strbuf *sb, u32 field, const char *text)
{
	size_t from = protobuf__open(sb, field);

	strbuf__add_utf8(sb, text);
	protobuf__close(sb, from);
}

/* Leave a byte for the length, which most often is enough. */
size_t protobuf__open(struct strbuf *sb, u32 field)
{
	add_tag(sb, field, WIRE_BYTES);
	strbuf__addch(sb, 0);
	return sb->len;
}

void protobuf__close(struct strbuf *sb, size_t from)
{
	u8 bytes[VARINT_MAX];
	size_t size = sb->len - from, nr = write_varint(bytes, size);

	if (nr > 1) {
		strbuf__grow(sb, nr - 1);
		memmove(sb->buf + from + nr - 1, sb->buf + from, size);
		strbuf__setlen(sb, sb->len + nr - 1);
	}
	memcpy(sb->buf + from - 1, bytes, nr);
}
