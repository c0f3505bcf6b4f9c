#include "profile/rows/switched.h"

#include "base/message/word_list.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

struct switching { /* a sample of the event on or off */
	u64 time, offset;
	const struct evsel *evsel;
};

struct switches {
	struct session *session;
	const struct evsel *on, *off; /* NULL: none */
	ARRAY(struct switching) v;
};

static int find_event(const struct evsel **found, const struct session *s, const char *option,
		      const char *name, struct err *err)
{
	const struct evlist *l = &s->reader->evlist;
	struct suggest near;

	for (size_t i = 0; name && i < l->evsels.nr; i++)
		if (!strcmp(l->evsels.v[i]->name, name))
			*found = l->evsels.v[i];
	if (!name || *found)
		return 0;
	err__set(err, -ENOENT, "%s: '%s' has no event '%s'", option, s->reader->path, name);
	suggest__init(&near, "", name);
	for (size_t i = 0; i < l->evsels.nr; i++)
		suggest__offer(&near, l->evsels.v[i]->name);
	err__suggest(err, &near);
	return -ENOENT;
}

static int compare_switchings(const void *x, const void *y)
{
	const struct switching *a = x, *b = y;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* If nothing switches back, the first one alone matters. */
static void switches__add(struct switches *w, const struct switching *s)
{
	if (!w->v.nr || (w->on && w->off))
		array__add(&w->v, *s);
	else if (compare_switchings(s, &w->v.v[0]) < 0)
		w->v.v[0] = *s;
}

static void switches__look(void *ctx, const struct record *r)
{
	struct switches *w = ctx;
	const struct evsel *e = sample_decoder__evsel(&w->session->decoder, r);
	struct sample sample;

	if (e && (e == w->on || e == w->off) && !sample__decode_head(&w->session->decoder, r, &sample))
		switches__add(w, &(struct switching){ sample.time, r->offset, e });
}

/* show: the events are in the spans that they begin and end. */
static void switches__add_spans(const struct switches *w, bool show, struct time_spans *spans)
{
	bool is_on = !w->on;
	u64 start = 0;

	for (size_t i = 0; i < w->v.nr; i++) {
		const struct switching *s = &w->v.v[i];

		if (is_on ? s->evsel != w->off : s->evsel != w->on)
			continue;
		if (is_on)
			time_spans__add(spans, start, show ? s->time : s->time - 1);
		else
			start = show ? s->time : s->time + 1;
		is_on = !is_on;
	}
	if (is_on)
		time_spans__add(spans, start, UINT64_MAX);
	time_spans__arrange(spans);
}

int switched__find(struct time_spans *spans, struct session *s, const struct switch_opts *opts,
		   struct err *err)
{
	struct switches w = { .session = s };
	int ret = find_event(&w.on, s, "--switch-on", opts->on, err);

	if (!ret)
		ret = find_event(&w.off, s, "--switch-off", opts->off, err);
	if (!ret && !s->has_time)
		ret = err__set(err, -EINVAL, "--switch-on, --switch-off: '%s' has no times", s->reader->path);
	if (!ret)
		ret = session__each_sample(s, switches__look, &w, err);
	if (!ret) {
		qsort(w.v.v, w.v.nr, sizeof(*w.v.v), compare_switchings);
		switches__add_spans(&w, opts->show, spans);
	}
	array__exit(&w.v);
	return ret;
}
