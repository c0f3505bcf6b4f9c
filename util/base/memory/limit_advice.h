/* Which limit of this process caused an error, and what to type. */
#ifndef BASE_LIMIT_ADVICE_H
#define BASE_LIMIT_ADVICE_H

#include "base/memory/types.h"

#include <stddef.h>

/*
 * Write for example "RLIMIT_NOFILE is 12: ulimit -n 1024" into text and return true. error: negative errno,
 * -ENOMEM for memory, -EAGAIN for a thread, -EMFILE for a file. Return false for other errors, or if there
 * is no limit. Allocates nothing.
 */
bool limit_advice__write(int error, char *text, size_t size);

#endif
