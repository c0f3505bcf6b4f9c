/* perf report: read a recording and show it as text or JSON. */
#ifndef UI_REPORT_H
#define UI_REPORT_H

#include "ui/report_setup.h"

enum live_command { LIVE_FREEZE, LIVE_ZERO, LIVE_ZERO_ALWAYS, LIVE_EVENTS, LIVE_FASTER, LIVE_SLOWER };

/* A recording that goes on while it is shown (perf top). */
struct live {
	int fd; /* readable: take has something to do */
	bool is_frozen;
	/*
	 * Do what is due, and count new samples into the view, with the filter as in view__recount. Return
	 * 1 if the view has changed, else 0, or a negative errno with err.
	 */
	int (*take)(struct live *l, const struct sample_filter *zoom, struct err *err);
	/* Run the command, and append to sb what it did. */
	void (*command)(struct live *l, enum live_command c, struct strbuf *sb);
	/* Write the kept slices as a recording. Return 0 or a negative errno with err. */
	int (*write)(struct live *l, const char *path, struct err *err);
	/* Append how the recording goes, in a few words. */
	void (*describe)(const struct live *l, struct strbuf *sb);
};

/* The input of a browser (report_args.browse). It may make all but args and session anew. */
struct report_screen {
	const struct report_args *args;
	struct session *session;
	struct report_setup *setup;
	struct profile *profile;
	struct view view;
	struct live *live; /* NULL: the recording is complete */
	char *next;        /* set by the browser: path of the recording to show next; NULL: none */
};

/* Read a->input and show it. Return the exit status. */
int report__main(const struct report_args *a);

#endif
