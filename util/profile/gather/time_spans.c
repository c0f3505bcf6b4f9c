#include "profile/gather/time_spans.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

void time_spans__exit(struct time_spans *t)
{
	array__exit(&t->v);
}

bool time_spans__need_range(const char *text)
{
	return strchr(text, '%');
}

/* Parse "123.456789" as ns; empty: 0. Return the end, or NULL if p is not a time. */
static const char *parse_seconds(const char *p, u64 *ns)
{
	u64 seconds = 0, scale = 1000000000;

	*ns = 0;
	for (; isdigit((unsigned char)*p); p++)
		if (__builtin_mul_overflow(seconds, 10, &seconds) ||
		    __builtin_add_overflow(seconds, (u64)(*p - '0'), &seconds))
			return NULL;
	if (__builtin_mul_overflow(seconds, scale, ns))
		return NULL;
	if (*p != '.')
		return p;
	for (p++; isdigit((unsigned char)*p); p++) {
		scale /= 10;
		*ns += scale * (u64)(*p - '0');
	}
	return p;
}

static int time_spans__add(struct time_spans *t, u64 start, u64 end, const char *text, struct err *err)
{
	if (end && start > end)
		return err__set(err, -EINVAL, "'%s' ends before it starts", text);
	array__add(&t->v, ((struct time_span){ start, end }));
	return 0;
}

/* Parse "START,STOP[ START,STOP ...]". */
static int parse_absolute(struct time_spans *t, const char *text, struct err *err)
{
	const char *p = text;

	while (*p) {
		u64 start, end = 0;
		int ret;

		p = parse_seconds(p, &start);
		if (p && *p == ',')
			p = parse_seconds(p + 1, &end);
		if (!p || (*p && *p != ' '))
			return err__set(
				err, -EINVAL,
				"--time: '%s' is not a span of time such as 10,20.5 (seconds) or 10%%/2",
				text);
		ret = time_spans__add(t, start, end, text, err);
		if (ret)
			return ret;
		while (*p == ' ')
			p++;
	}
	return 0;
}

static const char *parse_percent(const char *p, double *percent)
{
	char *end;

	if (!isdigit((unsigned char)*p))
		return NULL;
	*percent = strtod(p, &end);
	return *end == '%' && *percent >= 0 && *percent <= 100 ? end + 1 : NULL;
}

/* Parse one "10%/2" or "0%-10%". Return its end, or NULL. */
static const char *parse_relative(const char *p, double *from, double *to)
{
	char *end;
	double percent;
	long n;

	p = parse_percent(p, &percent);
	if (!p)
		return NULL;
	if (*p == '-') {
		*from = percent;
		return parse_percent(p + 1, to);
	}
	if (*p != '/' || percent <= 0)
		return NULL;
	n = strtol(p + 1, &end, 10);
	if (end == p + 1 || n < 1 || (double)(n - 1) * percent >= 100)
		return NULL;
	*from = (double)(n - 1) * percent;
	*to = MIN((double)n * percent, 100.0);
	return end;
}

/* 100% is special: the largest u64 rounds up as a double, and does not fit into a u64. */
static u64 percent_of(u64 length, double percent)
{
	return percent >= 100 ? length : (u64)(percent / 100 * (double)length);
}

static int parse_percents(struct time_spans *t, const char *text, u64 first, u64 last, struct err *err)
{
	const char *p = text;

	for (;;) {
		double from, to;
		u64 start, end;
		int ret;

		p = parse_relative(p, &from, &to);
		if (!p || from > to)
			return err__set(
				err, -EINVAL,
				"--time: '%s' is not a span of time such as 10,20.5 (seconds) or 10%%/2",
				text);
		start = first + percent_of(last - first, from);
		end = to >= 100 ? last : first + percent_of(last - first, to) - 1;
		ret = time_spans__add(t, start, end, text, err);
		if (ret)
			return ret;
		while (*p == ' ')
			p++;
		if (!*p)
			return 0;
		if (*p == ',')
			p++;
	}
}

int time_spans__parse(struct time_spans *t, const char *text, u64 first, u64 last, struct err *err)
{
	if (!*text)
		return err__set(err, -EINVAL, "a span of time is missing");
	return time_spans__need_range(text) ? parse_percents(t, text, first, last, err)
					    : parse_absolute(t, text, err);
}
