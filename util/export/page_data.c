#include "export/page_data.h"

#include "base/system/pack.h"
#include "export/page_parts.h"

enum { PACK_LEVEL = 4 };

void page_data__add_column(struct strbuf *data, struct strbuf *column)
{
	page_data__add_varint(data, column->len);
	strbuf__add(data, column->buf, column->len);
	strbuf__reset(column);
}

void page_data__pack(const struct strbuf *data, unsigned nr_threads, struct strbuf *packed)
{
	strbuf__reset(packed);
	pack__zlib(data->buf, data->len, PACK_LEVEL, nr_threads, packed);
}

static void add_base64(struct strbuf *sb, const u8 *data, size_t size)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	strbuf__grow(sb, (size + 2) / 3 * 4);
	for (size_t i = 0; i < size; i += 3) {
		u32 x = (u32)data[i] << 16 | (i + 1 < size ? (u32)data[i + 1] << 8 : 0) |
			(i + 2 < size ? data[i + 2] : 0);
		char text[4] = { digits[x >> 18], digits[x >> 12 & 63],
				 i + 1 < size ? digits[x >> 6 & 63] : '=',
				 i + 2 < size ? digits[x & 63] : '=' };

		strbuf__add(sb, text, sizeof(text));
	}
}

void page_data__write(const struct strbuf *packed, struct strbuf *page)
{
	strbuf__add(page, page_head, (size_t)(page_head_end - page_head));
	add_base64(page, (const u8 *)packed->buf, packed->len);
	strbuf__add(page, page_tail, (size_t)(page_tail_end - page_tail));
}
