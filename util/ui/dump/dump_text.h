/*
 * Write numbers into a buffer that is large enough: a dump does it a hundred million times. Each function
 * returns the position after what it wrote.
 */
#ifndef UI_DUMP_TEXT_H
#define UI_DUMP_TEXT_H

#include "base/text/mask.h"
#include "base/text/strbuf.h"

#include <endian.h>
#include <string.h>

struct cursor;

enum { DUMP_DEC_MAX = 20, DUMP_HEX_MAX = 18 /* "0x" and 16 digits */ };

/* Two digits for each byte, "000102...", and for each number below 100. */
extern const char dump_hex_pairs[512], dump_dec_pairs[200];
extern const u64 dump_powers_of_10[20];

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

static inline unsigned nr_digits(u64 x)
{
	/* log10(2) is 1233 / 4096, closely enough */
	unsigned nr = (64 - (unsigned)__builtin_clzll(x | 1)) * 1233 >> 12;

	return nr + (x >= dump_powers_of_10[nr]);
}

/*
 * Write digits to their final places: a copy of bytes that were just written in small pieces waits until
 * they are in the cache.
 */
static inline char *put_dec(char *p, u64 x)
{
	char *end = p + (x < 10 ? 1 : nr_digits(x)), *d = end;

	for (; x >= 100; x /= 100)
		d = memcpy(d - 2, dump_dec_pairs + x % 100 * 2, 2);
	if (x >= 10)
		memcpy(d - 2, dump_dec_pairs + x * 2, 2);
	else
		d[-1] = (char)('0' + x);
	return end;
}

static inline char *put_signed(char *p, s64 x)
{
	if (x >= 0)
		return put_dec(p, (u64)x);
	*p++ = '-';
	return put_dec(p, -(u64)x);
}

/* Make room for size bytes; dump_text__end adds what was written to the string. */
static inline char *dump_text__begin(struct strbuf *sb, size_t size)
{
	if (unlikely(sb->alloc - sb->len <= size))
		strbuf__grow(sb, size);
	return sb->buf + sb->len;
}

static inline void dump_text__end(struct strbuf *sb, const char *p)
{
	strbuf__setlen(sb, (size_t)(p - sb->buf));
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
