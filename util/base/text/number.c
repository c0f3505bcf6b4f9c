#include "base/text/number.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool number__take(const char **text, u64 most, u64 *value)
{
	const char *p = *text;
	u64 x = 0;

	for (; isdigit((unsigned char)*p); p++)
		if (__builtin_mul_overflow(x, 10, &x) || __builtin_add_overflow(x, (u64)(*p - '0'), &x))
			return false;
	if (p == *text || x > most)
		return false;
	*text = p;
	*value = x;
	return true;
}

bool number__take_real(const char **text, double *value)
{
	bool is_hex = (*text)[0] == '0' && ((*text)[1] | 0x20) == 'x';
	char *end;
	double x;

	if (is_hex ||
	    (!isdigit((unsigned char)**text) && **text != '.')) /* strtod takes "nan", "inf", " -1" */
		return false;
	x = strtod(*text, &end);
	if (end == *text || !isfinite(x))
		return false;
	*text = end;
	*value = x;
	return true;
}

bool number__parse(const char *text, u64 least, u64 most, u64 *value)
{
	u64 x;

	if (!number__take(&text, most, &x) || *text || x < least)
		return false;
	*value = x;
	return true;
}

bool number__parse_percent(const char *text, double *percent)
{
	double x;

	if (!number__take_real(&text, &x) || (*text && strcmp(text, "%") != 0))
		return false;
	*percent = x;
	return true;
}

bool number__parse_size(const char *text, u64 *bytes, bool *has_unit)
{
	static const char units[] = "BKMG";
	const char *unit = units;
	u64 n;

	if (!number__take(&text, UINT64_MAX, &n))
		return false;
	if (*text)
		unit = strchr(units, toupper((unsigned char)*text));
	if (!unit || (*text && text[1]) || n > UINT64_MAX >> (10 * (unit - units)))
		return false;
	*bytes = n << (10 * (unit - units));
	*has_unit = *text != '\0';
	return true;
}

bool number__parse_span(const char *text, u64 *ns)
{
	static const struct {
		const char *name;
		u64 ns;
	} units[] = { { "", 1 }, { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };
	u64 n;

	if (!number__take(&text, UINT64_MAX, &n))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (strcmp(text, units[i].name) != 0 || n > UINT64_MAX / units[i].ns)
			continue;
		*ns = n * units[i].ns;
		return true;
	}
	return false;
}
