/* What dumps write into a buffer besides decimal numbers (base/text/put.h), in the same way. */
#ifndef UI_DUMP_TEXT_H
#define UI_DUMP_TEXT_H

#include "base/text/mask.h"
#include "base/text/put.h"
#include "base/text/strbuf.h"

#include <endian.h>
#include <string.h>

struct cursor;

enum { DUMP_HEX_MAX = 18 /* "0x" and 16 digits */ };

/* Two digits for each byte, "000102...". */
extern const char dump_hex_pairs[512];

/* The 8 hex digits of the lower 32 bits, the first one in the lowest byte, computed together. */
static inline u64 hex_digits(u64 x)
{
	u64 above_9;

	x = (x << 32 | x >> 16) & 0x0000ffff0000ffff; /* halves swapped, bytes of halves, nibbles of bytes */
	x = (x << 16 | x >> 8) & 0x00ff00ff00ff00ff;
	x = (x << 8 | x >> 4) & 0x0f0f0f0f0f0f0f0f;
	above_9 = (x + 0x0606060606060606) >> 4 & 0x0101010101010101;
	return x + 0x3030303030303030 + above_9 * ('a' - '0' - 10);
}

/* With control characters masked as by strbuf__add_masked. */
static inline char *put_masked(char *p, const char *s)
{
	size_t len = strlen(s);

	memcpy(p, s, len);
	mask_controls(p, len, NULL);
	return p + len;
}

/* All 16 digits. */
static inline char *put_hex16(char *p, u64 x)
{
	u64 high = htole64(hex_digits(x >> 32)), low = htole64(hex_digits(x & UINT32_MAX));

	memcpy(p, &high, sizeof(high));
	memcpy(p + 8, &low, sizeof(low));
	return p + 16;
}

/* As many digits as needed; needs room for 16. */
static inline char *put_hex(char *p, u64 x)
{
	unsigned nr = (67 - (unsigned)__builtin_clzll(x | 1)) / 4;
	u64 high = x >> 32, digits;

	if (!high) {
		digits = htole64(hex_digits(x) >> 8 * (8 - nr));
		memcpy(p, &digits, sizeof(digits));
		return p + nr;
	}
	digits = htole64(hex_digits(high) >> 8 * (16 - nr));
	memcpy(p, &digits, sizeof(digits));
	p += nr - 8;
	digits = htole64(hex_digits(x & UINT32_MAX));
	memcpy(p, &digits, sizeof(digits));
	return p + 8;
}

/* As %#x: "0x12", but "0". Needs room for DUMP_HEX_MAX. */
static inline char *put_0x(char *p, u64 x)
{
	if (x)
		p = put_text(p, "0x");
	return put_hex(p, x);
}

static inline char *put_signed(char *p, s64 x)
{
	if (x >= 0)
		return put_dec(p, (u64)x);
	*p++ = '-';
	return put_dec(p, -(u64)x);
}

/*
 * Append text with the next numbers of a record in it. "%8u" is a number of 8 bytes; sizes are 1, 2, 4 and
 * 8. Letters: u without a sign, d with one, x in hexadecimal, # the same as by printf's "%#x". "%s" is the
 * string that the rest begins with, masked. What is not there is 0 or "", and c->bad is set.
 */
void dump_text__fields(struct strbuf *sb, const char *text, struct cursor *c);
/* Hex lines of 16 bytes each, as in stock perf. */
void dump_text__hex_block(struct strbuf *sb, const void *data, size_t size);
/* Append "0-3,8" for the bits or numbers of a CPU_MAP's data. Return false if it is truncated. */
bool dump_text__cpus(struct strbuf *sb, const void *data, size_t size);

#endif
