#include "ui/report_spans.h"

#include "base/message/msg.h"
#include "base/system/thread.h"
#include "ui/json.h"
#include "ui/notes/completeness.h"
#include "ui/notes/reading.h"
#include "ui/span_json.h"
#include "ui/stdio/span_text.h"
#include "ui/stdio/why_table.h"
#include "ui/why_json.h"

#include <errno.h>
#include <math.h>

struct span_report {
	const struct report_args *args;
	struct session *session;
	struct sample_filter filter;
	struct span_times times;
	bool has_times, is_screen;
	bool has_several;          /* the recording has several kinds of spans */
	struct span_limits limits; /* of slow and fast spans */
	u32 nr;                    /* tables so far */
	struct strbuf *out;
	int *status;
	struct err *err;
};

bool report_spans__is_wanted(const struct report_args *a)
{
	return a->spans.why || ((a->samples.weights.has_span || a->spans.fail_on.nr) &&
				!weights_args__limit_spans(&a->samples.weights));
}

/* ---- --fail-on ---- */

static void add_time(struct strbuf *sb, const char *before, double ns)
{
	strbuf__addstr(sb, before);
	strbuf__add_duration(sb, ns);
}

/* Append the 95% interval of a value, if it has one. */
static void add_interval(struct strbuf *sb, const struct limit_check *c)
{
	if (c->low == c->high || (c->low <= 0 && isinf(c->high)))
		return;
	strbuf__addstr(sb, " (95%: ");
	if (isinf(c->high)) {
		add_time(sb, "at least ", c->low);
	} else if (c->low <= 0) {
		add_time(sb, "at most ", c->high);
	} else {
		add_time(sb, "", c->low);
		add_time(sb, " to ", c->high);
	}
	strbuf__addch(sb, ')');
}

/* Say which limit the spans do not keep. */
static void tell_limit(const struct span_set *set, const struct duration_limit *l,
		       const struct limit_check *c)
{
	struct strbuf text = STRBUF_INIT, name = STRBUF_INIT;

	if (c->result == LIMIT_KEPT)
		return;
	duration_limit__add_name(l, &name);
	if (c->result == LIMIT_EXCEEDED) {
		strbuf__addf(&text, "--fail-on: %s of '%s' is ", name.buf, evsel__span_name(set->event));
		add_time(&text, "", c->value);
		add_interval(&text, c);
		add_time(&text, ", more than ", (double)l->ns);
	} else {
		strbuf__addf(&text, "--fail-on: cannot tell %s of '%s': %llu span%s are too few", name.buf,
			     evsel__span_name(set->event), (unsigned long long)set->nr,
			     set->nr == 1 ? "" : "s");
		add_interval(&text, c);
	}
	info("%s", text.buf);
	strbuf__exit(&text);
	strbuf__exit(&name);
}

/* Compare the spans with the limits; with --json, append them. */
static void span_report__check(struct span_report *r, const struct span_set *set)
{
	const struct span_args *a = &r->args->spans;
	struct durations d;

	if (!a->fail_on.nr)
		return;
	durations__init(&d);
	durations__add(&d, set, NULL);
	durations__finish(&d);
	if (r->args->json)
		strbuf__addstr(r->out, ",\n\"limits\":[");
	for (size_t i = 0; i < a->fail_on.nr; i++) {
		struct limit_check c = durations__check(&d, &a->fail_on.v[i]);

		if (c.result == LIMIT_EXCEEDED)
			*r->status = EXIT_SPANS_SLOW;
		else if (c.result == LIMIT_UNKNOWN && !*r->status)
			*r->status = EXIT_SPANS_UNKNOWN;
		if (r->args->json) {
			strbuf__addstr(r->out, i ? ",\n" : "");
			span_json__add_limit(&a->fail_on.v[i], &c, r->out);
		}
		tell_limit(set, &a->fail_on.v[i], &c);
	}
	if (r->args->json)
		strbuf__addch(r->out, ']');
	durations__exit(&d);
}

/* ---- tables ---- */

/* Show why slow spans are slow; in JSON, as a member of the table. */
static int span_report__explain(struct span_report *r, const struct span_set *set)
{
	struct span_why w;
	int ret;

	progress__begin(reading__progress(), 0, "comparing slow and fast spans");
	ret = span_why__find(&w, r->session, r->has_times ? &r->times : NULL, set, &r->limits,
			     thread__count(r->args->threads), r->err);
	if (!ret && r->args->json) {
		strbuf__addstr(r->out, ",\n\"why\":");
		why_json__add(&w, r->out);
	} else if (!ret) {
		why_table__add(&w, r->has_several ? evsel__span_name(set->event) : NULL, r->args->quiet,
			       r->out);
	}
	span_why__exit(&w);
	return ret;
}

