/* Moves an older recording to NAME.old before a new one is written. */
#ifndef RECORD_OLD_OUTPUT_H
#define RECORD_OLD_OUTPUT_H

#include "base/message/err.h"

/*
 * Rename the recording at path, a non-empty file or a data directory, to PATH.old, replacing an older
 * PATH.old. A directory that holds other files is not a recording and stays. Return 0, or -EBUSY with err if
 * another perf is writing path or PATH.old; nothing was renamed then. Other failures are only warnings.
 */
int old_output__keep(const char *path, struct err *err);
/* Create the folder of a data directory, or reuse an empty one. Return 0 or a negative errno with err. */
int old_output__make_dir(const char *path, struct err *err);

#endif
