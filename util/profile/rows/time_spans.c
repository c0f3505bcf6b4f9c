#include "profile/rows/time_spans.h"

#include "base/text/number.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
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

	/* the largest whole number of seconds is left out: its fraction could wrap */
	if (isdigit((unsigned char)*p) && !number__take(&p, UINT64_MAX / scale - 1, &seconds))
		return NULL;
	*ns = seconds * scale;
	if (*p != '.')
		return p;
	for (p++; isdigit((unsigned char)*p); p++) {
		scale /= 10;
		*ns += scale * (u64)(*p - '0');
	}
	return p;
}

void time_spans__add(struct time_spans *t, u64 start, u64 end)
{
	if (start <= end)
		array__add(&t->v, ((struct time_span){ start, end }));
}

static int starts_earlier(const void *x, const void *y)
{
	const struct time_span *a = x, *b = y;

	return a->start < b->start ? -1 : a->start > b->start;
}

void time_spans__arrange(struct time_spans *t)
{
	size_t nr = 0;

	if (t->v.nr > 1)
		qsort(t->v.v, t->v.nr, sizeof(*t->v.v), starts_earlier);
	for (size_t i = 0; i < t->v.nr; i++) {
		if (nr && t->v.v[i].start <= t->v.v[nr - 1].end)
			t->v.v[nr - 1].end = MAX(t->v.v[nr - 1].end, t->v.v[i].end);
		else
			t->v.v[nr++] = t->v.v[i];
	}
	t->v.nr = nr;
}

void time_spans__intersect(struct time_spans *t, const struct time_spans *other)
{
	struct time_spans both = { 0 };

	for (size_t i = 0, k = 0; i < t->v.nr && k < other->v.nr;) {
		const struct time_span *a = &t->v.v[i], *b = &other->v.v[k];

		time_spans__add(&both, MAX(a->start, b->start), MIN(a->end, b->end));
		if (a->end < b->end)
			i++;
		else
			k++;
	}
	time_spans__exit(t);
	*t = both;
}

/* As time_spans__add, but refuse an empty span. end 0: no limit. */
static int time_spans__take(struct time_spans *t, u64 start, u64 end, const char *text, struct err *err)
{
	if (end && start > end)
		return err__set(err, -EINVAL, "'%s' ends before it starts", text);
	time_spans__add(t, start, end ? end : UINT64_MAX);
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
		ret = time_spans__take(t, start, end, text, err);
		if (ret)
			return ret;
		while (*p == ' ')
			p++;
	}
	return 0;
}

static const char *parse_percent(const char *p, double *percent)
{
	return number__take_real(&p, percent) && *p == '%' && *percent <= 100 ? p + 1 : NULL;
}

/* Parse one "10%/2", "0%-10%" or "10%". Return its end, or NULL. */
static const char *parse_relative(const char *p, double *from, double *to)
{
	double percent;
	u64 n;

	p = parse_percent(p, &percent);
	if (!p)
		return NULL;
	if (*p == '-') {
		*from = percent;
		return parse_percent(p + 1, to);
	}
	if (!*p) {
		*from = 0;
		*to = percent;
		return p;
	}
	if (*p != '/' || percent <= 0)
		return NULL;
	p++;
	if (!number__take(&p, UINT64_MAX, &n) || !n || (double)(n - 1) * percent >= 100)
		return NULL;
	*from = (double)(n - 1) * percent;
	*to = MIN((double)n * percent, 100.0);
	return p;
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
		ret = time_spans__take(t, start, end, text, err);
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
	int ret;

	if (!*text)
		return err__set(err, -EINVAL, "a span of time is missing");
	ret = time_spans__need_range(text) ? parse_percents(t, text, first, last, err)
					   : parse_absolute(t, text, err);
	time_spans__arrange(t);
	return ret;
}
