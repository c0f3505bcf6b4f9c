/*
 * Numbers of variable length in RAW data: seven bits in each byte, the low ones first; bit 7 says that
 * another byte follows (unsigned LEB128).
 */
#ifndef FORMAT_VAR_NUMBER_H
#define FORMAT_VAR_NUMBER_H

#include "base/memory/cursor.h"
#include "base/text/strbuf.h"

/* Read a number; 0 and c->bad if it is longer than 64 bits or cut off. */
static inline u64 cursor__var_number(struct cursor *c)
{
	u64 x = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		u8 byte = cursor__u8(c);

		x |= (u64)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return x;
	}
	c->bad = true;
	return 0;
}

static inline void strbuf__add_var_number(struct strbuf *sb, u64 x)
{
	u8 bytes[10];
	size_t nr = 0;

	for (; x >= 0x80; x >>= 7)
		bytes[nr++] = (u8)(x | 0x80);
	bytes[nr++] = (u8)x;
	strbuf__add(sb, bytes, nr);
}

#endif
