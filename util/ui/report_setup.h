/*
 * From the options of a report to what the profile and the view are made with. The same for all user
 * interfaces: nothing here writes to the terminal.
 *
 *	report_setup__init():	options -> layout, view, profile
 *	profile__collect(&p, session, &setup.profile): the samples of the recording
 *	view__build(&v, &p, &setup.view)
 */
#ifndef UI_REPORT_SETUP_H
#define UI_REPORT_SETUP_H

#include "ui/report_args.h"

struct report_setup {
	const struct report_args *args; /* not owned */
	struct session *session;        /* not owned */
	bool is_screen;                 /* as report_setup__init() was told */
	struct layout layout;
	struct view_opts view;
	struct profile_opts profile;

	/* the structs above point to these */
	struct trace_formats *formats; /* of tracepoints */
	struct trace_keys traces;
	struct payload_cuts payloads;
	struct err no_formats;
	regex_t ignore_callees;
	regex_t parent; /* -p */
	bool has_parent;
	struct time_table waits; /* if has_waits */
	bool has_waits;
	struct sample_context context;
	struct sample_weights weights; /* with --blocked-by and --critical-path */
	struct err *err;               /* of report_setup__init() */
};

/*
 * Interpret the options for the recording, and read what its columns need of records other than samples.
 * is_screen: for a person at a terminal, who gets one call tree and the most telling columns. a and session
 * must live as long as s, which must not move. Return 0 or a negative errno with err: -EINVAL for options
 * that do not suit each other or the recording, -ESTALE if the recording's summaries are wrong (to be opened
 * again without them). s can be freed after an error, too.
 */
int report_setup__init(struct report_setup *s, const struct report_args *a, struct session *session,
		       bool is_screen, struct err *err);
/*
 * Update the setup after the session has moved to another part of the recording (session__next). Return as
 * __init.
 */
int report_setup__go_on(struct report_setup *s, struct err *err);
/* A zeroed setup can be freed, too. */
void report_setup__exit(struct report_setup *s);
/* Is there one call tree for all rows? Else each row has its own. */
bool report_setup__has_one_tree(const struct report_setup *s);

#endif
