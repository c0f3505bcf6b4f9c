#include "profile/compare/compare_text.h"

#include "base/message/called_name.h"
#include "profile/compare/touched.h"

#include <math.h>
#include <string.h>

#define WAITS "offcpu-time" /* event of record --off-cpu */
#define UNEVEN_NAMES 0.25   /* part of the cost that has no names on one side only */
#define LEAST_COMMON 0.005  /* smallest change of all functions to report: other changes exclude it */

enum {
	EXPLAINING = 3,      /* functions on top */
	LISTED_UNKNOWN = 10, /* rows of "cannot tell" */
};

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
	static const char *const counts[] = { "", " K", " M", " G", " T", " P" };
	size_t i = 0;

	if (c->is_time) {
		strbuf__add_duration(sb, cost);
		return;
	}
	for (; i < ARRAY_SIZE(counts) - 1 && fabs(cost) >= 999.95; i++)
		cost /= 1000;
	strbuf__addf(sb, fabs(cost) < 9.995 ? "%.2f%s" : "%.1f%s", cost, counts[i]);
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

bool evidence_row__is_tested(const struct evidence_row *row)
{
	return row->cost[COMPARE_OLD] + row->cost[COMPARE_NEW] > 0 && row->verdict != VERDICT_FEW;
}

double evidence_row__plain(const struct evidence_row *row)
{
	return row->cost[COMPARE_OLD] > 0 ? row->cost[COMPARE_NEW] / row->cost[COMPARE_OLD] : INFINITY;
}

bool comparison__shares_change(const struct comparison *c)
{
	return fabs(c->self.common - 1) >= LEAST_COMMON;
}

