/*
 * Showing a view: a user interface is a struct of callbacks that get the view's events and entries in order.
 * To add one, write a file that fills the struct, and offer it in report.c.
 */
#ifndef UI_REPORT_UI_H
#define UI_REPORT_UI_H

#include "profile/hists/hists.h"

struct report_ui {
	void (*begin)(struct report_ui *ui, struct view *v);
	void (*event_begin)(struct report_ui *ui, struct view *v, const struct hists *h);
	/* Called in order, for entries that are not filtered and not below percent_limit. */
	void (*entry)(struct report_ui *ui, struct view *v, const struct hists *h,
		      const struct hist_entry *e);
	void (*event_end)(struct report_ui *ui, struct view *v, const struct hists *h);
	void (*end)(struct report_ui *ui, struct view *v);

	double percent_limit; /* entries below it are not shown */
	bool skip_empty;      /* events without samples are not shown */
};

void report_ui__show(struct report_ui *ui, struct view *v);

#endif
