#include "profile/waits/weighing.h"

#include <stdlib.h>

void weighing__init(struct weighing *w, struct sample_weights *weights)
{
	const struct time_lines *t = &weights->lines;

	*w = (struct weighing){ .weights = weights };
	weights->ns = xcalloc(t->nr_samples + 1, sizeof(*weights->ns));
	w->lines = xcalloc(t->v.nr + 1, sizeof(*w->lines));
	w->ended = xcalloc(t->ended.nr + 1, sizeof(*w->ended));
}

void weighing__exit(struct weighing *w)
{
	for (size_t i = 0; i < w->weights->lines.v.nr; i++) {
		free(w->lines[i].spans);
		free(w->lines[i].runs);
	}
	free(w->lines);
	free(w->ended);
}

void weighing__add_lone(struct weighing *w, u32 pid, u32 tid, enum lone_kind kind, u64 ns)
{
	struct sample_weights *weights = w->weights;
	u64 hash = hash__u64((u64)tid << 2 | kind);
	u32 i;

	if (!ns)
		return;
	hash_table__for_each (&weights->by_lone, hash, i) {
		struct lone_time *l = &weights->lone.v[i];

		if (l->tid == tid && l->kind == kind) {
			l->ns += ns;
			return;
		}
	}
	hash_table__insert(&weights->by_lone, hash, (u32)weights->lone.nr);
	array__add(&weights->lone, ((struct lone_time){ pid, tid, kind, ns }));
}

/* Count time in which a thread was ready, up to a time, for its next sample of that. */
static void weighing__add_ready(struct weighing *w, const struct time_line *l, u64 until, u64 ns)
{
	size_t *at = &w->lines[l - w->weights->lines.v.v].at_ready;

	if (!ns)
		return;
	if (!l->readies.nr) {
		weighing__add_lone(w, l->pid, l->tid, LONE_READY, ns);
		return;
	}
	*at = bisect_near(k, *at, l->readies.nr, l->readies.v[k].time < until);
	w->weights->ns[l->readies.v[MIN(*at, l->readies.nr - 1)].number] += ns;
}

static u64 overlap(u64 from, u64 to, u64 begin, u64 end)
{
	from = MAX(from, begin);
	to = MIN(to, end);
	return from < to ? to - from : 0;
}

/* Count what a span has of [from, to). Return how much that is. */
static u64 weighing__add_span(struct weighing *w, const struct time_line *l, const struct line_span *s,
			      u64 from, u64 to, u64 times)
{
	const struct line_wait *wait = &w->weights->lines.waits.v[s->wait];
	u64 ns = overlap(from, to, s->begin, s->end),
	    waited = wait->is_ready ? ns : overlap(from, to, s->begin, s->woken);

	if (wait->is_not_recorded) {
		weighing__add_lone(w, l->pid, l->tid, LONE_NOT_RECORDED, ns * times);
		return ns;
	}
	w->weights->ns[wait->number] += waited * times;
	weighing__add_ready(w, l, s->end, (ns - waited) * times);
	return ns;
}

static void line_sums__init(struct line_sums *sums, const struct time_line *l)
{
	if (sums->spans)
		return;
	sums->spans = xcalloc(l->spans.nr + 1, sizeof(*sums->spans));
	sums->runs = xcalloc(l->runs.nr + 1, sizeof(*sums->runs));
}

/* Count the samples on the CPU in (from, to]. */
static void line_sums__add_runs(struct line_sums *sums, const struct time_line *l, u64 from, u64 to,
				u64 times)
{
	size_t begin = bisect_near(k, sums->at_run, l->runs.nr, l->runs.v[k].time <= from),
	       end = bisect_near(k, begin, l->runs.nr, l->runs.v[k].time <= to);

	sums->at_run = begin;
	sums->runs[begin] += times;
	sums->runs[end] -= times;
}

