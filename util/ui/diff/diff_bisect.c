#include "ui/diff/diff_bisect.h"

#include "profile/compare/compare_text.h"

#include <math.h>
#include <string.h>

/* ---- the total ---- */

static enum bisect_status judge_total(const struct comparison *c, double bad_from, double good_below)
{
	const struct evidence *e = &c->self;

	if (comparison__judge_total(c) == VERDICT_SLOWER && e->total[1] / e->total[0] >= 1 + bad_from)
		return BISECT_BAD;
	/* the samples of the old side may hide a change */
	return e->total_high < (1 + good_below) * (1 - c->sampling.part[COMPARE_OLD])
		       ? BISECT_GOOD
		       : BISECT_UNKNOWN; /* NAN: one recording a side */
}

static void add_total(struct strbuf *why, const struct comparison *c)
{
	const struct evidence *e = &c->self;

	strbuf__addstr(why, "the total changed by ");
	compare_text__add_change(why, e->total[1] / e->total[0]);
	if (isnan(e->total_low)) {
		strbuf__addstr(why, ", and one recording a side does not tell how it varies");
		return;
	}
	strbuf__addstr(why, " (");
	compare_text__add_change(why, e->total_low);
	strbuf__addstr(why, " .. ");
	compare_text__add_change(why, e->total_high);
	strbuf__addstr(why, ")");
	if (comparison__hides_total(c))
		strbuf__addstr(why, ", which the different sampling may explain");
}

/* ---- functions ---- */

/* Return the slow-down of a function to look for, as a part of its cost. */
static double least_slow_down(const struct comparison *c, const struct bisect_question *q,
			      const struct compared *row)
{
	const double *cost = row->self.cost;
	double part = q->part > 0 ? q->part : expm1(row->self.interest);

	if (q->filter->symbols.given || !(cost[COMPARE_OLD] > 0))
		return part;
	return MAX(part, c->opts.least_total * c->self.total[COMPARE_OLD] / cost[COMPARE_OLD]);
}

static bool is_judged(const struct comparison *c, const struct bisect_question *q, const struct compared *row)
{
	double largest = MAX(row->self.cost[0], row->self.cost[1]);

	if (q->filter->symbols.given)
		return sample_filter__wants_symbol(q->filter, row->name);
	return largest >= c->opts.least_total * c->self.total[0] && strcmp(row->name, INTERRUPTS);
}

/*
 * Judge a function by its own interval if both sides have it. If a side lacks it, or it traded work with
 * others, the total must tell.
 */
static enum bisect_status judge_row(const struct comparison *c, const struct bisect_question *q,
				    const struct compared *row)
{
	const struct evidence_row *e = &row->self;
	double part = least_slow_down(c, q, row), share = MAX(e->cost[0], e->cost[1]) / c->self.total[0];
	bool is_there = e->cost[0] > 0 && e->cost[1] > 0 && row->verdict != VERDICT_RENAMED;

	if (row->verdict == VERDICT_SLOWER && e->change >= 1 + part)
		return BISECT_BAD;
	if (is_there && evidence_row__is_tested(e) && e->high < 1 + part)
		return BISECT_GOOD;
	if (row->verdict == VERDICT_GONE && !q->filter->symbols.given)
		return BISECT_GOOD; /* what does its work is a row, too */
	if (is_there && row->verdict != VERDICT_MOVED)
		return BISECT_UNKNOWN;
	return judge_total(c, MAX(part, c->opts.least_total), part * share);
}

static void add_row(struct strbuf *why, const struct comparison *c, const struct compared *row)
{
	const struct cell_style style = { 0 };
	const struct evidence_row *e = &row->self;

	strbuf__addch(why, '\'');
	compare_text__add_function(why, row, &style);
	strbuf__addch(why, '\'');
	if (!evidence_row__is_tested(e)) {
		strbuf__addstr(why, " has too few samples");
	} else if (!(e->cost[0] > 0 && e->cost[1] > 0)) {
		strbuf__addf(why, " is only in the %s recordings; ", e->cost[0] > 0 ? "old" : "new");
		add_total(why, c);
	} else {
		strbuf__addstr(why, " changed by ");
		compare_text__add_change(why, e->change);
		strbuf__addstr(why, " (");
		compare_text__add_interval(why, e);
		strbuf__addf(why, "), %s", verdict__name(row->verdict));
	}
}

/* ---- all ---- */

/* Return the first row with this status, or NULL. *nr: number of judged rows. */
static const struct compared *find_row(const struct comparison *c, const struct bisect_question *q,
				       enum bisect_status status, u32 *nr)
{
	const struct compared *found = NULL;

	*nr = 0;
	for (size_t i = 0; i < c->rows.nr; i++) {
		const struct compared *row = &c->rows.v[i];

		if (!is_judged(c, q, row))
			continue;
		++*nr;
		if (!found && judge_row(c, q, row) == status)
			found = row;
	}
	return found;
}

enum bisect_status diff_bisect__judge(const struct comparison *c, const struct bisect_question *q,
				      struct strbuf *why)
{
	double part = q->part > 0 ? q->part : c->opts.least_total;
	bool is_named = q->filter->symbols.given;
	u32 nr;
	const struct compared *bad = find_row(c, q, BISECT_BAD, &nr);
	const struct compared *unknown = find_row(c, q, BISECT_UNKNOWN, &nr);
	enum bisect_status total = is_named ? BISECT_GOOD : judge_total(c, part, part), status;

	status = bad || total == BISECT_BAD ? BISECT_BAD : unknown || !nr ? BISECT_UNKNOWN : total;
	strbuf__addstr(why, status == BISECT_BAD    ? "bad: "
			    : status == BISECT_GOOD ? "good: "
						    : "cannot tell: ");
	if (bad || (unknown && status == BISECT_UNKNOWN))
		add_row(why, c, bad ? bad : unknown);
	else if (!nr)
		strbuf__addstr(why, is_named ? "no such function has samples" : "no function takes enough");
	else if (status != BISECT_GOOD)
		add_total(why, c);
	else
		strbuf__addf(why, "%u function%s%s not that much slower", nr, nr == 1 ? "" : "s",
			     is_named ? nr == 1 ? " is" : " are" : " and the total are");
	return status;
}
