/*
 * --runtimes: what language runtimes need to be told so that their functions have names, set in the
 * environment of the command that is recorded.
 */
#ifndef RECORD_RUNTIMES_H
#define RECORD_RUNTIMES_H

#include "base/message/err.h"

/*
 * Set the environment of this process, which the command inherits, for these runtimes. list: names with
 * commas between them; NULL: all. What the user has there is kept. Return 0, -EINVAL with err for an unknown
 * name, or another negative errno with err.
 */
int runtimes__set(const char *list, struct err *err);
/* Remove the files that __set made, when the command has ended. */
void runtimes__clean(void);

#endif
