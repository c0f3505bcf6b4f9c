#include "ui/report_ui.h"

/* Return the entry's share of its event's total, including children if the view adds them up. */
static double hist_entry__percent(const struct view *v, const struct hist_entry *e)
{
	u64 total = hists__total(v, &v->hists.v[e->hists], 0);
	u64 period = v->opts.children ? e->stats[0].period_children : e->stats[0].period;

	return total ? 100.0 * (double)period / (double)total : 0;
}

static bool hists__has_samples(const struct hists *h)
{
	for (u32 m = 0; m < h->nr_members; m++)
		if (h->totals[m].nr)
			return true;
	return false;
}

void report_ui__show(struct report_ui *ui, struct view *v)
{
	ui->begin(ui, v);
	for (size_t i = 0; i < v->hists.nr; i++) {
		const struct hists *h = &v->hists.v[i];

		if (ui->skip_empty && !hists__has_samples(h))
			continue;
		ui->event_begin(ui, v, h);
		for (size_t k = 0; k < h->entries.nr; k++) {
			const struct hist_entry *e = h->entries.v[k];

			if (!e->filtered && hist_entry__percent(v, e) >= ui->percent_limit)
				ui->entry(ui, v, h, e);
		}
		ui->event_end(ui, v, h);
	}
	ui->end(ui, v);
}
