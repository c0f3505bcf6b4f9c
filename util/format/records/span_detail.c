#include "format/records/span_detail.h"

#include "event/evsel/evsel.h"
#include "format/records/var_number.h"

#include <string.h>

bool evsel__has_spans(const struct evsel *e)
{
	const u64 needed = PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW | PERF_SAMPLE_TIME | PERF_SAMPLE_TID;

	return e->name && !strncmp(e->name, SPAN_EVENT_PREFIX, strlen(SPAN_EVENT_PREFIX)) &&
	       (e->attr.sample_type & needed) == needed;
}

const char *evsel__span_name(const struct evsel *e)
{
	return e->name + strlen(SPAN_EVENT_PREFIX);
}

bool span_detail__decode(struct span_detail *d, const void *data, size_t size, u64 time, bool swap)
{
	struct cursor c = cursor__make(data, size, swap);

	if (cursor__u32(&c) != SPAN_DETAIL_MAGIC)
		return false;
	*d = (struct span_detail){ .time = time };
	d->step = cursor__u32(&c);
	d->nr_spans = cursor__u32(&c);
	d->cost = cursor__u32(&c);
	d->losses.unfinished = cursor__u32(&c);
	d->losses.left = cursor__u32(&c);
	d->losses.lost = cursor__u32(&c);
	d->losses.strays = cursor__u32(&c);
	d->spans = c;
	return !c.bad && d->step;
}

bool span_detail__next(struct span_detail *d, struct span_time *span)
{
	u64 ago, length;

	if (!d->nr_spans)
		return false;
	d->nr_spans--;
	ago = cursor__var_number(&d->spans);
	length = cursor__var_number(&d->spans);
	if (d->spans.bad || ago > d->time || length > d->time - ago)
		return false;
	span->end = d->time - ago;
	span->begin = span->end - length;
	return true;
}

void span_detail__encode(const struct span_detail *d, const struct span_time *spans, u32 nr, u64 time,
			 struct strbuf *out)
{
	const struct span_losses *l = &d->losses;
	const u32 words[] = { 0,       SPAN_DETAIL_MAGIC, d->step,  nr, d->cost, l->unfinished,
			      l->left, l->lost,           l->strays };
	size_t start = out->len;
	u32 size;

	strbuf__add(out, words, sizeof(words));
	for (u32 i = 0; i < nr; i++) {
		strbuf__add_var_number(out, time - spans[i].end);
		strbuf__add_var_number(out, spans[i].end - spans[i].begin);
	}
	while ((out->len - start) % sizeof(u64))
		strbuf__add(out, "", 1);
	size = (u32)(out->len - start - sizeof(size));
	memcpy(out->buf + start, &size, sizeof(size));
}
