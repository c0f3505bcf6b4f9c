#include "ui/diff/span_diff_view.h"

#include "base/message/called_name.h"
#include "base/text/fit.h"
#include "base/text/json_member.h"
#include "profile/compare/compare_text.h"
#include "profile/compare/compared.h"

#include <math.h>
#include <string.h>

enum {
	COLUMNS = 80,
	TIME = 9,         /* columns of a time */
	CHANGE = 10,      /* of a change */
	INTERVAL = 23,    /* of its interval */
	VERDICT = 11,     /* of the verdict */
	LISTED = 12,      /* reasons without a verdict of a change that are listed */
	LEAST_SHOWN = 200 /* ... if they are 1/200 of the mean */
};

const char *span_change__name(u32 change)
{
	static const char *const names[NR_SPAN_CHANGES] = { "p50", "p90", "p99",
							    "p99.9", [SPAN_MEAN] = "mean" };

	return names[change];
}

/* ---- cells ---- */

static void add_right(struct strbuf *sb, const struct strbuf *cell, int width)
{
	strbuf__addf(sb, "%*s", width, cell->buf);
}

static void add_time(struct strbuf *sb, double ns)
{
	if (ns > 0)
		strbuf__add_duration(sb, ns);
	else
		strbuf__addstr(sb, "0");
}

/* Append a difference with its sign. */
static void add_difference(struct strbuf *sb, double ns)
{
	strbuf__addstr(sb, ns < 0 ? "-" : ns > 0 ? "+" : "");
	add_time(sb, fabs(ns));
}

static void add_values(struct strbuf *sb, const double *value)
{
	struct strbuf cell = STRBUF_INIT;

	for (u32 i = 0; i < 2; i++) {
		strbuf__reset(&cell);
		add_time(&cell, value[i]);
		add_right(sb, &cell, TIME);
	}
	strbuf__exit(&cell);
}

/* ---- durations ---- */

static void add_interval(struct strbuf *sb, const struct span_change *c)
{
	if (c->change_low > 0)
		compare_text__add_change(sb, c->change_low);
	else
		strbuf__addstr(sb, "any");
	if (!(c->change_low > 0) && isinf(c->change_high))
		return;
	strbuf__addstr(sb, " .. ");
	if (isinf(c->change_high))
		strbuf__addstr(sb, "any");
	else
		compare_text__add_change(sb, c->change_high);
}

static void add_change(struct strbuf *sb, const struct span_change *c, const char *name)
{
	struct strbuf cell = STRBUF_INIT;

	add_values(sb, c->value);
	compare_text__add_change(&cell, c->value[0] > 0 && c->value[1] > 0 ? c->change : NAN);
	add_right(sb, &cell, CHANGE);
	strbuf__reset(&cell);
	if (c->verdict != VERDICT_FEW)
		add_interval(&cell, c);
	add_right(sb, &cell, INTERVAL);
	strbuf__addf(sb, "  %-*s %s\n", VERDICT, verdict__name(c->verdict), name);
	strbuf__exit(&cell);
}

static void add_max(struct strbuf *sb, const struct span_compare *c)
{
	const double max[2] = { (double)span_side__max(&c->sides[0]), (double)span_side__max(&c->sides[1]) };
	struct strbuf cell = STRBUF_INIT;

	add_values(sb, max);
	compare_text__add_change(&cell, max[0] > 0 && max[1] > 0 ? max[1] / max[0] : NAN);
	add_right(sb, &cell, CHANGE);
	strbuf__addf(sb, "%*s  %-*s %s\n", INTERVAL, "", VERDICT, "", "max");
	strbuf__exit(&cell);
}

/* ---- what explains the difference ---- */

static const char *reason_verdict(enum verdict v)
{
	return v == VERDICT_SLOWER ? "more" : v == VERDICT_FASTER ? "less" : verdict__name(v);
}

static bool reason__is_change(const struct reason_change *r)
{
	return r->verdict == VERDICT_SLOWER || r->verdict == VERDICT_FASTER;
}

