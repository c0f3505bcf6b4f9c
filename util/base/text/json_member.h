/* Members of JSON objects, without commas. Keys are as JSON has them; values are escaped. */
#ifndef BASE_JSON_MEMBER_H
#define BASE_JSON_MEMBER_H

#include "base/text/strbuf.h"

#include <math.h>

static inline void json_member__string(struct strbuf *sb, const char *key, const char *value)
{
	strbuf__addf(sb, "\"%s\":", key);
	strbuf__add_json(sb, value);
}

static inline void json_member__u64(struct strbuf *sb, const char *key, u64 value)
{
	strbuf__addf(sb, "\"%s\":%llu", key, (unsigned long long)value);
}

/* JSON has neither infinity nor NaN: they are null. */
static inline void json_member__number(struct strbuf *sb, const char *key, double value)
{
	strbuf__addf(sb, "\"%s\":", key);
	if (isfinite(value))
		strbuf__addf(sb, "%.10g", value);
	else
		strbuf__addstr(sb, "null");
}

#endif
