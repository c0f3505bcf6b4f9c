#include "profile/spans/span_choice.h"

#include <errno.h>

static int span_bound__parse(struct span_bound *b, const char *option, const char *text, struct err *err)
{
	b->given = text;
	return text ? span_limit__parse(&b->limit, option, text, err) : 0;
}

static void span_bound__describe(const struct span_bound *b, const char *words, struct strbuf *sb)
{
	if (!b->given)
		return;
	strbuf__addf(sb, " %s ", words);
	strbuf__add_duration(sb, (double)b->ns);
	if (b->limit.is_quantile)
		strbuf__addf(sb, " (p%g)", b->limit.share * 100);
}

static void span_choice__add_limits(const struct span_choice *c, struct strbuf *sb)
{
	if (c->least.given || c->most.given)
		strbuf__addstr(sb, " of");
	span_bound__describe(&c->least, "at least", sb);
	if (c->least.given && c->most.given)
		strbuf__addstr(sb, " and");
	span_bound__describe(&c->most, "at most", sb);
}

void span_choice__describe(const struct span_choice *c, bool weighed, struct strbuf *sb)
{
	strbuf__addf(sb, "%s in spans ", weighed ? "time" : "samples");
	strbuf__add_masked(sb, evsel__span_name(c->event));
	span_choice__add_limits(c, sb);
	strbuf__addf(sb, ": %llu", (unsigned long long)c->nr);
	if (c->nr != c->nr_all)
		strbuf__addf(sb, " of %llu", (unsigned long long)c->nr_all);
}

static int refuse_all(const struct span_choice *c, const struct span_set *set, struct err *err)
{
	struct strbuf text = STRBUF_INIT, range = STRBUF_INIT;

	strbuf__add_masked(&text, evsel__span_name(c->event));
	span_choice__add_limits(c, &text);
	err__set(err, -ENOENT, "the recording has no span %s", text.buf);
	if (set->v.nr) {
		const u32 *by_duration = set->by_duration.v;

		strbuf__add_duration(&range, (double)span__ns(&set->v.v[by_duration[0]]));
		strbuf__addstr(&range, " to ");
		strbuf__add_duration(&range, (double)span__ns(&set->v.v[by_duration[set->v.nr - 1]]));
		err__advise(err, "its %llu spans took %s", (unsigned long long)set->nr, range.buf);
	}
	strbuf__exit(&text);
	strbuf__exit(&range);
	return -ENOENT;
}

static int span_choice__choose(struct span_choice *c, const struct span_set *set, struct err *err)
{
	c->nr_all = set->nr;
	c->least.ns = c->least.given ? span_limit__ns(&c->least.limit, set) : 0;
	c->most.ns = c->most.given ? span_limit__ns(&c->most.limit, set) : UINT64_MAX;
	for (size_t i = 0; i < set->v.nr; i++) {
		const struct span *span = &set->v.v[i];

		if (span__ns(span) < c->least.ns || span__ns(span) > c->most.ns)
			continue;
		array__add(&c->v, *span);
		c->nr += span->step;
		c->ns += span__ns(span) * span->step;
	}
	return c->v.nr ? 0 : refuse_all(c, set, err);
}

int span_choice__read(struct span_choice *c, struct session *s, const struct span_choice_args *args,
		      struct err *err)
{
	struct span_set set = { 0 };
	int ret;

	*c = (struct span_choice){ 0 };
	ret = span_bound__parse(&c->least, "--slower", args->slower, err);
	if (!ret)
		ret = span_bound__parse(&c->most, "--faster", args->faster, err);
	if (!ret)
		ret = span_set__choose_event(&s->reader->evlist, args->name, &c->event, err);
	if (!ret)
		ret = span_set__read(&set, s, c->event, err);
	if (!ret)
		ret = span_choice__choose(c, &set, err);
	span_set__exit(&set);
	return ret;
}

void span_choice__exit(struct span_choice *c)
{
	array__exit(&c->v);
}

const struct span *span_choice__find(const struct span_choice *c, u32 tid, u64 time)
{
	size_t i = bisect(k, (size_t)0, c->v.nr,
			  c->v.v[k].tid != tid ? c->v.v[k].tid < tid : c->v.v[k].end < time);
	const struct span *span = i < c->v.nr ? &c->v.v[i] : NULL;

	return span && span->tid == tid && span->begin < time ? span : NULL;
}