void compare_text__add_plain(struct strbuf *sb, const struct comparison *c)
{
	strbuf__addstr(sb,
		       "Plain: new / old. Change: what is left of that without what all functions share, ");
	compare_text__add_change(sb, c->self.common);
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

static void add_unit(struct strbuf *sb, const struct comparison *c, const struct cell_style *style)
{
	switch (c->unit) {
	case COMPARE_RUNS:
		strbuf__addstr(sb, "a run");
		break;
	case COMPARE_SECONDS:
		strbuf__addstr(sb, "a second");
		break;
	case COMPARE_NUMBER:
		strbuf__addstr(sb, "1/");
		cell_style__add_text(style, sb, c->opts.per);
		break;
	case COMPARE_EVENT:
		strbuf__addstr(sb, "one of ");
		cell_style__add_text(style, sb, c->opts.per);
	}
}

void compare_text__add_function(struct strbuf *sb, const struct compared *row, const struct cell_style *style)
{
	cell_style__add_name(style, sb, row->name);
	if (strcmp(row->name, UNKNOWN_FUNCTION))
		return;
	strbuf__addstr(sb, " in ");
	if (*row->dso)
		cell_style__add_text(style, sb, row->dso);
	else
		strbuf__addstr(sb, "no binary");
}

bool comparison__has_replicates(const struct comparison *c)
{
	return c->nr[0] + c->nr[1] > 2;
}

/* Is a row that did not change expensive enough to be listed? */
static bool is_of_interest(const struct comparison *c, const struct compared *row)
{
	double largest = MAX(row->self.cost[0], row->self.cost[1]);

	return row->verdict == VERDICT_UNKNOWN && largest >= c->opts.least_total * c->self.total[0];
}

bool comparison__lists(const struct comparison *c, const struct compared *row, u32 *nr_unknown)
{
	if (verdict__is_change(row->verdict))
		return true;
	if (!is_of_interest(c, row) || *nr_unknown == LISTED_UNKNOWN)
		return false;
	++*nr_unknown;
	return true;
}

static void add_side(struct strbuf *sb, const struct comparison *c, const struct cell_style *style, u32 side)
{
	for (size_t i = 0; i < c->recordings.nr; i++)
		if (c->recordings.v[i].side == side) {
			cell_style__add_text(style, sb, c->recordings.v[i].path);
			break;
		}
	if (c->nr[side] > 1)
		strbuf__addf(sb, " and %u more", c->nr[side] - 1);
}

void compare_text__add_recordings(struct strbuf *sb, const struct comparison *c,
				  const struct cell_style *style)
{
	add_side(sb, c, style, COMPARE_OLD);
	strbuf__addstr(sb, " -> ");
	add_side(sb, c, style, COMPARE_NEW);
}

bool comparison__has_merged(const struct comparison *c)
{
	for (size_t i = 0; i < c->recordings.nr; i++)
		if (c->recordings.v[i].is_merged)
			return true;
	return false;
}

void compare_text__add_total(struct strbuf *line, const struct comparison *c, const struct cell_style *style)
{
	const struct evidence *e = &c->self;

	strbuf__addstr(line, "Total ");
	cell_style__add_text(style, line, c->event);
	strbuf__addstr(line, " for ");
	add_unit(line, c, style);
	strbuf__addstr(line, ": ");
	compare_text__add_cost(line, c, e->total[0]);
	strbuf__addstr(line, " -> ");
	compare_text__add_cost(line, c, e->total[1]);
	strbuf__addstr(line, ", ");
	compare_text__add_change(line, e->total[1] / e->total[0]);
	if (isnan(e->total_low)) {
		strbuf__addstr(line, comparison__has_merged(c)
					     ? " (merged recordings do not tell how much they vary)"
				     : c->unit == COMPARE_RUNS
					     ? " (one run each does not tell how much runs vary)"
					     : " (one recording each does not tell how much it varies)");
	} else {
		strbuf__addstr(line, " (");
		compare_text__add_change(line, e->total_low);
		strbuf__addstr(line, " .. ");
		compare_text__add_change(line, e->total_high);
		strbuf__addstr(line, ")");
	}
	if (comparison__hides_total(c))
		strbuf__addf(line, ": cannot tell, as the sides were sampled differently (%s)",
			     c->sampling.why.buf);
}

/* Append what changed between the commits, and how many functions of each verdict it touched. */
static void add_source(struct strbuf *line, const struct comparison *c, const struct cell_style *style)
{
	const struct source_change *s = c->change;
	u32 touched[NR_VERDICTS] = { 0 }, nr = 0;

	for (size_t i = 0; i < c->rows.nr; i++) {
		touched[c->rows.v[i].verdict] += compared__is_touched(&c->rows.v[i]);
		nr += compared__is_touched(&c->rows.v[i]);
	}
	strbuf__addf(line, "; %.12s..%.12s changed %u file%s, and touched %u function%s with samples: ",
		     s->commits[0].name, s->commits[1].name, s->nr_files, s->nr_files == 1 ? "" : "s", nr,
		     nr == 1 ? "" : "s");
	for (u32 k = 0; k < 2; k++) {
		enum verdict v = k ? VERDICT_FASTER : VERDICT_SLOWER;

		strbuf__addf(line, "%s%u of %u that %s %s", k ? ", " : "", touched[v], c->nr_verdicts[v],
			     c->nr_verdicts[v] == 1 ? "is" : "are", verdict__name(v));
	}
	if (s->build_file) {
		strbuf__addstr(line, "; the build changed, too (");
		cell_style__add_text(style, line, s->build_file);
		strbuf__addch(line, ')');
	}
	if (s->nr_unread)
		strbuf__addf(line, "; %u of their versions could not be read (too large, or missing)",
			     s->nr_unread);
	if (s->submodule_differs)
		strbuf__addstr(line, "; a submodule changed, too, which is not looked at");
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
	if (comparison__shares_change(c)) {
		strbuf__addstr(line, "; apart from that, all functions: ");
		compare_text__add_change(line, e->common);
		strbuf__addstr(line, " (");
		compare_text__add_change(line, e->common_low);
		strbuf__addstr(line, " .. ");
		compare_text__add_change(line, e->common_high);
		strbuf__addch(line, ')');
		if (!comparison__has_replicates(c) && (e->common_low > 1 || e->common_high < 1))
			strbuf__addstr(line, ", by the machine, the input or the build");
	}
	if (c->change)
		add_source(line, c, style);
	if (c->lacks_lines) {
		strbuf__addstr(line, "; without inlined functions, as --no-inline: ");
		cell_style__add_text(style, line, c->lacks_lines);
	}
}

/*
 * Is the row uncertain because samples may be in step with it, rather than by chance? Then more samples of
 * this kind add little.
 */
static bool is_limited_by_step(const struct compared *row)
{
	return row->in_step && row->self.doubt * 2 > row->self.log_error * row->self.log_error;
}

enum { NEEDS_MAX = 100 }; /* more is as good as never */

/*
 * Append how many more runs, or times the samples, a verdict needs. At least one run more, or twice the
 * samples: those that there are gave none.
 */
static void add_needs(struct strbuf *sb, const struct comparison *c, const struct compared *row,
		      bool is_short)
{
	bool has_runs = c->nr[0] > 1 && c->nr[1] > 1;
	double times = row->self.needs, least = has_runs ? 1 : 2;
	double more = ceil(has_runs ? (times - 1) * MIN(c->nr[0], c->nr[1]) : times);
	double shown = MAX(least, MIN(more, (double)NEEDS_MAX));
	const char *over = more > NEEDS_MAX ? "over " : "";

	if (is_short)
		strbuf__addf(sb, has_runs ? " (+%.0f)" : " (x%.0f)", shown);
	else
		strbuf__addf(sb, " (needs %s%.0f %s)", over, shown,
			     !has_runs    ? "times the samples"
			     : shown == 1 ? "more run each"
					  : "more runs each");
}

/* Append which touched function explains a change of one that was not touched, if any. */
static void add_neighbour(struct strbuf *sb, const struct comparison *c, const struct compared *row,
			  const struct cell_style *style)
{
	u32 neighbour = row->touched_caller != COMPARE_NO_ROW ? row->touched_caller : row->touched_callee;

	if (neighbour != COMPARE_NO_ROW) {
		strbuf__addstr(sb, neighbour == row->touched_caller ? "; called by " : "; calls ");
		cell_style__add_text(style, sb, c->rows.v[neighbour].name);
		strbuf__addstr(sb, ", which was");
	} else if (row->code[0] && row->code[0] == row->code[1]) {
		strbuf__addstr(sb, "; same code: where it lies, its data, or the machine");
	}
}

/* Append whether the change of the source touched the function, if that was asked for and tells something. */
static void add_touch(struct strbuf *sb, const struct comparison *c, const struct compared *row,
		      const struct cell_style *style, bool is_short)
{
	bool is_change = verdict__is_change(row->verdict);

	switch (row->touch) {
	case TOUCH_YES:
		strbuf__addstr(sb, " (touched)");
		break;
	case TOUCH_USES:
		strbuf__addstr(sb, " (uses ");
		cell_style__add_text(style, sb, row->used);
		strbuf__addstr(sb, is_short ? ")" : ", which was touched)");
		break;
	case TOUCH_NO:
		strbuf__addstr(sb, is_change ? " (not touched" : "");
		if (is_change && !is_short)
			add_neighbour(sb, c, row, style);
		strbuf__addstr(sb, is_change ? ")" : "");
		break;
	case TOUCH_OUTSIDE:
	case TOUCH_UNKNOWN:
		if (is_change && !is_short)
			strbuf__addstr(sb, row->touch == TOUCH_OUTSIDE ? " (not in the repository)"
								       : " (no source lines)");
		break;
	case TOUCH_NOT_ASKED:
		break;
	}
}

void compare_text__add_remark(struct strbuf *sb, const struct comparison *c, const struct compared *row,
			      const struct cell_style *style, bool is_short)
{
	add_touch(sb, c, row, style, is_short);
	if (row->other != COMPARE_NO_ROW) {
		strbuf__addstr(sb, row->self.cost[0] > 0 ? " (now " : " (was ");
		cell_style__add_text(style, sb, c->rows.v[row->other].name);
		strbuf__addstr(sb, "?)");
	} else if (row->verdict == VERDICT_UNKNOWN && is_limited_by_step(row)) {
		strbuf__addstr(sb, is_short ? " (in step?)" : " (samples may be in step with it)");
	} else if (row->verdict == VERDICT_UNKNOWN && row->self.is_burst) {
		strbuf__addstr(sb, is_short ? " (burst)" : " (one short burst: needs several runs each)");
	} else if (row->verdict == VERDICT_UNKNOWN) {
		add_needs(sb, c, row, is_short);
	}
}

void compare_text__add_rest(struct strbuf *sb, const struct comparison *c, u32 nr_unknown)
{
	strbuf__addf(sb, "further functions: %u cannot be told apart, %u same, %u with too few samples",
		     c->nr_verdicts[VERDICT_UNKNOWN] - nr_unknown, c->nr_verdicts[VERDICT_SAME],
		     c->nr_verdicts[VERDICT_FEW]);
}

static void add_arch(struct strbuf *sb, const char *before, const char *path, const char *verb,
		     const char *arch)
{
	strbuf__addf(sb, "%s'", before);
	strbuf__add_masked(sb, path);
	strbuf__addf(sb, "'%s of ", verb);
	strbuf__add_masked(sb, arch);
}

void compare_text__add_machines(struct strbuf *sb, const char *path, const char *arch, const char *other_path,
				const char *other_arch)
{
	if (!arch || !other_arch || !strcmp(arch, other_arch))
		return;
	add_arch(sb, "", path, " is", arch);
	add_arch(sb, ", ", other_path, "", other_arch);
	strbuf__addstr(sb, ": differences are of the processors, too");
}

/* Warn that the costs are from two kinds of processors. */
static void add_other_machine(struct strbuf *sb, const struct comparison *c)
{
	const struct compared_recording *first = c->recordings.v;
	size_t len = sb->len;

	for (size_t i = 1; i < c->recordings.nr && sb->len == len; i++)
		compare_text__add_machines(sb, first->path, first->arch, c->recordings.v[i].path,
					   c->recordings.v[i].arch);
}

/* Warn that one side lacks names that the other one has: its functions look new, and the other ones gone. */
static void add_missing_names(struct strbuf *sb, const struct comparison *c)
{
	double unknown[2] = { 0 }, parts[2];

	for (size_t i = 0; i < c->rows.nr; i++)
		for (u32 s = 0; s < 2 && !strcmp(c->rows.v[i].name, UNKNOWN_FUNCTION); s++)
			unknown[s] += c->rows.v[i].self.cost[s];
	for (u32 s = 0; s < 2; s++)
		parts[s] = unknown[s] / c->self.total[s];
	if (fabs(parts[0] - parts[1]) < UNEVEN_NAMES)
		return;
	strbuf__addf(sb,
		     "functions look new or gone: of the %s side, %.0f%% has no names, of the other %.0f%%; "
		     "%s doctor FILE says why",
		     parts[0] > parts[1] ? "old" : "new", 100 * MAX(parts[0], parts[1]),
		     100 * MIN(parts[0], parts[1]), called_name());
}

/*
 * Warn that samples at equal distances may meet a program that works in rounds at the same points of each
 * round.
 */
static void add_step(struct strbuf *sb, const struct comparison *c)
{
	u32 nr = 0;

	for (size_t i = 0; i < c->rows.nr; i++)
		nr += c->rows.v[i].verdict == VERDICT_UNKNOWN && is_limited_by_step(&c->rows.v[i]);
	if (nr)
		strbuf__addf(
			sb,
			"the samples came at equal distances, and may be in step with what the program does: "
			"of "
			"%u function%s that hides a change. Recordings of %s record do not have that, unless "
			"-c or --fixed-rate asks for it",
			nr, nr == 1 ? "" : "s", called_name());
}

/* Warn that samples may have cost one side more than the other. */
static void add_sampling(struct strbuf *sb, const struct comparison *c)
{
	u32 side = c->sampling.part[COMPARE_NEW] > c->sampling.part[COMPARE_OLD];
	double part = c->sampling.part[side];

	if (!c->sampling.why.len)
		return;
	strbuf__addf(sb, "the sides were sampled differently (%s), which costs time: ", c->sampling.why.buf);
	if (part < 1)
		strbuf__addf(sb, "up to %.0f%% of the total of the %s side; ", ceil(100 * part),
			     side ? "new" : "old");
	strbuf__addstr(sb, "to compare totals, record both sides with the same options");
}

/* Say that waits are another event, if the user did not choose one. */
static void add_waits(struct strbuf *sb, const struct comparison *c)
{
	bool has_waits = c->recordings.nr && !c->opts.event, has_spans = true;

	for (size_t i = 0; i < c->recordings.nr; i++) {
		has_waits &= c->recordings.v[i].sampling.nr_waits > 0;
		has_spans &= c->recordings.v[i].sampling.has_spans;
	}
	if (has_waits && strcmp(c->event, WAITS) != 0)
		strbuf__addf(sb, "waits were not compared: type -e " WAITS "%s",
			     has_spans ? " to compare them by function, --span by span" : "");
}

bool compare_text__add_warning(struct strbuf *sb, const struct comparison *c, u32 i)
{
	static void (*const warnings[])(struct strbuf *,
					const struct comparison *) = { add_other_machine, add_missing_names,
								       add_step, add_sampling, add_waits };

	if (i >= ARRAY_SIZE(warnings))
		return false;
	warnings[i](sb, c);
	return true;
}
