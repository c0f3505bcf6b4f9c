/* Write text of dumps into a buffer, as base/text/put.h writes numbers. */
#ifndef UI_DUMP_TEXT_H
#define UI_DUMP_TEXT_H

#include "base/text/mask.h"
#include "base/text/put.h"
#include "base/text/strbuf.h"

#include <string.h>

struct cursor;

/* Two digits for each byte, "000102...". */
extern const char dump_hex_pairs[512];

/* Write a string with control characters masked as by strbuf__add_masked. */
static inline char *put_masked(char *p, const char *s)
{
	const char *start = s;
	bool is_plain = true;

	for (; *s; s++) {
		*p++ = *s;
		is_plain &= *s >= ' ' && *s < 0x7f;
	}
	if (unlikely(!is_plain))
		mask_controls(p - (s - start), (size_t)(s - start), NULL);
	return p;
}

static inline char *put_signed(char *p, s64 x)
{
	if (x >= 0)
		return put_dec(p, (u64)x);
	*p++ = '-';
	return put_dec(p, -(u64)x);
}

/*
 * Append text with the next numbers of a record in it. "%8u" is a number of 8 bytes; sizes are 1, 2, 4 and 8.
 * Letters: u without a sign, d with one, x in hexadecimal, # the same as by printf's "%#x". "%s" is the
 * string that the rest begins with, masked. A missing number is 0, a missing string "", and c->bad is set.
 */
void dump_text__fields(struct strbuf *sb, const char *text, struct cursor *c);
/* Append hex lines of 16 bytes each, as in stock perf. */
void dump_text__hex_block(struct strbuf *sb, const void *data, size_t size);
/* Append "0-3,8" for the bits or numbers of a CPU_MAP's data. Return false if it is truncated. */
bool dump_text__cpus(struct strbuf *sb, const void *data, size_t size);

#endif
