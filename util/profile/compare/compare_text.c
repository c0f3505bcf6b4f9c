#include "profile/compare/compare_text.h"

#include <math.h>
#include <string.h>

enum { EXPLAINING = 3 }; /* functions on top */

static const char *const verdicts[NR_VERDICTS] = {
	[VERDICT_FEW] = "too few",   [VERDICT_UNKNOWN] = "cannot tell", [VERDICT_SAME] = "same",
	[VERDICT_FASTER] = "faster", [VERDICT_SLOWER] = "slower",       [VERDICT_GONE] = "gone",
	[VERDICT_NEW] = "new",       [VERDICT_MOVED] = "moved",         [VERDICT_RENAMED] = "renamed",
};

const char *verdict__name(enum verdict v)
{
	return verdicts[v];
}

void compare_text__add_cost(struct strbuf *sb, const struct comparison *c, double cost)
{
	static const char *const times[] = { " ns", " us", " ms", " s" };
	static const char *const counts[] = { "", " K", " M", " G", " T", " P" };
	size_t last = c->is_time ? ARRAY_SIZE(times) - 1 : ARRAY_SIZE(counts) - 1, i = 0;

	for (; i < last && fabs(cost) >= 999.95; i++)
		cost /= 1000;
	strbuf__addf(sb, fabs(cost) < 9.995 ? "%.2f%s" : "%.1f%s", cost, c->is_time ? times[i] : counts[i]);
}

void compare_text__add_change(struct strbuf *sb, double ratio)
{
	if (isinf(ratio) || isnan(ratio))
		strbuf__addstr(sb, "-");
	else if (ratio >= 10)
		strbuf__addf(sb, "x%.0f", ratio);
	else
		strbuf__addf(sb, "%+.1f%%", 100 * (ratio - 1));
}

void compare_text__add_interval(struct strbuf *sb, const struct evidence_row *row)
{
	compare_text__add_change(sb, row->low);
	strbuf__addstr(sb, " .. ");
	if (isinf(row->high))
		strbuf__addstr(sb, "any");
	else
		compare_text__add_change(sb, row->high);
}

static void add_unit(struct strbuf *sb, const struct comparison *c)
{
	switch (c->unit) {
	case COMPARE_RUNS:
		strbuf__addstr(sb, "a run");
		break;
	case COMPARE_SECONDS:
		strbuf__addstr(sb, "a second");
		break;
	case COMPARE_NUMBER:
		strbuf__addf(sb, "1/%s", c->opts.per);
		break;
	case COMPARE_EVENT:
		strbuf__addstr(sb, "one of ");
		strbuf__add_masked(sb, c->opts.per);
	}
}

void compare_text__add_function(struct strbuf *sb, const struct compared *row, const struct cell_style *style)
{
	cell_style__add_name(style, sb, row->name);
	if (strcmp(row->name, UNKNOWN_FUNCTION))
		return;
	strbuf__addstr(sb, " in ");
	strbuf__add_masked(sb, *row->dso ? row->dso : "no binary");
}

bool comparison__has_replicates(const struct comparison *c)
{
	return c->nr[0] + c->nr[1] > 2;
}

static void add_side(struct strbuf *sb, const struct comparison *c, u32 side)
{
	for (size_t i = 0; i < c->recordings.nr; i++)
		if (c->recordings.v[i].side == side) {
			strbuf__add_masked(sb, c->recordings.v[i].path);
			break;
		}
	if (c->nr[side] > 1)
		strbuf__addf(sb, " and %u more", c->nr[side] - 1);
}

void compare_text__add_recordings(struct strbuf *sb, const struct comparison *c)
{
	add_side(sb, c, COMPARE_OLD);
	strbuf__addstr(sb, " -> ");
	add_side(sb, c, COMPARE_NEW);
}

void compare_text__add_total(struct strbuf *line, const struct comparison *c)
{
	const struct evidence *e = &c->self;

	strbuf__addstr(line, "Total ");
	strbuf__add_masked(line, c->event);
	strbuf__addstr(line, " for ");
	add_unit(line, c);
	strbuf__addstr(line, ": ");
	compare_text__add_cost(line, c, e->total[0]);
	strbuf__addstr(line, " -> ");
	compare_text__add_cost(line, c, e->total[1]);
	strbuf__addstr(line, ", ");
	compare_text__add_change(line, e->total[1] / e->total[0]);
	if (isnan(e->total_low)) {
		strbuf__addstr(line, c->unit == COMPARE_RUNS
					     ? " (one run each does not tell how much runs vary)"
					     : " (one recording each does not tell how much it varies)");
	} else {
		strbuf__addstr(line, " (");
		compare_text__add_change(line, e->total_low);
		strbuf__addstr(line, " .. ");
		compare_text__add_change(line, e->total_high);
		strbuf__addstr(line, ")");
	}
}

void compare_text__add_changes(struct strbuf *line, const struct comparison *c,
			       const struct cell_style *style)
{
	const struct evidence *e = &c->self;
	u32 nr = 0;

	for (u32 i = 0; i < NR_VERDICTS; i++)
		nr += verdict__is_change((enum verdict)i) ? c->nr_verdicts[i] : 0;
	strbuf__addf(line, "%u function%s changed", nr, nr == 1 ? "" : "s");
	for (u32 i = 0; i < MIN(nr, (u32)EXPLAINING); i++) {
		const struct compared *row = &c->rows.v[i];
		double change = row->self.cost[1] / e->common - row->self.cost[0];

		strbuf__addstr(line, i ? ", " : ": ");
		compare_text__add_function(line, row, style);
		strbuf__addstr(line, change < 0 ? " " : " +");
		compare_text__add_cost(line, c, change);
	}
	strbuf__addstr(line, nr > EXPLAINING ? ", ..." : "");
	if (e->common_low > 1.002 || e->common_high < 0.998) {
		strbuf__addstr(line, "; apart from that, all functions: ");
		compare_text__add_change(line, e->common);
		strbuf__addstr(line, " (");
		compare_text__add_change(line, e->common_low);
		strbuf__addstr(line, " .. ");
		compare_text__add_change(line, e->common_high);
		strbuf__addstr(line, comparison__has_replicates(c)
					     ? ")"
					     : "), by the machine, the input or the build");
	}
}

enum { NEEDS_MAX = 100 }; /* more is as good as never */

/* Append what would tell: more runs, or more samples. */
static void add_needs(struct strbuf *sb, const struct comparison *c, const struct compared *row,
		      bool is_short)
{
	bool has_runs = c->nr[0] > 1 && c->nr[1] > 1;
	double more =
		has_runs ? ceil((row->self.needs - 1) * MIN(c->nr[0], c->nr[1])) : ceil(row->self.needs);
	double shown = MAX(1.0, MIN(more, (double)NEEDS_MAX));
	const char *over = more > NEEDS_MAX ? "over " : "";

	if (is_short)
		strbuf__addf(sb, has_runs ? " (+%.0f)" : " (x%.0f)", shown);
	else
		strbuf__addf(sb, " (needs %s%.0f %s)", over, shown,
			     has_runs ? "more runs each" : "times the samples");
}

void compare_text__add_remark(struct strbuf *sb, const struct comparison *c, const struct compared *row,
			      bool is_short)
{
	if (row->other != COMPARE_NO_ROW) {
		strbuf__addstr(sb, row->self.cost[0] > 0 ? " (now " : " (was ");
		strbuf__add_masked(sb, c->rows.v[row->other].name);
		strbuf__addstr(sb, "?)");
	} else if (row->verdict == VERDICT_UNKNOWN) {
		add_needs(sb, c, row, is_short);
	}
}
