#include "ui/stdio/report_ui.h"

/* Return the entry's share of its event's total, including children if the view adds them up. */
static double hist_entry__percent(const struct view *v, const struct hist_entry *e)
{
	const struct hists *h = &v->hists.v[e->hists];
	u32 member = hists__sort_member(v, h);
	const struct hist_stat *stat = &e->stats[member];
	u64 total = hists__total(v, h, member);
	u64 period = v->opts.children ? stat->period_children : stat->period;

	return total ? 100.0 * (double)period / (double)total : 0;
}

static bool hists__has_samples(const struct hists *h)
{
	for (u32 m = 0; m < h->nr_members; m++)
		if (h->totals[m].nr)
			return true;
	return false;
}

bool report_ui__reaches(const struct report_ui *ui, const struct view *v, const struct hist_entry *e)
{
	return !e->filtered &&
	       (ui->rest.percent_limit <= 0 || hist_entry__percent(v, e) >= ui->rest.percent_limit);
}

bool report_ui__shows(const struct report_ui *ui, const struct view *v, const struct hists *h, size_t entry)
{
	return entry < ui->rest.end && report_ui__reaches(ui, v, h->entries.v[entry]);
}

/* Find which entries to show: those that reach limit, at most max_rows. */
static void report_ui__choose(struct report_ui *ui, const struct view *v, const struct hists *h, double limit,
			      size_t max_rows)
{
	ui->rest = (struct report_ui_rest){ .percent_limit = limit, .end = h->entries.nr };
	for (size_t i = 0; i < ui->rest.end; i++) {
		if (!report_ui__shows(ui, v, h, i))
			continue;
		if (ui->rest.nr_shown == max_rows)
			ui->rest.end = i;
		else
			ui->rest.nr_shown++;
	}
}

static void report_ui__begin_event(struct report_ui *ui, const struct view *v, const struct hists *h)
{
	enum { LEAST_ROWS = 10 };
	u32 member = hists__sort_member(v, h);
	u64 total = hists__total(v, h, member), below = 0;

	report_ui__choose(ui, v, h, ui->percent_limit, ui->max_rows ? ui->max_rows : SIZE_MAX);
	if (ui->max_rows && !ui->rest.nr_shown)
		report_ui__choose(ui, v, h, 0, LEAST_ROWS);
	for (size_t i = 0; i < h->entries.nr; i++) {
		const struct hist_entry *e = h->entries.v[i];

		if (e->filtered || e->below || report_ui__shows(ui, v, h, i))
			continue;
		ui->rest.nr++;
		ui->rest.largest = MAX(ui->rest.largest, hist_entry__percent(v, e));
		below += e->stats[member].period;
	}
	ui->rest.percent = total ? 100.0 * (double)below / (double)total : 0;
}

void report_ui__show(struct report_ui *ui, struct view *v)
{
	ui->begin(ui, v);
	for (size_t i = 0; i < v->hists.nr; i++) {
		const struct hists *h = &v->hists.v[i];

		if (ui->skip_empty && !hists__has_samples(h))
			continue;
		report_ui__begin_event(ui, v, h);
		ui->event_begin(ui, v, h);
		for (size_t k = 0; k < h->entries.nr; k++)
			if (report_ui__shows(ui, v, h, k))
				ui->entry(ui, v, h, h->entries.v[k]);
		ui->event_end(ui, v, h);
	}
	ui->end(ui, v);
}
