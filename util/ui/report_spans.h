/* perf report --span: how long spans took, as text or JSON, and whether they kept the limits of --fail-on. */
#ifndef UI_REPORT_SPANS_H
#define UI_REPORT_SPANS_H

#include "ui/report_args.h"

/* Exit statuses of --fail-on. */
enum {
	EXIT_SPANS_SLOW = 2,    /* a limit is exceeded */
	EXIT_SPANS_UNKNOWN = 3, /* none is, as far as is known: there are too few spans */
};

/* Is the table of spans asked for? */
bool report_spans__is_wanted(const struct report_args *a);
/*
 * Append the tables of the spans that a asks for, or one document of JSON. *status: exit status of --fail-on,
 * 0 without. Return 0; -ESTALE as session passes do; or another negative errno with err.
 */
int report_spans__add(struct session *s, const struct report_args *a, bool is_screen, struct strbuf *out,
		      int *status, struct err *err);

#endif
