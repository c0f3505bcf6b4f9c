/*
 * Write text and numbers into a buffer that is large enough: dumps and exports do it a hundred million times.
 * Each function returns the position after what it wrote. strbuf__begin makes the room.
 */
#ifndef BASE_PUT_H
#define BASE_PUT_H

#include "base/memory/types.h"

#include <endian.h>
#include <string.h>

enum {
	PUT_DEC_MAX = 20, /* bytes of the longest number */
	PUT_HEX_MAX = 18, /* "0x" and 16 digits */
};

/* Two digits for each number below 100, without a terminating NUL. */
extern const char put_dec_pairs[201];
extern const u64 put_powers_of_10[20];

static inline char *put_bytes(char *p, const char *s, size_t size)
{
	memcpy(p, s, size);
	return p + size;
}

#define put_text(p, literal) put_bytes((p), (literal), sizeof(literal) - 1)

static inline char *put_str(char *p, const char *s)
{
	return put_bytes(p, s, strlen(s));
}

static inline unsigned nr_digits(u64 x)
{
	/* log10(2) is 1233 / 4096, closely enough */
	unsigned nr = (64 - (unsigned)__builtin_clzll(x | 1)) * 1233 >> 12;

	return nr + (x >= put_powers_of_10[nr]);
}

/* Write the last two digits of x before end; return where they begin. */
static inline char *put_2_digits(char *end, u64 x)
{
	return memcpy(end - 2, put_dec_pairs + x % 100 * 2, 2);
}

/*
 * Write a number of nr digits, at once to its final place: copying bytes that were just written in small
 * pieces waits until they are in the cache.
 */
static inline char *put_dec_digits(char *p, u64 x, unsigned nr)
{
	char *end = p + nr, *d = end;

	for (; x >= 100; x /= 100)
		d = put_2_digits(d, x);
	if (x >= 10)
		put_2_digits(d, x);
	else
		d[-1] = (char)('0' + x);
	return end;
}

static inline char *put_dec(char *p, u64 x)
{
	return put_dec_digits(p, x, x < 10 ? 1 : nr_digits(x));
}

/*
 * Write the last nr digits of x, with leading zeros: the decimals of a fraction. nr: an even number, at most
 * 20.
 */
static inline char *put_digits(char *p, u64 x, unsigned nr)
{
	for (char *d = p + nr; d > p; x /= 100)
		d = put_2_digits(d, x);
	return p + nr;
}

/* ---- hexadecimal ---- */

/* Return the 8 hex digits of the lower 32 bits, the first one in the lowest byte, computed together. */
static inline u64 hex_digits(u64 x)
{
	u64 above_9;

	x = (x << 32 | x >> 16) & 0x0000ffff0000ffff; /* halves swapped, bytes of halves, nibbles of bytes */
	x = (x << 16 | x >> 8) & 0x00ff00ff00ff00ff;
	x = (x << 8 | x >> 4) & 0x0f0f0f0f0f0f0f0f;
	above_9 = (x + 0x0606060606060606) >> 4 & 0x0101010101010101;
	return x + 0x3030303030303030 + above_9 * ('a' - '0' - 10);
}

/* Write all 16 hex digits. */
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

/* As %#x: "0x12", but "0". Needs room for PUT_HEX_MAX. */
static inline char *put_0x(char *p, u64 x)
{
	if (x)
		p = put_text(p, "0x");
	return put_hex(p, x);
}

#endif
