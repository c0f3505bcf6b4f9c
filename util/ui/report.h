/* perf report: read a recording and show it as text or JSON. */
#ifndef UI_REPORT_H
#define UI_REPORT_H

#include "ui/report_setup.h"

/* What a browser gets (report_args.browser). It may make all but args and session anew. */
struct report_screen {
	const struct report_args *args;
	struct session *session;
	struct report_setup *setup;
	struct profile *profile;
	struct view view;
	char *next; /* set by the browser: path of the recording to show next; NULL: none */
};

/* Read a->input and show it. Return the exit status. */
int report__main(const struct report_args *a);

#endif
