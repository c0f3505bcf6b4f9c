/*
 * Putting numbers into a buffer that is known to be large enough: what a dump does a hundred million
 * times. Each function returns the place behind what it wrote.
 */
#ifndef UI_DUMP_TEXT_H
#define UI_DUMP_TEXT_H

#include "base/strbuf.h"

#include <string.h>

enum { DUMP_DEC_MAX = 20, DUMP_HEX_MAX = 18 /* "0x" and 16 digits */ };

/* Two digits for each byte, "000102...". */
extern const char dump_hex_pairs[512];

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

/* All 16 digits. */
static inline char *put_hex16(char *p, u64 x)
{
	for (int i = 14; i >= 0; i -= 2, x >>= 8)
		memcpy(p + i, dump_hex_pairs + (x & 0xff) * 2, 2);
	return p + 16;
}

/* As many digits as needed. */
static inline char *put_hex(char *p, u64 x)
{
	char digits[16];
	unsigned nr = x ? (67 - (unsigned)__builtin_clzll(x)) / 4 : 1;

	put_hex16(digits, x);
	return put_bytes(p, digits + 16 - nr, nr);
}

/* As %#x: "0x12", but "0". */
static inline char *put_0x(char *p, u64 x)
{
	if (x)
		p = put_text(p, "0x");
	return put_hex(p, x);
}

static inline char *put_dec(char *p, u64 x)
{
	char digits[DUMP_DEC_MAX];
	char *d = digits + sizeof(digits);

	do {
		*--d = (char)('0' + x % 10);
		x /= 10;
	} while (x);
	return put_bytes(p, d, (size_t)(digits + sizeof(digits) - d));
}

static inline char *put_signed(char *p, s64 x)
{
	if (x >= 0)
		return put_dec(p, (u64)x);
	*p++ = '-';
	return put_dec(p, -(u64)x);
}

/* Room for size bytes; what was written is made part of the string by dump_text__end. */
static inline char *dump_text__begin(struct strbuf *sb, size_t size)
{
	strbuf__grow(sb, size);
	return sb->buf + sb->len;
}

static inline void dump_text__end(struct strbuf *sb, const char *p)
{
	strbuf__setlen(sb, (size_t)(p - sb->buf));
}

/* The block of hex lines, 16 bytes each, as stock perf has it. */
void dump_text__hex_block(struct strbuf *sb, const void *data, size_t size);
/* "0-3,8" for the bits or numbers of a CPU_MAP's data; false when they are not all there. */
bool dump_text__cpus(struct strbuf *sb, const void *data, size_t size);

#endif
