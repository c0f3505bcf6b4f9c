/*
 * Showing a view: a user interface is a struct of callbacks that get the view's events and entries in order.
 * To add one, write a file that fills the struct, and offer it in report.c.
 */
#ifndef UI_REPORT_UI_H
#define UI_REPORT_UI_H

#include "profile/hists/hists.h"

struct report_ui_rest {       /* the entries of an event that are not shown; set before event_begin */
	double percent_limit; /* in force for this event */
	size_t end;           /* entries from here on are not shown */
	u64 nr, nr_shown;
	double percent; /* their own share together */
	double largest; /* share of the largest of them */
};

struct report_ui {
	void (*begin)(struct report_ui *ui, struct view *v);
	void (*event_begin)(struct report_ui *ui, struct view *v, const struct hists *h);
	/* Called in order, for entries that are not filtered and not below percent_limit. */
	void (*entry)(struct report_ui *ui, struct view *v, const struct hists *h,
		      const struct hist_entry *e);
	void (*event_end)(struct report_ui *ui, struct view *v, const struct hists *h);
	void (*end)(struct report_ui *ui, struct view *v);

	double percent_limit; /* entries below it are not shown */
	/*
	 * 0: show all entries that reach percent_limit. Otherwise show no more than so many, and some if none
	 * reaches it.
	 */
	size_t max_rows;
	bool skip_empty; /* events without samples are not shown */
	struct report_ui_rest rest;
};

void report_ui__show(struct report_ui *ui, struct view *v);
/* Is the entry's share large enough to be shown? */
bool report_ui__reaches(const struct report_ui *ui, const struct view *v, const struct hist_entry *e);
/* Is this entry of h, the current event, shown? */
bool report_ui__shows(const struct report_ui *ui, const struct view *v, const struct hists *h, size_t entry);

#endif
