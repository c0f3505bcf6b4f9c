/*
 * Numbers that users type: decimal digits, without sign and spaces. A number out of range is refused; none
 * wraps or is clamped. Each function returns false, with its results unchanged, if the text is not as it
 * expects. number__take... take the number at *text and set *text to its end; the others take all of text.
 */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include "base/memory/types.h"

/* Take a whole number of at most most. */
bool number__take(const char **text, u64 most, u64 *value);
/* Take a finite number without a sign, such as 0.5 or 1e3. */
bool number__take_real(const char **text, double *value);

/* Parse a whole number from least to most. */
bool number__parse(const char *text, u64 least, u64 most, u64 *value);
/* Parse "0.5" or "0.5%". */
bool number__parse_percent(const char *text, double *percent);
/* Parse "10", "10B", "4K", "1M", "2G" as bytes; *has_unit tells the first from the others. */
bool number__parse_size(const char *text, u64 *bytes, bool *has_unit);
/* Parse "10", "10ns", "10us", "10ms", "10s" as nanoseconds. */
bool number__parse_span(const char *text, u64 *ns);

/* Convert a number from 0 on; too large for a u64: UINT64_MAX. */
static inline u64 number__u64(double x)
{
	return x < 0x1p64 ? (u64)x : UINT64_MAX;
}

#endif