void weighing__add(struct weighing *w, u32 line, u64 from, u64 to, u64 times, u32 ended)
{
	const struct time_line *l = &w->weights->lines.v.v[line];
	struct line_sums *sums = &w->lines[line];
	u64 not_run = 0, ran;
	size_t begin, end;

	if (from >= to || !times)
		return;
	line_sums__init(sums, l);
	if (!l->is_recorded) {
		weighing__add_lone(w, l->pid, l->tid, LONE_NOT_RECORDED, (to - from) * times);
		return;
	}
	begin = bisect_near(k, sums->at_span, l->spans.nr, l->spans.v[k].end <= from);
	end = bisect_near(k, begin, l->spans.nr, l->spans.v[k].begin < to);
	sums->at_span = begin;
	if (begin < end && l->spans.v[begin].begin < from)
		not_run += weighing__add_span(w, l, &l->spans.v[begin++], from, to, times);
	if (begin < end && l->spans.v[end - 1].end > to)
		not_run += weighing__add_span(w, l, &l->spans.v[--end], from, to, times);
	if (begin < end) {
		const struct line_span *first = &l->spans.v[begin], *last = &l->spans.v[end - 1];

		sums->spans[begin] += times;
		sums->spans[end] -= times;
		not_run += last->before + line_span__ns(last) - first->before;
	}
	line_sums__add_runs(sums, l, from, to, times);
	ran = (to - from - not_run) * times;
	if (ended == NOT_ENDED)
		sums->ran += ran;
	else
		w->ended[ended] += ran;
}

/* ---- from sums to weights ---- */

/* Return x * part / whole, rounded down. */
static u64 share(u64 x, u64 part, u64 whole)
{
	return (u64)((unsigned __int128)x * part / whole);
}

static void weighing__finish_spans(struct weighing *w, const struct time_line *l,
				   const struct line_sums *sums)
{
	u64 times = 0;

	for (size_t i = 0; i < l->spans.nr; i++) {
		const struct line_span *s = &l->spans.v[i];

		times += sums->spans[i];
		if (times)
			weighing__add_span(w, l, s, s->begin, s->end, times);
	}
}

/* Spread ns over the samples on the CPU that are wanted. Return false if there are none. */
static bool weighing__spread(struct weighing *w, const struct time_line *l, const struct line_sums *sums,
			     u64 ns)
{
	u64 all = 0, times = 0, sum = 0, given = 0;

	for (size_t i = 0; i < l->runs.nr; i++) {
		times += sums->runs[i];
		all += times;
	}
	times = 0;
	for (size_t i = 0; all && i < l->runs.nr; i++) {
		u64 upto;

		times += sums->runs[i];
		sum += times;
		upto = share(ns, sum, all);
		w->weights->ns[l->runs.v[i].number] += upto - given;
		given = upto;
	}
	return all;
}

/* ended: the line's part of lines.ended. */
static void weighing__finish_line(struct weighing *w, u32 line, size_t ended, size_t nr_ended)
{
	const struct time_lines *t = &w->weights->lines;
	const struct time_line *l = &t->v.v[line];
	const struct line_sums *sums = &w->lines[line];
	u64 ran = sums->ran;

	if (!sums->spans)
		return;
	for (size_t i = ended; i < ended + nr_ended; i++)
		ran += w->ended[i];
	weighing__finish_spans(w, l, sums);
	if (weighing__spread(w, l, sums, ran))
		return;
	for (size_t i = ended; i < ended + nr_ended; i++)
		w->weights->ns[t->ended.v[i].number] += w->ended[i];
	weighing__add_lone(w, l->pid, l->tid, LONE_RAN, sums->ran);
}

void weighing__finish(struct weighing *w)
{
	const struct time_lines *t = &w->weights->lines;
	size_t ended = 0, end;

	for (size_t i = 0; i < t->v.nr; i++, ended = end) {
		for (end = ended; end < t->ended.nr && t->ended.v[end].line == i;)
			end++;
		weighing__finish_line(w, (u32)i, ended, end - ended);
	}
	for (size_t i = 0; i < t->nr_samples; i++)
		w->weights->facts.ns += w->weights->ns[i];
	for (size_t i = 0; i < w->weights->lone.nr; i++)
		w->weights->facts.ns += w->weights->lone.v[i].ns;
}
