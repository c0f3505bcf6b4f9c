/* What is in the way of a new recording: an older one, which becomes NAME.old. */
#ifndef RECORD_OLD_OUTPUT_H
#define RECORD_OLD_OUTPUT_H

#include "base/message/err.h"

/*
 * Renames an older recording at path, a file that is not empty or a data directory; what was PATH.old before
 * is gone then. A directory with anything else in it is no recording and stays, whatever its name. 0; -EBUSY
 * with err: another perf is writing path or PATH.old, and nothing was renamed. Other failures are told as
 * warnings.
 */
int old_output__keep(const char *path, struct err *err);
/* Makes the folder of a data directory; an empty one is as good. 0 or a negative errno with err. */
int old_output__make_dir(const char *path, struct err *err);

#endif
