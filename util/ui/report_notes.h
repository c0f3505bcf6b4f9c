/* Notes of a report besides its tables: why names are missing, and which filter leaves nothing. */
#ifndef UI_REPORT_NOTES_H
#define UI_REPORT_NOTES_H

#include "ui/report_setup.h"

/* -v: explain why symbols of binaries are missing, and count the names that the recording contains. */
void report_notes__explain(const struct session *session);
/*
 * Does an event that includes the kernel have samples there? Events restricted to user space have some,
 * too, on processors that stop late; but for those the recorder need not describe the kernel.
 */
bool report_notes__has_kernel_samples(const struct profile *p);
/* Warn if kernel addresses have no names because the kernel hid them, when recording or now. */
void report_notes__tell_hidden_kernel(const struct report_setup *s, bool had_samples);
/*
 * Say which filter matches nothing. Return -ENOENT with err if that is the filter for a part of a symbol,
 * else 0, with a warning: stock perf shows an empty table then.
 */
int report_notes__check_filters(const struct report_setup *s, struct view *v, struct err *err);

#endif
