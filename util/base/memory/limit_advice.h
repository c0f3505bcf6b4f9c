/* Which limit of this process an error comes of, and what to type. */
#ifndef BASE_LIMIT_ADVICE_H
#define BASE_LIMIT_ADVICE_H

#include "base/memory/types.h"

#include <stddef.h>

/*
 * Writes for example "RLIMIT_NOFILE is 12: ulimit -n 1024" into text and returns true. error: negative errno,
 * -ENOMEM for memory, -EAGAIN for a thread, -EMFILE for a file. False: the error is another one, or no limit
 * is set. Allocates nothing.
 */
bool limit_advice__write(int error, char *text, size_t size);

#endif