static void add_words(struct strbuf *sb, const char *text, const struct span_diff_opts *o, size_t line)
{
	unsigned used = fit__columns(sb->buf + line, sb->len - line);
	struct strbuf masked = STRBUF_INIT;

	strbuf__add_masked(&masked, text);
	if (o->columns)
		fit__shorten(sb, masked.buf, masked.len, MAX(o->columns, used + 12) - used);
	else
		strbuf__addstr(sb, masked.buf);
	strbuf__exit(&masked);
}

static void add_reason(struct strbuf *sb, const struct span_compare *c, const struct reason_change *r,
		       const struct span_diff_opts *o)
{
	struct strbuf cell = STRBUF_INIT;
	size_t line = sb->len;

	add_values(sb, r->value);
	add_difference(&cell, r->change);
	add_right(sb, &cell, CHANGE);
	strbuf__reset(&cell);
	add_difference(&cell, r->change_low);
	strbuf__addstr(&cell, " .. ");
	add_difference(&cell, r->change_high);
	add_right(sb, &cell, INTERVAL);
	strbuf__addf(sb, "  %-*s ", VERDICT, reason_verdict(r->verdict));
	add_words(sb, strpool__get(&c->names, r->name), o, line);
	strbuf__addch(sb, '\n');
	strbuf__exit(&cell);
}

static void add_reasons(struct strbuf *sb, const struct span_compare *c, const struct span_diff_opts *o)
{
	const double *mean = c->changes[SPAN_MEAN].value;
	double rest[2] = { 0, 0 };
	u32 listed = 0;

	strbuf__addf(sb, "#\n#%*s%*s%*s%*s  %-*s %s\n", TIME - 1, "Old", TIME, "New", CHANGE, "Change",
		     INTERVAL, "95% interval", VERDICT, "Verdict", "Mean time for a span");
	for (size_t i = 0; i < c->reasons.nr; i++) {
		const struct reason_change *r = &c->reasons.v[i];
		bool is_large = r->value[0] > mean[0] / LEAST_SHOWN || r->value[1] > mean[1] / LEAST_SHOWN;

		if (reason__is_change(r) || (is_large && listed++ < LISTED)) {
			add_reason(sb, c, r, o);
			continue;
		}
		rest[0] += r->value[0];
		rest[1] += r->value[1];
	}
	if (rest[0] + rest[1] > 0) {
		add_values(sb, rest);
		strbuf__addf(sb, "%*s  %-*s %s\n", CHANGE + INTERVAL, "", VERDICT, "", "all others");
	}
}

static void add_no_reasons(struct strbuf *sb, const struct span_compare *c)
{
	struct strbuf line = STRBUF_INIT;
	bool both = c->sides[0].lacks_times && c->sides[1].lacks_times;

	strbuf__addf(
		&line,
		"# What explains the difference is not known: %s do not know when threads waited; record "
		"as root with: %s record --span FUNCTION --off-cpu=locks -g ...",
		both                      ? "the recordings"
		: c->sides[0].lacks_times ? "old recordings"
					  : "new recordings",
		called_name());
	strbuf__addstr(sb, "#\n");
	fit__wrap(sb, line.buf, "#   ", COLUMNS);
	strbuf__addch(sb, '\n');
	strbuf__exit(&line);
}

/* ---- the lines above ---- */

static void add_side(struct strbuf *sb, const struct span_diff_opts *o, u32 side)
{
	u32 first = side ? o->nr_old : 0, nr = side ? o->nr_files - o->nr_old : o->nr_old;

	strbuf__add_masked(sb, o->paths[first]);
	if (nr > 1)
		strbuf__addf(sb, " and %u more", nr - 1);
}

static void add_number(struct strbuf *sb, const struct span_side *s)
{
	strbuf__addf(sb, "%.0f", s->durations.nr);
	if (s->seconds > 0) {
		strbuf__addstr(sb, " (");
		spans__add_rate(sb, s->durations.nr / s->seconds);
		strbuf__addch(sb, ')');
	}
}

