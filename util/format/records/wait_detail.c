#include "format/records/wait_detail.h"

#include "event/evsel/evsel.h"
#include "format/records/var_number.h"

#include <string.h>

enum wait_event evsel__wait_event(const struct evsel *e)
{
	static const char *const names[] = { [WAIT_EVENT_OFF_CPU] = "offcpu-time",
					     [WAIT_EVENT_ENDED] = "ended-waits",
					     [WAIT_EVENT_READY] = "ready-time" };

	if (!e->name || !(e->attr.sample_type & PERF_SAMPLE_PERIOD))
		return WAIT_EVENT_NONE;
	for (size_t i = WAIT_EVENT_OFF_CPU; i < ARRAY_SIZE(names); i++)
		if (!strcmp(e->name, names[i]))
			return (enum wait_event)i;
	return WAIT_EVENT_NONE;
}

bool wait_detail__decode(struct wait_detail *d, const void *data, size_t size, u64 time, bool swap)
{
	struct cursor c = cursor__make(data, size, swap);

	if (cursor__u32(&c) != WAIT_DETAIL_MAGIC)
		return false;
	*d = (struct wait_detail){ .time = time };
	d->futex_op = cursor__u32(&c);
	d->flags = cursor__u32(&c);
	d->pid = cursor__u32(&c);
	d->tid = cursor__u32(&c);
	d->nr_spans = cursor__u32(&c);
	d->place = cursor__u64(&c);
	d->spans = c;
	return !c.bad;
}

bool wait_detail__next(struct wait_detail *d, struct wait_span *span)
{
	u64 ago, length, ready;

	if (!d->nr_spans)
		return false;
	d->nr_spans--;
	ago = cursor__var_number(&d->spans);
	length = cursor__var_number(&d->spans);
	ready = cursor__var_number(&d->spans);
	if (d->spans.bad || ago > d->time || length > d->time - ago || ready > length)
		return false;
	span->end = d->time - ago;
	span->begin = span->end - length;
	span->woken = span->end - ready;
	return true;
}

void wait_detail__encode(const struct wait_detail *d, const struct wait_span *spans, u32 nr, u64 time,
			 struct strbuf *out)
{
	const u32 words[] = { 0, WAIT_DETAIL_MAGIC, d->futex_op, d->flags, d->pid, d->tid, nr };
	size_t start = out->len;
	u32 size;

	strbuf__add(out, words, sizeof(words));
	strbuf__add(out, &d->place, sizeof(d->place));
	for (u32 i = 0; i < nr; i++) {
		strbuf__add_var_number(out, time - spans[i].end);
		strbuf__add_var_number(out, spans[i].end - spans[i].begin);
		strbuf__add_var_number(out, spans[i].end - spans[i].woken);
	}
	while ((out->len - start) % sizeof(u64))
		strbuf__add(out, "", 1);
	size = (u32)(out->len - start - sizeof(size));
	memcpy(out->buf + start, &size, sizeof(size));
}
