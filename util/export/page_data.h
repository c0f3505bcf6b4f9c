/* How data get into a page of web/: numbers, columns, the page around them (Documentation/page.md). */
#ifndef EXPORT_PAGE_DATA_H
#define EXPORT_PAGE_DATA_H

#include "base/memory/types.h"
#include "base/text/strbuf.h"

static inline void page_data__add_varint(struct strbuf *sb, u64 x)
{
	for (; x > 0x7f; x >>= 7)
		strbuf__addch(sb, (char)(x | 0x80));
	strbuf__addch(sb, (char)x);
}

static inline void page_data__add_signed(struct strbuf *sb, s64 x)
{
	page_data__add_varint(sb, (u64)x << 1 ^ (u64)(x >> 63));
}

/* Append a column to data, and empty it. */
void page_data__add_column(struct strbuf *data, struct strbuf *column);
/* Set packed to the columns as they are in a page, but for base64. */
void page_data__pack(const struct strbuf *data, unsigned nr_threads, struct strbuf *packed);
/* Append the whole page. */
void page_data__write(const struct strbuf *packed, struct strbuf *page);

#endif