/* Append the answer in words: what is slower, and the largest reason for it. */
static void add_answer(struct strbuf *line, const struct span_compare *c)
{
	static const enum verdict verdicts[] = { VERDICT_SLOWER, VERDICT_FASTER };
	struct strbuf what = STRBUF_INIT;

	for (size_t v = 0; v < ARRAY_SIZE(verdicts); v++) {
		u32 nr = 0;

		for (u32 i = 0; i < NR_SPAN_CHANGES; i++) {
			if (c->changes[i].verdict != verdicts[v])
				continue;
			if (!nr++)
				strbuf__addf(&what, "%s%s: ", what.len ? "; " : "",
					     verdict__name(verdicts[v]));
			else
				strbuf__addstr(&what, ", ");
			strbuf__addf(&what, "%s ", span_change__name(i));
			compare_text__add_change(&what, c->changes[i].change);
		}
	}
	strbuf__addf(line, "# %s", what.len ? what.buf : "No duration is known to have changed");
	for (size_t i = 0; i < c->reasons.nr; i++) {
		const struct reason_change *r = &c->reasons.v[i];

		if (!reason__is_change(r))
			continue;
		strbuf__addstr(line, "; for a span ");
		add_time(line, fabs(r->change));
		strbuf__addf(line, " %s: ", reason_verdict(r->verdict));
		strbuf__add_masked(line, strpool__get(&c->names, r->name));
		break;
	}
	strbuf__exit(&what);
}

static void add_comment(struct strbuf *sb, struct strbuf *line)
{
	fit__wrap(sb, line->buf, "#   ", COLUMNS);
	strbuf__addch(sb, '\n');
	strbuf__reset(line);
}

static void add_title(struct strbuf *sb, const struct span_compare *c, const struct span_diff_opts *o)
{
	struct strbuf line = STRBUF_INIT;

	strbuf__addstr(&line, "# Spans '");
	strbuf__add_masked(&line, o->name);
	strbuf__addstr(&line, "': ");
	add_side(&line, o, COMPARE_OLD);
	strbuf__addstr(&line, " -> ");
	add_side(&line, o, COMPARE_NEW);
	add_comment(sb, &line);
	add_answer(&line, c);
	add_comment(sb, &line);
	strbuf__addstr(&line, "# Number: ");
	add_number(&line, &c->sides[0]);
	strbuf__addstr(&line, " -> ");
	add_number(&line, &c->sides[1]);
	add_comment(sb, &line);
	if (c->sides[0].durations.nr_recordings + c->sides[1].durations.nr_recordings < 3) {
		strbuf__addf(
			&line,
			"# One recording a side: runs are taken to differ by %s without a reason; several "
			"recordings tell (OLD... -- NEW...)",
			c->sides[0].lacks_times || c->sides[1].lacks_times ? "20%" : "5%");
		add_comment(sb, &line);
	}
	strbuf__addstr(sb, "#\n");
	strbuf__exit(&line);
}

void span_diff_view__add(const struct span_compare *c, const struct span_diff_opts *o, struct strbuf *sb)
{
	if (!o->quiet) {
		add_title(sb, c, o);
		strbuf__addf(sb, "#%*s%*s%*s%*s  %-*s %s\n", TIME - 1, "Old", TIME, "New", CHANGE, "Change",
			     INTERVAL, "95% interval", VERDICT, "Verdict", "Duration");
	}
	for (u32 i = 0; i < NR_SPAN_QUANTILES; i++)
		add_change(sb, &c->changes[i], span_change__name(i));
	add_max(sb, c);
	add_change(sb, &c->changes[SPAN_MEAN], span_change__name(SPAN_MEAN));
	if (c->sides[0].lacks_times || c->sides[1].lacks_times)
		add_no_reasons(sb, c);
	else
		add_reasons(sb, c, o);
}

/* ---- JSON ---- */