static void span_report__add_table(struct span_report *r, const struct span_set *set)
{
	const struct span_text_opts opts = { .path = r->args->input,
					     .name = r->has_several ? evsel__span_name(set->event) : NULL,
					     .quiet = r->args->quiet,
					     .is_screen = r->is_screen && !r->args->full_names };
	const struct machine *m = &r->session->machine;
	struct span_table t;

	span_table__init(&t, set, r->has_times ? &r->times : NULL, m, &r->limits.faster, &r->limits.slower);
	if (r->args->json)
		span_json__add(&t, m, r->out);
	else
		span_text__add(&t, m, &opts, r->out);
	span_table__exit(&t);
}

static int span_report__show(struct span_report *r, const struct span_set *set)
{
	bool is_json = r->args->json;
	int ret = 0;

	strbuf__addstr(r->out, !r->nr++ ? "" : is_json ? ",\n" : "\n");
	strbuf__addstr(r->out, is_json ? "{" : "");
	if (is_json || !r->args->spans.why)
		span_report__add_table(r, set);
	if (r->args->spans.why)
		ret = span_report__explain(r, set);
	span_report__check(r, set);
	strbuf__addstr(r->out, is_json ? "}" : "");
	return ret;
}

static int span_report__add_event(struct span_report *r, const struct evsel *event)
{
	struct span_set set;
	int ret = span_set__read(&set, r->session, event, r->err);

	if (!ret)
		ret = sample_filter__keep_spans(&r->filter, &set, &r->session->machine, r->err);
	if (!ret)
		ret = span_report__show(r, &set);
	span_set__exit(&set);
	return ret;
}

/* Show one kind of spans, or all that the recording has. */
static int span_report__add_events(struct span_report *r)
{
	const struct evlist *l = &r->session->reader->evlist;
	const char *name = r->args->samples.weights.span;
	const struct evsel *event = NULL;
	struct err several = ERR_INIT;
	int ret = span_set__choose_event(l, name, &event, name ? r->err : &several);
	u32 nr = 0;

	for (size_t i = 0; i < l->evsels.nr; i++)
		nr += evsel__has_spans(l->evsels.v[i]);
	r->has_several = nr > 1;
	if (ret == -ENOENT && !name)
		err__set(r->err, ret, "%s", several.text.buf);
	err__exit(&several);
	if (!ret || name || ret == -ENOENT)
		return ret ? ret : span_report__add_event(r, event);
	ret = 0;
	for (size_t i = 0; i < l->evsels.nr && !ret; i++)
		if (evsel__has_spans(l->evsels.v[i]))
			ret = span_report__add_event(r, l->evsels.v[i]);
	return ret;
}

/* Append how much of the recording the tables have. */
static void span_report__end(struct span_report *r)
{
	struct profile p = { .session = r->session };
	struct completeness c = completeness__of(&p);

	if (r->args->json) {
		strbuf__addstr(r->out, "],\n");
		json__add_completeness(r->out, &p, NULL);
	} else if (!r->args->quiet) {
		strbuf__addf(r->out, "#\n# Completeness: lost %llu records and %llu samples; %s\n",
			     (unsigned long long)c.lost_records, (unsigned long long)c.lost_samples, c.end);
	}
}

/* With --why, --slower and --faster say which spans are slow and fast. */
static int span_report__parse_limits(struct span_report *r)
{
	const struct weights_args *a = &r->args->samples.weights;
	int ret = 0;

	if (a->slower)
		ret = span_limit__parse(&r->limits.slower, "--slower", a->slower, r->err);
	if (!ret && a->faster)
		ret = span_limit__parse(&r->limits.faster, "--faster", a->faster, r->err);
	return ret;
}

static int span_report__add(struct span_report *r)
{
	int ret = weights_args__check(&r->args->samples.weights, r->err);

	if (!ret)
		ret = span_report__parse_limits(r);
	if (!ret)
		ret = sample_filter__parse(&r->filter, &r->args->samples.filter, r->session, r->err);
	r->has_times = session__has_wait_times(r->session);
	if (!ret && r->has_times) {
		progress__begin(reading__progress(), 0, "naming locks");
		ret = span_times__read(&r->times, r->session, r->err);
	}
	if (ret)
		return ret;
	if (r->args->json) {
		json__add_recording(r->out, r->session->reader, r->args->samples.filter.times);
		strbuf__addstr(r->out, ",\n\"tables\":[],\n\"spans\":[");
	}
	ret = span_report__add_events(r);
	if (!ret)
		span_report__end(r);
	return ret;
}

int report_spans__add(struct session *s, const struct report_args *a, bool is_screen, struct strbuf *out,
		      int *status, struct err *err)
{
	struct span_report r = { .args = a,
				 .session = s,
				 .is_screen = is_screen,
				 .limits = why_limits,
				 .out = out,
				 .status = status,
				 .err = err };
	int ret;

	*status = 0;
	ret = span_report__add(&r);
	if (r.has_times)
		span_times__exit(&r.times);
	sample_filter__exit(&r.filter);
	return ret;
}