static void add_sides(struct strbuf *sb, const struct span_compare *c, const struct span_diff_opts *o)
{
	strbuf__addstr(sb, "\"recordings\":[");
	for (u32 i = 0; i < o->nr_files; i++) {
		strbuf__addf(sb, "%s{\"side\":\"%s\",\"path\":", i ? "," : "", i < o->nr_old ? "old" : "new");
		strbuf__add_json(sb, o->paths[i]);
		strbuf__addch(sb, '}');
	}
	strbuf__addstr(sb, "],\n\"sides\":[");
	for (u32 i = 0; i < 2; i++) {
		const struct span_side *s = &c->sides[i];

		strbuf__addf(sb, "%s{\"side\":\"%s\",\"number\":%.0f,\"recorded\":%zu,", i ? ",\n" : "",
			     i ? "new" : "old", s->durations.nr, s->durations.v.nr);
		json_member__number(sb, "seconds", s->seconds);
		strbuf__addf(sb, ",\"max\":%llu,\"cost\":%u", (unsigned long long)span_side__max(s), s->cost);
		strbuf__addf(sb,
			     ",\"missing\":{\"unfinished\":%u,\"left\":%u,\"lost\":%u,\"began_before\":%u}}",
			     s->losses.unfinished, s->losses.left, s->losses.lost, s->losses.strays);
	}
	strbuf__addch(sb, ']');
}

static void add_durations(struct strbuf *sb, const struct span_compare *c)
{
	strbuf__addstr(sb, ",\n\"durations\":[");
	for (u32 i = 0; i < NR_SPAN_CHANGES; i++) {
		const struct span_change *x = &c->changes[i];
		bool has_interval = x->verdict != VERDICT_FEW;

		strbuf__addf(sb, "%s{\"what\":\"%s\"", i ? ",\n" : "", span_change__name(i));
		for (u32 side = 0; side < 2; side++) {
			strbuf__addf(sb, ",\"%s\":{", side ? "new" : "old");
			json_member__number(sb, "ns", x->value[side]);
			strbuf__addch(sb, ',');
			json_member__number(sb, "low", x->low[side]);
			strbuf__addch(sb, ',');
			json_member__number(sb, "high", x->high[side]);
			strbuf__addch(sb, '}');
		}
		strbuf__addch(sb, ',');
		json_member__number(sb, "change", x->value[0] > 0 ? x->change : NAN);
		strbuf__addch(sb, ',');
		json_member__number(sb, "low", has_interval ? x->change_low : NAN);
		strbuf__addch(sb, ',');
		json_member__number(sb, "high", has_interval ? x->change_high : NAN);
		strbuf__addch(sb, ',');
		json_member__number(sb, "p", has_interval ? x->p : NAN);
		strbuf__addf(sb, ",\"verdict\":\"%s\"}", verdict__name(x->verdict));
	}
	strbuf__addch(sb, ']');
}

static void add_json_reasons(struct strbuf *sb, const struct span_compare *c)
{
	strbuf__addstr(sb, ",\n\"reasons\":[");
	for (size_t i = 0; i < c->reasons.nr; i++) {
		const struct reason_change *r = &c->reasons.v[i];

		strbuf__addf(sb, "%s{\"what\":", i ? ",\n" : "");
		strbuf__add_json(sb, strpool__get(&c->names, r->name));
		strbuf__addch(sb, ',');
		json_member__number(sb, "old", r->value[0]);
		strbuf__addch(sb, ',');
		json_member__number(sb, "new", r->value[1]);
		strbuf__addch(sb, ',');
		json_member__number(sb, "change", r->change);
		strbuf__addch(sb, ',');
		json_member__number(sb, "low", r->change_low);
		strbuf__addch(sb, ',');
		json_member__number(sb, "high", r->change_high);
		strbuf__addch(sb, ',');
		json_member__number(sb, "p", r->p);
		strbuf__addf(sb, ",\"verdict\":\"%s\"}", reason_verdict(r->verdict));
	}
	strbuf__addch(sb, ']');
}

void span_diff_view__add_json(const struct span_compare *c, const struct span_diff_opts *o, struct strbuf *sb)
{
	strbuf__addf(sb, "{\"format\":\"perf diff --span\",\"version\":%d,\"name\":", SPAN_DIFF_JSON_VERSION);
	strbuf__add_json(sb, o->name);
	strbuf__addstr(sb, ",\n");
	add_sides(sb, c, o);
	add_durations(sb, c);
	if (!c->sides[0].lacks_times && !c->sides[1].lacks_times)
		add_json_reasons(sb, c);
	strbuf__addstr(sb, "}\n");
}
